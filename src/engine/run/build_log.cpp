#include "engine/run/build_log.hpp"

#include <algorithm>
#include <variant>

#include "assetc/base/hash.hpp"
#include "engine/run/build_json.hpp"
#include "text/format.hpp"

namespace assetc::engine {
namespace {

// The warnings and errors.
std::string problem_lines(const Report& report) {
  std::string lines;
  for (const recipes::Diagnostic& diagnostic : report.diagnostics) lines += diagnostic_json(diagnostic).str() + "\n";
  for (const Accepted& accepted : report.accepted)
    lines += diagnostic_json(accepted.warning, &accepted.reason).str() + "\n";
  for (const Error& trouble : report.troubles)
    lines += diagnostic_json({recipes::Severity::kError, trouble}).str() + "\n";
  return lines;
}

// The first line tells the next build what the log says, without the rest of it.
constexpr std::size_t kFirstLineBytes = 128;

// An event with its first members, without its end.
std::string open_line(const JsonObject& event) {
  std::string line = event.str();
  line.pop_back();
  return line;
}

std::string result_line(bool ok) { return open_line(json_event("build_result").add("ok", ok)); }

std::string first_line(bool ok, std::string_view problems) {
  return result_line(ok) + formatted(",\"problems\":\"{:016x}\"}}\n", xxh3_64(as_bytes(problems)));
}

// The lines of a log about steps that succeeded.
std::string finished_steps(std::string_view log) {
  const std::string start = open_line(json_event("step_finished"));
  std::string steps;
  while (!log.empty()) {
    const std::string_view line = log.substr(0, std::min(log.find('\n'), log.size() - 1) + 1);
    if (line.starts_with(start)) steps += line;
    log.remove_prefix(line.size());
  }
  return steps;
}

}  // namespace

void BuildLog::on(const Event& event) {
  if (std::holds_alternative<StepFinished>(event) || std::holds_alternative<StepFailed>(event))
    lines_ += event_json(event).str() + "\n";
  next_.on(event);
}

void BuildLog::write(const BuildRequest& request, const Profile& profile, Report& report, Disk& disk) const {
  const std::string path = profile.output + "/" + std::string(kBuildLogName);
  const std::string problems = problem_lines(report), first = first_line(report.ok, problems);
  const auto head = disk.head(path, kFirstLineBytes);
  const std::string_view before = head ? as_text(*head).substr(0, kFirstLineBytes) : std::string_view();
  report.mends = report.ok && before.starts_with(result_line(false));
  std::string steps = lines_;
  if (report.steps.empty() && report.written.empty() && report.removed.empty()) {
    // The report of an unchanged build lacks warnings that are told once.
    const bool is_news = report.unchanged ? before.starts_with(result_line(!report.ok)) : !before.starts_with(first);
    if (!is_news) return;
    if (const auto log = disk.read(path)) steps = finished_steps(as_text(*log));
  }
  const std::string text = first + steps + problems + summary_json(request, profile, report).str() + "\n";
  static_cast<void>(disk.publish(path, as_bytes(text)));
}

}  // namespace assetc::engine
