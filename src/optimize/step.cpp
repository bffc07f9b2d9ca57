#include "optimize/step.hpp"

#include <algorithm>
#include <bit>
#include <charconv>

#include "base/ascii.hpp"
#include "convert/step.hpp"

namespace assetc::optimize {
namespace {

using convert::number_of;
using recipes::Params;

// Raise this if optimizing gives other bytes for the same files and options, and no recipe's version changes.
constexpr std::uint32_t kOptimizeVersion = 7;

constexpr std::string_view kKeepPictures = "keep_pictures", kRatio = "ratio", kKeep = "keep", kStem = "stem",
                           kCoding = "coding", kWebp = "webp", kEtc1s = "etc1s", kMayKeep = "may_keep",
                           kMaxSizes = "max_sizes", kRemovesKeys = "removes_keys";

constexpr std::string_view kSourcesSuffix = ".sources";

Result<recipes::Product> optimize_step(const recipes::Step& step, recipes::Inputs& inputs) {
  OptimizeOptions options{.settings = step.settings, .keep_pictures = step.params.contains(kKeepPictures)};
  if (const auto ratio = step.params.find(kRatio); ratio != step.params.end())
    options.ratio = std::bit_cast<float>(number_of(step.params, kRatio));
  if (const auto keep = step.params.find(kKeep); keep != step.params.end()) {
    ASSETC_TRY(options.keep, parse_keep(keep->second));
  }
  if (step.params.contains(kCoding)) options.coding = static_cast<Coding>(number_of(step.params, kCoding));
  options.removes_keys = step.params.contains(kRemovesKeys);
  options.may_keep_source = step.params.contains(kMayKeep);
  options.pictures.format = step.params.contains(kWebp)    ? PictureFormat::kWebp
                            : step.params.contains(kEtc1s) ? PictureFormat::kEtc1s
                                                           : PictureFormat::kUastc;
  if (step.params.contains(kWebp)) options.pictures.webp_quality = number_of(step.params, kWebp);
  if (const auto limits = step.params.find(kMaxSizes); limits != step.params.end()) {
    ASSETC_TRY(SizeLimits parsed, parse_size_limits(limits->second));
    options.pictures.max_sizes = std::move(parsed.slots);
  }
  std::string stem;
  if (const auto at = step.params.find(kStem); at != step.params.end()) stem = at->second;
  SourceSizes sources;
  ASSETC_TRY(convert::Converted converted,
             optimize_file(step.input_path, stem.empty() ? ".glb" : stem + ".gltf", inputs, options, &sources));
  const std::string text = write_sources(sources, step.input_path);
  const ByteSpan bytes = as_bytes(text);
  converted.files.push_back({stem + std::string(kSourcesSuffix), Bytes(ByteVector(bytes.begin(), bytes.end()))});
  return convert::product_of(std::move(converted), stem.size());
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
                                      {.suffix = ".obj", .strip = ".obj"},
                                      {.suffix = ".vrm", .strip = ".vrm"}};
constexpr std::string_view kModelSettings[] = {"mesh", "texture", "animation"};

}  // namespace

constinit const recipes::Recipe kOptimizeRecipe{.name = "optimize",
                                                .version = kOptimizeVersion,
                                                .claims = {},
                                                .setting_groups = {},
                                                .stem_matters = false,
                                                .cook = optimize_step,
                                                .estimate_peak_bytes = convert::estimate_no_bytes,
                                                .libraries = convert::conversion_libraries};

constinit const recipes::Recipe kOptimizeFolderRecipe{.name = "optimize",
                                                      .version = kOptimizeVersion,
                                                      .claims = kModels,
                                                      .setting_groups = kModelSettings,
                                                      .stem_matters = false,
                                                      .cook = optimize_source,
                                                      .estimate_peak_bytes = estimate_source_bytes,
                                                      .libraries = convert::conversion_libraries};

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

recipes::Params params_of(const OptimizeOptions& options, const std::string& output) {
  Params params;
  if (ends_with_ignoring_case(output, ".gltf"))
    params.emplace(kStem, std::string_view(output).substr(0, output.rfind('.')).substr(output.rfind('/') + 1));
  if (options.keep_pictures) params.emplace(kKeepPictures, "");
  if (options.coding != Coding::kUsual)
    convert::put_number(params, kCoding, static_cast<std::uint32_t>(options.coding));
  if (options.removes_keys) params.emplace(kRemovesKeys, "");
  if (options.pictures.format == PictureFormat::kWebp)
    params.emplace(kWebp, std::to_string(options.pictures.webp_quality));
  if (options.pictures.format == PictureFormat::kEtc1s) params.emplace(kEtc1s, "");
  if (options.may_keep_source) params.emplace(kMayKeep, "");
  if (!options.pictures.max_sizes.empty()) params.emplace(kMaxSizes, to_string(options.pictures.max_sizes));
  if (options.keep != Keep{}) params.emplace(kKeep, to_string(options.keep));
  if (options.ratio) convert::put_number(params, kRatio, std::bit_cast<std::uint32_t>(*options.ratio));
  return params;
}

}  // namespace assetc::optimize
