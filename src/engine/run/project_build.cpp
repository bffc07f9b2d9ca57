#include "engine/run/project_build.hpp"

#include <utility>

#include "engine/plan/discover.hpp"
#include "engine/run/build_log.hpp"

namespace assetc::engine {
namespace {

void judge(const BuildRequest& request, const Profile& profile, bool kept, Report& report) {
  if (report.totals.sources == 0 && request.selects == nullptr && !request.shard) {  // a share may be empty
    report.troubles.push_back({ErrorCode::kNotFound,
                               profile.input,
                               {},
                               std::string("has no file that assetc compiles") +
                                   (profile.ignore.empty() ? "" : " and that ignore: does not list"),
                               "add sources, or correct input: or --root"});
    report.ok = false;
  }
  if (request.shard && !kept) report.ok = false;
  if (request.tolerates_unmatched) {
    for (Error& unmatched : std::exchange(report.unmatched, {}))
      report.diagnostics.push_back({WarningKind::kUnmatchedAccept, std::move(unmatched)});
  }
  if (request.strict) report.refused_warnings = report.warnings();
  if (report.refused_warnings > 0 || !report.unmatched.empty()) report.ok = false;
}

Result<Report> build_and_judge(const BuildTask& task, Session* session, const Changes& changes, Disk& disk,
                               const Environment& environment, BuildListener& listener) {
  const BuildRequest& request = task.request;
  const Profile& profile = *task.profile;
  Stores stores(
      request.dry_run ? nullptr : &profile.cache, disk, environment,
      [&](const recipes::Diagnostic& diagnostic) { listener.say(diagnostic); }, request.records_transfers);
  if (request.shard && !request.dry_run) {
    if (auto unshared = stores.unshared()) return std::unexpected(std::move(*unshared));
  }
  listener.begin(task);
  BuildLog log(listener);
  const BuildServices services{.disk = disk,
                               .listener = &log,
                               .store = stores.local(),
                               .shared = [&] { return stores.shared(); },
                               .identities = task.identities,
                               .on_records = task.on_records};
  auto report =
      session != nullptr ? session->apply(request, services, profile, changes) : build(request, services, profile);
  listener.steps_ended();
  const bool kept = stores.finish([&](std::size_t left) { listener.uploading(left); });
  listener.stores_ended(stores.summary());
  if (!report) return report;
  judge(request, profile, kept, *report);
  const auto& indexes = request.target->index_paths;
  report->has_index = !indexes.empty() && disk.status(profile.output + "/" + std::string(indexes.front())).has_value();
  if (!request.dry_run && !request.shard) log.write(request, profile, *report, disk);
  return report;
}

// Only for a build that looked at all sources.
bool has_changed_since(const Report& report, const BuildTask& task, Disk& disk) {
  const auto now = walk_input(*task.profile, *task.request.target, disk, 1);
  return !now || now->fingerprint() != report.input;
}

}  // namespace

Result<Report> build_project(const BuildTask& task, Session* session, const Changes& changes, Disk& disk,
                             const Environment& environment, BuildListener& listener) {
  auto report = build_and_judge(task, session, changes, disk, environment, listener);
  const bool may_give_way = report && !report->ok && !report->went_on && task.gives_way;
  if (may_give_way && has_changed_since(*report, task, disk) && task.gives_way())
    report = fail(ErrorCode::kCanceled, "sources changed while they were built");
  listener.end(task, report);
  return report;
}

}  // namespace assetc::engine
