#include "convert/step.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include "assetc/version.hpp"
#include "base/ascii.hpp"
#include "export/webp.hpp"

namespace assetc::convert {
namespace {

using recipes::Params;

// Raise this if a conversion gives other bytes for the same files and options, and no recipe's version changes.
constexpr std::uint32_t kConvertVersion = 6;
constexpr std::uint32_t kOptimizeVersion = 3;  // the same for optimize

constexpr std::string_view kOutput = "output", kRebuild = "rebuild", kRecompress = "recompress",
                           kBesideInput = "beside_input", kLods = "lods", kKeepKtx2 = "keep_ktx2", kLevel = "level",
                           kLayer = "layer", kFace = "face", kSlice = "slice", kError = "error",
                           kKeepPictures = "keep_pictures", kRatio = "ratio", kKeep = "keep", kStem = "stem",
                           kKhr = "khr", kWebp = "webp", kMaxSizes = "max_sizes", kRemovesKeys = "removes_keys";

constexpr std::string_view kSourcesSuffix = ".sources";

bool is_compiled_model(std::string_view path) {
  const filetypes::Row* row = filetypes::find_row(path);
  return row != nullptr && row->is_model() && row->is_compiled();
}

std::string_view before_suffix(std::string_view path) { return path.substr(0, path.rfind('.')); }

void put(Params& params, std::string_view name, std::uint32_t value) {
  if (value != 0) params.emplace(name, std::to_string(value));
}
// 0 if absent.
std::uint32_t number(const Params& params, std::string_view name) {
  std::uint32_t value = 0;
  if (const auto at = params.find(name); at != params.end())
    std::from_chars(at->second.data(), at->second.data() + at->second.size(), value);
  return value;
}

ConvertOptions options_of(const recipes::Step& step) {
  ConvertOptions options;
  options.settings = step.settings;
  options.rebuild = step.params.contains(kRebuild);
  options.recompress = step.params.contains(kRecompress);
  options.beside_input = step.params.contains(kBesideInput);
  if (step.params.contains(kLods)) options.most_lods = number(step.params, kLods);
  options.keep_ktx2 = step.params.contains(kKeepKtx2);
  options.max_error = std::bit_cast<float>(number(step.params, kError));
  options.image = {number(step.params, kLevel), number(step.params, kLayer), number(step.params, kFace),
                   number(step.params, kSlice)};
  return options;
}

recipes::Product product_of(Converted converted, std::size_t stem_length) {
  recipes::Product product;
  for (ConvertedFile& file : converted.files)
    product.outputs.push_back({file.path.substr(stem_length), std::move(file.bytes), {}});
  product.diagnostics = std::move(converted.diagnostics);
  return product;
}

Result<recipes::Product> convert_step(const recipes::Step& step, recipes::Inputs& inputs) {
  const std::string& output = step.params.at(std::string(kOutput));
  const importer::FileReader read = [&](std::string_view path) { return inputs.read(path); };
  ASSETC_TRY(Converted converted, convert_file(step.input_path, output, read, options_of(step)));
  return product_of(std::move(converted), before_suffix(output).size());
}

Result<recipes::Product> optimize_step(const recipes::Step& step, recipes::Inputs& inputs) {
  OptimizeOptions options{.settings = step.settings, .keep_pictures = step.params.contains(kKeepPictures)};
  if (const auto ratio = step.params.find(kRatio); ratio != step.params.end())
    options.ratio = std::bit_cast<float>(number(step.params, kRatio));
  if (const auto keep = step.params.find(kKeep); keep != step.params.end()) {
    ASSETC_TRY(options.keep, parse_keep(keep->second));
  }
  options.is_khr = step.params.contains(kKhr);
  options.removes_keys = step.params.contains(kRemovesKeys);
  if (step.params.contains(kWebp)) options.pictures = {PictureFormat::kWebp, number(step.params, kWebp), {}};
  if (const auto limits = step.params.find(kMaxSizes); limits != step.params.end()) {
    ASSETC_TRY(SizeLimits parsed, parse_size_limits(limits->second));
    options.pictures.max_sizes = std::move(parsed.slots);
  }
  std::string stem;
  if (const auto at = step.params.find(kStem); at != step.params.end()) stem = at->second;
  SourceSizes sources;
  ASSETC_TRY(Converted converted,
             optimize_file(step.input_path, stem.empty() ? ".glb" : stem + ".gltf", inputs, options, &sources));
  const std::string text = write_sources(sources, step.input_path);
  const ByteSpan bytes = as_bytes(text);
  converted.files.push_back({stem + std::string(kSourcesSuffix), Bytes(ByteVector(bytes.begin(), bytes.end()))});
  return product_of(std::move(converted), stem.size());
}

Result<recipes::Product> optimize_source(const recipes::Step& step, recipes::Inputs& inputs) {
  ASSETC_TRY(recipes::Product product, optimize_step(step, inputs));
  product.outputs.pop_back();  // the files that it was made of
  return product;
}

// A model takes about as much as in a build, and pictures are in memory with it.
std::uint64_t estimate_source_bytes(const recipes::Step& step, recipes::Inputs& inputs) {
  return 2 * recipes::find_recipe("mesh")->estimate_peak_bytes(step, inputs);
}

constexpr recipes::Claim kModels[] = {{.suffix = ".gltf", .strip = ".gltf"},
                                      {.suffix = ".glb", .strip = ".glb"},
                                      {.suffix = ".fbx", .strip = ".fbx"},
                                      {.suffix = ".obj", .strip = ".obj"}};
constexpr std::string_view kModelSettings[] = {"mesh", "texture", "animation"};

std::uint64_t estimate_peak_bytes(const recipes::Step&, recipes::Inputs&) { return 0; }

std::string libraries() {
  std::string text =
      "assetc=" + std::to_string(ASSETC_VERSION) + "\nwebp encoder=" + exporter::webp_encoder_version() + "\n";
  for (const recipes::Recipe* recipe : recipes::all_recipes()) {
    text.append(recipe->name).append("=").append(std::to_string(recipe->version)).append("\n");
    const bool is_used = recipe->name == "mesh" || recipe->name == "texture";  // models and their pictures
    if (is_used && recipe->libraries != nullptr) text += recipe->libraries();
  }
  return text;
}

}  // namespace

constinit const recipes::Recipe kConvertRecipe{.name = "convert",
                                               .version = kConvertVersion,
                                               .claims = {},
                                               .setting_groups = {},
                                               .stem_matters = false,
                                               .cook = convert_step,
                                               .estimate_peak_bytes = estimate_peak_bytes,
                                               .libraries = libraries};

constinit const recipes::Recipe kOptimizeRecipe{.name = "optimize",
                                                .version = kOptimizeVersion,
                                                .claims = {},
                                                .setting_groups = {},
                                                .stem_matters = false,
                                                .cook = optimize_step,
                                                .estimate_peak_bytes = estimate_peak_bytes,
                                                .libraries = libraries};

std::string write_sources(const SourceSizes& sources, std::string_view input) {
  const std::string_view folder = input.substr(0, input.rfind('/') + 1);
  std::string out;
  for (const auto& [path, size] : sources) {
    const std::string_view shown = path.starts_with(folder) ? std::string_view(path).substr(folder.size()) : path;
    out.append(std::to_string(size)).append(" ").append(shown).append("\n");
  }
  return out;
}

SourceSizes read_sources(std::string_view text) {
  SourceSizes out;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    const std::size_t space = std::min(line.find(' '), line.size());
    const std::string_view number = line.substr(0, space);
    std::uint64_t size = 0;
    std::from_chars(number.data(), number.data() + number.size(), size);
    if (space < line.size()) out.emplace(line.substr(space + 1), size);
  }
  return out;
}

constinit const recipes::Recipe kOptimizeFolderRecipe{.name = "optimize",
                                                      .version = kOptimizeVersion,
                                                      .claims = kModels,
                                                      .setting_groups = kModelSettings,
                                                      .stem_matters = false,
                                                      .cook = optimize_source,
                                                      .estimate_peak_bytes = estimate_source_bytes,
                                                      .libraries = libraries};

recipes::Params params_of(const OptimizeOptions& options, const std::string& output) {
  Params params;
  if (ends_with_ignoring_case(output, ".gltf"))
    params.emplace(kStem, before_suffix(output).substr(output.rfind('/') + 1));
  if (options.keep_pictures) params.emplace(kKeepPictures, "");
  if (options.is_khr) params.emplace(kKhr, "");
  if (options.removes_keys) params.emplace(kRemovesKeys, "");
  if (options.pictures.format == PictureFormat::kWebp)
    params.emplace(kWebp, std::to_string(options.pictures.webp_quality));
  if (!options.pictures.max_sizes.empty()) params.emplace(kMaxSizes, to_string(options.pictures.max_sizes));
  if (options.keep != Keep{}) params.emplace(kKeep, to_string(options.keep));
  if (options.ratio) put(params, kRatio, std::bit_cast<std::uint32_t>(*options.ratio));
  return params;
}

recipes::Params params_of(const std::string& output, const ConvertOptions& options) {
  const bool is_mesh = is_compiled_model(output);
  const std::string suffix = ascii_lower(output.substr(before_suffix(output).size()));
  Params params;
  params.emplace(kOutput, is_mesh ? std::string(before_suffix(output)) + suffix : "out" + suffix);
  if (is_mesh && options.beside_input) params.emplace(kBesideInput, "");
  if (options.rebuild) params.emplace(kRebuild, "");
  if (options.recompress) params.emplace(kRecompress, "");
  if (options.most_lods) params.emplace(kLods, std::to_string(*options.most_lods));
  if (options.keep_ktx2) params.emplace(kKeepKtx2, "");
  put(params, kError, std::bit_cast<std::uint32_t>(options.max_error));
  put(params, kLevel, options.image.level);
  put(params, kLayer, options.image.layer);
  put(params, kFace, options.image.face);
  put(params, kSlice, options.image.slice);
  return params;
}

}  // namespace assetc::convert
