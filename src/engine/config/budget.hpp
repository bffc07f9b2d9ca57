// Bounds on what is compiled, as a configuration says them and `check` and `validate` hold them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"

namespace assetc::engine {

struct Budget {
  std::string match = "**";                   // glob over paths below the output folder; of a cook over virtual paths
  std::string kind;                           // "texture", "mesh" and so on, as `info` names them; empty: all
  std::string preset;                         // or platform, for which alone it is; empty: all
  std::optional<std::uint64_t> bytes;         // of all files together
  std::optional<std::uint64_t> memory_bytes;  // that all of them take on a GPU
  std::optional<std::uint32_t> texture_size_texels;  // the longest side of each texture
  std::string place;                                 // in the configuration

  bool bounds_something() const { return bytes || memory_bytes || texture_size_texels; }
};

// match, kind, preset, platform, bytes, memory, texture_size.
std::span<const std::string_view> budget_keys();

// Sets what a key of budget_keys() says. Errors: kUsage, of the value alone, with what was found and expected.
Result<void> set_budget(Budget& budget, std::string_view key, std::string_view value);

}  // namespace assetc::engine
