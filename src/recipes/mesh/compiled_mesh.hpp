// A compiled mesh, and the data that containers store beside its geometry.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assetc/base/uuid.hpp"
#include "mesh/mesh.hpp"
#include "recipes/settings.hpp"

namespace assetc::recipes {

struct CompiledMesh {
  mesh::Mesh mesh{};
  std::string stem{};                 // the text of its own ref
  std::vector<std::string> places{};  // of the submeshes, for messages; empty: messages name only the file
  // hash_asset_ref of every material of the source, in source order, as .hmesh version 1 stores them. Names: as many,
  // or none.
  std::vector<std::uint64_t> source_materials{};
  std::vector<std::string> source_material_names{};
  // For a mesh that is a separate asset: the materials of the slots, and the skeleton or nil.
  std::vector<Uuid> material_uuids{};
  Uuid skeleton{};
  MeshCompression compress = MeshCompression::kNone;  // for containers that store meshes encoded
  bool keeps_area = true;                             // of small open pieces, in clusters
  bool has_float_frames = false;  // store normals and tangents as floats, if the container supports both forms

  std::string place(std::size_t submesh) const { return submesh < places.size() ? places[submesh] : std::string(); }
};

}  // namespace assetc::recipes
