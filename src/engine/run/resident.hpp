// The state that a session keeps after a build, so that the next build can continue from it.
#pragma once

#include <map>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "engine/plan/discover.hpp"
#include "engine/run/build_plan.hpp"
#include "engine/run/cache_stamp.hpp"
#include "engine/state/relations.hpp"
#include "engine/state/totals.hpp"

namespace assetc::engine {

// The result of a build in which nothing failed.
struct LastBuild {
  Profile profile;
  ContentHash environment;  // environment_of()
  CacheStamp cache;
  Tree input, output;
  Totals totals;
  std::vector<recipes::Diagnostic> diagnostics;  // without those that are reported by that build only
};

struct Resident {
  Resident(const BuildRequest& request, LastBuild last_build, Disk& disk, std::unique_ptr<Cache> cache);

  // Reads the records. Returns false if a build that continues from here could not know everything that a build from
  // the start does.
  bool read(const BuildRequest& request);

  // Keep and remove the diagnostics of a record's step, by its source and stem.
  void say(const StepRecord& record);
  void unsay(const StepRecord& record);
  // The source at a file or folder of the input; nullopt if no recipe takes it.
  std::optional<Source> source_at(std::size_t entry) const;
  // Identifies a source in any letter case: two sources with the same id are in conflict.
  StepId claim_id(const Source& source);

  LastBuild last;
  Workspace space;  // its trees are those of the plan; not sorted after a build has continued from here
  Disk::Skip skip;
  ClaimIndex file_claims, folder_claims;
  BuildPlan plan;  // its records are those of the last build, all of steps that are wanted
  Relations relations;
  std::unordered_set<StepId> claims;
  std::unordered_set<StepId> shared_claims;  // ids that several sources have; `prefer:` chooses one of them
  std::vector<std::string> unclaimed;
  std::map<std::pair<std::string, std::string>, std::vector<recipes::Diagnostic>> said;
  std::vector<recipes::Diagnostic> others;  // diagnostics that belong to no single step

  // Work that failed builds have left to the next build.
  std::vector<std::string> again;  // changed paths
  std::vector<StepId> gone;        // steps that are gone but whose outputs still exist
  bool has_failed = false;
};

}  // namespace assetc::engine
