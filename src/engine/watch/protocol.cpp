#include "engine/watch/protocol.hpp"

#include "base/json_line.hpp"
#include "base/watch_protocol.hpp"

namespace assetc::engine {
namespace {

std::string error_json(const Error& error, const std::vector<std::string>& ignore,
                       const std::vector<std::string>& outputs) {
  return JsonObject()
      .add("code", to_string(error.code))
      .add("file", error.file)
      .add("place", error.place)
      .add("what", error.what)
      .add("hint", error.hint)
      .add("ignore", ignore)
      .add("outputs", outputs)
      .str();
}

// The outputs of an earlier build, for a step that has failed now.
std::vector<std::string> outputs_of(const Report& report, const Error& error) {
  const std::string text = error.to_string();
  for (const Failure& failure : report.failures) {
    for (const recipes::Diagnostic& said : failure.diagnostics) {
      if (said.what.to_string() == text) return failure.outputs;
    }
  }
  return {};
}

}  // namespace

std::string errors_json(const WatchOutcome& outcome) {
  std::string errors;
  const auto add = [&](const Error& error, const std::vector<std::string>& ignore = {}) {
    const auto outputs = outcome.report ? outputs_of(*outcome.report, error) : std::vector<std::string>{};
    errors += (errors.empty() ? "" : ",") + error_json(error, ignore, outputs);
  };
  if (outcome.error) add(*outcome.error);
  if (outcome.report) {
    for (const recipes::Diagnostic& diagnostic : outcome.report->diagnostics) {
      if (diagnostic.severity == recipes::Severity::kError) add(diagnostic.what, diagnostic.ignore);
    }
    for (const Error& trouble : outcome.report->troubles) add(trouble);
  }
  return "[" + errors + "]";
}

std::string hello_line(std::string_view program, std::string_view output, const std::string* errors) {
  JsonObject hello = json_event(watch_protocol::kHello);
  hello.add(watch_protocol::kVersionName, watch_protocol::kVersion).add("program", program).add("output", output);
  if (errors != nullptr) hello.raw("errors", *errors);
  return hello.str();
}

std::string built_line(const WatchOutcome& outcome, const std::string& errors, bool by_others) {
  const Report none;
  const Report& report = outcome.report ? *outcome.report : none;
  return json_event(watch_protocol::kBuilt)
      .add("ok", outcome.ok)
      .add("seconds", report.totals.seconds)
      .add("everything", by_others)
      .add("written", report.written)
      .add("removed", report.removed)
      .raw("errors", errors)
      .str();
}

}  // namespace assetc::engine
