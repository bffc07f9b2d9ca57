#include "engine/config/budget.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "engine/config/parse_size.hpp"

namespace assetc::engine {
namespace {

constexpr std::array<std::string_view, 6> kBudgetKinds{"texture", "mesh", "material", "animation", "shader", "audio"};
constexpr std::array<std::string_view, 7> kKeys{"match", "kind",   "preset",      "platform",
                                                "bytes", "memory", "texture_size"};

std::unexpected<Error> refuse(std::string_view key, std::string_view value, std::string_view expected) {
  return fail(ErrorCode::kUsage,
              std::string(key) + ": found \"" + std::string(value) + "\", expected " + std::string(expected));
}

}  // namespace

std::span<const std::string_view> budget_keys() { return kKeys; }

Result<void> set_budget(Budget& budget, std::string_view key, std::string_view value) {
  if (value.empty()) return refuse(key, value, "a value");
  if (key == "match") {
    budget.match = value;
  } else if (key == "kind") {
    if (std::ranges::find(kBudgetKinds, value) == kBudgetKinds.end())
      return refuse(key, value, "texture, mesh, material, animation, shader or audio");
    budget.kind = value;
  } else if (key == "preset" || key == "platform") {
    budget.preset = value;
  } else if (key == "texture_size") {
    std::uint32_t texels = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), texels);
    if (error != std::errc() || end != value.data() + value.size() || texels == 0)
      return refuse(key, value, "a number of texels such as 2048");
    budget.texture_size_texels = texels;
  } else {
    const Result<std::uint64_t> size = parse_size(value);
    if (!size) return refuse(key, value, "a size such as 64M, 1.5G or a number of bytes");
    (key == "memory" ? budget.memory_bytes : budget.bytes) = *size;
  }
  return {};
}

}  // namespace assetc::engine
