#include "cli/build_log.hpp"

#include <variant>

#include "cli/commands.hpp"
#include "cli/progress.hpp"

namespace assetc::cli {

void BuildLog::on(const engine::Event& event) {
  if (std::holds_alternative<engine::StepFinished>(event) || std::holds_alternative<engine::StepFailed>(event))
    lines_ += event_json(event).str() + "\n";
  next_.on(event);
}

std::string BuildLog::text(const engine::Report& report, const std::string& summary) const {
  std::string text = lines_;
  for (const recipes::Diagnostic& diagnostic : report.diagnostics) text += diagnostic_json(diagnostic).str() + "\n";
  for (const engine::Accepted& accepted : report.accepted)
    text += diagnostic_json(accepted.warning, &accepted.reason).str() + "\n";
  for (const Error& trouble : report.troubles)
    text += diagnostic_json({recipes::Severity::kError, trouble}).str() + "\n";
  return text + summary + "\n";
}

}  // namespace assetc::cli
