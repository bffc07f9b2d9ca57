// assetc init: an assetc.yml that documents every key. One that exists is never replaced.
#include "cli/commands/commands.hpp"
#include "engine/target/target.hpp"

namespace assetc::cli {

int run_init(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const std::string path(engine::kConfigName);
  if (disk.status(path)) {
    return stop(
        arguments, console,
        Error{ErrorCode::kUsage, path, {}, "already exists and was not changed", "move it away to get a new one"});
  }
  const std::string text = engine::starter_config(engine::runtime_target().bundle_suffix);
  if (const auto written = disk.publish(path, as_bytes(text)); !written)
    return stop(arguments, console, written.error());
  console.wrote(path, "; every key is optional, and a key that is commented out shows its default");
  return kExitOk;
}

}  // namespace assetc::cli
