// Functions for the nodes of a scene: poses, matrices and visibility. hscene::View has lookups by name and path.
//
//   const runtime::SceneData& scene = *ref.get();
//   std::vector<Matrix> world(scene.view.nodes().size());  // once for each instance of the scene
//   world_matrices(scene.view, {}, world);                 // at rest
//   for_each_visible(scene.view, [&](std::uint32_t n, const hscene::Node& node) {
//     if (node.mesh != hscene::kNone) draw(scene.meshes[node.mesh], world[n]);
//   });
//
// Nothing here allocates, fails or throws.
// Thread safety: const and without state. Any number of threads, each with its own spans.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/aas1.hpp"
#include "assetc/formats/hscene_view.hpp"
#include "assetc/runtime/animation.hpp"
#include "assetc/runtime/handle.hpp"

namespace assetc::runtime {

class Catalog;

// The node tree of a source, with the assets at its nodes.
struct SceneData {
  Bytes bytes;  // of the asset
  Bytes scene;  // the bytes of the view: those of the asset, or a copy from a cooked model
  hscene::View view{};
  std::optional<aas1::ModelView> model_view{};

  // One for each of view.meshes(), view.materials(), view.skins() and view.clips(); nil where the scene names none.
  // Meshes, materials and skeletons are loaded before the scene, clips are not.
  std::vector<AssetHandle> meshes{}, materials{}, skeletons{}, clips{};

  // The model of a cook, or null. Its nodes have the order of the source: hscene::Node::source.
  const aas1::ModelView* model() const { return model_view ? &*model_view : nullptr; }
};
// Opens a .hscene or a cooked Model, without the handles of its assets. For fallbacks and for scenes made in code.
Result<SceneData> open_scene(Bytes file);
// Returns the texture that a material of a scene names. It is loaded before the scene.
AssetHandle texture_of(const Catalog& catalog, const hscene::View& scene, const hscene::Texture& texture);

// Writes the transform of each node at rest. Requires out.size() == scene.nodes().size().
void rest_pose(const hscene::View& scene, std::span<Transform> out);

// Computes the matrix from the space of each node to the space of the scene.
// - pose: the transform of each node, or empty for the rest pose. A node with an exact matrix keeps it at rest, and
// also
//   in a pose that does not move it.
// - world: has the size of scene.nodes(). To place a whole scene, multiply on the left.
void world_matrices(const hscene::View& scene, std::span<const Transform> pose, std::span<Matrix> world);

// Computes the matrices that move the vertices of a skinned mesh into the space of the scene. The transform of the
// mesh's node has no effect. out: at least the size of scene.joints(skin); further matrices keep the bind pose.
void skinning_matrices(const hscene::View& scene, const hscene::Skin& skin, std::span<const Matrix> world,
                       std::span<Matrix> out);

// Calls visit(number, node) for each node that is not hidden, in order. Nodes below a hidden node are hidden too, and
// nodes that replace another at lower detail are not visited: find them with detail_of.
template <class Visit>
void for_each_visible(const hscene::View& scene, const Visit& visit) {
  const std::span<const hscene::Node> nodes = scene.nodes();
  for (std::uint32_t n = 0; n < nodes.size();) {
    const hscene::Node& node = nodes[n];
    if (node.is_hidden()) {
      n = node.end;
      continue;
    }
    if (node.detail_of == hscene::kNone) visit(n, node);
    ++n;
  }
}

}  // namespace assetc::runtime
