// Warnings that a project lives with, as `accept:` of its configuration says.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"
#include "warnings/warnings.hpp"

namespace assetc::engine {

// What follows a model's name where a warning is about a picture inside: "chair.glb image 3 (wood.png)".
inline constexpr std::string_view kImageInside = " image ";

struct Acceptance {
  std::optional<WarningKind> kind;  // required
  std::string path = "**";          // glob over the files that warnings name
  std::string reason;               // required
  std::string preset;               // or platform, for which alone it is; empty: all
  std::string place;                // in the configuration

  bool covers(WarningKind of, std::string_view file) const;
};

// kind, path, reason, preset, platform.
std::span<const std::string_view> acceptance_keys();

// Sets what a key says. Errors: kUsage, of the key and value alone, with what was found and expected.
Result<void> set_acceptance(Acceptance& acceptance, std::string_view key, std::string_view value);
// Errors: kUsage where kind or reason was not set.
Result<void> check_acceptance(const Acceptance& acceptance);

}  // namespace assetc::engine
