// A build that may go on: all that it knew in the end, and who has to do with what.
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

// A build in which nothing failed, as it left everything.
struct LastBuild {
  Profile profile;
  ContentHash environment;  // environment_of()
  CacheStamp cache;
  Tree input, output;
  Totals totals;
  std::vector<recipes::Diagnostic> diagnostics;  // but those of that build alone
};

struct Resident {
  Resident(const BuildRequest& request, LastBuild last_build, Disk& disk, std::unique_ptr<Cache> cache);

  // Reads the records. False where builds from here could not know all that a build from the start does.
  bool read(const BuildRequest& request);

  // Under a record's source and stem, what is said of its step.
  void say(const StepRecord& record);
  void unsay(const StepRecord& record);
  // The source that a file or folder of the input is; nothing where no recipe takes it.
  std::optional<Source> source_at(std::size_t entry) const;
  // Of a source, whatever the letter case: two of one are a conflict.
  StepId claim_id(const Source& source);

  LastBuild last;
  Workspace space;  // its trees are the plan's, and without an order once builds have gone on from here
  Disk::Skip skip;
  ClaimIndex file_claims, folder_claims;
  BuildPlan plan;  // its records are those of the last build, and all of them are of steps that are wanted
  Relations relations;
  std::unordered_set<StepId> claims;
  std::unordered_set<StepId> shared_claims;  // of several sources, of which `prefer:` chooses one
  std::vector<std::string> unclaimed;
  std::map<std::pair<std::string, std::string>, std::vector<recipes::Diagnostic>> said;
  std::vector<recipes::Diagnostic> others;  // what is said of no step alone

  // What builds that failed have left to the next.
  std::vector<std::string> again;  // changed paths
  std::vector<StepId> gone;        // steps whose outputs are still there
  bool has_failed = false;
};

}  // namespace assetc::engine
