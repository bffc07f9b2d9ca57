#include "convert/step.hpp"

#include <bit>
#include <charconv>

#include "assetc/version.hpp"
#include "base/ascii.hpp"
#include "export/webp.hpp"

namespace assetc::convert {
namespace {

using recipes::Params;

// Raise this if a conversion gives other bytes for the same files and options, and no recipe's version changes.
constexpr std::uint32_t kConvertVersion = 8;

constexpr std::string_view kOutput = "output", kRebuild = "rebuild", kRecompress = "recompress",
                           kBesideInput = "beside_input", kLods = "lods", kKeepKtx2 = "keep_ktx2", kLevel = "level",
                           kLayer = "layer", kFace = "face", kSlice = "slice", kError = "error";

bool is_compiled_model(std::string_view path) {
  const filetypes::Row* row = filetypes::find_row(path);
  return row != nullptr && row->is_model() && row->is_compiled();
}

std::string_view before_suffix(std::string_view path) { return path.substr(0, path.rfind('.')); }

ConvertOptions options_of(const recipes::Step& step) {
  ConvertOptions options;
  options.settings = step.settings;
  options.rebuild = step.params.contains(kRebuild);
  options.recompress = step.params.contains(kRecompress);
  options.beside_input = step.params.contains(kBesideInput);
  if (step.params.contains(kLods)) options.most_lods = number_of(step.params, kLods);
  options.keep_ktx2 = step.params.contains(kKeepKtx2);
  options.max_error = std::bit_cast<float>(number_of(step.params, kError));
  options.image = {number_of(step.params, kLevel), number_of(step.params, kLayer), number_of(step.params, kFace),
                   number_of(step.params, kSlice)};
  return options;
}

Result<recipes::Product> convert_step(const recipes::Step& step, recipes::Inputs& inputs) {
  const std::string& output = step.params.at(std::string(kOutput));
  const importer::FileReader read = [&](std::string_view path) { return inputs.read(path); };
  ASSETC_TRY(Converted converted, convert_file(step.input_path, output, read, options_of(step)));
  return product_of(std::move(converted), before_suffix(output).size());
}

}  // namespace

void put_number(Params& params, std::string_view name, std::uint32_t value) {
  if (value != 0) params.emplace(name, std::to_string(value));
}

std::uint32_t number_of(const Params& params, std::string_view name) {
  std::uint32_t value = 0;
  if (const auto at = params.find(name); at != params.end())
    std::from_chars(at->second.data(), at->second.data() + at->second.size(), value);
  return value;
}

recipes::Product product_of(Converted converted, std::size_t stem_length) {
  recipes::Product product;
  for (ConvertedFile& file : converted.files)
    product.outputs.push_back({file.path.substr(stem_length), std::move(file.bytes), {}});
  product.diagnostics = std::move(converted.diagnostics);
  return product;
}

std::string conversion_libraries() {
  std::string text =
      "assetc=" + std::to_string(ASSETC_VERSION) + "\nwebp encoder=" + exporter::webp_encoder_version() + "\n";
  for (const recipes::Recipe* recipe : recipes::all_recipes()) {
    text.append(recipe->name).append("=").append(std::to_string(recipe->version)).append("\n");
    const bool is_used = recipe->name == "mesh" || recipe->name == "texture";  // models and their pictures
    if (is_used && recipe->libraries != nullptr) text += recipe->libraries();
  }
  return text;
}

std::uint64_t estimate_no_bytes(const recipes::Step&, recipes::Inputs&) { return 0; }

constinit const recipes::Recipe kConvertRecipe{.name = "convert",
                                               .version = kConvertVersion,
                                               .claims = {},
                                               .setting_groups = {},
                                               .stem_matters = false,
                                               .cook = convert_step,
                                               .estimate_peak_bytes = estimate_no_bytes,
                                               .libraries = conversion_libraries};

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
  put_number(params, kError, std::bit_cast<std::uint32_t>(options.max_error));
  put_number(params, kLevel, options.image.level);
  put_number(params, kLayer, options.image.layer);
  put_number(params, kFace, options.image.face);
  put_number(params, kSlice, options.image.slice);
  return params;
}

}  // namespace assetc::convert
