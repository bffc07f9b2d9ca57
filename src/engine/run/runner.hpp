// Runs the steps that must run: cooks or copies, publishes, records.
#pragma once

#include <atomic>
#include <expected>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/plan/plan.hpp"
#include "engine/plan/share.hpp"
#include "engine/plan/taken.hpp"
#include "engine/publish/publish.hpp"
#include "engine/restore/fetcher.hpp"
#include "engine/restore/restorer.hpp"
#include "engine/run/equal_steps.hpp"
#include "engine/run/journal.hpp"
#include "engine/run/output_claims.hpp"
#include "engine/run/report.hpp"
#include "engine/run/scheduler.hpp"
#include "engine/state/cache.hpp"
#include "engine/state/inputs.hpp"
#include "engine/state/step_set.hpp"
#include "engine/state/writing_mark.hpp"

namespace assetc::engine {

// What became of the steps of a build.
struct Outcome {
  StepSet live;  // all that did not fail, cached ones included
  std::vector<Failure> failures;
  std::vector<StepReport> reports;  // of those that ran
  std::vector<Error> troubles;      // what kept the build from starting steps, or from recording what it finished
  std::uint64_t cached = 0;
  // Steps that alone may take more than the budget of memory; the largest is named.
  struct Oversized {
    std::uint64_t steps = 0;
    std::uint64_t bytes = 0;
    std::string source;
  };
  Oversized oversized;
  std::uint64_t not_started = 0;
};

class Runner {
 public:
  struct Context {
    Cache& cache;
    State& state;  // of it only the arena changes before finish()
    FileTable& files;
    Publisher& publisher;
    Planner& planner;
    WritingMark& writing;
    Toolchain& toolchain;
    const AssetRules& assets;
    Scheduler& scheduler;
    Events& events;
    const Target& target;
    LocalStore* store = nullptr;
    LayeredStore* shared = nullptr;  // `store` in front of that of other machines
    const Share* share =
        nullptr;  // set: outputs go into the store alone, and what another shard compiles is left to it
    bool no_cache = false;
    const AllBut* rest = nullptr;  // steps of the state that need not run, beside those that are decided on
    const Clock* clock = &steady_clock();
  };
  explicit Runner(const Context& context);

  // Says what decides on further steps once every step that may take sources has ended. Before run().
  using DecideRest = std::function<void(const Taken&, Planner::Decision&)>;
  void after_takers(DecideRest decide) { decide_rest_ = std::move(decide); }

  // Runs what was decided and whatever it asks for. A step whose files the disk refuses fails alone, unless the disk
  // takes no file at all: then no more are started. What was finished is recorded.
  void run(Planner::Decision decision);
  // After run(): records what was made in the state, too.
  Outcome finish();

 private:
  // A step on its way: what StepFinished says of it.
  struct Made {
    std::unique_ptr<StepRecord> record;
    std::uint64_t bytes = 0;
    std::uint64_t steps_added = 0;
    Origin origin = Origin::kCooked;
    std::vector<recipes::Statistic> statistics;
    std::vector<Bytes> small;  // of its outputs, those that a store keeps beside the record
  };

  struct Trouble {
    std::vector<recipes::Diagnostic> diagnostics;  // at least one error
    bool stops = false;                            // the disk takes no file: no more steps are started
    std::uint64_t needs_bytes = 0;                 // not 0: no trouble but to be cooked again with so much reserved
  };

  // Takes over what need not run. claim: other steps run, and could want the same files.
  void take(std::vector<CachedStep> cached, bool claim);
  // Claims the names of what must run and starts it; a step whose name another source has taken fails.
  void start(std::vector<Node> nodes);
  void want(Node node);  // push() for the first time
  void push(Node node);
  // As work that waits for what the remote store has of it.
  void push_waiting(Scheduler::Work work, const std::shared_ptr<Node>& node, Fetcher::Question question);
  std::uint64_t input_bytes(const Node& node) const;
  // One step that may take sources has ended; after the last one, decides on the rest.
  void end_taker();
  void execute(Node& node);
  std::expected<Made, Trouble> make(const Node& node, const std::optional<ContentHash>& key);
  Result<std::optional<Made>> copy(const Node& node, const ContentHash& key);
  Result<Made> restore(const Node& node, const Restorable& from, const std::optional<ContentHash>& key);
  // What a store has of a step; null where it has to be cooked.
  std::shared_ptr<const Restorable> stored_of(const Node& node) const;
  // Hands what a step made to the stores.
  void store(const Node& node, const Made& made, double seconds);
  Result<recipes::Product> cook(const Node& node, TrackedInputs& inputs);
  Result<void> adopt_children(const Node& node, recipes::Product& product, Made& made);
  // The same of a step that a store had, with all that is inside its source.
  Result<void> adopt_children(const Node& node, const Restorable& from, Made& made);
  // A step that another asked for; it joins the decision unless another asked for it before.
  struct Wanted {
    ChildRecord record;
    Bytes inline_input;
    std::shared_ptr<const Restorable> stored;
  };
  Result<void> adopt(const Node& node, std::vector<Wanted> children, Made& made);
  Result<Made> publish(const Node& node, recipes::Product& product, const TrackedInputs& inputs,
                       const std::optional<ContentHash>& key, Origin origin = Origin::kCooked);
  void succeed(const Node& node, Made made, double seconds);
  void fail_step(const StepName& step, const Reason& reason, std::vector<recipes::Diagnostic> diagnostics,
                 double seconds, std::vector<std::string> outputs = {});
  void fail_unstarted(const StepName& step, const Reason& reason, std::vector<recipes::Diagnostic> diagnostics);
  std::vector<std::string> left_by(const Node& node);
  void fail_step(const Node& node, std::vector<recipes::Diagnostic> diagnostics, double seconds);
  void stop(Error error);

  Context c_;
  OutputClaims claims_;
  EqualSteps equal_;
  std::optional<Restorer> restorer_;
  std::optional<Fetcher> fetcher_;
  Journal journal_;
  std::atomic<bool> stopped_ = false;
  DecideRest decide_rest_;
  std::atomic<std::size_t> takers_ = 1;  // steps under way that may take sources, and run() until it has started all

  std::once_flag has_steps_of_sources_;
  std::unordered_map<std::string, std::vector<std::size_t>> steps_of_sources_;  // positions in the state

  std::mutex mutex_;  // of all below
  Outcome outcome_;
  std::uint64_t next_order_ = 0;
  std::uint64_t wanted_ = 0;
  std::optional<Error> stop_error_;
};

}  // namespace assetc::engine
