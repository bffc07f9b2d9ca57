// The messages of a watch to its listeners: lines of JSON, specified in docs/guide/watch.md.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "assetc/base/result.hpp"
#include "engine/run/report.hpp"

namespace assetc::engine {

// The result of a build.
struct WatchOutcome {
  bool ok = false;
  std::optional<Report> report;  // nothing if the build could not start
  std::optional<Error> error;    // why it could not start
};

// All errors after a build, as a JSON list. "[]" if there are none.
std::string errors_json(const WatchOutcome& outcome);

// The first line that a listener gets. program: version of assetc; output: absolute path of the output folder; errors:
// errors_json() of the last build, null before the first build.
std::string hello_line(std::string_view program, std::string_view output, const std::string* errors);

// by_others: another program has built since the last line.
std::string built_line(const WatchOutcome& outcome, const std::string& errors, bool by_others);

}  // namespace assetc::engine
