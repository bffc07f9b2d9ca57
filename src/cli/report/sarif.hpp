// Writes problems and warnings as SARIF 2.1.0, which code hosts show beside the lines of a pull request.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "recipes/recipe.hpp"

namespace assetc::cli {

struct Finding {
  recipes::Severity severity = recipes::Severity::kError;
  std::optional<WarningKind> kind;  // the rule; unset: the rule is the code of the error
  Error what;
  std::optional<std::string> accepted;  // the reason; a result with a reason is suppressed
};
std::vector<Finding> findings_of(std::span<const Error> errors);

// Returns a log with one run of the tool "assetc COMMAND": a result for each finding, and the rules of these results.
//   - root: absolute; URIs of files below it are relative to it (SRCROOT), other URIs are absolute.
//   - here: absolute; relative paths in findings start here.
// A place such as "line 7, column 5" becomes the region of a result. Any other place becomes part of its message.
std::string sarif_log(std::string_view command, std::span<const Finding> findings, const std::string& root,
                      const std::string& here);

}  // namespace assetc::cli
