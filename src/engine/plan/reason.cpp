#include "engine/plan/reason.hpp"

namespace assetc::engine {

std::string_view to_string(ReasonKind kind) {
  switch (kind) {
    case ReasonKind::kNoRecord:
      return "no_record";
    case ReasonKind::kNoCache:
      return "no_cache";
    case ReasonKind::kInputChanged:
      return "input_changed";
    case ReasonKind::kInputAppeared:
      return "input_appeared";
    case ReasonKind::kInputVanished:
      return "input_vanished";
    case ReasonKind::kListingChanged:
      return "listing_changed";
    case ReasonKind::kNamesChanged:
      return "names_changed";
    case ReasonKind::kAssetChanged:
      return "asset_changed";
    case ReasonKind::kSourceChanged:
      return "source_changed";
    case ReasonKind::kSettingChanged:
      return "setting_changed";
    case ReasonKind::kParamsChanged:
      return "params_changed";
    case ReasonKind::kRecipeVersion:
      return "recipe_version";
    case ReasonKind::kToolchainChanged:
      return "toolchain_changed";
    case ReasonKind::kOutputMissing:
      return "output_missing";
    case ReasonKind::kOutputModified:
      return "output_modified";
    case ReasonKind::kNeededByChild:
      return "needed_by_child";
  }
  return "unknown";
}

std::string Reason::to_string() const {
  const std::string change = before.empty() && after.empty() ? ""
                                                             : " " + (before.empty() ? "(none)" : before) + " -> " +
                                                                   (after.empty() ? "(none)" : after);
  switch (kind) {
    case ReasonKind::kNoRecord:
      return "not built yet";
    case ReasonKind::kNoCache:
      return "--no-cache";
    case ReasonKind::kInputChanged:
      return "input changed: " + subject;
    case ReasonKind::kInputAppeared:
      return "input appeared: " + subject;
    case ReasonKind::kInputVanished:
      return "input vanished: " + subject;
    case ReasonKind::kListingChanged:
      return "files added or removed in: " + subject;
    case ReasonKind::kNamesChanged:
      return "files with a name like this added or removed: " + subject;
    case ReasonKind::kAssetChanged:
      return "resolves to another asset: " + subject;
    case ReasonKind::kSourceChanged:
      return "source changed:" + change;
    case ReasonKind::kSettingChanged:
      return "setting changed: " + subject + change;
    case ReasonKind::kParamsChanged:
      return "parameter changed: " + subject + change;
    case ReasonKind::kRecipeVersion:
      return "recipe changed: " + subject + " version" + change;
    case ReasonKind::kToolchainChanged:
      return "toolchain changed: " + subject + change;
    case ReasonKind::kOutputMissing:
      return "output missing: " + subject;
    case ReasonKind::kOutputModified:
      return "output modified: " + subject;
    case ReasonKind::kNeededByChild:
      return "its bytes are needed by " + subject;
  }
  return {};
}

}  // namespace assetc::engine
