#include "engine/run/build_log.hpp"

#include <variant>

#include "engine/run/build_json.hpp"

namespace assetc::engine {

void BuildLog::on(const Event& event) {
  if (std::holds_alternative<StepFinished>(event) || std::holds_alternative<StepFailed>(event))
    lines_ += event_json(event).str() + "\n";
  next_.on(event);
}

std::string BuildLog::text(const BuildRequest& request, const Profile& profile, const Report& report) const {
  std::string text = lines_;
  for (const recipes::Diagnostic& diagnostic : report.diagnostics) text += diagnostic_json(diagnostic).str() + "\n";
  for (const Accepted& accepted : report.accepted)
    text += diagnostic_json(accepted.warning, &accepted.reason).str() + "\n";
  for (const Error& trouble : report.troubles)
    text += diagnostic_json({recipes::Severity::kError, trouble}).str() + "\n";
  return text + summary_json(request, profile, report).str() + "\n";
}

}  // namespace assetc::engine
