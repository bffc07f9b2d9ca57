// A build that looks at everything.
#pragma once

#include <set>

#include "engine/publish/index.hpp"
#include "engine/run/build_run.hpp"
#include "engine/run/clean_mark.hpp"
#include "engine/run/resident.hpp"
#include "engine/run/workspace.hpp"

namespace assetc::engine {

class WholeRun final : public BuildRun {
 public:
  WholeRun(const BuildRequest& request, const BuildServices& services, const Profile& profile)
      : BuildRun(request, services, profile) {}

  // Errors: same as Session::apply. Call once.
  Result<Report> run();
  // After run(): the state from which the next build can continue. Null if the next build must look at everything too.
  std::unique_ptr<LastBuild> take_last() { return std::move(last_); }

 private:
  // After the walks: decides on the steps of all sources.
  Result<void> make(BuildPlan& plan, Scheduler& scheduler, std::optional<std::int64_t> distrusted_since_ns);
  // Without `taken`: decides on the sources that are always steps of their own. With `taken`, which tells which sources
  // are taken by others: decides on the rest.
  void decide(BuildPlan& plan, const Taken* taken, Planner::Decision& decision);
  void drop_conflicts_of_taken(BuildPlan& plan, const Taken& taken);
  bool selected(std::string_view source) const;

  void say_again(Summary summary);
  void predict_all(BuildPlan& plan);
  void execute_share(BuildPlan& plan, Scheduler& scheduler, WritingMark& writing);
  void execute(BuildPlan& plan, Scheduler& scheduler, CleanMark& clean, WritingMark& writing);
  Outcome run_all(BuildPlan& plan, Scheduler& scheduler, WritingMark& writing);
  // Fills in the report. A share leaves out what only a whole build can tell: rules that match nothing and files that
  // no recipe takes.
  void finish(BuildPlan& plan, const StepSet& live, std::span<const Failure> failures);
  // Writes the index, or an incomplete one. Returns whether it is complete.
  bool publish_index(BuildPlan& plan, const Outcome& outcome);
  Result<void> write_index(BuildPlan& plan, const Index& index, bool is_incomplete);
  void tell_loose(std::span<const LooseReference> loose);
  // What an index lists if steps failed: the same as if their sources, and those that depend on them, did not exist.
  StepSet listable(BuildPlan& plan, const StepSet& live);
  // Leaves the clean mark for the files that were written. If the walk finds anything else, it leaves no mark, and the
  // build has failed.
  Result<void> leave_mark(const BuildPlan& plan, CleanMark& clean, const StepSet& live);

  // Reports each kind of damage once, no matter when it is found.
  void tell_dropped(const std::string& dropped);
  // For this build only: the next build finds its own preset.
  void tell_other_preset();
  // If records were lost, nothing else reports files whose sources are gone. For this build only: the next build has
  // records, and `check` compares with them.
  void tell_unknown(const StepSet& live);
  // Called while the lock is still held.
  void keep_last();

  Workspace space_;
  std::set<std::string> told_dropped_;
  bool knows_little_ = false;  // records of earlier builds are lost, or there were none
  ContentHash environment_;
  bool is_known_ = false;  // both trees are as this build leaves them
  // Files that an incomplete index lists, and those of records that it does not list; in byte order.
  std::vector<std::string> listed_, unlisted_;
  SharedFiles::Table shared_;  // as the index says
  std::size_t told_once_ = 0;  // how many diagnostics, at the end of the list, are for this build only
  std::unique_ptr<LastBuild> last_;
};

}  // namespace assetc::engine
