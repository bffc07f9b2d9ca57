// assetc mv and rm: a source together with its .meta, because a .meta that is left behind becomes an orphan. References
// are reported, not rewritten: they are in files of other programs.
#include "engine/meta/move.hpp"

#include "base/json_line.hpp"
#include "cli/commands/commands.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

int tell(const Arguments& arguments, Console& console, const Result<engine::MoveReport>& report) {
  if (!report) return stop(arguments, console, report.error());
  if (arguments.json) {
    for (const auto& [from, to] : report->moved)
      console.out(json_event("moved").add("from", from).add("to", to).str() + "\n");
    for (const std::string& path : report->removed) console.out(json_event("removed").add("path", path).str() + "\n");
  } else {
    for (const auto& [from, to] : report->moved) console.out(formatted("{} -> {}\n", printable(from), printable(to)));
    for (const std::string& path : report->removed) console.out(formatted("removed {}\n", printable(path)));
  }
  for (const engine::Referrer& referrer : report->referrers) {
    say(arguments, console,
        {WarningKind::kBrokenReference, Error{ErrorCode::kNotFound,
                                              referrer.source,
                                              {},
                                              "refers to " + referrer.refers_to + ", which no longer exists",
                                              "correct the reference; files refer to each other by path"}});
  }
  for (const Error& error : report->import.errors) say(arguments, console, {recipes::Severity::kError, error});
  return report->import.errors.empty() ? kExitOk : kExitProblems;
}

}  // namespace

int run_move(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto options = import_options(arguments);
  if (!options) return stop(arguments, console, options.error());
  return tell(arguments, console, engine::move_assets(*options, arguments.move.from, arguments.move.to, disk));
}

int run_remove(const Arguments& arguments, Console& console, engine::Disk& disk) {
  const auto options = import_options(arguments);
  if (!options) return stop(arguments, console, options.error());
  return tell(arguments, console, engine::remove_assets(*options, arguments.move.from, arguments.move.force, disk));
}

}  // namespace assetc::cli
