// What a build has to say of its sources: in groups, so that one thing that hundreds of files have is one line.
#pragma once

#include "cli/commands.hpp"

namespace assetc::cli {

// Warnings of every step, cached ones too: what is lost stays visible. A kind with more than a few is one line with its
// count and its first files, unless --warnings, -v or --json ask for each; where nothing changed all are counted.
// Errors come last, where one looks; in their lists both are in the order of sources. said: what a watch has said, of
// which the warnings are counted as well; may be null.
void say_diagnostics(const Arguments& arguments, Console& console, const engine::Report& report, Said* said);

}  // namespace assetc::cli
