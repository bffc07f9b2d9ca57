#include "recipes/model.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "import/source.hpp"
#include "mesh/pose_bounds.hpp"
#include "recipes/containers.hpp"

namespace assetc::recipes {
namespace {

hmesh::Names build_names(const scene::Scene& scene, std::span<const FlatSubmesh> flat, const MaterialTable& table,
                         const std::vector<std::string>& joints) {
  hmesh::Names names;
  std::vector<std::uint32_t> name_of_node(scene.nodes.size(), hmesh::kNoNode);
  bool any_node = false;
  for (const FlatSubmesh& s : flat) {
    if (s.node != scene::kNone) any_node = true, name_of_node[s.node] = 0;
  }
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    if (name_of_node[n] == hmesh::kNoNode) continue;
    name_of_node[n] = static_cast<std::uint32_t>(names.nodes.size());
    names.nodes.push_back(scene.nodes[n].name);
  }
  for (const FlatSubmesh& s : flat) {
    names.submeshes.push_back(s.name);
    if (any_node) names.submesh_nodes.push_back(s.node == scene::kNone ? hmesh::kNoNode : name_of_node[s.node]);
  }
  for (std::uint32_t material : table.sources) names.materials.push_back(scene.materials[material].name);
  names.joints = joints;
  return names;
}

// What tells two vertices of a primitive apart beside what a .hmesh vertex holds: stride bytes a vertex, or none.
struct ExtraAttributes {
  ByteVector bytes;
  std::size_t stride_bytes = 0;
};
ExtraAttributes extra_attributes(const scene::Primitive& primitive) {
  ExtraAttributes extra;
  std::vector<ByteSpan> streams;
  std::vector<std::size_t> strides;
  const auto add = [&]<class T>(const std::vector<T>& values) {
    if (values.empty()) return;
    streams.push_back(std::as_bytes(std::span(values)));
    strides.push_back(sizeof(T));
    extra.stride_bytes += sizeof(T);
  };
  for (const auto& set : primitive.texcoords) add(set);
  for (const auto& set : primitive.colors) add(set);
  const std::size_t count = primitive.positions.size();
  extra.bytes.resize(count * extra.stride_bytes);
  std::byte* to = extra.bytes.data();
  for (std::size_t v = 0; v < count; ++v) {
    for (std::size_t s = 0; s < streams.size(); ++s) {
      std::memcpy(to, streams[s].data() + v * strides[s], strides[s]);
      to += strides[s];
    }
  }
  return extra;
}

}  // namespace

Result<mesh::BuiltMesh> build_submeshes(std::span<const FlatSubmesh> flat, const MaterialTable& table,
                                        const MeshSettings& settings, const MeshContainer& container,
                                        MeshReport& report) {
  std::vector<mesh::SubmeshInput> inputs;
  std::vector<ExtraAttributes> extras;
  extras.reserve(flat.size());  // inputs point into them
  const auto input_of = [&](const FlatSubmesh& s) {
    mesh::SubmeshInput input;
    input.place = s.place;
    input.name = s.name;
    input.material_slot = s.material == scene::kNone ? hmesh::kNoMaterial : table.slot_of_material[s.material];
    input.indices = s.indices;
    input.positions = s.positions;
    input.normals = s.normals;
    input.tangents = settings.tangents ? s.tangents : std::span<const scene::Vec4>();
    input.texcoords = s.texcoords;
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
    if (container.keeps_channels) {
      extras.push_back(extra_attributes(*s.primitive));
      input.extra = extras.back().bytes;
      input.extra_stride_bytes = extras.back().stride_bytes;
    }
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
  options.source_vertices = container.keeps_channels;
  ASSETC_TRY(mesh::BuiltMesh built, mesh::build_mesh(inputs, options));
  for (mesh::Repair& r : built.repairs) report.warn(std::move(r.place), std::move(r.what));
  return built;
}

Result<CompiledModel> compile_model(const scene::Scene& scene, bool is_gltf, const Step& step, Inputs& inputs) {
  const MeshSettings& settings = step.settings.mesh;
  const MeshContainer& container = step.containers->mesh_of(settings.container);
  CompiledModel out{.source = {scene, is_gltf, container.keeps_channels}, .stem = step.stem};
  const MeshSource& source = out.source;
  MeshReport& report = out.report;
  for (const scene::Dropped& d : scene.dropped) report.drop(d.what, d.where, d.count);

  ASSETC_TRY(out.flat, flatten(source, settings.merge, report));
  if (out.flat.empty()) {
    std::string why = "the model draws no triangles";
    for (const scene::Dropped& d : scene.dropped) why += "; " + importer::describe(d);
    return fail_at(ErrorCode::kInvalidData, is_gltf ? "/meshes" : "the whole file", std::move(why),
                   "export it with triangle meshes in its default scene");
  }
  out.table = build_material_table(source, out.flat, step.stem);
  ASSETC_TRY(out.built, build_submeshes(out.flat, out.table, settings, container, report));
  hmesh::Model& model = out.built.model;
  model.materials = out.table.hashes;

  std::vector<std::string> joint_names;
  if (!out.flat.front().skin.empty()) {
    MeshReport told;  // flatten() has reported the skeleton's losses
    Skeleton skeleton = *build_skeleton(source, told);
    out.clips = build_clips(source, skeleton, report);
    model.joints = std::move(skeleton.joints);
    joint_names = std::move(skeleton.names);
    model.pose_bounds = mesh::pose_bounds(model, out.clips);
  } else if (!scene.clips.empty()) {
    report.drop("animations of a mesh without a skin", "/animations/0", static_cast<std::uint32_t>(scene.clips.size()));
  }
  if (settings.names) {
    model.names = build_names(scene, out.flat, out.table, joint_names);
  } else {
    model.names = {};
  }
  if (container.keeps_materials) {
    warn_of_material_refs(source, out.table, step.stem, inputs, report);
    ASSETC_TRY(std::vector<CompiledMaterial> materials,
               build_materials(source, out.table, step, inputs, out.texture_steps, report));
    // A glTF always has its table, an OBJ without materials none.
    if (is_gltf || !materials.empty()) out.materials = std::move(materials);
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
  ASSETC_TRY(Bytes mesh_bytes, mesh.write(model, report));
  add(mesh.suffix, std::move(mesh_bytes), AssetKind::kMesh);
  if (!model.clips.empty() && mesh.keeps_skin) {
    ASSETC_TRY(ByteVector bytes, containers.clips.write(model.clips));
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

Result<Product> cook_whole(const scene::Scene& scene, bool is_gltf, const Step& step, Inputs& inputs) {
  ASSETC_TRY(CompiledModel model, compile_model(scene, is_gltf, step, inputs));
  return write_model(std::move(model), step);
}

}  // namespace assetc::recipes
