#include "recipes/model.hpp"

#include <algorithm>
#include <iterator>

#include "import/source.hpp"
#include "mesh/build.hpp"
#include "mesh/pose_bounds.hpp"
#include "recipes/containers.hpp"

namespace assetc::recipes {
namespace {

using importer::ModelKind;

mesh::Names build_names(const scene::Scene& scene, std::span<const FlatSubmesh> flat, const MaterialTable& table,
                        const std::vector<std::string>& joints) {
  mesh::Names names;
  std::vector<std::uint32_t> name_of_node(scene.nodes.size(), mesh::kNoNode);
  bool any_node = false;
  for (const FlatSubmesh& s : flat) {
    if (s.node != scene::kNone) any_node = true, name_of_node[s.node] = 0;
  }
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    if (name_of_node[n] == mesh::kNoNode) continue;
    name_of_node[n] = static_cast<std::uint32_t>(names.nodes.size());
    names.nodes.push_back(scene.nodes[n].name);
  }
  for (const FlatSubmesh& s : flat) {
    names.submeshes.push_back(s.name);
    if (any_node) names.submesh_nodes.push_back(s.node == scene::kNone ? mesh::kNoNode : name_of_node[s.node]);
  }
  for (std::uint32_t material : table.sources) names.materials.push_back(scene.materials[material].name);
  names.joints = joints;
  return names;
}

// The child steps of compile_model, without the mesh.
Result<Product> texture_steps_of(const scene::Scene& scene, ModelKind kind, const Step& step, Inputs& inputs) {
  Product product;
  const MeshContainer& container = step.containers->mesh_of(step.settings.mesh.container);
  if (!container.keeps_materials || is_clips_alone(scene)) return product;
  const MeshSource source{scene, kind, container.keeps_channels};
  MeshReport silent;  // the step that makes the mesh reports losses
  ASSETC_TRY(const FlatScene flat, flatten(source, step.settings.mesh.merge, silent));
  const MaterialTable table = build_material_table(source, flat.submeshes, step.stem);
  ASSETC_CHECK(build_materials(source, table, step, inputs, product.steps, silent));
  return product;
}

}  // namespace

Result<mesh::Mesh> build_submeshes(std::span<const FlatSubmesh> flat, const MaterialTable& table,
                                   const MeshSettings& settings, const MeshContainer& container, MeshReport& report) {
  std::vector<mesh::SubmeshInput> inputs;
  const auto input_of = [&](const FlatSubmesh& s) {
    mesh::SubmeshInput input;
    input.place = s.place;
    input.name = s.name;
    input.material_slot = s.material == scene::kNone ? mesh::kNoMaterial : table.slot_of_material[s.material];
    input.indices = s.indices;
    input.positions = s.positions;
    input.normals = s.normals;
    input.tangents = settings.tangents ? s.tangents : std::span<const scene::Vec4>();
    input.texcoords = s.texcoords;
    input.texcoord_sets = s.texcoord_sets;
    input.color_sets = s.color_sets;
    input.skin = s.skin;
    input.smoothing_groups = s.smoothing_groups;
    return input;
  };
  std::size_t levels = 0;
  for (const FlatSubmesh& s : flat) {
    mesh::SubmeshInput input = input_of(s);
    if (container.keeps_lods && settings.lods > 0)
      std::ranges::transform(s.levels, std::back_inserter(input.levels), input_of);
    levels = std::max(levels, s.levels.size());
    inputs.push_back(std::move(input));
  }
  if (!container.keeps_lods) {
    report.drop("levels of detail, which " + std::string(container.name) + " cannot hold", flat.front().place,
                static_cast<std::uint32_t>(levels));
  }
  mesh::MeshOptions options;
  options.tangents = settings.tangents;
  options.lods = container.keeps_lods ? settings.lods : 0;
  options.lod_ratio = settings.lod_ratio;
  options.exact_frames = container.keeps_frames;
  ASSETC_TRY(mesh::BuiltMesh built, mesh::build_mesh(inputs, options));
  for (mesh::Repair& r : built.repairs) report.warn(r.kind, std::move(r.place), std::move(r.what));
  return std::move(built.mesh);
}

Result<CompiledModel> compile_model(const scene::Scene& scene, ModelKind kind, const Step& step, Inputs& inputs) {
  const MeshSettings& settings = step.settings.mesh;
  const MeshContainer& container = step.containers->mesh_of(settings.container);
  CompiledModel out{.source = {scene, kind, container.keeps_channels}};
  const MeshSource& source = out.source;
  MeshReport& report = out.report;
  for (const scene::Dropped& d : scene.dropped) report.drop(d.what, d.where, d.count);

  ASSETC_TRY(FlatScene flat, flatten(source, settings.merge, report));
  if (flat.submeshes.empty()) {
    std::string why = "the model draws no triangles";
    for (const scene::Dropped& d : scene.dropped) why += "; " + importer::describe(d);
    return fail_at(ErrorCode::kInvalidData, source.is_gltf() ? "/meshes" : "the whole file", std::move(why),
                   "export it with triangle meshes in its default scene");
  }
  out.table = build_material_table(source, flat.submeshes, step.stem);
  out.mesh.stem = step.stem;
  out.mesh.materials = out.table.hashes;
  out.mesh.source_materials = source_material_hashes(scene, step.stem);
  for (const FlatSubmesh& s : flat.submeshes) out.mesh.places.push_back(s.place);
  mesh::Mesh& mesh = out.mesh.mesh;
  ASSETC_TRY(mesh, build_submeshes(flat.submeshes, out.table, settings, container, report));

  std::vector<std::string> joint_names;
  if (flat.skeleton) {
    out.clips = build_clips(source, *flat.skeleton, report);
    mesh.joints = std::move(flat.skeleton->joints);
    joint_names = std::move(flat.skeleton->names);
    mesh.pose_bounds = mesh::pose_bounds(mesh, out.clips);
  } else if (!scene.clips.empty()) {
    report.drop("animations of a mesh without a skin", "/animations/0", static_cast<std::uint32_t>(scene.clips.size()));
  }
  if (settings.names) {
    mesh.names = build_names(scene, flat.submeshes, out.table, joint_names);
    for (const scene::Material& m : scene.materials) out.mesh.source_material_names.push_back(m.name);
  } else {
    mesh.names = {};
  }
  if (container.keeps_materials) {
    warn_of_material_refs(source, out.table, step.stem, inputs, report);
    ASSETC_TRY(std::vector<CompiledMaterial> materials,
               build_materials(source, out.table, step, inputs, out.texture_steps, report));
    // An OBJ or FBX without materials has no table. All other sources have one.
    const bool may_lack_table = kind == ModelKind::kObj || kind == ModelKind::kFbx;
    if (!may_lack_table || !materials.empty()) out.materials = std::move(materials);
  }
  return out;
}

Result<Product> write_model(CompiledModel model, const Step& step) {
  const ContainerSet& containers = *step.containers;
  const MeshContainer& mesh = containers.mesh_of(step.settings.mesh.container);
  MeshReport& report = model.report;
  Product product;
  const auto add = [&](std::string_view suffix, Bytes bytes, AssetKind kind) {
    product.outputs.push_back({std::string(suffix), std::move(bytes), {kind}});
  };
  ASSETC_TRY(Bytes mesh_bytes, mesh.write(model.mesh, report));
  add(mesh.suffix, std::move(mesh_bytes), AssetKind::kMesh);
  if (!model.clips.empty() && mesh.keeps_skin) {
    ASSETC_TRY(ByteVector bytes, containers.clips.write(model.clips, {}));
    add(containers.clips.suffix, Bytes(std::move(bytes)), AssetKind::kAnimation);
  }
  if (model.materials) {
    ASSETC_TRY(ByteVector bytes, containers.material.write(*model.materials));
    add(containers.material.suffix, Bytes(std::move(bytes)), AssetKind::kMaterial);
  } else if (!mesh.keeps_materials && !model.table.sources.empty()) {
    report.drop("material tables, which the container has no slots for",
                model.source.material_place(model.table.sources.front()),
                static_cast<std::uint32_t>(model.table.sources.size()));
  }
  product.steps = std::move(model.texture_steps);
  product.diagnostics = std::move(report).take();
  return product;
}

Result<Product> cook_clips(const scene::Scene& scene, importer::ModelKind kind, const Step& step) {
  const MeshSource source{scene, kind};
  MeshReport report;
  for (const scene::Dropped& d : scene.dropped) report.drop(d.what, d.where, d.count);
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
  ASSETC_TRY(ByteVector bytes, container.write(build_clips(source, all, report), joints));
  Product product;
  product.outputs.push_back({std::string(container.suffix), Bytes(std::move(bytes)), {AssetKind::kAnimation}});
  product.diagnostics = std::move(report).take();
  return product;
}

Result<Product> cook_whole(const scene::Scene& scene, importer::ModelKind kind, const Step& step, Inputs& inputs) {
  if (step.only_children) return texture_steps_of(scene, kind, step, inputs);
  if (is_clips_alone(scene)) return cook_clips(scene, kind, step);
  ASSETC_TRY(CompiledModel model, compile_model(scene, kind, step, inputs));
  return write_model(std::move(model), step);
}

}  // namespace assetc::recipes
