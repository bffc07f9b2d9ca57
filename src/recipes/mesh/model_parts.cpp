// Cooks a model as separate assets: meshes, materials, skeletons, clips and the node tree.
#include <numeric>

#include "recipes/container/containers.hpp"
#include "recipes/mesh/model.hpp"
#include "recipes/mesh/part.hpp"
#include "recipes/scene/scene_value.hpp"

namespace assetc::recipes {
namespace {

class PartCook {
 public:
  PartCook(const scene::Scene& scene, importer::ModelKind kind, const Step& step, Inputs& inputs,
           const PartContainers& parts)
      : source_{scene, kind, true},
        step_(step),
        inputs_(inputs),
        parts_(parts),
        meshes_(source_, step, parts.mesh, report_) {}

  Result<Product> run() {
    if (step_.only_children) {
      ASSETC_CHECK(add_materials());
      product_.outputs.clear();
      return std::move(product_);
    }
    report_.drop_all(scene());
    for (std::uint32_t s = 0; s < scene().skins.size(); ++s) ASSETC_CHECK(add_skeleton(s));
    ASSETC_CHECK(add_materials());
    for (std::uint32_t m = 0; m < scene().meshes.size(); ++m) ASSETC_CHECK(add_mesh(m));
    ASSETC_CHECK(add_clips());
    SceneFiles files{.has_uuids = true, .meshes = mesh_files_, .clips = clip_files_};
    for (const Uuid& skeleton : skeleton_uuids_) files.skeletons.push_back(hscene::Ref::of(skeleton));
    for (std::uint32_t m = 0; m < material_uuids_.size(); ++m)
      files.materials.push_back({m, hscene::Ref::of(material_uuids_[m]), 0, nullptr});
    ASSETC_TRY(ByteVector model, parts_.model(scene(), files));
    product_.outputs.push_back({"", Bytes(std::move(model)), {AssetKind::kEmbed}});
    report_.keep_flat();
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
    const Skeleton& skeleton = meshes_.skeletons()[s];
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
    ASSETC_TRY(MaterialBuilder::Made made,
               MaterialBuilder(source_, step_, inputs_, report_).build(std::array{MaterialBuilder::Wanted{all, true}}));
    const std::vector<CompiledMaterial>& compiled = made.materials.front();
    product_.steps = std::move(made.texture_steps);
    product_.references = std::move(made.references);
    for (std::size_t m = 0; m < compiled.size(); ++m) {
      ASSETC_TRY(const Uuid id, uuid("Material", m, compiled[m].material.name));
      ASSETC_TRY(ByteVector bytes, parts_.material(compiled[m]));
      add(id, Bytes(std::move(bytes)), AssetKind::kMaterial);
      material_uuids_.push_back(id);
    }
    return {};
  }

  Result<void> add_mesh(std::uint32_t m) {
    mesh_files_.emplace_back();
    ASSETC_TRY(auto part, meshes_.compile(m, nullptr));
    if (!part) return {};
    CompiledMesh& compiled = part->mesh;
    compiled.has_float_frames = step_.settings.aas1.normals == FrameFormat::kFloat;
    for (const std::uint32_t material : part->table.sources)
      compiled.material_uuids.push_back(material_uuids_[material]);
    if (!compiled.mesh.skin.empty()) compiled.skeleton = skeleton_uuids_[meshes_.skin_of(m)];
    ASSETC_TRY(const Uuid id, uuid("Mesh", m, scene().meshes[m].name));
    mesh_files_.back() = SceneMesh::of(hscene::Ref::of(id), compiled.mesh);
    ASSETC_TRY(Bytes bytes, part->container->write(compiled, report_));
    add(id, std::move(bytes), AssetKind::kMesh);
    return {};
  }

  Result<void> add_clips() {
    // Every node counts as a joint, so no channel is lost.
    Skeleton nodes;
    nodes.joint_of_node.resize(scene().nodes.size());
    std::iota(nodes.joint_of_node.begin(), nodes.joint_of_node.end(), 0u);
    nodes.prefix.resize(scene().nodes.size());
    const AnimationSettings& settings = step_.settings.animation;
    MeshReport silent;  // version 2 loses nothing
    std::vector<hanim::Clip> clips =
        build_clips(source_, nodes, settings.container == ClipFormat::kHanimV1 ? report_ : silent);
    std::vector<animation::Node> all;
    clips.resize(scene().clips.size());
    for (std::size_t c = 0; c < clips.size(); ++c) {
      clips[c].name = scene().clips[c].name;
      ASSETC_TRY(const Uuid id, uuid("Animation", c, clips[c].name));
      const Uuid model = Uuid::parse(step_.stem).value_or(Uuid{});
      const bool compresses = settings.container == ClipFormat::kHanim ||
                              (settings.container == ClipFormat::kAuto && needs_compression(scene().clips[c]));
      ByteVector bytes;
      if (compresses) {
        if (all.empty()) all = animation_nodes(scene());
        ASSETC_TRY(const ByteVector hanim, write_compressed_clip(scene().clips[c], all, settings));
        ASSETC_TRY(bytes, parts_.compressed_clip(hanim, model));
      } else {
        ASSETC_TRY(bytes, parts_.clip(clips[c], model));
      }
      add(id, Bytes(std::move(bytes)), AssetKind::kAnimation);
      clip_files_.push_back({hscene::Ref::of(id), 0});
    }
    return {};
  }

  MeshSource source_;
  const Step& step_;
  Inputs& inputs_;
  const PartContainers& parts_;
  MeshReport report_;
  Product product_;
  MeshParts meshes_;
  std::vector<Uuid> material_uuids_, skeleton_uuids_;
  std::vector<SceneMesh> mesh_files_;
  std::vector<SceneClip> clip_files_;
};

}  // namespace

Result<Product> cook_parts(const scene::Scene& scene, importer::ModelKind kind, const Step& step, Inputs& inputs,
                           const PartContainers& containers) {
  return PartCook(scene, kind, step, inputs, containers).run();
}

}  // namespace assetc::recipes
