// assetc clean: removes what imports and cooks wrote. The engine decides by names and places what that is, so a file of
// the user stays.
#include "engine/meta/clean.hpp"

#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "engine/config/platforms.hpp"
#include "text/format.hpp"

namespace assetc::cli {

int run_clean(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto config = engine::load_pipeline(disk, arguments.import.root);
  if (!config) return stop(arguments, console, config.error());
  const auto gone = engine::clean(*config, arguments.clean, disk);
  if (!gone) return stop(arguments, console, gone.error());
  if (arguments.json) {
    for (const std::string& path : *gone) console.out(json_event("removed").add("path", path).str() + "\n");
  } else {
    console.out(formatted("{} removed\n", plural(gone->size(), "file")));
  }
  return kExitOk;
}

}  // namespace assetc::cli
