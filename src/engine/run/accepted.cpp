#include "engine/run/accepted.hpp"

#include <algorithm>
#include <iterator>

#include "engine/config/config.hpp"
#include "engine/run/report.hpp"
#include "engine/run/request.hpp"

namespace assetc::engine {

void accept_warnings(const Profile& profile, const BuildRequest& request, Report& report) {
  if (profile.accept.empty()) return;
  std::vector<bool> matched(profile.accept.size());
  std::vector<recipes::Diagnostic> rest;
  rest.reserve(report.diagnostics.size());
  for (recipes::Diagnostic& diagnostic : report.diagnostics) {
    const Acceptance* by = nullptr;
    // Mark every entry that covers the warning as used, not only the first.
    for (std::size_t i = 0; diagnostic.kind && i < profile.accept.size(); ++i) {
      if (!profile.accept[i].covers(*diagnostic.kind, diagnostic.what.file)) continue;
      matched[i] = true;
      if (by == nullptr) by = &profile.accept[i];
    }
    if (by != nullptr) {
      report.accepted.push_back({std::move(diagnostic), by->reason});
    } else {
      rest.push_back(std::move(diagnostic));
    }
  }
  report.diagnostics = std::move(rest);
  const bool looked_at_all = !request.selects && !request.shard && !request.dry_run && report.ok;
  for (std::size_t i = 0; looked_at_all && i < matched.size(); ++i) {
    if (matched[i]) continue;
    const Acceptance& entry = profile.accept[i];
    std::string what = "accept: no warning is of the kind " + std::string(to_string(*entry.kind));
    if (entry.path != Acceptance().path) what += " and about \"" + entry.path + "\"";
    report.unmatched.push_back({ErrorCode::kUsage, profile.config_file, entry.place, std::move(what),
                                "the entry matches nothing any more; remove it"});
  }
}

}  // namespace assetc::engine
