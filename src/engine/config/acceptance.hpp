// Warnings that a project accepts, listed under `accept:` in its configuration.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"
#include "warnings/warnings.hpp"

namespace assetc::engine {

// A warning about an image inside a model names the model, this text and the image: "chair.glb image 3 (wood.png)".
inline constexpr std::string_view kImageInside = " image ";

struct Acceptance {
  std::optional<WarningKind> kind;  // required
  std::string path = "**";          // glob over the files that warnings name
  std::string reason;               // required
  std::string preset;               // the only preset or platform it applies to; empty: all
  std::string place;                // where the configuration has this entry

  bool covers(WarningKind of, std::string_view file) const;
};

// Sets one key. Errors: kUsage. The message names the key and the value, what was found and what was expected. It does
// not name the file.
Result<void> set_acceptance(Acceptance& acceptance, std::string_view key, std::string_view value);
// Errors: kUsage if kind or reason is missing.
Result<void> check_acceptance(const Acceptance& acceptance);

}  // namespace assetc::engine
