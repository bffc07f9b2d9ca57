// Prints the warnings and errors of a build, grouped: a warning that hundreds of files share is one line.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "cli/report/sarif.hpp"

namespace assetc::cli {

// Prints the warnings of every step, also of cached steps, so that a loss of data stays visible.
//   - A kind with more than two warnings is one line with their count and the first files.
//   - If nothing changed, warnings are only counted. So are those in `said`, which a watch has already printed.
//   - With --warnings, -v or --json, each warning is printed.
// Errors come last, where a reader looks first. Both lists are in the order of sources. said: null outside a watch.
void say_diagnostics(const Arguments& arguments, Console& console, const engine::Report& report,
                     std::set<std::string>* said);

// The findings of a build that --sarif writes: warnings, accepted warnings and errors. Paths of sources get the input
// folder as prefix.
std::vector<Finding> findings_of(const engine::Report& report, const engine::Profile& profile, engine::Disk& disk);

}  // namespace assetc::cli
