// Opens and closes the stores of a command, and prints their messages.
#pragma once

#include "cli/commands.hpp"
#include "engine/remote/stores.hpp"

namespace assetc::cli {

// Opens the stores that the project and the command line ask for; a dry run has none. All arguments must outlive them.
engine::Stores open_stores(const Arguments& arguments, Console& console, engine::Disk& disk,
                           const engine::CacheSettings& project);

// Stores::finish(), with a line that counts the remaining uploads: every second on a terminal, every five in a log.
bool finish_stores(const Arguments& arguments, Console& console, engine::Stores& stores);

}  // namespace assetc::cli
