// The loader of scenes: .hscene, and cooked models with or without one.
#include <algorithm>

#include "assetc/formats/hscene.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/scene.hpp"
#include "runtime/loaders/fallbacks.hpp"
#include "runtime/loaders/held.hpp"
#include "runtime/mount/slice.hpp"

namespace assetc::runtime {
namespace {

// The nodes of a model as a scene. For blobs of an assetc that wrote no scene into them.
Result<ByteVector> scene_of(const aas1::ModelView& model) {
  const std::span<const aas1::ModelNode> nodes = model.nodes();
  const auto count = static_cast<std::uint32_t>(nodes.size());
  // The children of each node as lists in arrays, built from the last node on, so that lists ascend.
  std::vector<std::uint32_t> first_child(count, hscene::kNone), next_sibling(count, hscene::kNone), stack;
  std::vector<std::uint32_t> number(count);
  std::uint32_t first_root = hscene::kNone;
  for (std::uint32_t n = count; n-- > 0;) {
    std::uint32_t& head = nodes[n].parent < 0 ? first_root : first_child[static_cast<std::uint32_t>(nodes[n].parent)];
    next_sibling[n] = head;
    head = n;
  }
  hscene::Model out;
  out.desc.flags = hscene::SceneDesc::kUuids;
  std::vector<Uuid> meshes, skeletons;
  const auto index_of = [](std::vector<Uuid>& all, const Uuid& uuid) {
    if (uuid.is_nil()) return hscene::kNone;
    const auto found = std::ranges::find(all, uuid);
    const auto index = static_cast<std::uint32_t>(found - all.begin());
    if (found == all.end()) all.push_back(uuid);
    return index;
  };
  if (first_root != hscene::kNone) stack.push_back(first_root);
  while (!stack.empty()) {
    const std::uint32_t n = stack.back();
    stack.pop_back();
    const aas1::ModelNode& from = nodes[n];
    hscene::Node node;
    std::ranges::copy(from.translation, node.transform.translation.begin());
    std::ranges::copy(from.rotation, node.transform.rotation.begin());
    std::ranges::copy(from.scale, node.transform.scale.begin());
    number[n] = static_cast<std::uint32_t>(out.nodes.size());
    if (from.parent >= 0) node.parent = static_cast<std::int32_t>(number[static_cast<std::uint32_t>(from.parent)]);
    node.end = number[n] + 1;
    node.mesh = index_of(meshes, from.mesh);
    node.skin = index_of(skeletons, from.skeleton);
    node.source = n;
    if (model.names()) node.name = out.add_text(model.names()->node(n));
    out.nodes.push_back(node);
    if (next_sibling[n] != hscene::kNone) stack.push_back(next_sibling[n]);
    if (first_child[n] != hscene::kNone) stack.push_back(first_child[n]);
  }
  for (std::uint32_t n = count; n-- > 0;) {
    const std::int32_t parent = out.nodes[n].parent;
    if (parent < 0) continue;
    std::uint32_t& end = out.nodes[static_cast<std::uint32_t>(parent)].end;
    end = std::max(end, out.nodes[n].end);
  }
  for (hscene::Node& node : out.nodes) {
    const std::int32_t full = nodes[node.source].detail_of;
    // A scene is stricter: a level has a mesh, and replaces a node of full detail.
    if (full >= 0 && node.mesh != hscene::kNone && nodes[static_cast<std::uint32_t>(full)].detail_of < 0 &&
        static_cast<std::uint32_t>(full) != node.source)
      node.detail_of = number[static_cast<std::uint32_t>(full)];
  }
  for (const Uuid& mesh : meshes) out.meshes.push_back({.file = hscene::Ref::of(mesh)});
  for (const Uuid& skeleton : skeletons) out.skins.push_back({.skeleton = hscene::Ref::of(skeleton)});
  return hscene::write(out);
}

AssetHandle handle_of(const Catalog& catalog, const hscene::View& scene, const hscene::Ref& ref, AssetType type) {
  if (ref.is_none()) return {};
  if (scene.has_uuids()) return catalog.find(ref.uuid()).value_or(AssetHandle{.uuid = ref.uuid(), .type = type});
  return catalog.find(ref.hash()).value_or(AssetHandle{.path_hash = ref.hash(), .type = type});
}

void add_hard(std::vector<AssetHandle>& list, const AssetHandle& asset) {
  // The files of materials and meshes repeat in runs.
  if (asset && (list.empty() || !(list.back() == asset))) list.push_back(asset);
}

Result<SceneData> load_scene(LoadInput& in) {
  ASSETC_TRY(SceneData scene, open_scene(in.bytes));
  const auto handles = [&](const auto& items, AssetType type, auto member) {
    std::vector<AssetHandle> out;
    out.reserve(items.size());
    for (const auto& item : items) out.push_back(handle_of(in.catalog, scene.view, item.*member, type));
    return out;
  };
  scene.meshes = handles(scene.view.meshes(), AssetType::kMesh, &hscene::Mesh::file);
  scene.materials = handles(scene.view.materials(), AssetType::kMaterial, &hscene::Material::file);
  scene.skeletons = handles(scene.view.skins(), AssetType::kSkeleton, &hscene::Skin::skeleton);
  scene.clips = handles(scene.view.clips(), AssetType::kAnimation, &hscene::Clip::file);
  for (const auto* list : {&scene.meshes, &scene.materials, &scene.skeletons})
    for (const AssetHandle& asset : *list) add_hard(in.hard, asset);
  for (const hscene::Material& material : scene.view.materials()) {
    for (const hscene::Texture& texture : scene.view.textures(material))
      add_hard(in.hard, texture_of(in.catalog, scene.view, texture));
  }
  return scene;
}

}  // namespace

AssetHandle texture_of(const Catalog& catalog, const hscene::View& scene, const hscene::Texture& texture) {
  return handle_of(catalog, scene, texture.file, AssetType::kTexture2D);
}

Result<SceneData> open_scene(Bytes file) {
  SceneData out;
  out.bytes = std::move(file);
  Bytes scene = out.bytes;
  if (is_aas1_blob(out.bytes, aas1::kMagic)) {
    ASSETC_TRY(out.model_view, aas1::ModelView::open(out.bytes));
    const ByteSpan extension = out.model_view->scene();
    if (extension.empty()) {
      ASSETC_TRY(ByteVector made, scene_of(*out.model_view));
      scene = Bytes(std::move(made));
    } else {
      scene = Bytes(ByteVector(extension.begin(), extension.end()));  // aligned
    }
  }
  ASSETC_TRY(out.view, hscene::View::open(scene));
  out.scene = std::move(scene);
  return out;
}

SceneData empty_scene(AssetType /*type*/) {
  hscene::Model scene;
  scene.nodes.resize(1);
  scene.nodes[0].end = 1;
  return must(open_scene(Bytes(must(hscene::write(scene)))));
}

Loader<SceneData> scene_loader() {
  return {.decode = load_scene,
          // A cooked model is copied: its scene has another alignment.
          .decoded_bytes = [](ByteSpan bytes) -> std::uint64_t {
            return is_aas1_blob(bytes, aas1::kMagic) ? bytes.size() : 0;
          },
          .size_bytes = [](const SceneData& scene) -> std::uint64_t {
            const std::uint64_t copy = scene.model() == nullptr ? 0 : scene.scene.size();
            return scene.bytes.size() + copy;
          },
          .fallback = empty_scene,
          .shares = false};  // a file refers to others beside it
}

}  // namespace assetc::runtime
