#include "engine/run/session.hpp"

#include <algorithm>
#include <expected>
#include <iterator>
#include <utility>

#include "engine/run/changed_run.hpp"
#include "engine/run/reporting.hpp"
#include "engine/run/resident.hpp"
#include "engine/run/whole_run.hpp"

namespace assetc::engine {
namespace {

// With more changed paths than this, the next build looks at all sources.
constexpr std::size_t kMostChanges = 1000;

// The changed paths, together with those that a failed build left for the next build.
std::expected<std::vector<std::string>, WholeReason> changes_for(const BuildRequest& request, const Changes& changes,
                                                                 Resident* resident) {
  if (request.no_cache || request.verify || request.dry_run || request.look_again || request.shard)
    return std::unexpected(WholeReason{WholeKind::kAsked});
  if (!changes) return std::unexpected(WholeReason{WholeKind::kUnknownChanges});
  if (resident == nullptr) return std::unexpected(WholeReason{WholeKind::kNotKept});
  std::vector<std::string> all = *changes;
  std::ranges::move(std::exchange(resident->again, {}), std::back_inserter(all));
  std::ranges::sort(all);
  all.erase(std::ranges::unique(all).begin(), all.end());
  if (all.size() > kMostChanges) return std::unexpected(WholeReason{WholeKind::kManyChanges});
  return all;
}

}  // namespace

Session::Session() = default;
Session::~Session() = default;

Result<Report> Session::apply(const BuildRequest& request, const BuildServices& services, const Profile& profile,
                              const Changes& changes) {
  auto report = build_next(request, services, profile, changes);
  if (report) accept_warnings(profile, request, *report);
  return report;
}

Result<Report> Session::build_next(const BuildRequest& request, const BuildServices& services, const Profile& profile,
                                   const Changes& changes) {
  went_on_ = false;
  last_.reset();
  std::unique_ptr<Resident> resident = std::move(resident_);
  Report begun;
  std::optional<WholeReason> whole;
  if (!std::exchange(is_first_, false)) {
    auto changed = changes_for(request, changes, resident.get());
    auto report = changed ? ChangedRun(request, services, profile, *resident).run(*changed, begun)
                          : std::expected<Report, WholeReason>(std::unexpected(std::move(changed).error()));
    if (report) {
      resident->has_failed = !report->ok;
      if (!report->ok) resident->again = std::move(*changed);
      if (report->troubles.empty()) resident_ = std::move(resident);
      report->went_on = went_on_ = resident_ != nullptr;
      return std::move(*report);
    }
    whole = std::move(report).error();
  }
  WholeRun run(request, services, profile);
  auto report = run.run();
  if (!report) return report;
  add_begun(*report, std::move(begun));
  report->whole = std::move(whole);
  last_ = run.take_last();
  return report;
}

void Session::prepare(const BuildRequest& request, Disk& disk) {
  if (resident_ || !last_) return;
  LastBuild last = std::move(*std::exchange(last_, nullptr));
  const std::string path = cache_path(last.profile);
  const auto lock = disk.lock(path + ".lock");
  if (!lock || cache_stamp(last.profile, disk) != last.cache) return;
  auto cache = Cache::open(disk, path, true);
  if (!cache) return;
  auto resident = std::make_unique<Resident>(request, std::move(last), disk, std::move(*cache));
  if (resident->read(request)) resident_ = std::move(resident);
}

std::optional<std::vector<std::string>> Session::folders() const {
  const Tree* const tree = resident_ ? &resident_->space.input : last_ ? &last_->input : nullptr;
  if (tree == nullptr) return std::nullopt;
  return folders_in(*tree);
}

std::vector<std::string> folders_in(const Tree& tree) {
  std::vector<std::string> folders{""};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].type == FileType::kDirectory) folders.emplace_back(tree.path(i));
  }
  return folders;
}

Result<Report> build(const BuildRequest& request, const BuildServices& services, const Profile& profile) {
  return Session().apply(request, services, profile, std::nullopt);
}

}  // namespace assetc::engine
