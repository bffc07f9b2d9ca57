// One function a command, a row in the table of run.cpp: parse, call, print. Each returns the exit code.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "cli/arguments.hpp"
#include "cli/console.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/run/session.hpp"

namespace assetc::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitProblems = 1;  // an asset failed, check found a problem, the disk refused
inline constexpr int kExitUsage = 2;     // the command line or assetc.yml

// The whole program: parses, dispatches, flushes.
int run(int argc, const char* const* argv);

int run_build(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_watch(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_init(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_cook(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_validate(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_registry_query(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_registry_diff(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_registry_export(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_clean(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_cache_stats(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_cache_verify(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_cache_trim(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_cache_clear(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_move(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_remove(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_merge_meta(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_import(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_info(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_check(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_pack_info(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_convert(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_diff(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_render(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_bundle_create(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_bundle_info(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_bundle_list(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_bundle_verify(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_bundle_extract(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_bundle_diff(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_bundle_apply(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_keygen(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_sign(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_completion(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_manual(const Arguments& arguments, Console& console, engine::Disk& disk);

// What every command says of an error that stops it, in text or JSON; the exit code it leaves with.
int stop(const Arguments& arguments, Console& console, const Error& error);
int exit_code_of(const Error& error);
// What the command line says of a build, whatever its target.
engine::BuildRequest build_request(const Arguments& arguments);
// That of a cook. All arguments outlive it.
Result<engine::BuildTask> cook_task(const Arguments& arguments, Console& console, engine::Disk& disk);
// The import that comes before a cook. What is wrong with a source is the cook's to say. Errors: those of
// import_assets.
Result<void> import_first(const Arguments& arguments, Console& console, engine::Disk& disk);
struct BuildOutcome {
  int exit_code = kExitOk;
  std::optional<engine::Report> report;  // nothing where the build could not start
  std::optional<Error> error;            // why
};
// What a watch has said of its last build, which need not be said again.
struct Said {
  std::optional<Error> error;  // that kept it from starting
  std::set<std::string> warnings;
};
// A build of a session, and what was said of the last one.
struct NextBuild {
  engine::Session& session;
  const engine::Changes& changes;
  Said& said;  // then of this one's warnings
};
// Builds with progress, and says what came of it. next: null for a build of its own.
BuildOutcome build_and_tell(const Arguments& arguments, Console& console, engine::Disk& disk, engine::BuildTask task,
                            const NextBuild* next = nullptr);
// A warning of the configuration or of a step, in text or JSON. accepted: why it is, of one that is; else null.
void say(const Arguments& arguments, Console& console, const recipes::Diagnostic& diagnostic,
         const std::string* accepted = nullptr);

// What info and check look at: the file or folder named, else the output folder of the configuration.
struct LookAt {
  std::string path;
  bool is_file = false;
  engine::Profile profile = {};  // whose output folder it is; empty for what was named
};
Result<LookAt> look_at(const Arguments& arguments, Console& console, engine::Disk& disk);

// kUsage where output is the file that input is, whatever each is called.
Result<void> check_other_file(const std::string& input, const std::string& output, engine::Disk& disk);

// The note of what looked at files and found no record of the bytes that they should have.
void say_uncompared(const Arguments& arguments, Console& console);

// A note a folder below an output that is an output of its own.
void say_other_outputs(const Arguments& arguments, Console& console, const std::string& output,
                       const std::vector<std::string>& others);

// assetc.yml, its warnings said, the preset chosen.
Result<engine::Profile> load_profile(const Arguments& arguments, Console& console, engine::Disk& disk);

std::string completion_script(const CommandShape& shape, std::string_view shell);
std::string manual_page(const CommandShape& shape);

}  // namespace assetc::cli
