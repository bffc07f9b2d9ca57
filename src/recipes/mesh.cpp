// *.gltf, *.glb, *.obj and *.gali: a mesh container, .hmat, .hanim, and a texture step for every image that a material
// names.
#include <algorithm>
#include <array>

#include "assetc/formats/hmat.hpp"
#include "base/ascii.hpp"
#include "import/galileo.hpp"
#include "import/gltf.hpp"
#include "import/libraries.hpp"
#include "import/obj.hpp"
#include "mesh/build.hpp"
#include "mesh/libraries.hpp"
#include "recipes/mesh_container.hpp"
#include "recipes/mesh_parts.hpp"

namespace assetc::recipes {
namespace {

constexpr std::array kClaims{
    Claim{.suffix = ".gltf", .strip = ".gltf"},
    Claim{.suffix = ".glb", .strip = ".glb"},
    Claim{.suffix = ".obj", .strip = ".obj"},
    Claim{.suffix = ".gali", .strip = ".gali"},
};
constexpr std::array<std::string_view, 1> kGroups{"mesh"};

bool has_extension(const Step& step, std::string_view extension) {
  const std::string_view path =
      step.input_path.empty() ? std::string_view(step.source) : std::string_view(step.input_path);
  return ends_with_ignoring_case(path, extension);
}
bool is_obj(const Step& step) { return has_extension(step, ".obj"); }
bool is_galileo(const Step& step) { return has_extension(step, ".gali"); }

Result<importer::Imported> import_source(const Step& step, Inputs& inputs) {
  ASSETC_TRY(const Bytes file, step.input(inputs));
  if (is_galileo(step)) return importer::import_galileo(file);
  const importer::FileReader read = [&](std::string_view path) { return inputs.read(path); };
  return is_obj(step) ? importer::import_obj(step.input_path, file, read)
                      : importer::import_gltf(step.input_path, file, read);
}

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

Result<mesh::BuiltMesh> build_model(std::span<const FlatSubmesh> flat, const MaterialTable& table,
                                    const MeshSettings& settings, MeshReport& report) {
  const Container& container = container_of(settings.container);
  std::vector<mesh::SubmeshInput> inputs;
  std::vector<ExtraAttributes> extras;
  extras.reserve(flat.size());  // inputs point into them
  for (const FlatSubmesh& s : flat) {
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
    if (container.keeps_channels) {
      extras.push_back(extra_attributes(*s.primitive));
      input.extra = extras.back().bytes;
      input.extra_stride_bytes = extras.back().stride_bytes;
    }
    inputs.push_back(std::move(input));
  }
  mesh::MeshOptions options;
  options.tangents = settings.tangents;
  options.lods = container.keeps_lods ? settings.lods : 0;
  options.lod_ratio = settings.lod_ratio;
  options.exact_frames = container.keeps_channels;
  ASSETC_TRY(mesh::BuiltMesh built, mesh::build_mesh(inputs, options));
  for (mesh::Repair& r : built.repairs) report.warn(std::move(r.place), std::move(r.what));
  return built;
}

Result<Product> cook(const Step& step, Inputs& inputs) {
  ASSETC_TRY(importer::Imported imported, import_source(step, inputs));
  const scene::Scene& scene = imported.scene;
  const MeshSettings& settings = step.settings.mesh;
  const Container& container = container_of(settings.container);
  const MeshSource source{scene, !is_obj(step), container.keeps_channels};

  Product product;
  MeshReport report;
  for (Error& w : imported.warnings) product.diagnostics.push_back({Severity::kWarning, std::move(w)});
  for (const scene::Dropped& d : scene.dropped) report.drop(d.what, d.where, d.count);

  ASSETC_TRY(std::vector<FlatSubmesh> flat, flatten(source, settings.merge, report));
  if (flat.empty()) {
    std::string why = "the model draws no triangles";
    for (const scene::Dropped& d : scene.dropped) why += "; " + importer::describe(d);
    return fail_at(ErrorCode::kInvalidData, source.is_gltf ? "/meshes" : "line 1", std::move(why),
                   "export it with triangle meshes in its default scene");
  }
  const MaterialTable table = build_material_table(source, flat, step.stem);
  ASSETC_TRY(mesh::BuiltMesh built, build_model(flat, table, settings, report));
  hmesh::Model& model = built.model;
  model.materials = table.hashes;

  std::vector<std::string> joint_names;
  if (!flat.front().skin.empty()) {
    MeshReport told;  // flatten() has reported the skeleton's losses
    Skeleton skeleton = *build_skeleton(source, told);
    const std::vector<hanim::Clip> clips = build_clips(source, skeleton, report);
    if (!clips.empty() && container.keeps_skin) {
      ASSETC_TRY(ByteVector bytes, hanim::write(clips));
      product.outputs.push_back({".hanim", Bytes(std::move(bytes)), {AssetKind::kAnimation}});
    }
    model.joints = std::move(skeleton.joints);
    joint_names = std::move(skeleton.names);
  } else if (!scene.clips.empty()) {
    report.drop("animations of a mesh without a skin", "/animations/0", static_cast<std::uint32_t>(scene.clips.size()));
  }
  if (settings.names) {
    model.names = build_names(scene, flat, table, joint_names);
  } else {
    model.names = {};
  }

  ASSETC_TRY(Bytes mesh_bytes, container.write({source, flat, built, step.stem}, report));
  product.outputs.insert(product.outputs.begin(),
                         {std::string(container.suffix), std::move(mesh_bytes), {AssetKind::kMesh}});
  if (container.keeps_materials) {
    ASSETC_TRY(ByteVector material_bytes, build_materials(source, table, step, inputs, product.steps, report));
    // A glTF always has its table, an OBJ without materials none.
    if (source.is_gltf || !table.sources.empty()) {
      product.outputs.push_back({".hmat", Bytes(std::move(material_bytes)), {AssetKind::kMaterial}});
    }
  } else if (!table.sources.empty()) {
    report.drop("material tables, which the container has no slots for", source.material_place(table.sources.front()),
                static_cast<std::uint32_t>(table.sources.size()));
  }
  for (Diagnostic& d : std::move(report).take()) product.diagnostics.push_back(std::move(d));
  return product;
}

std::string libraries() { return importer::model_libraries() + mesh::libraries(); }

std::uint64_t estimate_peak_bytes(const Step& step, Inputs& inputs) {
  // Decoded attributes, their baked copies, the welded mesh, meshlets, levels of detail and the file: two and a half
  // times the estimate of decoded bytes was the most seen (FlightHelmet; two on a plane of a million triangles).
  constexpr std::uint64_t kDecodedFactor = 3;
  constexpr std::uint64_t kBaseBytes = 4 << 20;
  const auto file = step.input(inputs);
  if (!file) return kBaseBytes;
  const std::uint64_t decoded =
      is_obj(step) ? importer::estimate_obj_bytes(*file) : importer::estimate_gltf_bytes(*file);
  return kBaseBytes + file->size() + decoded * kDecodedFactor;
}

}  // namespace

extern const Recipe kMeshRecipe;
constinit const Recipe kMeshRecipe{.name = "mesh",
                                   .version = 3,
                                   .claims = kClaims,
                                   .setting_groups = kGroups,
                                   .stem_matters = true,
                                   .cook = cook,
                                   .estimate_peak_bytes = estimate_peak_bytes,
                                   .libraries = libraries};

}  // namespace assetc::recipes
