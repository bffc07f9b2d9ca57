#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>

#include "cli/commands/commands.hpp"
#include "engine/config/platforms.hpp"
#include "engine/run/build_json.hpp"
#include "os/console.hpp"

namespace assetc::cli {
namespace {

// The function of each command. Parser defines the arguments.
struct CommandRow {
  Command command;
  int (*run)(const Arguments& arguments, Console& console, engine::Disk& disk);
};
constexpr CommandRow kCommands[] = {
    {Command::kBuild, run_build},
    {Command::kInit, run_init},
    {Command::kNew, run_new},
    {Command::kMat, run_mat},
    {Command::kDoctor, run_doctor},
    {Command::kWatch, run_watch},
    {Command::kImport, run_import},
    {Command::kCook, run_cook},
    {Command::kValidate, run_validate},
    {Command::kRegistryQuery, run_registry_query},
    {Command::kRegistryDiff, run_registry_diff},
    {Command::kRegistryExport, run_registry_export},
    {Command::kRegistryLicenses, run_registry_licenses},
    {Command::kClean, run_clean},
    {Command::kCacheStats, run_cache_stats},
    {Command::kCacheVerify, run_cache_verify},
    {Command::kCacheTrim, run_cache_trim},
    {Command::kCacheClear, run_cache_clear},
    {Command::kMove, run_move},
    {Command::kRemove, run_remove},
    {Command::kMergeMeta, run_merge_meta},
    {Command::kInfo, run_info},
    {Command::kCheck, run_check},
    {Command::kPackInfo, run_pack_info},
    {Command::kConvert, run_convert},
    {Command::kOptimize, run_optimize},
    {Command::kDiff, run_diff},
    {Command::kRender, run_render},
    {Command::kView, run_view},
    {Command::kServe, run_serve},
    {Command::kBundleCreate, run_bundle_create},
    {Command::kBundleInfo, run_bundle_info},
    {Command::kBundleList, run_bundle_list},
    {Command::kBundleVerify, run_bundle_verify},
    {Command::kBundleExtract, run_bundle_extract},
    {Command::kBundleDiff, run_bundle_diff},
    {Command::kBundleApply, run_bundle_apply},
    {Command::kKeygen, run_keygen},
    {Command::kSign, run_sign},
    {Command::kCompletion, run_completion},
    {Command::kManual, run_manual},
};

static_assert(std::size(kCommands) == static_cast<std::size_t>(Command::kManual) + 1);

// Whether a command works on a repository of assets, which it finds if --root does not name it.
bool needs_root(const Arguments& arguments) {
  switch (arguments.command) {
    case Command::kImport:
    case Command::kCook:
    case Command::kMove:
    case Command::kRemove:
    case Command::kClean:
      return true;
    case Command::kValidate:
      return arguments.registry_file.empty();
    case Command::kWatch:
      return !arguments.platform.empty();
    default:
      return false;
  }
}

int dispatch(Arguments& arguments, Console& console) {
  const std::unique_ptr<engine::Disk> disk = engine::make_real_disk();
  if (arguments.import.root.empty() && needs_root(arguments)) {
    auto root = engine::find_repository(*disk, ".");
    if (!root) return stop(arguments, console, root.error());
    arguments.import.root = std::move(*root);
  }
  return std::ranges::find(kCommands, arguments.command, &CommandRow::command)->run(arguments, console, *disk);
}

// Flushes standard output. Returns the exit code, or that of an error if the output could not be written.
int finish(int code) {
  errno = 0;
  const bool arrived = std::fflush(stdout) == 0;
  const int why = errno;
  if (arrived && std::ferror(stdout) == 0) return code;
  std::fprintf(stderr, "assetc: cannot write to standard output%s%s\n", why == 0 ? "" : ": ",
               why == 0 ? "" : std::strerror(why));
  return kExitProblems;
}

}  // namespace

int run(int argc, const char* const* argv) {
  os::hold_standard_streams();
  os::survive_closed_pipes();  // finish() reports the error after the work is done
  if (const auto ktx = ktx_arguments({argv, static_cast<std::size_t>(argc)})) {
    Console console(ColorMode::kNever);
    return finish(run_ktx(*ktx, console, *engine::make_real_disk()));
  }
  auto parsed = parse_arguments(argc, argv);
  if (const Leave* leave = std::get_if<Leave>(&parsed)) {
    Console console(ColorMode::kAuto);
    if (leave->error) {
      console.out(engine::problem_json("error", "error", *leave->error).str() + "\n");
    } else if (leave->exit_code == 0) {
      console.out(command_line::wrapped(leave->text, static_cast<std::size_t>(os::output_columns())));
    } else {
      console.err(leave->text);
    }
    return finish(leave->exit_code);
  }
  Arguments& arguments = std::get<Arguments>(parsed);
  Console console(arguments.color);
  const auto run_command = [&] {
    try {
      return dispatch(arguments, console);
    } catch (const std::bad_alloc&) {
      return stop(arguments, console,
                  {ErrorCode::kLimit, {}, {}, "not enough memory", "close other programs, or use a smaller file"});
    }
  };
  return finish(run_command());
}

int exit_code_of(const Error& error) { return error.code == ErrorCode::kUsage ? kExitUsage : kExitProblems; }

int stop(const Arguments& arguments, Console& console, const Error& error) {
  if (arguments.json) {
    console.out(engine::problem_json("error", "error", error).str() + "\n");
  } else {
    console.diagnostic(recipes::Severity::kError, error);
  }
  return exit_code_of(error);
}

void say(const Arguments& arguments, Console& console, const recipes::Diagnostic& diagnostic,
         const std::string* accepted) {
  if (arguments.json) {
    console.out(engine::diagnostic_json(diagnostic, accepted).str() + "\n");
  } else if (accepted != nullptr) {
    recipes::Diagnostic with_reason = diagnostic;
    with_reason.what.hint = "accepted: " + *accepted;
    console.diagnostic(with_reason);
  } else if (!arguments.quiet || diagnostic.severity != recipes::Severity::kNote) {
    console.diagnostic(diagnostic);
  }
}

void say_uncompared(const Arguments& arguments, Console& console) {
  say(arguments, console,
      {recipes::Severity::kNote, Error{ErrorCode::kNotFound,
                                       {},
                                       {},
                                       "found no record of a build or pack to compare with: wrong bytes that are "
                                       "still valid are not detected",
                                       {}}});
}

Result<LookAt> look_at(const Arguments& arguments, Console& console, engine::Disk& disk) {
  if (!arguments.look_at.empty()) {
    ASSETC_TRY(const engine::FileStatus status, disk.status(arguments.look_at));
    return LookAt{arguments.look_at, status.type != engine::FileType::kDirectory};
  }
  ASSETC_TRY(engine::Profile profile, load_profile(arguments, console, disk));
  std::string output = profile.output;
  return LookAt{std::move(output), false, std::move(profile)};
}

Result<void> check_other_file(const std::string& input, const std::string& output, engine::Disk& disk) {
  if (!disk.same_file(input, output)) return {};
  return std::unexpected(
      Error{ErrorCode::kUsage,
            output,
            {},
            "is the input" + (input == output ? std::string() : " " + input) + ", which would be overwritten",
            "choose another output"});
}

void say_other_outputs(const Arguments& arguments, Console& console, const std::string& output,
                       const std::vector<std::string>& others) {
  for (const std::string& other : others) {
    const std::string folder = output + "/" + other;
    say(arguments, console,
        {recipes::Severity::kNote, Error{ErrorCode::kUnsupported,
                                         folder,
                                         {},
                                         "is the output folder of another build; it is not included",
                                         "use -o to select it"}});
  }
}

Result<engine::Profile> load_profile(const Arguments& arguments, Console& console, engine::Disk& disk) {
  ASSETC_TRY(const engine::Config config, engine::nearest_config(disk, "."));
  for (const recipes::Diagnostic& diagnostic : config.diagnostics) say(arguments, console, diagnostic);
  return engine::resolve(config, {.output = arguments.output, .preset = arguments.preset, .pack = arguments.pack});
}

}  // namespace assetc::cli
