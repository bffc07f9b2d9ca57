#include "engine/run/build_run.hpp"

#include <algorithm>
#include <iterator>
#include <thread>

#include "engine/run/reporting.hpp"

namespace assetc::engine {
namespace {

class Silence final : public EventSink {
  void on(const Event&) override {}
};

EventSink& listener_of(const BuildServices& services) {
  static Silence silence;
  return services.listener != nullptr ? *services.listener : silence;
}

}  // namespace

BuildRun::BuildRun(const BuildRequest& request, const BuildServices& services, const Profile& profile)
    : request_(request),
      services_(services),
      profile_(profile),
      disk_(services.disk),
      target_(*request.target),
      events_(listener_of(services)),
      jobs_(request.jobs > 0 ? request.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()))),
      start_(services.clock.now()) {}

bool BuildRun::goes_on(Result<void> done) {
  if (done) return true;
  const auto is_same = [&](const Error& e) { return e.to_string() == done.error().to_string(); };
  if (std::ranges::none_of(report_.troubles, is_same)) report_.troubles.push_back(std::move(done).error());
  return false;
}

std::uint64_t BuildRun::budget_bytes() const {
  return request_.memory_bytes != 0 ? request_.memory_bytes : disk_.memory_bytes() / 2;
}

void BuildRun::tell_planned(std::uint64_t sources, std::uint64_t to_run, std::uint64_t cached) {
  events_.emit(BuildPlanned{sources, to_run + cached, to_run});
  if (cached != 0) events_.emit(StepsCached{cached});
}

Outcome BuildRun::run_steps(BuildPlan& plan, Cache& cache, WritingMark& writing, Scheduler& scheduler,
                            Planner::Decision decision, Runner::DecideRest decide_rest, const AllBut* rest) {
  // A whole build calls shared() even without a local store, so that the missing local cache is reported.
  const bool asks =
      services_.shared && (!decision.run.empty() || decide_rest) && (rest == nullptr || services_.store != nullptr);
  Runner runner({cache, plan.state, plan.files, plan.publisher, plan.planner, writing, plan.toolchain, plan.assets,
                 scheduler, events_, target_, services_.store, asks ? services_.shared() : nullptr,
                 plan.share ? &*plan.share : nullptr, request_.no_cache, rest, &services_.clock});
  if (decide_rest) runner.after_takers(std::move(decide_rest));
  if (request_.records_waits) scheduler.record_waits();
  runner.run(std::move(decision));
  report_.waits = scheduler.waits();
  Outcome outcome = runner.finish();
  report_.steps = std::move(outcome.reports);
  report_.totals.not_started = outcome.not_started;
  std::ranges::copy(outcome.troubles, std::back_inserter(report_.troubles));
  count_steps(report_);
  return outcome;
}

void BuildRun::take_pruned(Pruned pruned) {
  for (const std::string& path : pruned.removed) events_.emit(OutputRemoved{path});
  report_.removed = std::move(pruned.removed);
  std::ranges::move(pruned.refused, std::back_inserter(report_.troubles));
  report_.totals.files_removed = report_.removed.size();
}

void BuildRun::end() {
  report_.left = cache_stamp(profile_, disk_);
  report_.totals.seconds = seconds_between(start_, services_.clock.now());
}

}  // namespace assetc::engine
