#include "convert/optimize.hpp"

#include <functional>
#include <map>
#include <mutex>

#include "base/exceptions.hpp"
#include "convert/embed.hpp"
#include "convert/model.hpp"
#include "convert/small_pictures.hpp"
#include "convert/small_positions.hpp"
#include "convert/small_scene.hpp"
#include "export/glb.hpp"
#include "import/gltf.hpp"
#include "import/model.hpp"
#include "texture/compile.hpp"

namespace assetc::convert {
namespace {

using recipes::Severity;

constexpr std::uint32_t kUsualZstdLevel = 18;

exporter::GlbOptions options_for(const recipes::MeshSettings& mesh) {
  exporter::GlbOptions out;
  out.packs = true;
  out.compresses = mesh.compress != recipes::MeshCompression::kNone;
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

Result<Converted> optimize(const std::string& input, const std::string& output, const importer::FileReader& read,
                           const OptimizeOptions& options) {
  ASSETC_TRY(importer::Imported model, load_model(input, read));
  Converted out;
  for (Error& note : remove_unused(model.scene))
    out.diagnostics.push_back({Severity::kNote, std::move(note).in(input)});
  if (!options.keep_pictures) encode_pictures(input, options.settings, model, out.diagnostics);
  embed_images(model, true);
  remove_still_channels(model.scene);
  if (options.settings.mesh.position_bits != 0)
    make_integer_positions(model.scene, options.settings.mesh.position_bits);
  const bool compresses = options.settings.mesh.compress != recipes::MeshCompression::kNone;
  compact_meshes(model.scene, compresses ? mesh::TriangleOrder::kStreams : mesh::TriangleOrder::kDrawing,
                 options.ratio);
  std::vector<scene::Dropped> omitted;
  exporter::GlbOptions glb_options = options_for(options.settings.mesh);
  glb_options.has_instances = has_instances(input, read);
  auto glb = exporter::write_glb(model.scene, &omitted, glb_options);
  if (!glb) return std::unexpected(std::move(glb).error().in(input));
  out.files.push_back({output, Bytes(std::move(*glb))});
  add_warnings(model.warnings, out);
  add_dropped_warnings(model.scene, omitted, input, out);
  return out;
}

}  // namespace

recipes::Settings optimize_settings() {
  recipes::Settings settings;
  settings.mesh.compress = recipes::MeshCompression::kMeshopt;
  settings.mesh.position_bits = 14;
  settings.mesh.texcoord_bits = 12;
  settings.mesh.normal_bits = settings.mesh.color_bits = settings.mesh.weight_bits = 8;
  settings.texture.rdo = texture::kUsualRdo;  // normal maps get less
  settings.texture.zstd_level = kUsualZstdLevel;
  return settings;
}

Result<Converted> optimize_file(const std::string& input, const std::string& output, const importer::FileReader& read,
                                const OptimizeOptions& options, std::uint64_t* source_bytes) {
  std::map<std::string, std::uint64_t, std::less<>> sizes;
  std::mutex guard;
  const importer::FileReader counted_read = [&](std::string_view path) {
    Result<Bytes> bytes = read(path);
    const std::scoped_lock lock(guard);
    if (bytes) sizes.insert_or_assign(std::string(path), bytes->size());
    return bytes;
  };
  Result<Converted> converted;
  auto done = catch_exceptions("the conversion", "close other programs", [&]() -> Result<void> {
    converted = optimize(input, output, counted_read, options);
    return {};
  });
  if (!done) return std::unexpected(std::move(done).error().in(input));
  for (const auto& [path, size] : sizes)
    if (source_bytes != nullptr) *source_bytes += size;
  return converted;
}

}  // namespace assetc::convert
