// Cooks a model as separate assets: meshes, materials, skeletons, clips and the node tree.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "mesh/pose_bounds.hpp"
#include "recipes/containers.hpp"
#include "recipes/model.hpp"

namespace assetc::recipes {
namespace {

class PartCook {
 public:
  PartCook(const scene::Scene& scene, importer::ModelKind kind, const Step& step, Inputs& inputs,
           const PartContainers& parts)
      : source_{scene, kind, true}, step_(step), inputs_(inputs), parts_(parts) {}

  Result<Product> run() {
    if (step_.only_children) {
      ASSETC_CHECK(add_materials());
      product_.outputs.clear();
      return std::move(product_);
    }
    for (const scene::Dropped& d : scene().dropped) {
      if (!d.is_in_materials) report_.drop(d.what, d.where, d.count);
    }
    for (std::uint32_t s = 0; s < scene().skins.size(); ++s) ASSETC_CHECK(add_skeleton(s));
    ASSETC_CHECK(add_materials());
    for (std::uint32_t m = 0; m < scene().meshes.size(); ++m) ASSETC_CHECK(add_mesh(m));
    ASSETC_CHECK(add_clips());
    report_matrices();
    ASSETC_TRY(ByteVector model, parts_.model(scene(), mesh_uuids_, skeleton_uuids_));
    product_.outputs.push_back({"", Bytes(std::move(model)), {AssetKind::kEmbed}});
    product_.diagnostics = std::move(report_).take();
    return std::move(product_);
  }

 private:
  const scene::Scene& scene() const { return source_.scene; }

  Result<Uuid> uuid(std::string_view type, std::size_t number, std::string_view name) {
    return uuid_of(inputs_, step_.input_path + "#" + std::string(type) + "/" + std::to_string(number), type, name);
  }
  void add(const Uuid& uuid, Bytes bytes, AssetKind kind) {
    product_.outputs.push_back({uuid.to_string(), std::move(bytes), {kind}});
  }

  Result<void> add_skeleton(std::uint32_t s) {
    const scene::Skin& skin = scene().skins[s];
    skeleton_uuids_.emplace_back();
    const Skeleton& skeleton = skeletons_.emplace_back(skeleton_of_skin(source_, s, report_));
    clips_of_skin_.emplace_back();
    if (skin.joints.empty()) return {};
    ASSETC_TRY(const Uuid id, uuid("Skeleton", s, skin.name));
    ASSETC_TRY(ByteVector bytes, parts_.skeleton(skeleton, skin.joints));
    add(id, Bytes(std::move(bytes)), AssetKind::kEmbed);
    skeleton_uuids_[s] = id;
    return {};
  }

  Result<void> add_materials() {
    MaterialTable all;
    all.sources.resize(scene().materials.size());
    std::iota(all.sources.begin(), all.sources.end(), 0u);
    ASSETC_TRY(const auto compiled, build_materials(source_, all, step_, inputs_, product_.steps, report_));
    for (std::size_t m = 0; m < compiled.size(); ++m) {
      ASSETC_TRY(const Uuid id, uuid("Material", m, compiled[m].material.name));
      ASSETC_TRY(ByteVector bytes, parts_.material(compiled[m]));
      add(id, Bytes(std::move(bytes)), AssetKind::kMaterial);
      material_uuids_.push_back(id);
    }
    return {};
  }

  // The skin of the first node that shows the mesh with a skin.
  std::uint32_t skin_of(std::uint32_t mesh) const {
    for (const scene::Node& node : scene().nodes) {
      if (node.mesh == mesh && node.skin != scene::kNone) return node.skin;
    }
    return scene::kNone;
  }

  Result<FlatSubmesh> flat_of(std::uint32_t mesh, std::size_t number, std::uint32_t skin) {
    const scene::Primitive& primitive = scene().meshes[mesh].primitives[number];
    FlatSubmesh s = submesh_of(source_, mesh, number);
    // The chosen set is used for tangents and simplification only: vertices keep every set, and materials say which
    // each texture uses.
    MeshReport kept;
    choose_texcoords(source_, primitive, s, kept);
    s.texcoord_sets.assign(primitive.texcoords.begin(), primitive.texcoords.end());
    s.color_sets.assign(primitive.colors.begin(), primitive.colors.end());
    if (skin == scene::kNone || primitive.influences.empty()) return s;
    std::vector<std::uint32_t> map(scene().skins[skin].joints.size());
    std::iota(map.begin(), map.end(), 0u);
    ASSETC_TRY(auto bound, gather_skin(primitive, map, skin, s.place, report_));
    if (bound) s.skin = std::move(*bound);
    return s;
  }

  // Built once, when the first mesh with this skin needs it.
  const std::vector<hanim::Clip>& clips_of(std::uint32_t skin) {
    auto& clips = clips_of_skin_[skin];
    MeshReport silent;  // add_clips() reports the losses
    if (!clips) clips = build_clips(source_, skeletons_[skin], silent);
    return *clips;
  }

  Result<void> add_mesh(std::uint32_t m) {
    mesh_uuids_.emplace_back();
    const scene::Mesh& mesh = scene().meshes[m];
    const std::uint32_t skin = skin_of(m);
    const MeshContainer& container = parts_.mesh;
    std::vector<FlatSubmesh> flat;
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      if (mesh.primitives[p].indices.empty()) continue;
      ASSETC_TRY(FlatSubmesh submesh, flat_of(m, p, skin));
      flat.push_back(std::move(submesh));
    }
    if (flat.empty()) {
      report_.drop("meshes without triangles", source_.primitive_place(m, 0));
      return {};
    }
    const MaterialTable table = build_material_table(source_, flat, step_.stem);
    CompiledMesh compiled{.stem = step_.stem};
    compiled.has_float_frames = step_.settings.aas1.normals == FrameFormat::kFloat;
    for (const FlatSubmesh& s : flat) compiled.places.push_back(s.place);
    for (const std::uint32_t material : table.sources) compiled.material_uuids.push_back(material_uuids_[material]);
    mesh::Mesh& built = compiled.mesh;
    ASSETC_TRY(built, build_submeshes(flat, table, step_.settings.mesh, container, report_));
    if (!built.skin.empty()) {
      compiled.skeleton = skeleton_uuids_[skin];
      built.joints = skeletons_[skin].joints;
      built.pose_bounds = mesh::pose_bounds(built, clips_of(skin));
    }
    built.names = {};
    if (step_.settings.mesh.names) {
      for (const FlatSubmesh& s : flat) built.names.submeshes.push_back(s.name);
      for (const std::uint32_t material : table.sources)
        built.names.materials.push_back(scene().materials[material].name);
    }
    ASSETC_TRY(const Uuid id, uuid("Mesh", m, mesh.name));
    ASSETC_TRY(Bytes bytes, container.write(compiled, report_));
    add(id, std::move(bytes), AssetKind::kMesh);
    mesh_uuids_[m] = id;
    return {};
  }

  Result<void> add_clips() {
    // Every node counts as a joint, so no channel is lost.
    Skeleton nodes;
    nodes.joint_of_node.resize(scene().nodes.size());
    std::iota(nodes.joint_of_node.begin(), nodes.joint_of_node.end(), 0u);
    nodes.prefix.resize(scene().nodes.size());
    std::vector<hanim::Clip> clips = build_clips(source_, nodes, report_);
    clips.resize(scene().clips.size());
    for (std::size_t c = 0; c < clips.size(); ++c) {
      clips[c].name = scene().clips[c].name;
      ASSETC_TRY(const Uuid id, uuid("Animation", c, clips[c].name));
      ASSETC_TRY(ByteVector bytes, parts_.clip(clips[c], Uuid::parse(step_.stem).value_or(Uuid{})));
      add(id, Bytes(std::move(bytes)), AssetKind::kAnimation);
    }
    return {};
  }

  // Reports nodes whose matrix is not a combination of translation, rotation and scale.
  void report_matrices() {
    constexpr float kTolerance = 1e-4f;
    for (std::size_t n = 0; n < scene().nodes.size(); ++n) {
      const scene::Node& node = scene().nodes[n];
      if (!node.matrix) continue;
      const bool same = std::ranges::equal(node.matrix->m, to_matrix(node.transform).m, [](float a, float b) {
        return std::fabs(a - b) <= kTolerance * std::max(1.0f, std::fabs(a));
      });
      if (!same) report_.drop("shear of node matrices", "/nodes/" + std::to_string(n));
    }
  }

  MeshSource source_;
  const Step& step_;
  Inputs& inputs_;
  const PartContainers& parts_;
  MeshReport report_;
  Product product_;
  // Indexed by skin of the scene.
  std::vector<Skeleton> skeletons_;
  std::vector<std::optional<std::vector<hanim::Clip>>> clips_of_skin_;
  std::vector<Uuid> mesh_uuids_, material_uuids_, skeleton_uuids_;
};

}  // namespace

Result<Product> cook_parts(const scene::Scene& scene, importer::ModelKind kind, const Step& step, Inputs& inputs,
                           const PartContainers& containers) {
  return PartCook(scene, kind, step, inputs, containers).run();
}

}  // namespace assetc::recipes
