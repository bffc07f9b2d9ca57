#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/json_line.hpp"
#include "engine/look/check.hpp"

namespace assetc::cli {

int run_check(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto profile = load_profile(arguments, console, disk);
  if (!profile) return stop(arguments, console, profile.error());
  const auto report = engine::check(profile->output, disk);
  if (!report) return stop(arguments, console, report.error());
  say_other_outputs(arguments, console, profile->output, report->other_outputs);
  for (const Error& problem : report->problems) {
    if (arguments.json) {
      console.out(json_event("problem")
                      .add("code", to_string(problem.code))
                      .add("file", problem.file)
                      .add("place", problem.place)
                      .add("what", problem.what)
                      .add("hint", problem.hint)
                      .str() +
                  "\n");
    } else {
      console.diagnostic(recipes::Severity::kError, problem);
    }
  }
  if (!report->compared) {
    say(arguments, console,
        {recipes::Severity::kNote, Error{ErrorCode::kNotFound,
                                         {},
                                         {},
                                         "no build or pack says here what was written: bytes that are valid but wrong "
                                         "are not found",
                                         {}}});
  }
  const bool ok = report->problems.empty();
  if (arguments.json) {
    console.out(json_event("check_summary")
                    .add("ok", ok)
                    .add("output", profile->output)
                    .add("files", report->files)
                    .add("compared", report->compared.value_or(0))
                    .add("references", report->references)
                    .add("problems", report->problems.size())
                    .str() +
                "\n");
  } else {
    const std::string found = ok ? console.paint_out(Style::kGreen, "no problem")
                                 : console.paint_out(Style::kRed, plural(report->problems.size(), "problem"));
    console.out(fmt::format("{}: {}, {} followed, {}\n", profile->output, plural(report->files, "file"),
                            plural(report->references, "texture reference"), found));
  }
  return ok ? kExitOk : kExitProblems;
}

}  // namespace assetc::cli
