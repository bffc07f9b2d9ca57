#include "convert/step.hpp"

#include <bit>
#include <charconv>

#include "assetc/version.hpp"
#include "base/ascii.hpp"

namespace assetc::convert {
namespace {

using recipes::Params;

// Raise this if a conversion gives other bytes for the same files and options, and no recipe's version changes.
constexpr std::uint32_t kConvertVersion = 4;
constexpr std::uint32_t kOptimizeVersion = 1;  // the same for optimize

constexpr std::string_view kOutput = "output", kRebuild = "rebuild", kRecompress = "recompress",
                           kBesideInput = "beside_input", kLods = "lods", kKeepKtx2 = "keep_ktx2", kLevel = "level",
                           kLayer = "layer", kFace = "face", kSlice = "slice", kError = "error",
                           kKeepPictures = "keep_pictures", kRatio = "ratio";

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
  const importer::FileReader read = [&](std::string_view path) { return inputs.read(path); };
  OptimizeOptions options{.settings = step.settings, .keep_pictures = step.params.contains(kKeepPictures)};
  if (const auto ratio = step.params.find(kRatio); ratio != step.params.end())
    options.ratio = std::bit_cast<float>(number(step.params, kRatio));
  std::uint64_t source_bytes = 0;
  ASSETC_TRY(Converted converted, optimize_file(step.input_path, ".glb", read, options, &source_bytes));
  const std::string text = std::to_string(source_bytes);
  const ByteSpan size = as_bytes(text);
  converted.files.push_back({std::string(kSourceBytesSuffix), Bytes(ByteVector(size.begin(), size.end()))});
  return product_of(std::move(converted), 0);
}

std::uint64_t estimate_peak_bytes(const recipes::Step&, recipes::Inputs&) { return 0; }

std::string libraries() {
  std::string text = "assetc=" + std::to_string(ASSETC_VERSION) + "\n";
  for (const recipes::Recipe* recipe : recipes::all_recipes()) {
    text.append(recipe->name).append("=").append(std::to_string(recipe->version)).append("\n");
    if (recipe->libraries != nullptr) text += recipe->libraries();
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

recipes::Params params_of(const OptimizeOptions& options) {
  Params params;
  if (options.keep_pictures) params.emplace(kKeepPictures, "");
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
