// The base of all builds of a session: events, report, and running the steps.
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
  // All arguments outlive it.
  BuildRun(const BuildRequest& request, const BuildServices& services, const Profile& profile);
  ~BuildRun() = default;

  // Adds an error that belongs to no single step to the report. Returns true if there is no error.
  bool goes_on(Result<void> done);
  std::uint64_t budget_bytes() const;
  // Emits how many steps will run and how many are up to date.
  void tell_planned(std::uint64_t sources, std::uint64_t to_run, std::uint64_t cached);
  // Runs the steps of the decision and adds the results to the report. decide_rest: see Runner::after_takers; may be
  // null. rest: see Runner::Context; null if the decision covers all steps.
  Outcome run_steps(BuildPlan& plan, Cache& cache, WritingMark& writing, Scheduler& scheduler,
                    Planner::Decision decision, Runner::DecideRest decide_rest, const AllBut* rest);
  // Emits an event for each pruned file and adds the result to the report.
  void take_pruned(Pruned pruned);
  // Call when the build has ended and its cache is closed.
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
