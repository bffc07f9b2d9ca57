#include "cli/commands.hpp"
#include "engine/config/platforms.hpp"
#include "engine/meta/cook.hpp"
#include "engine/meta/cook_keys.hpp"
#include "engine/target/cooked.hpp"

namespace assetc::cli {

int run_cook(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto config = engine::load_pipeline(disk, arguments.import.root);
  if (!config) return stop(arguments, console, config.error());
  for (const recipes::Diagnostic& diagnostic : config->diagnostics) say(arguments, console, diagnostic);
  const auto profile = engine::resolve_platform(*config, arguments.platform);
  if (!profile) return stop(arguments, console, profile.error());
  engine::Options options = build_options(arguments);
  if (!arguments.demo.empty()) {
    auto selects = engine::sources_of_demo(*profile, arguments.demo, disk);
    if (!selects) return stop(arguments, console, selects.error());
    options.selects = std::move(*selects);
  }
  options.target = &engine::cooked_target();
  options.recipes = recipes::cooked_recipes();
  options.identities = [&] { return engine::load_identities(*profile, disk); };
  const std::string keys_path = engine::cook_keys_path(*config);
  options.look_again = arguments.stamp || !disk.status(keys_path);
  options.on_records = [&](const engine::State& records) -> Result<void> {
    const engine::CookKeys keys = engine::cook_keys_of(records);
    ASSETC_CHECK(engine::write_cook_keys(keys_path, arguments.platform, keys, disk));
    return arguments.stamp ? engine::stamp_metas(profile->input, records, keys, disk) : Result<void>{};
  };
  return build_and_tell(arguments, console, disk, options, *profile).exit_code;
}

}  // namespace assetc::cli
