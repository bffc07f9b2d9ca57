// Why a step runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace assetc::engine {

enum class ReasonKind : std::uint8_t {
  kNoRecord,          // never built, or its last attempt failed
  kNoCache,           // --no-cache
  kInputChanged,      // subject: path
  kInputAppeared,     // subject: a path that was looked for and was not there
  kInputVanished,     // subject: path
  kListingChanged,    // subject: directory
  kAssetChanged,      // subject: a path that becomes another asset, or none
  kSourceChanged,     // another source makes this now; before, after
  kSettingChanged,    // subject: "texture.quality", before, after
  kParamsChanged,     // what the parent step asks for; subject: name, before, after
  kRecipeVersion,     // before, after
  kToolchainChanged,  // subject: a library or program, before, after
  kOutputMissing,     // subject: path
  kOutputModified,    // subject: path
  kNeededByChild,     // subject: the step whose input is inside this one's source
};
// A stable name for JSON: "input_changed".
std::string_view to_string(ReasonKind kind);

// Why a step ran.
struct Reason {
  ReasonKind kind = ReasonKind::kNoRecord;
  std::string subject;
  std::string before;
  std::string after;
  // "input changed: models/chair.bin", "setting changed: texture.quality normal -> fast"
  std::string to_string() const;
};

}  // namespace assetc::engine
