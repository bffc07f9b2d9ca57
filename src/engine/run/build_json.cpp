#include "engine/run/build_json.hpp"

#include <cmath>
#include <variant>

#include "base/overload.hpp"

namespace assetc::engine {
namespace {

JsonObject step_json(std::string_view event, const StepName& step) {
  return json_event(event)
      .add("recipe", step.recipe)
      .add("source", step.source)
      .add("stem", step.stem)
      .add("mode", step.mode);
}

JsonObject reason_json(const Reason& reason) {
  JsonObject object;
  object.add("kind", to_string(reason.kind));
  object.add("subject", reason.subject).add("before", reason.before).add("after", reason.after);
  return object.add("text", reason.to_string());
}

JsonObject rdo_json(const texture::RdoReport& rdo) {
  JsonObject object;
  object.add("uncompressed_bytes", rdo.uncompressed_bytes).add("compressed_bytes", rdo.compressed_bytes);
  if (std::isfinite(rdo.psnr_db)) object.add("psnr_db", rdo.psnr_db);
  return object;
}

}  // namespace

JsonObject event_json(const Event& event) {
  return std::visit(
      Overload{
          [](const BuildPlanned& e) {
            return json_event("build_planned")
                .add("sources", e.sources)
                .add("steps_known", e.steps_known)
                .add("steps_to_run", e.steps_to_run);
          },
          [](const StepStarted& e) { return step_json("step_started", e.step).add("reason", reason_json(e.reason)); },
          [](const StepFinished& e) {
            JsonObject object = step_json("step_finished", e.step)
                                    .add("reason", reason_json(e.reason))
                                    .add("seconds", e.seconds)
                                    .add("bytes", e.bytes)
                                    .add("copied", e.origin == Origin::kCopied)
                                    .add("restored", e.origin == Origin::kRestored);
            if (const auto* rdo = recipes::find_statistic<texture::RdoReport>(e.statistics))
              object.add("rdo", rdo_json(*rdo));
            return object;
          },
          [](const StepFailed& e) {
            return step_json("step_failed", e.step).add("reason", reason_json(e.reason)).add("seconds", e.seconds);
          },
          [](const StepsCached& e) { return json_event("steps_cached").add("count", e.count); },
          [](const StepQueued& e) { return step_json("step_queued", e.step); },
          [](const OutputRemoved& e) { return json_event("output_removed").add("path", e.path); },
          [](const CacheDropped& e) { return json_event("cache_dropped").add("what", e.what); },
      },
      event);
}

JsonObject problem_json(std::string_view event, std::string_view severity, const Error& what) {
  return json_event(event)
      .add("severity", severity)
      .add("code", to_string(what.code))
      .add("file", what.file)
      .add("place", what.place)
      .add("what", what.what)
      .add("hint", what.hint);
}

JsonObject diagnostic_json(const recipes::Diagnostic& diagnostic, const std::string* accepted) {
  static constexpr std::string_view kWords[] = {"note", "warning", "error"};
  JsonObject event = problem_json("diagnostic", kWords[static_cast<std::size_t>(diagnostic.severity)], diagnostic.what);
  event.add("kind", diagnostic.kind ? to_string(*diagnostic.kind) : std::string_view());
  if (!diagnostic.ignore.empty()) event.add("ignore", diagnostic.ignore);
  if (accepted != nullptr) event.add("accepted", *accepted);
  return event;
}

std::string share_text(const std::optional<Shard>& shard) {
  return shard ? std::to_string(shard->number) + "/" + std::to_string(shard->count) : std::string();
}

JsonObject summary_json(const BuildRequest& request, const Profile& profile, const Report& report) {
  const Totals& t = report.totals;
  return json_event("summary")
      .add("ok", report.ok)
      .add("dry_run", request.dry_run)
      .add("preset", profile.preset)
      .add("shard", share_text(request.shard))
      .add("input", profile.input)
      .add("output", profile.output)
      .add("pack", report.packed ? report.pack_file : std::string())
      .add("sources", t.sources)
      .add("taken", t.taken)
      .add("unclaimed", t.unclaimed)
      .add("steps", t.steps)
      .add("ran", t.ran)
      .add("to_run", t.to_run)
      .add("copied", t.copied)
      .add("restored", t.restored)
      .add("cached", t.cached)
      .add("failed", t.failed)
      .add("not_started", t.not_started)
      .add("incomplete", report.is_incomplete)
      .add("dependent", report.dependent)
      .add("outputs", t.outputs)
      .add("output_bytes", t.output_bytes)
      .add("files_written", t.files_written)
      .add("bytes_written", t.bytes_written)
      .add("files_removed", t.files_removed)
      .add("warnings", report.warnings())
      .add("accepted", report.accepted.size())
      .add("seconds", t.seconds);
}

}  // namespace assetc::engine
