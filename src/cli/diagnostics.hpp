// What a build has to say of its sources: in groups, so that one thing that hundreds of files have is one line.
#pragma once

#include <vector>

#include "cli/commands.hpp"
#include "cli/sarif.hpp"

namespace assetc::cli {

// Warnings of every step, cached ones too: what is lost stays visible. A kind with more than a few is one line with its
// count and its first files, unless --warnings, -v or --json ask for each; where nothing changed all are counted.
// Errors come last, where one looks; in their lists both are in the order of sources. said: what a watch has said, of
// which the warnings are counted as well; may be null.
void say_diagnostics(const Arguments& arguments, Console& console, const engine::Report& report, Said* said);

// All that --sarif writes of a build: warnings, those that are accepted, errors. Files of sources are put below the
// input.
std::vector<Finding> findings_of(const engine::Report& report, const engine::Profile& profile, engine::Disk& disk);

}  // namespace assetc::cli
