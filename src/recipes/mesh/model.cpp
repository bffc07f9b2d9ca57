#include "recipes/mesh/model.hpp"

#include <algorithm>
#include <iterator>

#include "base/plural.hpp"
#include "base/release.hpp"
#include "codec/mesh/encode/hmesh_encode.hpp"
#include "import/model/source.hpp"
#include "mesh/build.hpp"
#include "mesh/joints.hpp"
#include "mesh/morph_bounds.hpp"
#include "mesh/pose_bounds.hpp"
#include "mesh/quantize.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/mesh/part.hpp"

namespace assetc::recipes {
namespace {

using importer::ModelKind;

// name_of_node: gets the number of each node of the scene in the names.
void set_names(const scene::Scene& scene, std::span<const mesh::SubmeshInput> flat, const MaterialTable& table,
               const std::vector<std::string>& joints, std::vector<std::uint32_t>& name_of_node, mesh::Mesh& mesh) {
  hmesh::Names& names = mesh.names;
  name_of_node.assign(scene.nodes.size(), hmesh::kNoNode);
  bool any_node = false;
  for (const mesh::SubmeshInput& s : flat) {
    if (s.node != scene::kNone) any_node = true, name_of_node[s.node] = 0;
  }
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    if (name_of_node[n] == hmesh::kNoNode) continue;
    name_of_node[n] = static_cast<std::uint32_t>(names.nodes.size());
    names.nodes.push_back(scene.nodes[n].name);
  }
  for (const mesh::SubmeshInput& s : flat) {
    const std::uint32_t node = s.node == scene::kNone ? hmesh::kNoNode : name_of_node[s.node];
    if (s.is_of_triangles()) {
      names.submeshes.push_back(s.name);
      if (any_node) names.submesh_nodes.push_back(node);
    } else {
      mesh.primitives.items[mesh.primitives.names.size()].node = node;
      mesh.primitives.names.push_back(s.name);
    }
  }
  for (std::uint32_t material : table.sources) names.materials.push_back(scene.materials[material].name);
  names.joints = joints;
}

// The outputs of a model, before its meshes are built.
struct Plan {
  FlatScene flat;
  std::vector<hanim::Clip> clips;  // that move the skeleton of the flattened mesh
  MaterialTable table, scene_table;
  bool writes_mesh = false;
  bool writes_scene = false;
  bool writes_table = false;
  std::uint32_t same_mesh = scene::kNone;  // CompiledModel::same_mesh
};

// CompiledModel::same_mesh of a scene. The place of a mesh in the tree is that of the flattened mesh if it has the same
// geometry there.
Result<std::uint32_t> find_same_mesh(const MeshSource& source, const FlatScene& flat, const MeshContainer& container,
                                     const Step& step) {
  const scene::Scene& scene = source.scene;
  std::uint32_t only = scene::kNone;
  for (const scene::Node& node : scene.nodes) {
    if (node.mesh == scene::kNone) continue;
    if (only != scene::kNone) return scene::kNone;
    only = node.mesh;
  }
  if (only == scene::kNone) return scene::kNone;
  MeshReport silent;  // the parts report what they lose when they are compiled
  MeshParts parts(source, step, step.containers->mesh_rows(MeshFormat::kHmesh), silent);
  ASSETC_TRY(const bool is_same, parts.equals(only, flat, container));
  return is_same ? only : scene::kNone;
}

// Whether a scene without a visible mesh has other contents on purpose: it has no meshes, but cameras, lights or
// sockets.
bool is_scene_of_empties(const scene::Scene& scene) {
  return scene.meshes.empty() && std::ranges::any_of(scene.nodes, [](const scene::Node& node) {
           return node.camera != scene::kNone || node.light != scene::kNone || !node.name.empty();
         });
}

// The container of the flattened mesh.
// Errors: kUsage for settings that contradict each other.
Result<const MeshContainer*> container_of_drawn(const scene::Scene& scene, const Step& step) {
  const MeshSettings& settings = step.settings.mesh;
  if (settings.lod != MeshLod::kLevels && settings.container != MeshFormat::kHmesh) {
    return fail(ErrorCode::kUsage, "mesh.lod asks for clusters, but mesh.container names a format without them",
                "remove mesh.container, or set mesh.lod: levels");
  }
  return &step.containers->mesh_rows(settings.container).of(settings, extent_of_drawn(scene, settings.merge));
}

// The sizes of a scene for which outgrows_flat() is true, as a text; empty if it is false.
std::string growth_of(const MeshSource& source, const MeshSettings& settings) {
  MeshExtent own;
  for (const scene::Mesh& mesh : source.scene.meshes) {
    const MeshExtent one = extent_of(mesh);
    own.triangle_count += one.triangle_count;
    own.primitive_count += one.primitive_count;
  }
  const MeshExtent drawn = extent_of_drawn(source.scene, settings.merge);
  if (!outgrows_flat(drawn, own)) return {};
  return "its nodes draw " + plural(drawn.primitive_count, "primitive") + " with " +
         plural(drawn.triangle_count, "triangle") + ", its meshes have " + plural(own.primitive_count, "primitive") +
         " with " + plural(own.triangle_count, "triangle");
}

Result<Plan> plan_model(const MeshSource& source, const MeshContainer& container, const Step& step,
                        MeshReport& report) {
  const scene::Scene& scene = source.scene;
  const bool has_scenes = step.containers->scene != nullptr;
  SceneMode mode = has_scenes ? step.settings.mesh.scene : SceneMode::kNever;
  const bool is_checked = !has_scenes || (mode == SceneMode::kAuto && container.keeps_materials);
  if (const std::string growth = is_checked ? growth_of(source, step.settings.mesh) : ""; !growth.empty()) {
    const std::string place = source.is_gltf() ? "/nodes" : "the whole file";
    if (!has_scenes)
      return fail_at(ErrorCode::kLimit, place, growth + ", which a flat mesh would repeat",
                     "build it in a project, which writes a scene, or convert it to a .glb");
    mode = SceneMode::kAlways;
    report.warn(WarningKind::kSceneAlone, place, growth + "; only a scene is written",
                "load the scene, or set mesh.scene to false for a flat mesh of that size");
  }
  Plan plan;
  if (mode != SceneMode::kAlways) {
    ASSETC_TRY(plan.flat, flatten(source, step.settings.mesh.merge, report));
    plan.writes_mesh = !plan.flat.submeshes.empty();
    if (plan.flat.skeleton) {
      plan.clips = build_clips(source, *plan.flat.skeleton, report);
    } else if (!scene.clips.empty()) {
      report.drop_flat("animations of a mesh without a skin", "/animations/0",
                       static_cast<std::uint32_t>(scene.clips.size()));
    }
  }
  // .hmesh 1, which has no materials, is for engines that do not know scenes.
  plan.writes_scene = mode == SceneMode::kAlways;
  if (mode == SceneMode::kAuto && container.keeps_materials && report.loses_by_flattening()) {
    if (plan.writes_mesh) {
      ASSETC_TRY(plan.same_mesh, find_same_mesh(source, plan.flat, container, step));
      plan.writes_scene = plan.same_mesh != scene::kNone || report.loses_much_by_flattening();
    } else {
      plan.writes_scene = is_scene_of_empties(scene);
    }
  }
  plan.table = build_material_table(source, plan.flat.submeshes, step.stem);
  if (plan.writes_scene) plan.scene_table = scene_table_of(source, plan.table, step.stem);
  plan.writes_table = container.keeps_materials && plan.writes_mesh;
  return plan;
}

// The materials of a model, and the steps of their textures. The flattened mesh comes first, so the names of its
// textures do not depend on the scene.
struct ModelMaterials {
  std::optional<std::vector<CompiledMaterial>> flat;
  std::vector<CompiledMaterial> scene;
  std::vector<Step> texture_steps;
  std::vector<std::string> references;
};
Result<ModelMaterials> build_materials(const MeshSource& source, const Plan& plan, const Step& step, Inputs& inputs,
                                       MeshReport& report) {
  ModelMaterials out;
  std::vector<MaterialBuilder::Wanted> tables;
  if (plan.writes_table) tables.push_back({plan.table, false});
  if (plan.writes_scene) tables.push_back({plan.scene_table, true});
  ASSETC_TRY(MaterialBuilder::Made made, MaterialBuilder(source, step, inputs, report).build(tables));
  if (plan.writes_table) {
    std::vector<CompiledMaterial>& flat = made.materials.front();
    // An OBJ or FBX without materials has no table. All other sources have one.
    const bool may_lack_table = source.kind == ModelKind::kObj || source.kind == ModelKind::kFbx;
    if (!may_lack_table || !flat.empty()) out.flat = std::move(flat);
  }
  if (plan.writes_scene) out.scene = std::move(made.materials.back());
  out.texture_steps = std::move(made.texture_steps);
  out.references = std::move(made.references);
  return out;
}

// The child steps of compile_model, without the mesh.
Result<Product> texture_steps_of(const scene::Scene& scene, ModelKind kind, const Step& step, Inputs& inputs) {
  Product product;
  ASSETC_TRY(const MeshContainer* container, container_of_drawn(scene, step));
  const MeshSource source = source_of(scene, kind, step.settings.mesh, *container);
  MeshReport report;  // the step that makes the mesh reports losses
  report.drop_all(scene);
  ASSETC_TRY(const Plan plan, plan_model(source, *container, step, report));
  ASSETC_TRY(ModelMaterials materials, build_materials(source, plan, step, inputs, report));
  product.steps = std::move(materials.texture_steps);
  product.references = std::move(materials.references);
  return product;
}

// Gives the targets of a mesh their names, weights and groups. name_of_node: the number of each node of the scene in
// Names::nodes.
void add_morphs(FlatScene& flat, std::span<const std::uint32_t> name_of_node, mesh::Mesh& mesh) {
  if (flat.morphs.empty()) return;
  set_morphs(std::move(flat.morphs), mesh);
  for (const FlatScene::MorphGroup& group : flat.morph_groups) {
    const bool named = group.node < name_of_node.size();
    mesh.morphs.groups.push_back({group.count, named ? name_of_node[group.node] : hmesh::kNoNode});
  }
  mesh::widen_bounds(mesh);
}

bool settings_are_compressed(const Step& step) { return step.settings.animation.container == ClipFormat::kHanim; }

// The clips that move the joints of the mesh.
Result<ByteVector> compress_joint_clips(const MeshSource& source, const Skeleton& skeleton, const Step& step) {
  std::vector<animation::Node> nodes;
  nodes.reserve(skeleton.joints.size());
  for (const hmesh::GpuJoint& joint : skeleton.joints)
    nodes.push_back({static_cast<std::uint32_t>(joint.parent), mesh::rest_of(joint)});
  MeshReport silent;  // build_clips() reports the same losses
  return write_compressed_clips(source, skeleton, nodes, false, step.settings.animation, silent);
}

// Frees the geometry of a scene, which the mesh now has.
void release_geometry(scene::Scene& scene) {
  for (scene::Mesh& mesh : scene.meshes) {
    for (scene::Primitive& p : mesh.primitives) {
      release(p.indices);
      release(p.positions);
      release(p.normals);
      release(p.tangents);
      release(p.texcoords);
      release(p.colors);
      release(p.influences);
      release(p.custom);
      release(p.morphs);
    }
  }
}

}  // namespace

MeshSource source_of(const scene::Scene& scene, ModelKind kind, const MeshSettings& settings,
                     const MeshContainer& container) {
  return {.scene = scene,
          .kind = kind,
          .keeps_channels = container.keeps_channels,
          .keeps_attributes = container.keeps_attributes,
          .keeps_morphs = container.keeps_morphs,
          .raw_texcoords = false,
          .attributes = settings.attributes};
}

Result<mesh::Mesh> build_submeshes(std::vector<mesh::SubmeshInput> submeshes, const MaterialTable& table,
                                   const MeshSettings& settings, const MeshContainer& container, MeshReport& report) {
  std::size_t levels = 0;
  for (mesh::SubmeshInput& s : submeshes) {
    levels = std::max(levels, s.levels.size());
    if (!container.keeps_lods || settings.lods == 0) s.levels.clear();
    if (s.material_slot != scene::kNone) s.material_slot = table.slot_of_material[s.material_slot];
    if (settings.tangents) continue;
    s.tangents = {};
    for (mesh::SubmeshInput& level : s.levels) level.tangents = {};
  }
  if (!container.keeps_lods) {
    report.drop("levels of detail, which " + std::string(container.name) + " cannot hold", submeshes.front().place,
                static_cast<std::uint32_t>(levels));
  }
  mesh::MeshOptions options;
  options.tangents = settings.tangents;
  options.lods = container.keeps_lods ? settings.lods : 0;
  options.lod_ratio = settings.lod_ratio;
  options.exact_frames = container.keeps_frames;
  options.streams_alone = container.cuts_triangles;
  options.position_step = mesh::position_step(submeshes, settings.position_bits);
  options.has_meshlet_order = settings.rounds() && !container.cuts_triangles;
  ASSETC_TRY(mesh::BuiltMesh built, mesh::build_mesh(submeshes, options));
  if (settings.rounds()) {
    mesh::quantize_streams({settings.position_bits, settings.texcoord_bits, settings.normal_bits, settings.color_bits,
                            settings.weight_bits},
                           built.mesh);
    if (options.has_meshlet_order) hmesh::rotate_for_encoding(built.mesh);
  }
  for (mesh::Repair& r : built.repairs) report.warn(r.kind, std::move(r.place), std::move(r.what));
  return std::move(built.mesh);
}

Result<CompiledModel> compile_model(scene::Scene& scene, ModelKind kind, const Step& step, Inputs& inputs) {
  const MeshSettings& settings = step.settings.mesh;
  ASSETC_TRY(const MeshContainer* chosen, container_of_drawn(scene, step));
  const MeshContainer& container = *chosen;
  CompiledModel out{.source = source_of(scene, kind, settings, container), .container = chosen};
  const MeshSource& source = out.source;
  MeshReport& report = out.report;
  report.drop_all(scene);

  ASSETC_TRY(Plan plan, plan_model(source, container, step, report));
  FlatScene& flat = plan.flat;
  if (!plan.writes_mesh && !plan.writes_scene) {
    std::string why = "the model draws no triangles, lines or points";
    for (const scene::Dropped& d : scene.dropped) why += "; " + importer::describe(d);
    return fail_at(ErrorCode::kInvalidData, source.is_gltf() ? "/meshes" : "the whole file", std::move(why),
                   "export it with meshes in its default scene");
  }
  out.writes_scene = plan.writes_scene;
  out.same_mesh = plan.same_mesh;
  ASSETC_TRY(ModelMaterials materials, build_materials(source, plan, step, inputs, report));
  out.materials = std::move(materials.flat);
  out.scene_materials = std::move(materials.scene);
  out.texture_steps = std::move(materials.texture_steps);
  out.references = std::move(materials.references);
  if (plan.writes_table || plan.writes_scene) {
    const MaterialTable& named = plan.writes_table ? plan.table : plan.scene_table;
    warn_of_material_refs(source, named, step.stem, inputs, report);
  }
  out.table = std::move(plan.table);
  out.scene_table = std::move(plan.scene_table);
  out.mesh.stem = step.stem;
  out.mesh.compress = settings.compress;
  out.mesh.keeps_area = settings.keep_area;
  out.mesh.source_materials = source_material_hashes(scene, step.stem);
  std::vector<std::string> joint_names;
  if (plan.writes_mesh) {
    out.writes_mesh = true;
    if (settings.lod == MeshLod::kCluster) {
      if (const MeshExtent extent = extent_of_drawn(scene, settings.merge); !extent.fits_clusters())
        report.note_levels(flat.submeshes.front().place, extent);
    }
    out.mesh.places = places_of(flat.submeshes);
    mesh::Mesh& mesh = out.mesh.mesh;
    ASSETC_TRY(mesh, build_submeshes(flat.submeshes, out.table, settings, container, report));
    mesh.materials = out.table.hashes;
    std::vector<std::uint32_t> name_of_node;
    mesh.names = {};
    mesh.primitives.names = {};
    if (settings.names) {
      if (flat.skeleton) joint_names = std::move(flat.skeleton->names);
      set_names(scene, flat.submeshes, out.table, joint_names, name_of_node, mesh);
      for (const scene::Material& m : scene.materials) out.mesh.source_material_names.push_back(m.name);
    }
    add_morphs(flat, name_of_node, mesh);
    if (flat.skeleton) {
      out.clips = std::move(plan.clips);
      if (settings_are_compressed(step)) {
        ASSETC_TRY(out.compressed_clips, compress_joint_clips(source, *flat.skeleton, step));
      }
      mesh.joints = std::move(flat.skeleton->joints);
      mesh.pose_bounds = mesh::pose_bounds(mesh, out.clips);
    }
    if (!plan.writes_scene) release_geometry(scene);
  }
  return out;
}

Result<Product> write_model(CompiledModel model, const Step& step) {
  const ContainerSet& containers = *step.containers;
  const MeshContainer& mesh = *model.container;
  MeshReport& report = model.report;
  Product product;
  const auto add = [&](std::string_view suffix, Bytes bytes, AssetKind kind) {
    product.outputs.push_back({std::string(suffix), std::move(bytes), {kind}});
  };
  if (model.writes_mesh) {
    ASSETC_TRY(Bytes mesh_bytes, mesh.write(model.mesh, report));
    add(mesh.suffix, std::move(mesh_bytes), AssetKind::kMesh);
    if (!model.clips.empty() && mesh.keeps_skin) {
      ByteVector bytes = std::move(model.compressed_clips);
      if (bytes.empty()) {
        ASSETC_TRY(bytes, containers.clips.write(model.clips, {}));
      }
      add(containers.clips.suffix, Bytes(std::move(bytes)), AssetKind::kAnimation);
    }
  }
  if (model.materials) {
    ASSETC_TRY(ByteVector bytes, containers.material.write(*model.materials));
    add(containers.material.suffix, Bytes(std::move(bytes)), AssetKind::kMaterial);
  } else if (!mesh.keeps_materials && !model.table.sources.empty()) {
    report.drop("material tables, which the container has no slots for",
                model.source.material_place(model.table.sources.front()),
                static_cast<std::uint32_t>(model.table.sources.size()));
  }
  if (model.writes_scene) {
    ASSETC_CHECK(write_scene(model, step, product));
    if (model.writes_mesh) {
      report.keep_in_scene(step.stem + std::string(mesh.suffix), step.stem + std::string(containers.scene->suffix));
    } else {
      report.keep_flat();
    }
  }
  product.steps = std::move(model.texture_steps);
  product.references = std::move(model.references);
  product.diagnostics = std::move(report).take();
  return product;
}

Result<Product> cook_clips(const scene::Scene& scene, importer::ModelKind kind, const Step& step) {
  const MeshSource source{scene, kind};
  MeshReport report;
  report.drop_all(scene);
  const std::vector<std::uint32_t> nodes = clip_nodes(scene);
  Skeleton all;  // no prefixes: keys are unchanged, and the joints include the nodes above them
  all.joint_of_node.assign(scene.nodes.size(), kNoJoint);
  all.prefix.resize(nodes.size());
  std::vector<hanim::Joint> joints;
  for (const std::uint32_t n : nodes) {
    const scene::Node& node = scene.nodes[n];
    const auto& [t, r, s] = node.transform;
    all.joint_of_node[n] = static_cast<std::uint32_t>(joints.size());
    joints.push_back({node.name, hanim::Joint::kNoParent, {{t.x, t.y, t.z}, {r.x, r.y, r.z, r.w}, {s.x, s.y, s.z}}});
    if (node.parent != scene::kNone) joints.back().parent = static_cast<std::int32_t>(all.joint_of_node[node.parent]);
  }
  const ClipContainer& container = step.containers->clips;
  ByteVector bytes;
  if (settings_are_compressed(step)) {
    std::vector<animation::Node> joint_nodes;
    joint_nodes.reserve(joints.size());
    for (const hanim::Joint& joint : joints)
      joint_nodes.push_back(
          {static_cast<std::uint32_t>(joint.parent), scene.nodes[nodes[joint_nodes.size()]].transform});
    ASSETC_TRY(bytes, write_compressed_clips(source, all, joint_nodes, false, step.settings.animation, report, joints));
  } else {
    ASSETC_TRY(bytes, container.write(build_clips(source, all, report), joints));
  }
  Product product;
  product.outputs.push_back({std::string(container.suffix), Bytes(std::move(bytes)), {AssetKind::kAnimation}});
  product.diagnostics = std::move(report).take();
  return product;
}

Result<Product> cook_whole(scene::Scene& scene, importer::ModelKind kind, const Step& step, Inputs& inputs) {
  const bool only_clips = is_clips_alone(scene) && step.settings.mesh.scene != SceneMode::kAlways;
  if (step.only_children) return only_clips ? Product() : texture_steps_of(scene, kind, step, inputs);
  if (only_clips) return cook_clips(scene, kind, step);
  ASSETC_TRY(CompiledModel model, compile_model(scene, kind, step, inputs));
  return write_model(std::move(model), step);
}

}  // namespace assetc::recipes
