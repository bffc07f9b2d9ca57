#include "engine/look/check.hpp"

#include <algorithm>

#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "cli/report/problems.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

// Prints a note about files that are not a problem but may be leftovers.
void tell_of(const Arguments& arguments, Console& console, const std::vector<std::string>& paths,
             std::string_view event, std::string_view one, std::string_view what, std::string_view hint) {
  constexpr std::size_t kNamed = 3;
  if (arguments.json) {
    for (const std::string& path : paths) console.out(json_event(event).add("path", path).str() + "\n");
    return;
  }
  if (paths.empty() || arguments.quiet) return;
  std::string names;
  for (std::size_t i = 0; i < std::min(paths.size(), kNamed); ++i) names += (i == 0 ? "" : ", ") + paths[i];
  if (paths.size() > kNamed) names += formatted(" and {} more; --json lists all", paths.size() - kNamed);
  console.diagnostic(recipes::Severity::kNote, Error{ErrorCode::kNotFound,
                                                     {},
                                                     {},
                                                     formatted("{} {} {}: {}", plural(paths.size(), one),
                                                               paths.size() == 1 ? "is" : "are", what, names),
                                                     std::string(hint)});
}

// Checks the output folder against the budgets of the configuration. A path on the command line has no budgets.
Result<engine::BudgetReport> budgets_of(const LookAt& at, engine::Disk& disk) {
  if (at.profile.budgets.empty()) return engine::BudgetReport{};
  ASSETC_TRY(const engine::Contents contents, engine::inspect(at.path, disk));
  return engine::hold_budgets(at.profile.budgets, engine::budget_items(contents), at.profile.config_file);
}

}  // namespace

int run_check(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto at = look_at(arguments, console, disk);
  if (!at) return stop(arguments, console, at.error());
  const auto report = at->is_file ? engine::check_file(at->path, disk) : engine::check(at->path, disk);
  if (!report) return stop(arguments, console, report.error());
  say_other_outputs(arguments, console, at->path, report->other_outputs);
  const auto budgets = budgets_of(*at, disk);
  if (!budgets) return stop(arguments, console, budgets.error());
  say_problems(arguments, console, report->problems);
  say_budgets(arguments, console, *budgets);
  say_problems(arguments, console, budgets->problems);
  std::vector<Error> problems = at->is_file ? report->problems : below(at->path, report->problems);
  problems.insert(problems.end(), budgets->problems.begin(), budgets->problems.end());
  if (const auto written = write_reports(arguments, disk, "check", project_of(disk), report->files, problems); !written)
    return stop(arguments, console, written.error());
  if (!report->compared) say_uncompared(arguments, console);
  // Textures that an engine opens by path, for example those of a user interface, have no material.
  tell_of(arguments, console, report->unreferenced, "unreferenced", "texture", "used by no material",
          "this is correct for textures that an engine opens by path");
  tell_of(arguments, console, report->unrecorded, "unrecorded", "file", "not written by the build",
          "keep files that you put there; remove the outputs of deleted sources");
  const bool ok = problems.empty();
  if (arguments.json) {
    console.out(json_event("check_summary")
                    .add("ok", ok)
                    .add("output", at->path)
                    .add("files", report->files)
                    .add("compared", report->compared.value_or(0))
                    .add("references", report->references)
                    .add("unreferenced", report->unreferenced.size())
                    .add("unrecorded", report->unrecorded.size())
                    .add("problems", problems.size())
                    .str() +
                "\n");
  } else {
    const std::string found = verdict(console, problems.size());
    if (at->is_file) {
      console.out(formatted("{}: {}\n", printable(at->path), found));
    } else {
      console.out(formatted("{}: {}, {} followed, {}\n", printable(at->path), plural(report->files, "file"),
                            plural(report->references, "texture reference"), found));
    }
  }
  return ok ? kExitOk : kExitProblems;
}

}  // namespace assetc::cli
