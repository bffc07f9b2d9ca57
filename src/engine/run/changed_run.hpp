// A build that goes on from what the last one knew, and looks only at what changed since.
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
  // resident: of the last build; of no use any more where this build gives up.
  ChangedRun(const BuildRequest& request, const BuildServices& services, const Profile& profile, Resident& resident)
      : BuildRun(request, services, profile), r_(resident), plan_(resident.plan), tree_(resident.space.input) {}

  // The build; or why it takes one that looks at everything, which is to follow at once. What was done before that came
  // out is then in begun, the cache as it was found and left too: to that build it is as if this one had been killed.
  // Once.
  std::expected<Report, WholeReason> run(const std::vector<std::string>& changed, Report& begun);

 private:
  using Relation = Relations::Kind;

  // Takes the lock.
  std::optional<WholeReason> open();
  std::optional<WholeReason> go_on(const std::vector<std::string>& changed);
  // Takes a path into the tree as it is now. Why where that says more than that a file came, changed or went.
  std::optional<WholeKind> look(const std::string& path);
  // Whether what is said of what the walk leaves out stays as it is.
  bool is_noted_rightly(const std::string& path, bool is_hidden) const;
  void touch(Relation kind, std::string_view text);
  // What a path's coming or going says of others; nothing where that is nothing.
  std::optional<WholeKind> said_of_coming(const std::string& path) const;
  // Whether it lies in a folder that is one asset: what is there is no source.
  bool is_in_asset(std::string_view path) const;
  std::optional<WholeKind> come(const std::string& path, const FileSignature& signature);
  std::optional<WholeKind> go(const std::string& path, std::size_t entry);
  // Whether the index may say something of a step that is no other's.
  bool names_matter(const StepRecord& record) const;
  Node node_of(const Source& source);
  // Decides on the sources that have to do with what changed.
  std::optional<WholeReason> decide(Planner::Decision& decision);
  // The steps that must run and what they asked for last time, as recorded.
  void reopen(const StepId& id, std::unordered_set<StepId>& open);
  std::optional<WholeReason> execute(Planner::Decision decision);
  // Takes what ran into what is known. Why where it changes what is known of other steps.
  std::optional<WholeReason> adopt();
  void take(const StepId& id, const StepRecord& record, bool says = true);
  bool is_of_same_shape(const StepRecord& before, const StepRecord& now) const;
  bool is_listed(const StepRecord& record) const;
  void count_outputs(const StepRecord& record, int sign);
  void finish();
  // Outputs of steps that are gone, and those that steps made last time and no more.
  Pruned prune_gone(LogWriter& log);
  void sum_up();
  // Whether a step reads a file beside its input.
  bool is_read(const std::string& path);

  Resident& r_;
  BuildPlan& plan_;
  Tree& tree_;
  Workspace space_;  // without trees
  std::vector<StepId> touched_;
  std::map<std::uint32_t, Source> sources_;  // to be decided on, by entry
  std::unordered_map<StepId, StepRef> before_;
  Outcome outcome_;
  StepRecord scratch_;
};

}  // namespace assetc::engine
