// What every build of a session does alike: its events, its report, and how its steps are run.
#pragma once

#include "engine/config/config.hpp"
#include "engine/publish/prune.hpp"
#include "engine/run/build_plan.hpp"
#include "engine/run/report.hpp"
#include "engine/run/request.hpp"
#include "engine/run/runner.hpp"
#include "engine/run/scheduler.hpp"

namespace assetc::engine {

class BuildRun {
 public:
  BuildRun(const BuildRun&) = delete;
  BuildRun& operator=(const BuildRun&) = delete;

 protected:
  // All outlive it.
  BuildRun(const BuildRequest& request, const BuildServices& services, const Profile& profile);
  ~BuildRun() = default;

  // Takes the error of what concerns no single step; true without one.
  bool goes_on(Result<void> done);
  std::uint64_t budget_bytes() const;
  // Tells how many steps are to run, and how many are as they were.
  void tell_planned(std::uint64_t sources, std::uint64_t to_run, std::uint64_t cached);
  // Runs what was decided, and takes into the report what became of it. decide_rest: see Runner::after_takers; may be
  // null. rest: see Runner::Context; null where the decision is on all steps.
  Outcome run_steps(BuildPlan& plan, Cache& cache, WritingMark& writing, Scheduler& scheduler,
                    Planner::Decision decision, Runner::DecideRest decide_rest, const AllBut* rest);
  // Tells of what was pruned, and takes it into the report.
  void take_pruned(Pruned pruned);
  // The build has ended; its cache is closed.
  void end();

  const BuildRequest& request_;
  const BuildServices& services_;
  const Profile& profile_;
  Disk& disk_;
  const Target& target_;
  Events events_;
  const int jobs_;
  const Clock::Time start_;
  Report report_;
};

}  // namespace assetc::engine
