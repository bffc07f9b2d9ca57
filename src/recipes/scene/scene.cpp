// Writes the files of a scene: each mesh once, the clips of all nodes, and the .hscene that names them. A file that
// would equal one of the flattened mesh is not written: the scene names that one.
#include <algorithm>
#include <array>

#include "assetc/base/hash.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/mesh/model.hpp"
#include "recipes/mesh/part.hpp"
#include "recipes/scene/scene_value.hpp"

namespace assetc::recipes {
namespace {

// Meshes that a node shows; all, if no node shows a mesh.
std::vector<bool> shown_meshes(const scene::Scene& scene) {
  std::vector<bool> shown(scene.meshes.size());
  for (const scene::Node& node : scene.nodes)
    if (node.mesh != scene::kNone) shown[node.mesh] = true;
  if (std::ranges::find(shown, true) == shown.end()) shown.assign(shown.size(), true);
  return shown;
}

class SceneWriter {
 public:
  SceneWriter(CompiledModel& model, const Step& step, Product& product)
      : model_(model),
        scene_(model.source.scene),
        source_{scene_, model.source.kind, true},
        step_(step),
        product_(product),
        // The flattened mesh has reported the same content.
        report_(model.writes_mesh ? silent_ : model.report) {}

  Result<void> write() {
    ASSETC_CHECK(add_meshes());
    ASSETC_CHECK(add_materials());
    ASSETC_CHECK(add_clips());
    const SceneContainer& container = *step_.containers->scene;
    ASSETC_TRY(ByteVector bytes, container.write(scene_, files_));
    product_.outputs.push_back({std::string(container.suffix), Bytes(std::move(bytes)), {AssetKind::kScene}});
    return {};
  }

 private:
  // Adds an output beside the scene and returns its ref.
  hscene::Ref add(const std::string& suffix, Bytes bytes, AssetKind kind) {
    product_.outputs.push_back({suffix, std::move(bytes), {kind}});
    return ref_of(suffix);
  }
  hscene::Ref ref_of(std::string_view suffix) const {
    return hscene::Ref::of(hash_embed_ref(step_.stem + std::string(suffix)));
  }

  Result<void> add_meshes() {
    MeshParts parts(source_, step_, step_.containers->mesh_rows(MeshFormat::kHmesh), report_);
    const std::vector<bool> shown = shown_meshes(scene_);
    for (std::uint32_t m = 0; m < scene_.meshes.size(); ++m) {
      files_.meshes.emplace_back();
      if (!shown[m]) continue;
      if (m == model_.same_mesh) {
        files_.meshes.back() = SceneMesh::of(ref_of(model_.container->suffix), model_.mesh.mesh);
        continue;
      }
      ASSETC_TRY(auto part, parts.compile(m, &model_.scene_table));
      if (!part) continue;
      const std::string suffix = ("/mesh_" + std::to_string(m)).append(part->container->suffix);
      files_.meshes.back() = SceneMesh::of(ref_of(suffix), part->mesh.mesh);
      ASSETC_TRY(Bytes bytes, part->container->write(part->mesh, report_));
      add(suffix, std::move(bytes), AssetKind::kMesh);
    }
    return {};
  }

  Result<void> add_materials() {
    if (model_.scene_materials.empty()) return {};
    const MaterialContainer& container = step_.containers->material;
    ASSETC_TRY(ByteVector bytes, container.write(model_.scene_materials));
    hscene::Ref file = ref_of(container.suffix);
    if (!is_flat_table(bytes))
      file = add(std::string("/materials").append(container.suffix), Bytes(std::move(bytes)), AssetKind::kMaterial);
    const std::vector<std::uint32_t>& sources = model_.scene_table.sources;
    for (std::uint32_t row = 0; row < sources.size(); ++row)
      files_.materials.push_back({sources[row], file, row, &model_.scene_materials[row]});
    return {};
  }

  // Whether the materials of the flattened mesh are the same file.
  bool is_flat_table(const ByteVector& bytes) const {
    return std::ranges::any_of(product_.outputs, [&](const Output& output) {
      return output.suffix == step_.containers->material.suffix && std::ranges::equal(output.bytes.span(), bytes);
    });
  }

  Result<void> add_clips() {
    if (scene_.clips.empty()) return {};
    const std::vector<std::uint32_t> order = scene_order(scene_);
    // Every node is a joint of the clips, so no channel of a node is lost.
    Skeleton nodes;
    nodes.joint_of_node = scene_numbers(order);
    nodes.prefix.resize(order.size());
    std::vector<hanim::Joint> joints;
    for (const std::uint32_t n : order) {
      const scene::Node& node = scene_.nodes[n];
      const auto& [t, r, s] = node.transform;
      joints.push_back({node.name, hanim::Joint::kNoParent, {{t.x, t.y, t.z}, {r.x, r.y, r.z, r.w}, {s.x, s.y, s.z}}});
      if (node.parent != scene::kNone)
        joints.back().parent = static_cast<std::int32_t>(nodes.joint_of_node[node.parent]);
    }
    if (step_.settings.animation.container != ClipFormat::kHanimV1) return add_compressed_clips(order, nodes);
    std::vector<hanim::Clip> clips = build_clips(source_, nodes, report_);
    clips.resize(scene_.clips.size());
    for (std::size_t c = 0; c < clips.size(); ++c) clips[c].name = scene_.clips[c].name;
    const ClipContainer& container = step_.containers->clips;
    ASSETC_TRY(ByteVector bytes, container.write(clips, joints));
    const hscene::Ref file =
        add(std::string("/clips").append(container.suffix), Bytes(std::move(bytes)), AssetKind::kAnimation);
    for (std::uint32_t c = 0; c < clips.size(); ++c) files_.clips.push_back({file, c});
    return {};
  }

  Result<void> add_compressed_clips(std::span<const std::uint32_t> order, const Skeleton& numbers) {
    const std::vector<animation::Node> all = animation_nodes(scene_);
    std::vector<animation::Node> nodes;
    for (const std::uint32_t n : order) {
      nodes.push_back(all[n]);
      if (all[n].parent != scene::kNone) nodes.back().parent = numbers.joint_of_node[all[n].parent];
    }
    ASSETC_TRY(ByteVector bytes,
               write_compressed_clips(source_, numbers, nodes, true, step_.settings.animation, report_));
    const hscene::Ref file = add(std::string("/clips").append(step_.containers->clips.suffix), Bytes(std::move(bytes)),
                                 AssetKind::kAnimation);
    for (std::uint32_t c = 0; c < scene_.clips.size(); ++c) files_.clips.push_back({file, c});
    return {};
  }

  CompiledModel& model_;
  const scene::Scene& scene_;
  const MeshSource source_;
  const Step& step_;
  Product& product_;
  MeshReport silent_;
  MeshReport& report_;
  SceneFiles files_;
};

}  // namespace

Result<void> write_scene(CompiledModel& model, const Step& step, Product& product) {
  return SceneWriter(model, step, product).write();
}

}  // namespace assetc::recipes
