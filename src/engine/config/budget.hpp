// Limits on the size of outputs, from `budgets:` of a configuration. `check` and `validate` enforce them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"

namespace assetc::engine {

struct Budget {
  std::string match = "**";                   // glob over paths below the output folder; in a cook, over virtual paths
  std::string kind;                           // "texture", "mesh" and so on, as `info` names them; empty: all
  std::string preset;                         // the only preset or platform it applies to; empty: all
  std::optional<std::uint64_t> bytes;         // total of all matching files
  std::optional<std::uint64_t> memory_bytes;  // GPU memory, total of all matching files
  std::optional<std::uint32_t> texture_size_texels;  // longest side of each texture
  std::string place;                                 // where the configuration has this budget

  bool bounds_something() const { return bytes || memory_bytes || texture_size_texels; }
};

// match, kind, preset, platform, bytes, memory, texture_size.
std::span<const std::string_view> budget_keys();

// Sets one key of budget_keys(). Errors: kUsage. The message names the value, what was found and what was expected. It
// does not name the file.
Result<void> set_budget(Budget& budget, std::string_view key, std::string_view value);

}  // namespace assetc::engine
