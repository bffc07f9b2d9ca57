// Problems and warnings as SARIF 2.1.0, which code hosts show beside the lines of a pull request.
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
  std::optional<WarningKind> kind;  // the rule; none: the code of the error is
  Error what;
  std::optional<std::string> accepted;  // why: the result is suppressed
};
std::vector<Finding> findings_of(std::span<const Error> errors);

// A run of the tool `command` with a result for each finding, and the rules that these have. root and here are
// absolute: what URIs are relative to (SRCROOT), and what relative files of findings start from; a file that is not
// below root has an absolute URI. "line 7, column 5" or "byte 48" of a place becomes its region, any other place a part
// of the message.
std::string sarif_log(std::string_view command, std::span<const Finding> findings, const std::string& root,
                      const std::string& here);

}  // namespace assetc::cli
