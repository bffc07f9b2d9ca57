// *.gltf, *.glb, *.obj, *.fbx and *.gali: compiled to a mesh container, .hmat, .hanim, and a texture step for every
// image that a material names.

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <optional>

#include "import/fbx/fbx.hpp"
#include "import/gltf/gltf.hpp"
#include "import/libraries.hpp"
#include "import/model/model.hpp"
#include "import/model/named_files.hpp"
#include "import/obj/obj.hpp"
#include "mesh/libraries.hpp"
#include "os/machine.hpp"
#include "parallel/parallel.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/mesh/engine_materials.hpp"
#include "recipes/mesh/parts.hpp"
#include "recipes/mesh/pictures.hpp"

namespace assetc::recipes {

extern const Recipe kTextureRecipe;

namespace {

using importer::ModelKind;

constexpr std::array kMeshClaims{
    Claim{.suffix = ".gltf", .strip = ".gltf"}, Claim{.suffix = ".glb", .strip = ".glb"},
    Claim{.suffix = ".obj", .strip = ".obj"},   Claim{.suffix = ".fbx", .strip = ".fbx"},
    Claim{.suffix = ".gali", .strip = ".gali"}, Claim{.suffix = ".vrm", .strip = ".vrm"},
};
constexpr std::array<std::string_view, 3> kMeshGroups{"mesh", "animation", "aas1"};

const std::string& mesh_path_of(const Step& step) { return step.input_path.empty() ? step.source : step.input_path; }

// The same scene below a node that scales it: also what clips move has the size then.
void scale_scene(scene::Scene& scene, double factor) {
  if (factor == 1) return;
  const auto root = static_cast<std::uint32_t>(scene.nodes.size());
  for (scene::Node& node : scene.nodes) {
    if (node.parent == scene::kNone) node.parent = root;
  }
  const auto size = static_cast<float>(factor);
  scene.nodes.emplace_back().transform.scale = {size, size, size};
}

Result<Product> cook_mesh(const Step& step, Inputs& inputs) {
  ASSETC_TRY(Bytes file, step.input(inputs));
  const importer::FileReader read = [&](std::string_view path) { return inputs.read(path); };
  const importer::FileProbe exists = [&](std::string_view path) { return inputs.exists(path); };
  const std::string& path = mesh_path_of(step);
  const ModelKind kind = importer::model_kind(path);
  const bool is_fbx = kind == ModelKind::kFbx;
  const std::uint64_t fbx_bytes = std::max(step.reserved_bytes, importer::usual_fbx_bytes(file.size()));
  Product product;
  auto read_model = importer::import_model(path, file, read, exists, {}, is_fbx ? fbx_bytes : 0);
  if (!read_model && is_fbx && read_model.error().code == ErrorCode::kLimit &&
      fbx_bytes < importer::kFbxLimits.memory_bytes) {
    product.needs_bytes = importer::kFbxLimits.memory_bytes;
    return product;
  }
  ASSETC_TRY(importer::Imported imported, std::move(read_model));
  take_engine_materials(imported, kind, step, inputs);
  ASSETC_CHECK(find_pictures(imported, kind, step, inputs));
  scale_scene(imported.scene, step.settings.mesh.scale);
  file = {};  // embedded pictures keep their own reference to the bytes
  ASSETC_TRY(product, step.containers->cook_model(imported.scene, kind, step, inputs));
  std::vector<Diagnostic> all;
  all.reserve(imported.warnings.size() + product.diagnostics.size());
  for (Warning& w : imported.warnings) all.emplace_back(std::move(w));
  std::ranges::move(product.diagnostics, std::back_inserter(all));
  product.diagnostics = std::move(all);
  return product;
}

std::string mesh_libraries() { return importer::model_libraries() + mesh::libraries(); }

// Memory of threads in addition to the mesh: each orders, cuts or simplifies one chunk of 2^15 triangles at a time.
std::uint64_t scratch_bytes(std::uint64_t corners, std::uint64_t flat_corners) {
  constexpr std::uint64_t kChunkCorners = 3ull << 15;
  constexpr std::uint64_t kCornerBytes = 120, kFlatCornerBytes = 600;  // largest measured on 16 threads: 113 and 582
  const std::uint64_t at_once = kChunkCorners * thread_limit();
  return std::min(corners, at_once) * kCornerBytes +
         std::min(flat_corners, at_once) * (kFlatCornerBytes - kCornerBytes);
}

// Whether a scene alone is written, although the corners of strips are counted three times.
bool builds_scene_alone(const importer::GltfSize& size, const MeshSettings& settings, const ContainerSet& containers) {
  if (containers.scene == nullptr) return false;
  if (settings.scene == SceneMode::kAlways) return true;
  const MeshExtent all{.triangle_count = size.drawn.corners / 3};
  if (!containers.mesh_rows(settings.container).of(settings, all).keeps_materials) return false;
  const auto extent = [](const importer::GltfGeometry& of, std::uint64_t corners) {
    return MeshExtent{.triangle_count = of.corners / corners, .primitive_count = of.primitives};
  };
  return settings.scene == SceneMode::kAuto && outgrows_flat(extent(size.drawn, 9), extent(size.meshes, 3));
}

std::uint64_t mesh_peak_bytes(const Step& step, Inputs& inputs) {
  // Decoded attributes, their baked copies, the welded mesh, meshlets, levels of detail and the file. The largest
  // factor measured was 2.5 times the estimate of decoded bytes (FlightHelmet; 2 for a plane of a million triangles).
  constexpr std::uint64_t kDecodedFactor = 3;
  // In addition, if each corner is a separate vertex: 72 bytes in all, of which the estimate of the indices contains
  // 36.
  constexpr std::uint64_t kFlatCornerBytes = 36;
  // A container that cuts the triangles itself. Measured: 0.69 of the estimate for a torus of 30 million triangles, and
  // 60 bytes for each separate corner of one of 8 million.
  constexpr double kCutFactor = 0.75;
  constexpr std::uint64_t kCutFlatCornerBytes = 64;
  constexpr std::uint64_t kLeastCornerBytes = 4;  // in the text of an OBJ, or in the indices of a compiled mesh
  // For each primitive that is drawn, however small: submesh, meshlets, bounds and their text. Measured: 2,990 bytes
  // for 200,000 draws of a triangle, and 2,940 for 500,000.
  constexpr std::uint64_t kDrawBytes = 3000;
  constexpr std::uint64_t kNodeBytes = 700;  // measured: 600 for 500,000 instances
  constexpr std::uint64_t kBaseBytes = 4 << 20;
  constexpr std::size_t kLargeJsonBytes = 1 << 20;
  const auto head = step.head(inputs, importer::kGltfHeadBytes);
  if (!head) return kBaseBytes;
  const ModelKind kind = importer::model_kind(mesh_path_of(step));
  const bool is_obj = kind == ModelKind::kObj;
  if (kind == ModelKind::kFbx)
    return kBaseBytes + importer::usual_fbx_bytes(head->size()) + scratch_bytes(head->size() / kLeastCornerBytes, 0);
  if (is_obj || importer::is_compiled_model_path(mesh_path_of(step))) {
    const std::uint64_t bytes = is_obj ? importer::estimate_obj_bytes(*head) : head->size();
    const std::uint64_t corners = head->size() / kLeastCornerBytes;
    return kBaseBytes + bytes * kDecodedFactor + scratch_bytes(corners, is_obj ? corners : 0);
  }
  // No reservation covers the memory of estimates, so only one large document is parsed at a time.
  static std::mutex large;
  const std::size_t json_end = std::min(head->size(), importer::gltf_json_end(*head));
  std::unique_lock alone(large, std::defer_lock);
  if (json_end > kLargeJsonBytes) alone.lock();
  const auto file = json_end <= importer::kGltfHeadBytes ? head : step.head(inputs, json_end);
  const importer::GltfSize size = file ? importer::estimate_gltf(*file) : importer::GltfSize{};
  if (alone.owns_lock()) os::trim_heap();  // the cook parses the document again, on another thread
  const importer::GltfGeometry& built =
      builds_scene_alone(size, step.settings.mesh, *step.containers) ? size.meshes : size.drawn;
  const std::uint64_t decoded_bytes = built.bytes + size.data_bytes;
  // More primitives are an error, as are more nodes that draw them.
  const std::uint64_t draws_bytes = std::min(built.primitives, importer::kMaxDraws) * kDrawBytes +
                                    std::min(size.nodes, importer::kMaxDraws) * kNodeBytes;
  const std::uint64_t others =
      kBaseBytes + size.document_bytes + draws_bytes + scratch_bytes(built.corners, built.flat_corners);
  const MeshExtent extent{.triangle_count = built.corners / 3};
  if (step.containers->mesh_rows(step.settings.mesh.container).of(step.settings.mesh, extent).cuts_triangles) {
    return others + static_cast<std::uint64_t>(static_cast<double>(decoded_bytes) * kCutFactor) +
           built.flat_corners * kCutFlatCornerBytes;
  }
  return others + decoded_bytes * kDecodedFactor + built.flat_corners * kFlatCornerBytes;
}

std::vector<std::string> mesh_named_files(const Step& step, Inputs& inputs) {
  return importer::named_files(
      mesh_path_of(step), [&](std::size_t size) { return step.head(inputs, size); },
      [&](std::string_view path) { return inputs.read(path); });
}

// For a glTF: its geometry, its clips, and its embedded pictures, which cost more for each byte than geometry.
std::optional<HeadEstimate> mesh_head_estimate(const Step& step, Inputs& inputs, const Settings& settings) {
  constexpr std::uint64_t kNsPerCorner = 400;  // a million triangles take 1.1 s of processor time in bench/mesh
  constexpr std::uint64_t kNsPerByte = 10;     // a guess of the reading time
  const std::string& path = mesh_path_of(step);
  if (importer::model_kind(path) != ModelKind::kGltf) return std::nullopt;
  auto head = step.head(inputs, importer::kGltfHeadBytes);
  const std::size_t json_end = head ? importer::gltf_json_end(*head) : 0;
  if (json_end > importer::kGltfHeadBytes) head = step.head(inputs, json_end);
  if (!head) return std::nullopt;
  const importer::GltfSize size = importer::estimate_gltf(*head);
  if (size.document_bytes == 0) return std::nullopt;
  const importer::GltfGeometry& built =
      builds_scene_alone(size, settings.mesh, *step.containers) ? size.meshes : size.drawn;
  const auto pictures_ns = [&](std::string_view name, std::uint64_t bytes) {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 40;  // the sizes in the file may be wrong
    return kTextureRecipe.estimate_ns(name, std::min(bytes, kMost), settings);
  };
  return HeadEstimate{.own_ns = built.corners * kNsPerCorner + (built.bytes + size.data_bytes) * kNsPerByte,
                      .children_ns = pictures_ns("x.png", size.png_bytes) + pictures_ns("x.ktx2", size.ktx2_bytes) +
                                     pictures_ns("x.jpg", size.other_picture_bytes),
                      .children = size.pictures};
}

}  // namespace

extern const Recipe kMeshRecipe;
constinit const Recipe kMeshRecipe{.name = "mesh",
                                   .version = 28,
                                   .claims = kMeshClaims,
                                   .setting_groups = kMeshGroups,
                                   .stem_matters = true,
                                   .cook = cook_mesh,
                                   .estimate_peak_bytes = mesh_peak_bytes,
                                   .libraries = mesh_libraries,
                                   .takes_sources = true,
                                   .named_files = mesh_named_files,
                                   .estimate_head = mesh_head_estimate};

}  // namespace assetc::recipes
