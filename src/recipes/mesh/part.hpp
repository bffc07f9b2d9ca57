// Compiles single meshes of a scene, each in its own space, for outputs that keep the node tree.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "recipes/container/containers.hpp"
#include "recipes/mesh/compiled_mesh.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::recipes {

class MeshParts {
 public:
  // All arguments but source must outlive this object.
  MeshParts(const MeshSource& source, const Step& step, const MeshRows& containers, MeshReport& report);

  // The skeleton of each skin of the scene.
  const std::vector<Skeleton>& skeletons() const { return skeletons_; }
  // The skin of the first node that shows the mesh with a skin, or scene::kNone.
  std::uint32_t skin_of(std::uint32_t mesh) const { return skin_of_mesh_[mesh]; }

  struct Part {
    CompiledMesh mesh;
    MaterialTable table;  // the materials of its slots
    const MeshContainer* container = nullptr;
  };
  // Compiles a mesh. Empty if it draws nothing, which is reported.
  // shared: the materials that slots refer to; null: those that the mesh uses, in the order of first use.
  // Errors: those of mesh::build_mesh and gather_skin.
  Result<std::optional<Part>> compile(std::uint32_t mesh, const MaterialTable* shared);

  // Whether the mesh alone has the geometry of a flattened scene, in the container of the flattened mesh. This compares
  // what they are built from.
  // Errors: those of gather_skin.
  Result<bool> equals(std::uint32_t mesh, const FlatScene& flat, const MeshContainer& container);

 private:
  const MeshContainer& choose_container(std::uint32_t mesh);
  // Without materials that are slots.
  Result<std::vector<mesh::SubmeshInput>> submeshes_of(std::uint32_t mesh);
  Result<mesh::SubmeshInput> flat_of(std::uint32_t mesh, std::size_t number, std::uint32_t skin);
  void keep_numbered(const scene::Primitive& primitive, mesh::SubmeshInput& submesh);
  const std::vector<hanim::Clip>& clips_of(std::uint32_t skin);

  MeshSource source_;  // as the container keeps it
  const Step& step_;
  MeshRows containers_;
  MeshReport& report_;
  std::vector<Skeleton> skeletons_;
  std::vector<std::optional<std::vector<hanim::Clip>>> clips_of_skin_;
  std::vector<std::uint32_t> skin_of_mesh_;
};

}  // namespace assetc::recipes
