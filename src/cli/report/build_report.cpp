#include "cli/report/build_report.hpp"

#include "base/json_line.hpp"
#include "cli/report/version.hpp"

namespace assetc::cli {

void BuildReporter::on(const engine::Event& event) {
  if (const auto* finished = std::get_if<engine::StepFinished>(&event)) {
    Kind& kind = kinds_[finished->step.recipe];
    switch (finished->origin) {
      case engine::Origin::kCooked:
        ++kind.built;
        break;
      case engine::Origin::kCopied:
        ++kind.copied;
        break;
      case engine::Origin::kRestored:
        ++kind.restored;
        break;
    }
    if (finished->origin == engine::Origin::kCooked) seconds_[finished->file] += finished->seconds;
    kind.bytes += finished->bytes;
    kind.seconds += finished->seconds;
  } else if (const auto* failed = std::get_if<engine::StepFailed>(&event)) {
    Kind& kind = kinds_[failed->step.recipe];
    ++kind.failed;
    kind.seconds += failed->seconds;
  }
  next_.on(event);
}

JsonObject shared_cache_json(const engine::RemoteStore::Summary& remote) {
  return JsonObject()
      .add("asked", remote.asked)
      .add("found", remote.found)
      .add("uploaded", remote.uploaded)
      .add("batches", remote.batches)
      .add("requests", remote.transfers.requests)
      .add("received_bytes", remote.transfers.received_bytes)
      .add("sent_bytes", remote.transfers.sent_bytes)
      .add("untrusted", remote.untrusted)
      .add("failures", remote.failures)
      .add("given_up", remote.given_up)
      .add("troubles", remote.trouble ? 1 : 0);
}

std::string BuildReporter::text(const engine::Profile& profile, const engine::Report& report, bool dry_run,
                                const std::optional<engine::RemoteStore::Summary>& remote,
                                const engine::RecordedCosts& known) const {
  const engine::Totals& t = report.totals;
  std::uint64_t warnings = 0;
  for (const recipes::Diagnostic& d : report.diagnostics) warnings += d.severity == recipes::Severity::kWarning ? 1 : 0;
  JsonObject kinds;
  for (const auto& [recipe, kind] : kinds_) {
    kinds.add(recipe, JsonObject()
                          .add("built", kind.built)
                          .add("copied", kind.copied)
                          .add("restored", kind.restored)
                          .add("failed", kind.failed)
                          .add("bytes", kind.bytes)
                          .add("seconds", kind.seconds));
  }
  std::map<std::string, double> seconds = seconds_;
  for (const auto& [path, ns] : known) seconds.emplace(path, static_cast<double>(ns) / 1e9);
  JsonObject costs;
  for (const auto& [path, taken] : seconds) costs.add(path, taken);
  // A fraction of all steps that a build without any cache would run.
  const auto share = [&](std::uint64_t steps) {
    return t.steps == 0 ? 1.0 : static_cast<double>(steps) / static_cast<double>(t.steps);
  };
  const JsonObject shared = remote ? shared_cache_json(*remote) : JsonObject();
  return JsonObject()
             .add("program", kVersion)
             .add("ok", report.ok)
             .add("incomplete", report.is_incomplete)
             .add("dry_run", dry_run)
             .add("preset", profile.preset)
             .add("output", profile.output)
             .add("seconds", t.seconds)
             .add("sources", t.sources)
             .add("steps", t.steps)
             .add("up_to_date", t.cached)
             .add("up_to_date_share", share(t.cached))
             .add("copied", t.copied)
             .add("restored", t.restored)
             .add("restored_share", share(t.restored))
             .add("built", t.ran)
             .add("to_build", t.to_run)
             .add("failed", t.failed)
             .add("warnings", warnings)
             .add("accepted", report.accepted.size())
             .add("outputs", t.outputs)
             .add("output_bytes", t.output_bytes)
             .add("files_written", t.files_written)
             .add("bytes_written", t.bytes_written)
             .add("files_removed", t.files_removed)
             .add("files_to_remove", dry_run ? report.removed.size() : 0)
             .add("kinds", kinds)
             .add("shared_cache", shared)
             .add("costs", costs)
             .str() +
         "\n";
}

}  // namespace assetc::cli
