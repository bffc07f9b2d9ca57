// The stores of a command, and what is said of them.
#pragma once

#include "cli/commands.hpp"
#include "engine/remote/stores.hpp"

namespace assetc::cli {

// As the project and the command line ask for them; none of a dry run. All arguments outlive them.
engine::Stores open_stores(const Arguments& arguments, Console& console, engine::Disk& disk,
                           const engine::CacheSettings& project);

// Stores::finish(), with a line of what is left to wait for: on a terminal each second, in a log every few.
bool finish_stores(const Arguments& arguments, Console& console, engine::Stores& stores);

}  // namespace assetc::cli
