// Events of a running build. They are typed, so that a progress bar, plain lines and JSON can all be printed from the
// same events.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/plan/reason.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {

struct StepName {
  std::string recipe;  // "texture"
  std::string source;  // for display: "models/chair.glb image 3 (wood.png)"
  std::string stem;
  std::string mode = {};  // how its source is used: "normal"; empty if the recipe has one use only
  bool operator==(const StepName&) const = default;
};
// params: encode_params().
StepName step_name(std::string_view recipe, std::string_view source, std::string_view stem, std::string_view params);

// Where a step's outputs come from.
enum class Origin : std::uint8_t {
  kCooked,
  kCopied,    // from another step of the same key
  kRestored,  // from a store
};

// Emitted once, when the sources are known and the records are read.
struct BuildPlanned {
  std::uint64_t sources = 0;
  std::uint64_t steps_known = 0;  // steps that running steps ask for are added later
  std::uint64_t steps_to_run = 0;
};
struct StepStarted {
  StepName step;
  Reason reason;
};
struct StepFinished {
  StepName step;
  Reason reason;
  double seconds = 0;
  std::uint64_t bytes = 0;  // of all its outputs
  Origin origin = Origin::kCooked;
  std::uint64_t steps_added = 0;  // children found, including cached ones
  std::vector<recipes::Diagnostic> diagnostics;
  std::vector<recipes::Statistic> statistics;  // of its cook; empty for a copy
  std::string file;                            // the source file that its input is or lies in
};
struct StepFailed {
  StepName step;
  Reason reason;
  double seconds = 0;
  std::vector<recipes::Diagnostic> diagnostics;  // at least one error
};
// Many steps at once: a no-op build reports a hundred thousand steps in one event.
struct StepsCached {
  std::uint64_t count = 0;
};
struct StepQueued {  // a child that must run was found: the total grows
  StepName step;
};
struct OutputRemoved {
  std::string path;
};
struct CacheDropped {
  std::string what;  // the reason, for display
};

using Event = std::variant<BuildPlanned, StepStarted, StepFinished, StepFailed, StepsCached, StepQueued, OutputRemoved,
                           CacheDropped>;

// on() is called by one thread at a time, from any thread. It must not call the build.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on(const Event& event) = 0;
};

// Serializes events of many threads.
class Events {
 public:
  explicit Events(EventSink& sink) : sink_(sink) {}
  void emit(const Event& event) {
    const std::lock_guard lock(mutex_);
    sink_.on(event);
  }

 private:
  EventSink& sink_;
  std::mutex mutex_;
};

}  // namespace assetc::engine
