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

// The results of the steps of a build.
struct Outcome {
  StepSet live;  // all that did not fail, including cached ones
  std::vector<Failure> failures;
  std::vector<StepReport> reports;  // of the steps that ran
  std::vector<Error> troubles;      // errors that kept the build from starting steps or from recording finished ones
  std::uint64_t cached = 0;
  // Steps that alone may need more than the memory budget. The largest one is named.
  struct Oversized {
    std::uint64_t steps = 0;
    std::uint64_t bytes = 0;
    std::string source;
  };
  Oversized oversized;
  // Graphics that were compiled to blocks. The one that lost most is named.
  struct Graphics {
    std::uint64_t pictures = 0;
    std::uint64_t block_bytes = 0, lossless_bytes = 0;
    double worst_db = 0;
    std::string source;
    void add(const texture::GraphicsReport& report, std::string_view of);
  };
  Graphics graphics;
  std::uint64_t not_started = 0;
};

class Runner {
 public:
  struct Context {
    Cache& cache;
    State& state;  // before finish(), only its arena changes
    FileTable& files;
    Publisher& publisher;
    Planner& planner;
    WritingMark& writing;
    Toolchain& toolchain;
    const AssetRules& assets;
    Scheduler& scheduler;
    Events& events;
    const Target& target;
    Store* store = nullptr;
    Store* shared = nullptr;  // `store` in front of one that other machines use
    // If set: outputs go only into the store, and steps that another shard compiles are left to it.
    const Share* share = nullptr;
    bool no_cache = false;
    const AllBut* rest = nullptr;  // steps of the state that need not run, besides those that are decided on
    const Clock* clock = &steady_clock();
  };
  explicit Runner(const Context& context);

  // Sets the function that decides on further steps when every step that may take sources has ended. Call before run().
  using DecideRest = std::function<void(const Taken&, Planner::Decision&)>;
  void after_takers(DecideRest decide) { decide_rest_ = std::move(decide); }

  // Runs the decided steps and all steps that they ask for. If a file of a step cannot be written, only that step
  // fails. If the disk takes no file at all, no more steps are started. Finished steps are recorded.
  void run(Planner::Decision decision);
  // Call after run(). Also puts the new records into the state.
  Outcome finish();

 private:
  // The result of a running step; StepFinished reports it.
  struct Made {
    std::unique_ptr<StepRecord> record;
    std::uint64_t bytes = 0;
    std::uint64_t steps_added = 0;
    Origin origin = Origin::kCooked;
    std::vector<recipes::Statistic> statistics;
    std::vector<Bytes> small;  // the outputs that a store keeps beside the record
  };

  // A step that another step asks for. It joins the decision unless another step asked for it before.
  struct Wanted {
    ChildRecord record;
    Bytes inline_input;
    std::shared_ptr<const Restorable> stored;
  };

  // The result of a step before it is published, whether it was cooked, copied or restored.
  struct StepResult {
    Made made;                   // its record has no signatures and no children yet
    std::vector<Bytes> outputs;  // outputs of the record, in order; publish() empties them
    std::vector<Wanted> children;
  };

  struct Trouble {
    std::vector<recipes::Diagnostic> diagnostics;  // at least one error
    bool stops = false;                            // the disk takes no file: no more steps are started
    std::uint64_t needs_bytes = 0;                 // if not 0: no error, but cook again with so many bytes reserved
  };

  // Adds steps that need not run. claim: other steps run and could want the same files.
  void take(std::vector<CachedStep> cached, bool claim);
  // Claims the names of steps that must run, and starts them. A step fails if another source has taken its name.
  void start(std::vector<Node> nodes);
  void want(Node node);  // push() for the first time
  void push(Node node);
  // Pushes a step as work that waits for its product from the remote store.
  void push_waiting(Scheduler::Work work, const std::shared_ptr<Node>& node, Fetcher::Question question);
  std::uint64_t input_bytes(const Node& node) const;
  double expected_seconds(const Node& node) const;  // only with a shared store
  // Call when a step that may take sources has ended. After the last one, decides on the rest.
  void end_taker();
  void execute(Node& node);
  std::expected<Made, Trouble> make(const Node& node, const std::optional<ContentHash>& key);
  std::unexpected<Trouble> not_published(Error error) const;
  // A result that was made before: of an equal step, or in a store. Nothing if the step must be cooked.
  Result<std::optional<StepResult>> find(const Node& node, const std::optional<ContentHash>& key);
  Result<std::optional<StepResult>> copy(const Node& node, const ContentHash& key);
  StepResult restore(const Node& node, const Restorable& from, const std::optional<ContentHash>& key);
  std::expected<StepResult, Trouble> cook(const Node& node, const std::optional<ContentHash>& key);
  Result<StepResult> cooked(const Node& node, recipes::Product& product, const TrackedInputs& inputs,
                            const std::optional<ContentHash>& key);
  // The stored product of a step; null if it must be cooked.
  std::shared_ptr<const Restorable> stored_of(const Node& node) const;
  // Hands the product of a step to the stores.
  void store(const Node& node, const Made& made, double seconds);
  Result<recipes::Product> cook(const Node& node, TrackedInputs& inputs);
  Result<Wanted> wanted_by(const Node& node, recipes::Step& child);
  // Claims and writes the outputs.
  Result<void> publish(const Node& node, StepResult& result);
  Result<void> adopt(const Node& node, StepResult& result);
  void succeed(const Node& node, Made made, double seconds);
  struct Failed {
    StepName name;
    StepId id;
    Reason reason;
    std::string_view own_source;  // as in Failure
  };
  void fail_step(const Failed& failed, std::vector<recipes::Diagnostic> diagnostics, double seconds,
                 std::vector<std::string> outputs = {});
  void fail_unstarted(const Failed& failed, std::vector<recipes::Diagnostic> diagnostics);
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
  std::atomic<std::size_t> takers_ = 1;  // running steps that may take sources, plus run() while it starts steps

  std::once_flag has_steps_of_sources_;
  std::unordered_map<std::string, std::vector<std::size_t>> steps_of_sources_;  // positions in the state

  std::mutex mutex_;  // guards all members below
  Outcome outcome_;
  std::uint64_t next_order_ = 0;
  std::uint64_t wanted_ = 0;
  std::optional<Error> stop_error_;
};

}  // namespace assetc::engine
