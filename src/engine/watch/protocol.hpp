// What a watch tells its listeners: lines of JSON, specified in docs/guide/watch.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"
#include "engine/run/report.hpp"

namespace assetc::engine {

// What came of a build.
struct WatchOutcome {
  bool ok = false;
  std::optional<Report> report;  // nothing where the build could not start
  std::optional<Error> error;    // why
};

// All that is wrong after a build, as a list in JSON; "[]" where nothing is.
std::string errors_json(const WatchOutcome& outcome);

// The first line that a listener gets. program: its version; output: the folder, absolute; errors: errors_json() of the
// last build; null before the first.
std::string hello_line(std::string_view program, std::string_view output, const std::string* errors);

// by_others: another program has built since the last line.
std::string built_line(const WatchOutcome& outcome, const std::string& errors, bool by_others);

}  // namespace assetc::engine
