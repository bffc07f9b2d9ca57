// Scripts and data, whose bytes engines read unchanged, for targets that accept them.
#include <array>

#include "recipes/container/containers.hpp"
#include "recipes/recipe.hpp"

namespace assetc::recipes {
namespace {

template <std::size_t N>
constexpr std::array<Claim, N> claims_of(const std::string_view (&suffixes)[N]) {
  std::array<Claim, N> claims{};
  for (std::size_t i = 0; i < N; ++i) claims[i] = {.suffix = suffixes[i], .strip = suffixes[i]};
  return claims;
}

constexpr auto kScripts = claims_of({".lua", ".luau", ".js", ".py", ".wren", ".nut", ".as"});
constexpr auto kData =
    claims_of({".json", ".csv", ".tsv", ".xml", ".toml", ".yaml", ".yml", ".ini", ".ttf", ".otf", ".bytes", ".dat"});

Result<Product> wrap(const Step& step, Inputs& inputs, Result<ByteVector> (*DataContainers::*write)(ByteSpan)) {
  const DataContainers* containers = step.containers->data;
  if (containers == nullptr) return fail(ErrorCode::kUnsupported, "this target takes no scripts and no data");
  ASSETC_TRY(const Bytes file, step.input(inputs));
  ASSETC_TRY(ByteVector bytes, (containers->*write)(file));
  Product product;
  product.outputs.push_back({std::string(containers->suffix), Bytes(std::move(bytes)), {AssetKind::kEmbed}});
  return product;
}

Result<Product> cook_script(const Step& step, Inputs& inputs) { return wrap(step, inputs, &DataContainers::script); }
Result<Product> cook_data(const Step& step, Inputs& inputs) { return wrap(step, inputs, &DataContainers::raw); }

// The file, the container's copy and the output's copy.
std::uint64_t estimate_peak_bytes(const Step& step, Inputs& inputs) {
  const auto head = step.head(inputs, 1);
  return head ? 3 * head->size() : 0;
}

}  // namespace

extern const Recipe kScriptRecipe, kDataRecipe;
constinit const Recipe kScriptRecipe{.name = "script",
                                     .version = 1,
                                     .claims = kScripts,
                                     .setting_groups = {},
                                     .stem_matters = false,
                                     .cook = cook_script,
                                     .estimate_peak_bytes = estimate_peak_bytes};
constinit const Recipe kDataRecipe{.name = "data",
                                   .version = 1,
                                   .claims = kData,
                                   .setting_groups = {},
                                   .stem_matters = false,
                                   .cook = cook_data,
                                   .estimate_peak_bytes = estimate_peak_bytes};

}  // namespace assetc::recipes
