#include "optimize/optimize.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>

#include "base/ascii.hpp"
#include "base/exceptions.hpp"
#include "convert/embed.hpp"
#include "convert/model.hpp"
#include "export/glb.hpp"
#include "import/gltf/gltf.hpp"
#include "import/model/model.hpp"
#include "optimize/clips.hpp"
#include "optimize/pictures.hpp"
#include "optimize/positions.hpp"
#include "optimize/scene.hpp"
#include "optimize/snap.hpp"
#include "optimize/texcoords.hpp"
#include "scene/merge_images.hpp"
#include "texture/compile.hpp"

namespace assetc::optimize {
namespace {

using recipes::Severity;

// With these, files are as large as those of gltfpack -tu at the same PSNR, in a thirtieth of the time
// (docs/reference/optimize.md). normal, 10 and 18 take ten times as long for files that are 10 % smaller.
constexpr codec::Effort kUsualQuality = codec::Effort::kFast;
constexpr std::uint32_t kUsualZstdLevel = 9;
constexpr double kUsualRdo = 8;

// The table of docs/guide/optimize.md.
struct Purpose {
  std::string_view name;
  std::uint32_t max_size_texels, normal_size_texels, data_size_texels;
  double rdo;
  std::uint32_t position_bits, normal_bits;
};
constexpr Purpose kPurposes[] = {{"web", 2048, 2048, 1024, kUsualRdo, 14, 8},
                                 {"headset", 2048, 2048, 2048, 5, 15, 10},
                                 {"phone", 1024, 512, 512, 15, 13, 8}};

exporter::GlbOptions options_for(const recipes::MeshSettings& mesh, bool is_khr) {
  exporter::GlbOptions out;
  out.packs = true;
  out.compresses = mesh.compress != recipes::MeshCompression::kNone;
  out.is_khr = is_khr;
  out.integer_positions = mesh.position_bits != 0;
  out.integer_rotations = mesh.rounds();
  out.normal_bits = mesh.normal_bits;
  out.texcoord_bits = mesh.texcoord_bits;
  out.color_bits = mesh.color_bits;
  out.weight_bits = mesh.weight_bits;
  return out;
}

// Whether the source has instances, which its readers therefore support.
bool has_instances(const std::string& input, const importer::FileReader& read) {
  if (importer::model_kind(input) != importer::ModelKind::kGltf) return false;
  const Result<Bytes> file = read(input);
  return file && importer::gltf_json_text(*file).contains("\"EXT_mesh_gpu_instancing\"");
}

// Removes what the application does not need. Names stay, because messages need them.
void reduce(scene::Scene& scene, const Keep& keep, bool has_instances, std::vector<Error>& notes) {
  scene::merge_images(scene, keep.names);
  if (!keep.extras) remove_extras(scene, notes);
  if (!keep.materials) merge_materials(scene, notes);
  if (!keep.nodes) join_nodes(scene, has_instances, notes);
}

Result<void> write(const scene::Scene& scene, const std::string& output, const exporter::GlbOptions& options,
                   std::vector<scene::Dropped>& omitted, convert::Converted& out) {
  if (!ends_with_ignoring_case(output, ".gltf")) {
    ASSETC_TRY(ByteVector glb, exporter::write_glb(scene, &omitted, options));
    out.files.push_back({output, Bytes(std::move(glb))});
    return {};
  }
  const std::string folder = output.substr(0, output.rfind('/') + 1);
  const std::string stem = output.substr(folder.size(), output.rfind('.') - folder.size());
  ASSETC_TRY(std::vector<exporter::GltfFile> files, exporter::write_gltf(scene, stem, &omitted, options));
  for (exporter::GltfFile& file : files) out.files.push_back({folder + file.name, std::move(file.bytes)});
  return {};
}

Result<convert::Converted> optimize(const std::string& input, const std::string& output,
                                    const importer::FileReader& read, recipes::Inputs& inputs,
                                    const OptimizeOptions& options) {
  ASSETC_TRY(importer::Imported model, convert::load_model(input, read));
  convert::Converted out;
  const bool keeps_instances = has_instances(input, read);
  std::vector<Error> notes = remove_unused(model.scene);
  remove_still_channels(model.scene);
  reduce(model.scene, options.keep, keeps_instances, notes);
  if (!options.keep_pictures)
    encode_pictures(input, options.settings, options.pictures, inputs, model, out.diagnostics);
  convert::embed_images(model, true);
  if (!options.keep.names) remove_names(model.scene, notes);
  exporter::GlbOptions glb_options = options_for(options.settings.mesh, options.is_khr);
  if (options.removes_keys)
    glb_options.rotation_bits = reduce_clips(model.scene, options.settings.animation.error_meters, notes);
  if (options.settings.mesh.position_bits != 0)
    make_integer_positions(model.scene, options.settings.mesh.position_bits);
  for (Error& note : notes) out.diagnostics.push_back({Severity::kNote, std::move(note).in(input)});
  const bool compresses = options.settings.mesh.compress != recipes::MeshCompression::kNone;
  // 16 bits need no grid: normalized integers have as many.
  TexcoordGrids grids;
  if (const std::uint32_t bits = options.settings.mesh.texcoord_bits; bits != 0 && bits < 16)
    grids = choose_texcoord_grids(model.scene, bits);
  snap_vertices(model.scene, options.settings.mesh, grids, compresses);
  compact_meshes(model.scene, compresses ? mesh::TriangleOrder::kStreams : mesh::TriangleOrder::kDrawing,
                 options.ratio);
  apply_texcoord_grids(model.scene, grids);
  std::vector<scene::Dropped> omitted;
  glb_options.has_instances = keeps_instances;
  glb_options.needs_texture_transform = !grids.empty();
  if (auto written = write(model.scene, output, glb_options, omitted, out); !written)
    return std::unexpected(std::move(written).error().in(input));
  convert::add_warnings(model.warnings, out);
  convert::add_dropped_warnings(model.scene, omitted, input, out);
  return out;
}

}  // namespace

OptimizeOptions optimize_options() {
  OptimizeOptions options;
  recipes::Settings& settings = options.settings;
  settings.mesh.compress = recipes::MeshCompression::kMeshopt;
  settings.mesh.position_bits = 14;
  settings.mesh.texcoord_bits = 12;
  settings.mesh.normal_bits = settings.mesh.color_bits = settings.mesh.weight_bits = 8;
  settings.texture.quality = kUsualQuality;
  settings.texture.rdo = kUsualRdo;  // normal maps get less
  settings.texture.zstd_level = kUsualZstdLevel;
  return options;
}

Result<OptimizeOptions> optimize_options_for(std::string_view purpose) {
  const auto found = std::ranges::find(kPurposes, purpose, &Purpose::name);
  if (found == std::end(kPurposes)) {
    return fail(ErrorCode::kUsage, "found \"" + std::string(purpose) + "\", expected web, headset or phone");
  }
  OptimizeOptions options = optimize_options();
  options.settings.texture.max_size_texels = found->max_size_texels;
  const std::uint32_t data_size = found->data_size_texels;
  options.pictures.max_sizes = {
      {"metallic_roughness", data_size}, {"normal", found->normal_size_texels}, {"occlusion", data_size}};
  options.settings.texture.rdo = found->rdo;
  options.settings.mesh.position_bits = found->position_bits;
  options.settings.mesh.normal_bits = found->normal_bits;
  options.removes_keys = true;
  return options;
}

Result<convert::Converted> optimize_file(const std::string& input, const std::string& output, recipes::Inputs& inputs,
                                         const OptimizeOptions& options, SourceSizes* sources) {
  SourceSizes sizes;
  std::mutex guard;
  std::optional<Bytes> model;  // its bytes are read in several places
  const importer::FileReader counted_read = [&](std::string_view path) -> Result<Bytes> {
    if (const std::scoped_lock lock(guard); path == input && model) return *model;
    Result<Bytes> bytes = inputs.read(path);
    const std::scoped_lock lock(guard);
    if (bytes && path == input) model = *bytes;
    if (bytes) sizes.insert_or_assign(std::string(path), bytes->size());
    return bytes;
  };
  Result<convert::Converted> converted;
  auto done = catch_exceptions("the conversion", "close other programs", [&]() -> Result<void> {
    converted = optimize(input, output, counted_read, inputs, options);
    return {};
  });
  if (!done) return std::unexpected(std::move(done).error().in(input));
  if (sources != nullptr) *sources = std::move(sizes);
  return converted;
}

}  // namespace assetc::optimize
