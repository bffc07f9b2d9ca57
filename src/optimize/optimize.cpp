#include "optimize/optimize.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <set>

#include "base/ascii.hpp"
#include "base/exceptions.hpp"
#include "base/size_text.hpp"
#include "convert/embed.hpp"
#include "convert/model.hpp"
#include "export/glb.hpp"
#include "export/webp.hpp"
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
  PictureFormat format;  // WebP is smallest at its error; a GPU holds UASTC in a quarter of the bytes
  std::uint32_t max_size_texels, normal_size_texels, data_size_texels;
  double rdo;
  std::uint32_t position_bits, normal_bits;
};
constexpr Purpose kPurposes[] = {{"web", PictureFormat::kWebp, 2048, 2048, 1024, kUsualRdo, 14, 8},
                                 {"headset", PictureFormat::kUastc, 2048, 2048, 2048, 5, 15, 10},
                                 {"phone", PictureFormat::kUastc, 1024, 512, 512, 15, 13, 8}};

exporter::GlbOptions options_for(const recipes::MeshSettings& mesh, Coding coding) {
  using exporter::GlbCoding;
  exporter::GlbOptions out;
  out.packs = true;
  out.coding = coding == Coding::kDraco        ? GlbCoding::kDraco
               : coding == Coding::kMeshoptKhr ? GlbCoding::kMeshoptKhr
                                               : GlbCoding::kMeshopt;
  if (mesh.compress == recipes::MeshCompression::kNone) out.coding = GlbCoding::kNone;
  out.integer_positions = mesh.position_bits != 0;
  out.integer_rotations = mesh.rounds();
  out.position_bits = mesh.position_bits;
  out.normal_bits = mesh.normal_bits;
  out.texcoord_bits = mesh.texcoord_bits;
  out.color_bits = mesh.color_bits;
  out.weight_bits = mesh.weight_bits;
  return out;
}

// What the source demands of its readers, so that they support it in the output, too.
struct Demands {
  bool instances = false, draco = false;
};
Demands demands_of(const std::string& input, const importer::FileReader& read) {
  if (importer::model_kind(input) != importer::ModelKind::kGltf) return {};
  const Result<Bytes> file = read(input);
  if (!file) return {};
  const std::string_view json = importer::gltf_json_text(*file);
  return {json.contains("\"EXT_mesh_gpu_instancing\""), json.contains("\"KHR_draco_mesh_compression\"")};
}

// Removes what the application does not need. Names stay, because messages need them.
void reduce(scene::Scene& scene, const Keep& keep, bool has_instances, std::vector<Error>& notes) {
  scene::merge_images(scene, keep.names);
  if (!keep.extras) remove_extras(scene, notes);
  if (!keep.materials) merge_materials(scene, notes);
  if (!keep.nodes) join_nodes(scene, has_instances, notes);
}

struct Written {
  std::vector<convert::ConvertedFile> files;
  std::vector<scene::Dropped> omitted;
};

std::uint64_t bytes_of(const std::vector<convert::ConvertedFile>& files) {
  std::uint64_t bytes = 0;
  for (const convert::ConvertedFile& file : files) bytes += file.bytes.size();
  return bytes;
}

Result<Written> write(const scene::Scene& scene, const std::string& output, const exporter::GlbOptions& options) {
  Written out;
  if (!ends_with_ignoring_case(output, ".gltf")) {
    ASSETC_TRY(ByteVector glb, exporter::write_glb(scene, &out.omitted, options));
    out.files.push_back({output, Bytes(std::move(glb))});
    return out;
  }
  const std::string folder = output.substr(0, output.rfind('/') + 1);
  const std::string stem = output.substr(folder.size(), output.rfind('.') - folder.size());
  ASSETC_TRY(std::vector<exporter::GltfFile> files, exporter::write_gltf(scene, stem, &out.omitted, options));
  for (exporter::GltfFile& file : files) out.files.push_back({folder + file.name, std::move(file.bytes)});
  return out;
}

// Changes the vertices of the scene to those that the coding needs.
Result<Written> encode(scene::Scene& scene, const std::string& output, const OptimizeOptions& options, Coding coding,
                       exporter::GlbOptions glb_options) {
  const recipes::MeshSettings& mesh = options.settings.mesh;
  const bool compresses = mesh.compress != recipes::MeshCompression::kNone;
  // Draco rounds positions and texture coordinates itself, and readers get floats.
  const bool rounds_itself = compresses && coding == Coding::kDraco;
  if (mesh.position_bits != 0 && !rounds_itself) make_integer_positions(scene, mesh.position_bits);
  // 16 bits need no grid: normalized integers have as many.
  TexcoordGrids grids;
  if (mesh.texcoord_bits != 0 && mesh.texcoord_bits < 16 && !rounds_itself)
    grids = choose_texcoord_grids(scene, mesh.texcoord_bits);
  snap_vertices(scene, mesh, grids, compresses);
  compact_meshes(scene, compresses ? mesh::TriangleOrder::kStreams : mesh::TriangleOrder::kDrawing, options.ratio);
  apply_texcoord_grids(scene, grids);
  glb_options.needs_texture_transform = !grids.empty();
  return write(scene, output, glb_options);
}

// The bytes of a file, by what they hold.
struct Shares {
  std::uint64_t pictures = 0, json = 0, rest = 0;  // rest: geometry and clips
  std::uint64_t total() const { return pictures + json + rest; }
};

std::uint64_t picture_bytes_of(const scene::Scene& scene) {
  std::uint64_t bytes = 0;
  std::set<const std::byte*> seen;
  for (const scene::ImageSource& image : scene.images) {
    if (seen.insert(image.inline_bytes.data()).second) bytes += image.inline_bytes.size();
  }
  return bytes;
}

// The bytes of buffers and pictures that a document holds as text.
std::uint64_t embedded_bytes_of(std::string_view json) {
  constexpr std::string_view kStart = "\"data:";
  std::uint64_t bytes = 0;
  for (std::size_t at = json.find(kStart); at != json.npos; at = json.find(kStart, at)) {
    const std::size_t end = std::min(json.find('"', at + kStart.size()), json.size());
    bytes += end - at - 1;
    at = end;
  }
  return bytes;
}

// all: of all files together. document: the first of them, which has JSON only if it is a glTF.
Shares shares_of(std::uint64_t all, std::uint64_t pictures, const std::string& path, const Bytes& document) {
  Shares shares;
  if (importer::model_kind(path) == importer::ModelKind::kGltf) {
    const std::string_view json = importer::gltf_json_text(document);
    shares.json = std::min<std::uint64_t>(json.size() - embedded_bytes_of(json), all);
  }
  shares.pictures = std::min(pictures, all - shares.json);
  shares.rest = all - shares.json - shares.pictures;
  return shares;
}

// "pictures 3.1 MiB to 9.8 MiB, geometry and clips 1.2 MiB to 1.4 MiB": what grows, the largest growth first.
struct Growth {
  std::string text, hint;
};
Growth growth_of(const Shares& source, const Shares& made, PictureFormat format, bool compresses) {
  struct Part {
    std::string_view name;
    std::uint64_t from, to;
    std::string_view hint;
  };
  std::array parts{
      Part{"pictures", source.pictures, made.pictures,
           format == PictureFormat::kWebp ? "--keep-pictures embeds them as they are"
                                          : "--texture.format webp makes pictures smaller; KTX 2 saves video memory"},
      Part{"geometry and clips", source.rest, made.rest,
           compresses ? "the source is compressed further: try --mesh.compress smallest, or fewer bits, such as "
                        "--mesh.position_bits 12"
                      : "leave out --mesh.compress none"},
      Part{"JSON", source.json, made.json, "--keep none leaves out names, extras and nodes that nothing needs"}};
  std::ranges::stable_sort(parts, std::greater<>(), [](const Part& p) { return p.to > p.from ? p.to - p.from : 0; });
  Growth growth;
  for (const Part& part : parts) {
    if (part.to <= part.from) continue;
    if (growth.hint.empty()) growth.hint = part.hint;
    growth.text.append(growth.text.empty() ? "" : ", ").append(part.name);
    growth.text.append(" " + size_text(part.from) + " to " + size_text(part.to));
  }
  return growth;
}

// Says that a file grew, or keeps the source.
void judge_size(const std::string& input, const Shares& source, const Bytes& source_file,
                const OptimizeOptions& options, std::uint64_t picture_bytes, convert::Converted& out) {
  const std::uint64_t all = bytes_of(out.files);
  if (all <= source.total()) return;
  const bool compresses = options.settings.mesh.compress != recipes::MeshCompression::kNone;
  const convert::ConvertedFile& document = out.files.front();
  const Growth growth = growth_of(source, shares_of(all, picture_bytes, document.path, document.bytes),
                                  options.pictures.format, compresses);
  const std::uint64_t percent = (all * 100 + source.total() / 2) / source.total();
  const std::string size = std::to_string(percent) + " % of the source: " + growth.text;
  const bool is_glb = ends_with_ignoring_case(input, ".glb") && ends_with_ignoring_case(out.files.front().path, ".glb");
  if (options.may_keep_source && is_glb && source_file.size() == source.total()) {
    out.files.front().bytes = source_file;
    out.diagnostics.clear();  // nothing is left out
    out.diagnostics.push_back(
        {Severity::kNote,
         {ErrorCode::kInvalidData, input, {}, "stays as it is; optimized, it would have " + size, growth.hint}});
    return;
  }
  out.diagnostics.push_back({WarningKind::kLargerOutput,
                             {ErrorCode::kInvalidData, input, {}, "becomes larger: it has " + size, growth.hint}});
}

Result<convert::Converted> optimize(const std::string& input, const std::string& output,
                                    const importer::FileReader& read, recipes::Inputs& inputs,
                                    const OptimizeOptions& options, const SourceSizes& sizes) {
  ASSETC_TRY(importer::Imported model, convert::load_model(input, read));
  convert::Converted out;
  const std::uint64_t source_pictures = picture_bytes_of(model.scene);
  const Demands demands = demands_of(input, read);
  std::vector<Error> notes = remove_unused(model.scene);
  remove_still_channels(model.scene);
  reduce(model.scene, options.keep, demands.instances, notes);
  std::uint64_t video_bytes = 0;
  if (!options.keep_pictures)
    video_bytes = encode_pictures(input, options.settings, options.pictures, inputs, model, out.diagnostics);
  if (video_bytes != 0 && options.pictures.format == PictureFormat::kWebp) {
    notes.push_back({ErrorCode::kInvalidData,
                     {},
                     {},
                     "a GPU holds its textures in " + size_text(video_bytes),
                     "--texture.format uastc takes a quarter of that, in larger files"});
  }
  convert::embed_images(model, true);
  const std::uint64_t pictures = picture_bytes_of(model.scene);
  if (!options.keep.names) remove_names(model.scene, notes);
  std::uint32_t rotation_bits = 16;
  if (options.removes_keys) rotation_bits = reduce_clips(model.scene, options.settings.animation.error_meters, notes);
  for (Error& note : notes) out.diagnostics.push_back({Severity::kNote, std::move(note).in(input)});
  const auto encode_as = [&](scene::Scene& scene, Coding coding) {
    exporter::GlbOptions glb_options = options_for(options.settings.mesh, coding);
    glb_options.rotation_bits = rotation_bits;
    glb_options.has_instances = demands.instances;
    return encode(scene, output, options, coding, glb_options);
  };
  const bool compresses = options.settings.mesh.compress != recipes::MeshCompression::kNone;
  std::optional<scene::Scene> for_draco;
  const bool may_be_draco = options.coding == Coding::kSmallest || (options.coding == Coding::kUsual && demands.draco);
  if (may_be_draco && compresses) for_draco = model.scene;
  auto written = encode_as(model.scene, options.coding);
  if (for_draco && written) {
    auto draco = encode_as(*for_draco, Coding::kDraco);
    if (draco && bytes_of(draco->files) < bytes_of(written->files)) written = std::move(draco);
  }
  if (!written) return std::unexpected(std::move(written).error().in(input));
  out.files = std::move(written->files);
  convert::add_warnings(model.warnings, out);
  convert::add_dropped_warnings(model.scene, written->omitted, input, out);
  std::uint64_t source_bytes = 0;
  for (const auto& [path, size] : sizes) source_bytes += size;
  ASSETC_TRY(const Bytes source_file, read(input));
  judge_size(input, shares_of(source_bytes, source_pictures, input, source_file), source_file, options, pictures, out);
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
  if (exporter::webp_encoder_version() == "none") options.pictures.format = PictureFormat::kUastc;
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
  if (found->format != PictureFormat::kWebp) options.pictures.format = found->format;
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
    converted = optimize(input, output, counted_read, inputs, options, sizes);
    return {};
  });
  if (!done) return std::unexpected(std::move(done).error().in(input));
  if (sources != nullptr) *sources = std::move(sizes);
  return converted;
}

}  // namespace assetc::optimize
