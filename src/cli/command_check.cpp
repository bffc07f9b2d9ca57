#include <fmt/format.h>

#include "cli/commands.hpp"
#include "cli/json_line.hpp"
#include "engine/look/check.hpp"

namespace assetc::cli {

int run_check(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto at = look_at(arguments, console, disk);
  if (!at) return stop(arguments, console, at.error());
  const auto report = at->is_file ? engine::check_file(at->path, disk) : engine::check(at->path, disk);
  if (!report) return stop(arguments, console, report.error());
  say_other_outputs(arguments, console, at->path, report->other_outputs);
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
                    .add("output", at->path)
                    .add("files", report->files)
                    .add("compared", report->compared.value_or(0))
                    .add("references", report->references)
                    .add("problems", report->problems.size())
                    .str() +
                "\n");
  } else {
    const std::string found = ok ? console.paint_out(Style::kGreen, "no problem")
                                 : console.paint_out(Style::kRed, plural(report->problems.size(), "problem"));
    if (at->is_file) {
      console.out(fmt::format("{}: {}\n", at->path, found));
    } else {
      console.out(fmt::format("{}: {}, {} followed, {}\n", at->path, plural(report->files, "file"),
                              plural(report->references, "texture reference"), found));
    }
  }
  return ok ? kExitOk : kExitProblems;
}

}  // namespace assetc::cli
