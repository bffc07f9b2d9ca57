#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/json_line.hpp"
#include "cli/sarif.hpp"
#include "engine/config/platforms.hpp"
#include "engine/look/validate.hpp"

namespace assetc::cli {
namespace {

// The cooked folder that is meant: the one of a registry, or that of a platform.
Result<std::string> cooked_folder(const Arguments& arguments, engine::Disk& disk) {
  const std::string& registry = arguments.validate.registry;
  if (!registry.empty()) {
    const std::size_t file = registry.rfind('/');
    const std::size_t folder =
        file == std::string::npos || file == 0 ? std::string::npos : registry.rfind('/', file - 1);
    if (folder == std::string::npos) return std::string(".");
    return registry.substr(0, folder);
  }
  ASSETC_TRY(const engine::Config config, engine::load_pipeline(disk, arguments.import.root));
  ASSETC_TRY(const engine::Profile profile, engine::resolve_platform(config, arguments.platform));
  return profile.output;
}

JsonObject problem_json(const Error& problem) {
  return json_event("problem")
      .add("code", to_string(problem.code))
      .add("file", problem.file)
      .add("place", problem.place)
      .add("what", problem.what)
      .add("hint", problem.hint);
}

}  // namespace

int run_validate(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const Result<std::string> cooked = cooked_folder(arguments, disk);
  if (!cooked) return stop(arguments, console, cooked.error());
  Result<engine::ValidateReport> report = engine::validate(*cooked, disk);
  if (!report) return stop(arguments, console, report.error());
  for (const Error& problem : report->problems) {
    if (arguments.json) {
      console.out(problem_json(problem).str() + "\n");
    } else {
      Error located = problem;
      located.file = *cooked + "/" + problem.file;
      console.diagnostic(recipes::Severity::kError, located);
    }
  }
  if (!arguments.validate.sarif.empty()) {
    const std::string log = sarif_log("validate", *cooked, report->problems);
    if (const auto written = disk.publish(arguments.validate.sarif, as_bytes(log)); !written)
      return stop(arguments, console, written.error());
  }
  for (const std::string& path : report->unregistered) {
    say(arguments, console,
        {recipes::Severity::kWarning,
         Error{
             ErrorCode::kNotFound, *cooked + "/" + path, {}, "is in no registry", "cook again removes what it made"}});
  }
  const bool ok = report->problems.empty();
  if (arguments.json) {
    console.out(json_event("validate_summary")
                    .add("ok", ok)
                    .add("cooked", *cooked)
                    .add("assets", report->assets)
                    .add("redirectors", report->redirectors)
                    .add("dependencies", report->dependencies)
                    .add("files", report->files)
                    .add("compared", report->compared)
                    .add("bundles", report->bundles)
                    .add("unregistered", report->unregistered.size())
                    .add("problems", report->problems.size())
                    .str() +
                "\n");
  } else {
    console.out(fmt::format(
        "{}: {}, {}, {}, {}{}\n", *cooked, plural(report->assets, "asset"),
        report->dependencies == 1 ? "1 dependency" : count_text(report->dependencies) + " dependencies",
        plural(report->redirectors, "redirector"), report->bundles == 0 ? "" : plural(report->bundles, "bundle") + ", ",
        ok ? console.paint_out(Style::kGreen, "no problem")
           : console.paint_out(Style::kRed, plural(report->problems.size(), "problem"))));
  }
  return ok ? kExitOk : kExitProblems;
}

}  // namespace assetc::cli
