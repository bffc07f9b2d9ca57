// A scene as .hscene: nodes, and references to the files of its parts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "assetc/base/result.hpp"
#include "assetc/formats/hscene.hpp"
#include "mesh/bounds.hpp"
#include "mesh/mesh.hpp"
#include "recipes/material/compiled_material.hpp"
#include "scene/scene.hpp"

namespace assetc::recipes {

// The file of a mesh; none if the mesh draws nothing.
struct SceneMesh {
  hscene::Ref file{};
  mesh::Box box{};                      // of the vertices
  std::optional<mesh::Box> pose_box{};  // of a skinned mesh at rest, in scene space
  std::uint32_t submesh_count = 0;

  static SceneMesh of(const hscene::Ref& file, const mesh::Mesh& mesh);
};

struct SceneMaterial {
  std::uint32_t source = 0;  // the material of the scene
  hscene::Ref file{};
  std::uint32_t row = 0;
  // The textures that the material uses are listed in the scene; null if its file lists them.
  const CompiledMaterial* compiled = nullptr;
};

struct SceneClip {
  hscene::Ref file{};
  std::uint32_t number = 0;
};

// Where the parts of a scene are. meshes, skeletons and clips: one for each of the scene's, or none of that kind.
struct SceneFiles {
  bool has_uuids = false;
  std::vector<SceneMesh> meshes{};
  std::vector<hscene::Ref> skeletons{};
  std::vector<SceneMaterial> materials{};
  std::vector<SceneClip> clips{};
};

// The nodes of a .hscene, depth first: the node of the scene that each one is. Siblings keep their order.
std::vector<std::uint32_t> scene_order(const scene::Scene& scene);
// The inverse of scene_order().
std::vector<std::uint32_t> scene_numbers(std::span<const std::uint32_t> order);

hscene::Model scene_value(const scene::Scene& scene, const SceneFiles& files);

}  // namespace assetc::recipes
