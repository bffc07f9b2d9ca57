#include "engine/look/validate.hpp"

#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "cli/report/problems.hpp"
#include "engine/config/platforms.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

// The profile of --platform. With --registry, a profile without budgets for the cooked folder of that registry.
Result<engine::Profile> profile_of(const Arguments& arguments, engine::Disk& disk) {
  const std::string& registry = arguments.registry_file;
  if (registry.empty()) {
    ASSETC_TRY(const engine::Config config, engine::load_pipeline(disk, arguments.import.root));
    return engine::resolve_platform(config, arguments.platform);
  }
  engine::Profile profile;
  const std::size_t file = registry.rfind('/');
  const std::size_t folder = file == std::string::npos || file == 0 ? std::string::npos : registry.rfind('/', file - 1);
  profile.output = folder == std::string::npos ? "." : registry.substr(0, folder);
  return profile;
}

// "2 bundles, ", or nothing without bundles.
std::string bundles_text(const engine::ValidateReport& report) {
  if (report.bundles == 0) return "";
  const std::string sealed = report.sealed_bundles == 0 ? ""
                                                        : " (contents of " + std::to_string(report.sealed_bundles) +
                                                              " encrypted not compared)";
  return plural(report.bundles, "bundle") + sealed + ", ";
}

}  // namespace

int run_validate(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const Result<engine::Profile> profile = profile_of(arguments, disk);
  if (!profile) return stop(arguments, console, profile.error());
  const std::string& cooked = profile->output;
  const Result<engine::ValidateReport> report = engine::validate(cooked, profile->bundles, disk);
  if (!report) return stop(arguments, console, report.error());
  const engine::BudgetReport budgets = engine::hold_budgets(profile->budgets, report->items, profile->config_file);
  std::vector<Error> problems = below(cooked, report->problems);
  problems.insert(problems.end(), budgets.problems.begin(), budgets.problems.end());
  if (report->assets == 0)
    problems.push_back({ErrorCode::kNotFound, cooked, {}, "has no assets", "add sources, and cook again"});
  say_budgets(arguments, console, budgets);
  say_problems(arguments, console, problems);
  std::vector<Warning> warnings;
  for (const std::string& path : report->unregistered) {
    warnings.push_back({WarningKind::kUnregisteredFile,
                        ErrorCode::kNotFound,
                        cooked + "/" + path,
                        {},
                        "is not listed in the registry",
                        "cook again to remove files that assetc wrote; delete other files by hand"});
  }
  if (const auto written =
          write_reports(arguments, disk, "validate", arguments.import.root, report->files, problems, warnings);
      !written)
    return stop(arguments, console, written.error());
  if (!report->compared) say_uncompared(arguments, console);
  for (const Warning& warning : warnings) say(arguments, console, warning);
  const bool ok = problems.empty();
  if (arguments.json) {
    console.out(json_event("validate_summary")
                    .add("ok", ok)
                    .add("cooked", cooked)
                    .add("assets", report->assets)
                    .add("redirectors", report->redirectors)
                    .add("dependencies", report->dependencies)
                    .add("files", report->files)
                    .add("compared", report->compared.value_or(0))
                    .add("bundles", report->bundles)
                    .add("sealed_bundles", report->sealed_bundles)
                    .add("unregistered", report->unregistered.size())
                    .add("problems", problems.size())
                    .str() +
                "\n");
  } else {
    console.out(formatted("{}: {}, {}, {}, {}{}\n", cooked, plural(report->assets, "asset"),
                          plural(report->dependencies, "dependency"), plural(report->redirectors, "redirector"),
                          bundles_text(*report), verdict(console, problems.size())));
  }
  return ok ? kExitOk : kExitProblems;
}

}  // namespace assetc::cli
