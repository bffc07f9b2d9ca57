#include "convert/convert.hpp"

#include <algorithm>

#include "assetc/base/hash.hpp"
#include "base/ascii.hpp"
#include "base/exceptions.hpp"
#include "base/plural.hpp"
#include "convert/carry.hpp"
#include "convert/embed.hpp"
#include "convert/lods.hpp"
#include "convert/model.hpp"
#include "export/glb.hpp"
#include "export/png.hpp"
#include "import/image/image.hpp"
#include "import/model/model.hpp"
#include "import/texture/file.hpp"
#include "recipes/mesh/model.hpp"
#include "recipes/texture/picture.hpp"
#include "texture/color.hpp"
#include "texture/decode.hpp"
#include "texture/normal_map.hpp"
#include "texture/storage.hpp"

namespace assetc::convert {
namespace {

using recipes::Severity;

std::string lowered_extension(std::string_view path) {
  const std::size_t slash = path.rfind('/'), dot = path.rfind('.');
  if (dot == path.npos || (slash != path.npos && dot < slash)) return {};
  return ascii_lower(path.substr(dot));
}
std::string without_extension(std::string_view path) { return std::string(path.substr(0, path.rfind('.'))); }

bool is_picture_path(std::string_view path) {
  const filetypes::Row* row = filetypes::find_row(path);
  return row != nullptr && row->is_picture();
}

// Whether a file of that name has the type with this suffix.
bool is_a(std::string_view suffix, std::string_view path) {
  const filetypes::Row* row = filetypes::find_row(path);
  return row != nullptr && row->suffix() == suffix;
}

// Gives a recipe access to the files that `read` serves. A conversion reads only a few files, so nothing is tracked.
class ReaderInputs final : public recipes::Inputs {
 public:
  explicit ReaderInputs(const importer::FileReader& read) : read_(read) {}
  Result<Bytes> read(std::string_view path) override { return read_(path); }
  bool exists(std::string_view path) override { return read_(path).has_value(); }
  Result<std::vector<std::string>> list(std::string_view directory) override {
    return fail(ErrorCode::kUnsupported, std::string(directory) + " is a folder; convert takes one file",
                "build the project instead");
  }
  std::optional<recipes::SourceAsset> asset(std::string_view) override { return std::nullopt; }
  std::uint64_t ref(std::string_view stem) override { return hash_asset_ref(stem); }

 private:
  const importer::FileReader& read_;
};

// The outputs of a step, under the requested names.
Converted named(recipes::Product product, const recipes::Step& step, const std::string& output) {
  Converted out;
  for (recipes::Output& made : product.outputs) {
    const bool asked_for = lowered_extension(output) == made.suffix;
    ConvertedFile file{asked_for ? output : without_extension(output) + made.suffix, std::move(made.bytes)};
    out.files.insert(asked_for ? out.files.begin() : out.files.end(), std::move(file));
  }
  for (recipes::Diagnostic& d : product.diagnostics) {
    d.what = std::move(d.what).in(step.source);
    out.diagnostics.push_back(std::move(d));
  }
  if (step.settings.texture.rdo > 0 && recipes::find_statistic<texture::RdoReport>(product.statistics) == nullptr) {
    out.diagnostics.push_back({WarningKind::kIdleSetting,
                               Error{ErrorCode::kUsage,
                                     step.source,
                                     {},
                                     "texture.rdo has no effect on other formats than " + texture::rdo_format_names(),
                                     "use one of these as texture.format, or remove texture.rdo"}});
  }
  if (!product.steps.empty()) {
    const std::size_t count = product.steps.size();
    out.diagnostics.push_back(
        {Severity::kNote, Error{ErrorCode::kUnsupported,
                                step.source,
                                {},
                                plural(count, "texture") + (count == 1 ? " is" : " are") + " not written",
                                "a build compiles them and lists them in its manifest; a .glb embeds them"}});
  }
  return out;
}

Result<Converted> cook(const recipes::Step& step, const std::string& output, const importer::FileReader& read) {
  ReaderInputs inputs(read);
  auto product = step.recipe->cook(step, inputs);
  if (!product) return std::unexpected(std::move(product).error().in(step.source));
  return named(std::move(*product), step, output);
}

Result<Converted> to_texture(const std::string& input, const std::string& output, const importer::FileReader& read,
                             const ConvertOptions& options) {
  recipes::Step step;
  step.recipe = recipes::find_recipe(is_environment_path(input) ? "environment" : "texture");
  step.source = step.input_path = input;
  step.stem = without_extension(output);
  step.settings = options.settings;
  const recipes::Claim* claim = recipes::file_claim(*step.recipe, input);
  if (claim != nullptr) {
    const auto params_of = step.recipe->params_of;
    step.params =
        params_of != nullptr ? params_of(input, *claim, step.settings, {}) : recipes::mode_params(claim->mode);
  }
  return cook(step, output, read);
}

// A float picture as a screen shows it without tone mapping: sRGB codes of 0 to 1; light above 1 is white.
scene::Image shown_on_screen(const scene::Image& image, bool& clipped) {
  scene::Image shown{image.width_texels, image.height_texels, scene::PixelType::kU8, image.source_channels, {}};
  shown.pixels.resize(shown.row_bytes() * image.height_texels);
  for (std::size_t i = 0; i < shown.pixels.size(); ++i) {
    const auto value = load<float>(image.pixels, i * sizeof(float));
    clipped |= value > 1.0f;
    shown.pixels[i] = static_cast<std::byte>(i % 4 == 3 ? texture::unorm8(value) : texture::linear_to_srgb8(value));
  }
  return shown;
}

// Whether a .ktx2 can only be a normal map of X and Y, judged by its largest level.
Result<bool> is_xy_normal_map(const ktx2::View& view, importer::ImageIndex index) {
  if (view.is_srgb() || !view.format() || texture::decoded_type(*view.format()) == scene::PixelType::kF32) return false;
  index.level = 0;
  index.slice = 0;
  ASSETC_TRY(const scene::Image largest, importer::decode_ktx2(view, index));
  return texture::looks_like_xy_normals(largest);
}

// One image of a texture file. A normal map gets all of X, Y and Z.
Result<scene::Image> show_texture(const Bytes& source, const importer::ImageIndex& index,
                                  std::vector<recipes::Diagnostic>& diagnostics) {
  ASSETC_TRY(const Bytes file, importer::as_ktx2(source, ktx2::Transfer::kSrgb));
  ASSETC_TRY(const ktx2::View view, ktx2::View::open(file));
  ASSETC_TRY(scene::Image image, importer::decode_ktx2(view, index));
  ASSETC_TRY(const bool is_normal_map, is_xy_normal_map(view, index));
  if (is_normal_map) {
    texture::complete_normals(image, texture::NormalLayout::kXy);
    diagnostics.push_back(
        {Severity::kNote,
         Error{ErrorCode::kUnsupported, {}, {}, "a normal map of X and Y: blue is the computed Z", {}}});
  }
  return image;
}

Result<Converted> to_png(const std::string& input, const std::string& output, const importer::FileReader& read,
                         const ConvertOptions& options) {
  ASSETC_TRY(const Bytes file, read(input));
  Converted out;
  auto image = importer::is_texture_file(file)
                   ? show_texture(file, options.image, out.diagnostics)
                   : recipes::decode_picture(file, {}, out.diagnostics, recipes::PictureUse::kShown);
  if (!image) return std::unexpected(std::move(image).error().in(input));
  for (recipes::Diagnostic& d : out.diagnostics) d.what = std::move(d.what).in(input);
  bool clipped = false;
  if (image->type == scene::PixelType::kF32) *image = shown_on_screen(*image, clipped);
  if (clipped) {
    out.diagnostics.push_back(
        {Severity::kNote,
         Error{
             ErrorCode::kUnsupported, input, {}, "values above 1 are clipped to white in a PNG", "a .ktx2 keeps it"}});
  }
  auto png = exporter::write_png(*image);
  if (!png) return std::unexpected(std::move(png).error().in(input));
  out.files.push_back({output, Bytes(std::move(*png))});
  return out;
}

Result<Converted> to_glb(const std::string& input, const std::string& output, const importer::FileReader& read,
                         const ConvertOptions& options) {
  ASSETC_TRY(importer::Imported model, load_model(input, read, {.error = options.max_error}));
  embed_images(model, options.keep_ktx2);
  if (options.most_lods) keep_lods(*options.most_lods, model.scene);
  std::vector<scene::Dropped> omitted;
  auto glb = exporter::write_glb(model.scene, &omitted);
  if (!glb) return std::unexpected(std::move(glb).error().in(input));
  Converted out;
  out.files.push_back({output, Bytes(std::move(*glb))});
  add_warnings(model.warnings, out);
  std::size_t levels = 0;
  for (const scene::Node& node : model.scene.nodes) levels = std::max(levels, node.lods.size());
  if (levels > 0 && !options.most_lods) {
    out.diagnostics.push_back(
        {Severity::kNote, Error{ErrorCode::kUnsupported,
                                input,
                                {},
                                plural(levels, "level") + " of detail " + (levels == 1 ? "is" : "are") +
                                    " stored with MSFT_lod; Blender shows every level at once",
                                "--mesh.lods 0 leaves them out"}});
  }
  add_dropped_warnings(model.scene, omitted, input, out);
  return out;
}

Result<Converted> to_mesh(const std::string& input, const std::string& output, const importer::FileReader& read,
                          const ConvertOptions& options) {
  recipes::Step step;
  step.recipe = recipes::find_recipe("mesh");
  step.source = step.input_path = input;
  step.stem = without_extension(output);
  step.settings = options.settings;
  step.containers = &recipes::kMeshContainers;
  auto& container = step.settings.mesh.container;
  step.settings.mesh.lod = recipes::MeshLod::kLevels;
  if (is_a(".gali", output)) {
    container = recipes::MeshFormat::kGalileo;
  } else if (is_a(".hcluster", output)) {
    step.containers = &recipes::kClusterContainers;
    container = recipes::MeshFormat::kHmesh;
  } else if (container == recipes::MeshFormat::kGalileo) {
    return fail(ErrorCode::kUsage, "mesh.container is galileo, but " + output + " is a .hmesh",
                "write a .gali, or remove mesh.container");
  }
  if (!importer::is_compiled_model_path(input)) {
    ASSETC_TRY(Converted cooked, cook(step, output, read));
    if (std::ranges::find(cooked.files, output, &ConvertedFile::path) != cooked.files.end()) return cooked;
    return std::unexpected(Error{ErrorCode::kUnsupported,
                                 input,
                                 {},
                                 "the model has clips but no mesh, so nothing can be written to " + output,
                                 "build it to get a .hanim, or convert it to a .glb"});
  }

  if (!options.rebuild) {
    const auto compress = options.recompress ? std::optional(options.settings.mesh.compress) : std::nullopt;
    const recipes::MeshContainer& levels = step.containers->mesh_rows(container).levels;
    ASSETC_TRY(std::optional<Converted> carried,
               carry_over(input, output, levels, compress, options.beside_input, read));
    if (carried) return std::move(*carried);
  }
  ASSETC_TRY(importer::Imported source, load_model(input, read, {.error = options.max_error}));
  keep_lods(0, source.scene);  // these levels were made, or chosen, with other settings
  ReaderInputs inputs(read);
  auto model = recipes::compile_model(source.scene, importer::model_kind(input), step, inputs);
  if (!model) return std::unexpected(std::move(model).error().in(input));
  auto product = recipes::write_model(std::move(*model), step);
  if (!product) return std::unexpected(std::move(product).error().in(input));
  Converted out = named(std::move(*product), step, output);
  // Next to its source, the existing .hmat and .hanim are those that the source was opened with, and they refer to its
  // textures: they are kept.
  if (options.beside_input) out.files.resize(1);
  Converted warned;
  add_warnings(source.warnings, warned);
  out.diagnostics.insert(out.diagnostics.begin(), warned.diagnostics.begin(), warned.diagnostics.end());
  return out;
}

// A conversion between two kinds of files.
struct Conversion {
  bool (*takes)(std::string_view input);
  std::string_view to;  // a suffix from the table of file types
  Result<Converted> (*make)(const std::string& input, const std::string& output, const importer::FileReader& read,
                            const ConvertOptions& options);
};
constexpr Conversion kConversions[] = {
    {importer::is_model_path, ".glb", to_glb},   {importer::is_model_path, ".hmesh", to_mesh},
    {importer::is_model_path, ".gali", to_mesh}, {importer::is_model_path, ".hcluster", to_mesh},
    {is_picture_path, ".ktx2", to_texture},      {is_picture_path, ".png", to_png},
};

Result<Converted> convert_by_type(const std::string& input, const std::string& output, const importer::FileReader& read,
                                  const ConvertOptions& options) {
  for (const Conversion& conversion : kConversions) {
    if (conversion.takes(input) && is_a(conversion.to, output)) return conversion.make(input, output, read, options);
  }
  const std::string becomes = importer::is_model_path(input) ? "a model becomes .glb, .hmesh, .gali or .hcluster"
                              : is_picture_path(input)
                                  ? "a picture becomes .ktx2 or .png"
                                  : "inputs are " + filetypes::list_suffixes(is_convertible, " ", " ");
  return std::unexpected(
      Error{ErrorCode::kUsage,
            input,
            {},
            "\"" + lowered_extension(input) + "\" does not become \"" + lowered_extension(output) + "\"",
            becomes});
}

}  // namespace

void add_warnings(std::vector<Warning>& warnings, Converted& out) {
  for (Warning& warning : warnings) out.diagnostics.emplace_back(std::move(warning));
  warnings.clear();
}

void add_dropped_warnings(scene::Scene& scene, const std::vector<scene::Dropped>& omitted, const std::string& input,
                          Converted& out) {
  for (const scene::Dropped& d : omitted) importer::add_dropped(scene.dropped, d.what, d.where);
  for (const scene::Dropped& dropped : scene.dropped) {
    if (!dropped.is_in_scene && !dropped.is_in_materials)
      out.diagnostics.emplace_back(importer::dropped_warning(dropped).in(input));
  }
}

bool is_convertible(const filetypes::Row& type) {
  return type.is_model() || type.is_picture() || type.type == filetypes::Class::kScene;
}

bool is_environment_path(std::string_view path) {
  return recipes::file_claim(*recipes::find_recipe("environment"), path) != nullptr;
}

Result<Converted> convert_file(const std::string& input, const std::string& output, const importer::FileReader& read,
                               const ConvertOptions& options) {
  Result<Converted> converted;
  auto done = catch_exceptions("the conversion", "close other programs", [&]() -> Result<void> {
    converted = convert_by_type(input, output, read, options);
    return {};
  });
  if (!done) return std::unexpected(std::move(done).error().in(input));
  return converted;
}

}  // namespace assetc::convert
