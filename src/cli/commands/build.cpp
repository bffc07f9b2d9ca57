// assetc without a command: builds the project around the working folder. Commands that build take the options of
// builds from build_request, so that --jobs and its neighbors mean the same everywhere.
#include <memory>
#include <utility>

#include "base/json_line.hpp"
#include "cli/arguments/shard.hpp"
#include "cli/report/build_teller.hpp"

namespace assetc::cli {
namespace {

int list_presets(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto config = engine::nearest_config(disk, ".");
  if (!config) return stop(arguments, console, config.error());
  for (const recipes::Diagnostic& diagnostic : config->diagnostics) say(arguments, console, diagnostic);
  if (config->presets.empty() && !arguments.json && !arguments.quiet) {
    console.err(config->file.empty()
                    ? "no assetc.yml in this folder or above it, so there are no presets; `assetc init` writes one\n"
                    : config->file + " defines no presets\n");
  }
  for (const engine::Preset& preset : config->presets) {
    const bool active = preset.name == config->preset;
    if (arguments.json) {
      console.out(json_event("preset").add("name", preset.name).add("default", active).str() + "\n");
    } else {
      console.out(preset.name + (active ? " (default)" : "") + "\n");
    }
  }
  return kExitOk;
}

// Applies --shard and --costs to the request.
Result<void> add_share(const Arguments& arguments, engine::Disk& disk, engine::BuildRequest& request) {
  if (arguments.shard) {
    ASSETC_TRY(request.shard, parse_shard(*arguments.shard, engine::process_environment()));
  }
  if (request.shard && request.keep_going) {
    return fail(ErrorCode::kUsage, "found --keep-going and --shard, expected one of them",
                "a share writes no manifest; give --keep-going to the build that follows the shares");
  }
  if (arguments.costs.empty()) return {};
  if (!request.shard && arguments.report.empty()) {
    return fail(ErrorCode::kUsage, "--costs needs --shard or --report", "give the share to compile, as in --shard 1/4");
  }
  auto file = disk.read(arguments.costs);
  if (!file) return std::unexpected(std::move(file).error().in(arguments.costs));
  auto costs = engine::parse_costs(*file);
  if (!costs) return std::unexpected(std::move(costs).error().in(arguments.costs));
  request.costs = std::move(*costs);
  return {};
}

}  // namespace

engine::BuildRequest build_request(const Arguments& arguments) {
  return {.jobs = arguments.jobs,
          .memory_bytes = arguments.memory_bytes,
          .no_cache = arguments.no_cache,
          .dry_run = arguments.dry_run,
          .verify = arguments.verify,
          .keep_going = arguments.keep_going,
          .strict = arguments.strict,
          .records_waits = !arguments.trace.empty(),
          .records_transfers = !arguments.trace.empty()};
}

int build_and_tell(const Arguments& arguments, Console& console, engine::Disk& disk, engine::BuildTask task) {
  if (const auto added = add_share(arguments, disk, task.request); !added)
    return stop(arguments, console, added.error());
  BuildTeller teller(arguments, console, disk);
  (void)engine::build_project(task, nullptr, std::nullopt, disk, engine::process_environment(), teller);
  return teller.exit_code();
}

int run_build(const Arguments& arguments, Console& console, engine::Disk& disk) {
  if (arguments.list_presets) return list_presets(arguments, console, disk);
  const auto profile = load_profile(arguments, console, disk);
  if (!profile) return stop(arguments, console, profile.error());
  engine::BuildTask task{std::make_shared<const engine::Profile>(*profile), build_request(arguments)};
  return build_and_tell(arguments, console, disk, std::move(task));
}

}  // namespace assetc::cli
