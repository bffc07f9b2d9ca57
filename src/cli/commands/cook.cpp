// assetc cook: a build by UUID for one platform. It imports first, because a source without a .meta has no UUID yet;
// --frozen leaves that to an earlier import.
#include "engine/meta/cook.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "cli/report/build_teller.hpp"
#include "engine/config/platforms.hpp"
#include "engine/meta/cook_keys.hpp"
#include "engine/target/cooked.hpp"

namespace assetc::cli {

Result<engine::BuildTask> cook_task(const Arguments& arguments, LoadIdentities identities, Console& console,
                                    engine::Disk& disk) {
  ASSETC_TRY(const auto config, engine::load_pipeline(disk, arguments.import.root));
  for (const recipes::Diagnostic& diagnostic : config.diagnostics) say(arguments, console, diagnostic);
  ASSETC_TRY(engine::Profile resolved, engine::resolve_platform(config, arguments.platform));
  if (!arguments.base.empty()) resolved.base_cook = arguments.base;
  ASSETC_CHECK(engine::find_base(resolved, disk));
  const auto profile = std::make_shared<const engine::Profile>(std::move(resolved));
  engine::BuildTask task{profile, build_request(arguments)};
  if (!arguments.demo.empty()) {
    ASSETC_TRY(task.request.selects, engine::sources_of_demo(*profile, arguments.demo, disk));
  }
  task.request.target = &engine::cooked_target();
  task.request.recipes = recipes::cooked_recipes();
  // While people edit, a game reads the loose files.
  task.request.writes_bundles = arguments.command != Command::kWatch;
  task.identities = [profile, load = std::move(identities)] { return load(*profile); };
  const std::string keys_path = engine::cook_keys_path(config);
  task.request.look_again = arguments.stamp || !disk.status(keys_path);
  task.on_records = [profile, keys_path, &arguments, &disk](const engine::State& records) -> Result<void> {
    const engine::CookKeys keys = engine::cook_keys_of(records);
    ASSETC_CHECK(engine::write_cook_keys(keys_path, arguments.platform, keys, disk));
    return arguments.stamp ? engine::stamp_metas(profile->input, records, keys, disk) : Result<void>{};
  };
  return task;
}

namespace {

// The platforms of "Win64,Linux".
std::vector<std::string> platforms_of(const Arguments& arguments) {
  std::vector<std::string> platforms;
  std::string_view rest = arguments.platform;
  for (;;) {
    const std::size_t comma = rest.find(',');
    platforms.emplace_back(rest.substr(0, comma));
    if (comma == std::string_view::npos) return platforms;
    rest.remove_prefix(comma + 1);
  }
}

int cook_one(const Arguments& arguments, Console& console, engine::Disk& disk) {
  // With --shard, several machines cook the same sources, and each would give a new source a different UUID.
  if (!arguments.is_frozen && !arguments.dry_run && !arguments.shard) {
    if (const auto imported = import_first(arguments, console, disk); !imported)
      return stop(arguments, console, imported.error());
  }
  const auto identities = [&disk](const engine::Profile& profile) {
    return engine::load_identities(profile, {}, disk);
  };
  auto task = cook_task(arguments, identities, console, disk);
  if (!task) return stop(arguments, console, task.error());
  return build_and_tell(arguments, console, disk, std::move(*task));
}

}  // namespace

int run_cook(const Arguments& arguments, Console& console, engine::Disk& disk) {
  int worst = kExitOk;
  for (const std::string& platform : platforms_of(arguments)) {
    Arguments one = arguments;
    one.platform = platform;
    worst = std::max(worst, cook_one(one, console, disk));
    if (worst > kExitProblems) break;
  }
  return worst;
}

}  // namespace assetc::cli
