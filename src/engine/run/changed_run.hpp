// A build that continues from the last one and looks only at what changed since.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/run/build_run.hpp"
#include "engine/run/resident.hpp"
#include "engine/run/whole_reason.hpp"

namespace assetc::engine {

class ChangedRun final : public BuildRun {
 public:
  // resident: of the last build. It must not be used again if this build gives up.
  ChangedRun(const BuildRequest& request, const BuildServices& services, const Profile& profile, Resident& resident)
      : BuildRun(request, services, profile), r_(resident), plan_(resident.plan), tree_(resident.space.input) {}

  // Returns the report, or the reason why a build that looks at everything must follow at once. In the second case
  // `begun` holds what was done until then, including the cache stamps found and left. To the following build, this is
  // as if this build had been killed. Call once.
  std::expected<Report, WholeReason> run(const std::vector<std::string>& changed, Report& begun);

 private:
  using Relation = Relations::Kind;

  // Takes the lock.
  std::optional<WholeReason> open();
  std::optional<WholeReason> go_on(const std::vector<std::string>& changed);
  // Updates a path in the tree. Returns a reason if more has happened than that a file was added, changed or removed.
  std::optional<WholeKind> look(const std::string& path);
  // Whether the notes of files that the walk leaves out remain correct.
  bool is_noted_rightly(const std::string& path, bool is_hidden) const;
  void touch(Relation kind, std::string_view text);
  void touch_set(std::string_view path, std::string_view folder);
  // Why adding or removing a path affects more than its own step; nullopt if it does not.
  std::optional<WholeKind> said_of_coming(const std::string& path) const;
  // Whether the path lies in a folder that is one asset. Files there are no sources.
  bool is_in_asset(std::string_view path) const;
  std::optional<WholeKind> come(const std::string& path, const FileSignature& signature);
  std::optional<WholeKind> go(const std::string& path, std::size_t entry);
  // Whether other files may depend on the names of a step's outputs: an index, which lists them all, or references.
  bool names_matter(const StepRecord& record) const;
  Node node_of(const Source& source);
  // Decides on the sources that are affected by the changes.
  std::optional<WholeReason> decide(Planner::Decision& decision);
  // Collects the recorded steps that must run, and those that they asked for last time.
  void reopen(const StepId& id, std::unordered_set<StepId>& open);
  std::optional<WholeReason> execute(Planner::Decision decision);
  // Takes the results into the kept state. Returns a reason if they change what is known of other steps.
  std::optional<WholeReason> adopt();
  void take(const StepId& id, const StepRecord& record, bool says = true);
  bool is_of_same_shape(const StepRecord& before, const StepRecord& now) const;
  bool is_listed(const StepRecord& record) const;
  void count_outputs(const StepRecord& record, int sign);
  void finish();
  // Removes the outputs of steps that are gone, and those that steps made last time and do not make any more.
  Pruned prune_gone(LogWriter& log);
  void sum_up();
  // Whether a step reads a file besides its input.
  bool is_read(const std::string& path);

  Resident& r_;
  BuildPlan& plan_;
  Tree& tree_;
  Workspace space_;  // without trees
  std::vector<StepId> touched_;
  std::map<std::uint32_t, Source> sources_;  // sources to decide on, by entry
  std::unordered_map<StepId, StepRef> before_;
  Outcome outcome_;
  StepRecord scratch_;
};

}  // namespace assetc::engine
