// One build in its phases. Internal to build.cpp and engine.cpp.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/plan/discover.hpp"
#include "engine/plan/plan.hpp"
#include "engine/publish/publish.hpp"
#include "engine/run/build.hpp"
#include "engine/run/scheduler.hpp"
#include "engine/state/cache.hpp"
#include "engine/state/inputs.hpp"
#include "engine/state/state.hpp"

namespace assetc::engine {

// Runs the steps that must run: cooks or copies, publishes, records. What it learns goes to the cache in batches and to
// the caller's State when all has ended; until then the State does not change.
class Runner {
 public:
  struct Context {
    const Options& options;
    Disk& disk;
    Cache& cache;
    State& state;
    FileTable& files;
    Publisher& publisher;
    SettingsTable& settings;
    Planner& planner;
    EventSink& events;
    std::mutex& events_mutex;
  };

  explicit Runner(const Context& context);

  // A step that need not run; it takes part in telling whether two steps publish one file.
  void add_cached(const CachedStep& step);
  // Records whose signatures were renewed while planning.
  void add_renewed(const std::vector<std::shared_ptr<StepRecord>>& records);
  // Errors: kIo when the disk refuses; what was finished before is recorded.
  Result<void> run(Scheduler& scheduler, std::vector<Node> nodes);

  // After run(): moves what was made into the state.
  void finish();

  struct Failure {
    std::string source;
    std::vector<recipes::Diagnostic> diagnostics;
  };
  std::vector<Failure>& failures() { return failures_; }
  std::vector<StepReport>& reports() { return reports_; }
  // Steps that take part in this build besides those of add_cached().
  std::vector<std::pair<std::shared_ptr<const StepRecord>, bool>>& live() { return live_; }  // and whether listed
  std::uint64_t cached_children() const { return cached_children_; }

 private:
  using Clock = std::chrono::steady_clock;

  void push(Node node);
  void execute(Node& node);
  Result<std::shared_ptr<StepRecord>> copy(const Node& node, const ContentHash& key, std::uint64_t& bytes);
  Result<recipes::Product> cook(const Node& node, TrackedInputs& inputs);
  Result<void> adopt_children(const Node& node, recipes::Product& product, StepRecord& record, std::uint64_t& added);
  Result<void> claim_output(const Node& node, std::string_view path);
  Result<std::shared_ptr<StepRecord>> publish(const Node& node, recipes::Product& product, const TrackedInputs& inputs,
                                              const std::optional<ContentHash>& key, std::uint64_t& bytes);
  void succeed(const Node& node, std::shared_ptr<const StepRecord> record, double seconds, bool copied,
               std::uint64_t bytes, std::uint64_t added, const std::optional<recipes::RdoResult>& rdo);
  void fail_step(const Node& node, std::vector<recipes::Diagnostic> diagnostics, double seconds);
  void stop(Error error);
  void release_key(const ContentHash& key);
  bool wait_for_key(const Node& node, const ContentHash& key);
  Result<void> commit_if_due(bool now);
  void emit(Event event);
  std::vector<recipes::Diagnostic> located(const Node& node, std::vector<recipes::Diagnostic> diagnostics) const;

  Context c_;
  Scheduler* scheduler_ = nullptr;

  std::mutex mutex_;  // of all below
  std::vector<std::shared_ptr<const StepRecord>> finished_;
  std::vector<std::pair<std::shared_ptr<const StepRecord>, bool>> live_;
  std::vector<Failure> failures_;
  std::vector<StepReport> reports_;
  std::vector<std::string> orphans_;
  struct Owner {
    StepId step;
    std::string source;
  };
  std::unordered_map<std::string, Owner> owners_;               // by lower-case output path
  std::unordered_map<StepId, std::string> scheduled_;           // steps of this build -> source
  std::unordered_map<ContentHash, std::vector<Node>> waiting_;  // for the step of this key that runs now
  std::unordered_map<ContentHash, std::vector<std::shared_ptr<const StepRecord>>> by_key_;
  std::uint64_t next_order_ = 0;
  std::atomic<std::uint64_t> cached_children_ = 0;
  std::atomic<bool> stopped_ = false;
  std::optional<Error> stop_error_;

  std::mutex cache_mutex_;
  LogWriter log_;
  Clock::time_point last_commit_ = Clock::now();
};

// Diagnostics of a record, as the user gets them.
std::vector<recipes::Diagnostic> diagnostics_of(const StepRecord& record);

}  // namespace assetc::engine
