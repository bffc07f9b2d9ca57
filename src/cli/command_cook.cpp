#include <memory>
#include <utility>

#include "cli/commands.hpp"
#include "engine/config/platforms.hpp"
#include "engine/meta/cook.hpp"
#include "engine/meta/cook_keys.hpp"
#include "engine/target/cooked.hpp"

namespace assetc::cli {

Result<Work> cook_work(const Arguments& arguments, Console& console, engine::Disk& disk) {
  ASSETC_TRY(const auto config, engine::load_pipeline(disk, arguments.import.root));
  for (const recipes::Diagnostic& diagnostic : config.diagnostics) say(arguments, console, diagnostic);
  ASSETC_TRY(engine::Profile resolved, engine::resolve_platform(config, arguments.platform));
  const auto profile = std::make_shared<const engine::Profile>(std::move(resolved));
  engine::Options options = build_options(arguments);
  if (!arguments.demo.empty()) {
    ASSETC_TRY(options.selects, engine::sources_of_demo(*profile, arguments.demo, disk));
  }
  options.target = &engine::cooked_target();
  options.recipes = recipes::cooked_recipes();
  options.identities = [profile, &disk] { return engine::load_identities(*profile, disk); };
  const std::string keys_path = engine::cook_keys_path(config);
  options.look_again = arguments.stamp || !disk.status(keys_path);
  options.on_records = [profile, keys_path, &arguments, &disk](const engine::State& records) -> Result<void> {
    const engine::CookKeys keys = engine::cook_keys_of(records);
    ASSETC_CHECK(engine::write_cook_keys(keys_path, arguments.platform, keys, disk));
    return arguments.stamp ? engine::stamp_metas(profile->input, records, keys, disk) : Result<void>{};
  };
  return Work{profile, std::move(options)};
}

int run_cook(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto work = cook_work(arguments, console, disk);
  if (!work) return stop(arguments, console, work.error());
  return build_and_tell(arguments, console, disk, work->options, *work->profile).exit_code;
}

}  // namespace assetc::cli
