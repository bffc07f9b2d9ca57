// A mesh, and what containers say of it beside its geometry.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assetc/base/uuid.hpp"
#include "mesh/mesh.hpp"

namespace assetc::recipes {

struct CompiledMesh {
  mesh::Mesh mesh{};
  std::string stem{};                      // what its own ref is made of
  std::vector<std::string> places{};       // of the submeshes, for messages; empty: messages name the file alone
  std::vector<std::uint64_t> materials{};  // hash_asset_ref of each slot
  // The same of every material of the source, in source order, as .hmesh version 1 has them. Names: as many, or none.
  std::vector<std::uint64_t> source_materials{};
  std::vector<std::string> source_material_names{};
  // Of a part that is an asset of its own: the materials of the slots, and the skeleton or nil.
  std::vector<Uuid> material_uuids{};
  Uuid skeleton{};
  bool has_float_frames = false;  // normals and tangents as floats, where the container can hold either

  std::string place(std::size_t submesh) const { return submesh < places.size() ? places[submesh] : std::string(); }
};

}  // namespace assetc::recipes
