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
  kInputAppeared,     // subject: a path that the step looked for and that did not exist before
  kInputVanished,     // subject: path
  kListingChanged,    // subject: directory
  kNamesChanged,      // subject: name
  kAssetChanged,      // subject: a path that now resolves to another asset, or none
  kSourceChanged,     // another source makes this now; before, after
  kSettingChanged,    // subject: "texture.quality", before, after
  kParamsChanged,     // parameters that the parent step requests; subject: name, before, after
  kRecipeVersion,     // before, after
  kToolchainChanged,  // subject: a library or program, before, after
  kOutputMissing,     // subject: path
  kOutputModified,    // subject: path
  kNeededByChild,     // subject: the child step whose input is inside this step's source
};
// A stable name for JSON: "input_changed".
std::string_view to_string(ReasonKind kind);

struct Reason {
  ReasonKind kind = ReasonKind::kNoRecord;
  std::string subject;
  std::string before;
  std::string after;
  // "input changed: models/chair.bin", "setting changed: texture.quality normal -> fast"
  std::string to_string() const;
};

}  // namespace assetc::engine
