// The commands: one function each, called through the table in run.cpp. Each does its work, prints the result and
// returns the exit code.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/json_line.hpp"
#include "cli/arguments/arguments.hpp"
#include "cli/report/console.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/meta/import.hpp"
#include "engine/run/session.hpp"
#include "engine/target/identities.hpp"

namespace assetc::cli {

inline constexpr int kExitOk = 0;
inline constexpr int kExitProblems = 1;  // an asset failed, a check found a problem, or the disk refused access
inline constexpr int kExitUsage = 2;     // the command line or assetc.yml is wrong

// The whole program: parses the command line, runs the command and flushes the output.
int run(int argc, const char* const* argv);

int run_build(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_watch(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_new(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_doctor(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_mat(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_init(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_cook(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_validate(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_registry_query(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_registry_diff(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_registry_export(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_registry_licenses(const Arguments& arguments, Console& console, engine::Disk& disk);
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
// The arguments of the command `ktx`, if the program was started as it: as `assetc ktx ...`, or under that name.
std::optional<std::vector<std::string>> ktx_arguments(std::span<const char* const> words);
int run_ktx(std::span<const std::string> arguments, Console& console, engine::Disk& disk);
int run_optimize(const Arguments& arguments, Console& console, engine::Disk& disk);
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
int run_serve(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_view(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_completion(const Arguments& arguments, Console& console, engine::Disk& disk);
int run_manual(const Arguments& arguments, Console& console, engine::Disk& disk);

// Prints the error that stops a command, as text or JSON, and returns the exit code.
int stop(const Arguments& arguments, Console& console, const Error& error);
int exit_code_of(const Error& error);
// The options of a build, for any target.
engine::BuildRequest build_request(const Arguments& arguments);
// The task of a cook, which gets the identities of assets from `identities`. All arguments must outlive it.
using LoadIdentities = std::function<Result<engine::Identities>(const engine::Profile& profile)>;
Result<engine::BuildTask> cook_task(const Arguments& arguments, LoadIdentities identities, Console& console,
                                    engine::Disk& disk);
// The options of an import. Errors: kUsage for environment variables.
Result<engine::ImportOptions> import_options(const Arguments& arguments);
// Prints what an import did, and returns the exit code.
int tell_import(const Arguments& arguments, Console& console, const engine::ImportReport& report, double seconds);
// Runs the import before a cook. It prints changes, and where another program writes, but not problems of sources: the
// cook reports those. Errors: those of import_assets.
Result<void> import_first(const Arguments& arguments, Console& console, engine::Disk& disk);
// Prints a diagnostic as text or JSON. accepted: the reason given for an accepted warning; else null.
void say(const Arguments& arguments, Console& console, const recipes::Diagnostic& diagnostic,
         const std::string* accepted = nullptr);

// The file or folder that info and check read: the one on the command line, or the output folder of the configuration.
struct LookAt {
  std::string path;
  bool is_file = false;
  engine::Profile profile = {};  // of the output folder; empty if the path was on the command line
};
Result<LookAt> look_at(const Arguments& arguments, Console& console, engine::Disk& disk);

// The folder of the built page of `assetc view`: beside an installed program, or in the build folder. Errors:
// kNotFound.
Result<std::string> find_page(engine::Disk& disk);

// kUsage if output and input are the same file, whatever their names are.
Result<void> check_other_file(const std::string& input, const std::string& output, engine::Disk& disk);

// Prints the note that no record was found to compare the bytes of the files with.
void say_uncompared(const Arguments& arguments, Console& console);

// Prints a note for each folder inside the output that is an output folder of another build.
void say_other_outputs(const Arguments& arguments, Console& console, const std::string& output,
                       const std::vector<std::string>& others);

// Reads assetc.yml, prints its warnings and chooses the preset.
Result<engine::Profile> load_profile(const Arguments& arguments, Console& console, engine::Disk& disk);

std::string completion_script(const command_line::CommandShape& shape, std::string_view shell);
std::string manual_page(const command_line::CommandShape& shape);

}  // namespace assetc::cli
