// A build that looks at everything.
#pragma once

#include <set>

#include "engine/run/build_run.hpp"
#include "engine/run/clean_mark.hpp"
#include "engine/run/resident.hpp"
#include "engine/run/workspace.hpp"

namespace assetc::engine {

class WholeRun final : public BuildRun {
 public:
  WholeRun(const BuildRequest& request, const BuildServices& services, const Profile& profile)
      : BuildRun(request, services, profile) {}

  // Errors: as of Session::apply. Once.
  Result<Report> run();
  // After run(): what the next build can go on from. Null where that has to look at everything too.
  std::unique_ptr<LastBuild> take_last() { return std::move(last_); }

 private:
  // Walks done: decides on the steps of all sources.
  Result<void> make(BuildPlan& plan, Scheduler& scheduler, std::optional<std::int64_t> distrusted_since_ns);
  // Decides on the sources that are steps of their own whoever takes them, or, where `taken` says who takes what, on
  // the others.
  void decide(BuildPlan& plan, const Taken* taken, Planner::Decision& decision);
  void drop_conflicts_of_taken(BuildPlan& plan, const Taken& taken);
  bool selected(std::string_view source) const;

  void say_again(Summary summary);
  void predict_all(BuildPlan& plan);
  void execute_share(BuildPlan& plan, Scheduler& scheduler, WritingMark& writing);
  void execute(BuildPlan& plan, Scheduler& scheduler, CleanMark& clean, WritingMark& writing);
  Outcome run_all(BuildPlan& plan, Scheduler& scheduler, WritingMark& writing);
  // What of the whole a share can tell: that rules match nothing, or that nobody takes a file, is not.
  void finish(BuildPlan& plan, const StepSet& live, std::span<const Failure> failures);
  Result<void> write_index(BuildPlan& plan, const StepSet& live);
  // The mark is of what was written. Where the walk finds something else there is none, and the build has failed.
  Result<void> leave_mark(const BuildPlan& plan, CleanMark& clean, const StepSet& live);

  // Each once, whenever the damage shows.
  void tell_dropped(const std::string& dropped);
  // Of this build alone: the next finds its own preset.
  void tell_other_preset();
  // Where records were lost nothing else tells of files whose sources are gone. Of this build alone: the next has
  // records, and check compares with them.
  void tell_unknown(const StepSet& live);
  // Under the lock still.
  void keep_last();

  Workspace space_;
  std::set<std::string> told_dropped_;
  bool knows_little_ = false;  // records of earlier builds are lost, or there were none
  ContentHash environment_;
  bool is_known_ = false;      // both trees are as this build leaves them
  std::size_t told_once_ = 0;  // diagnostics, the last ones, that are of this build alone
  std::unique_ptr<LastBuild> last_;
};

}  // namespace assetc::engine
