#include "cli/report/problems.hpp"

#include "base/json_line.hpp"
#include "cli/report/junit.hpp"
#include "cli/report/sarif.hpp"

namespace assetc::cli {

std::vector<Error> below(const std::string& folder, std::span<const Error> errors) {
  std::vector<Error> all(errors.begin(), errors.end());
  for (Error& error : all) error.file = folder + "/" + error.file;
  return all;
}

void say_problems(const Arguments& arguments, Console& console, std::span<const Error> problems) {
  for (const Error& problem : problems) {
    if (!arguments.json) {
      console.diagnostic(recipes::Severity::kError, problem);
      continue;
    }
    console.out(json_event("problem")
                    .add("code", to_string(problem.code))
                    .add("file", problem.file)
                    .add("place", problem.place)
                    .add("what", problem.what)
                    .add("hint", problem.hint)
                    .str() +
                "\n");
  }
}

void say_budgets(const Arguments& arguments, Console& console, const engine::BudgetReport& report) {
  if (!arguments.json) return;
  for (const engine::BudgetUse& use : report.uses) {
    console.out(json_event("budget")
                    .add("place", use.budget->place)
                    .add("match", use.budget->match)
                    .add("kind", use.budget->kind)
                    .add("unit", use.unit)
                    .add("used", use.used)
                    .add("allowed", use.allowed)
                    .str() +
                "\n");
  }
}

Result<void> write_reports(const Arguments& arguments, engine::Disk& disk, std::string_view command,
                           const std::string& project, std::uint64_t files, std::span<const Error> problems,
                           std::span<const Warning> warnings) {
  const auto write = [&](const std::string& path, const std::string& text) -> Result<void> {
    ASSETC_TRY([[maybe_unused]] const engine::FileSignature written, disk.publish(path, as_bytes(text)));
    return {};
  };
  if (!arguments.sarif.empty()) {
    std::vector<Finding> findings = findings_of(problems);
    for (const Warning& warning : warnings)
      findings.push_back({recipes::Severity::kWarning, warning.kind, warning, std::nullopt});
    const std::string log = sarif_log(command, findings, disk.real_path(project), disk.real_path("."));
    ASSETC_CHECK(write(arguments.sarif, log));
  }
  if (!arguments.junit.empty()) ASSETC_CHECK(write(arguments.junit, junit_report(command, files, problems)));
  return {};
}

std::string project_of(engine::Disk& disk) {
  const auto file = engine::find_config(disk, ".");
  return file && file->contains('/') ? file->substr(0, file->rfind('/')) : ".";
}

std::string verdict(const Console& console, std::size_t problems) {
  return problems == 0 ? console.paint_out(Style::kGreen, "no problems")
                       : console.paint_out(Style::kRed, plural(problems, "problem"));
}

}  // namespace assetc::cli
