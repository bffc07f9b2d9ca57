// What a build tells while it runs: typed, so that a progress bar, plain lines and JSON are three printers of one
// thing.
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
  std::string source;  // for people: "models/chair.glb image 3 (wood.png)"
  std::string stem;
  std::string mode = {};  // what its source is used as: "normal"; empty where its recipe knows one use
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

// Once, when the sources are known and the records read.
struct BuildPlanned {
  std::uint64_t sources = 0;
  std::uint64_t steps_known = 0;  // steps that asked-for steps add come later
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
  std::uint64_t steps_added = 0;  // children found, cached ones included
  std::vector<recipes::Diagnostic> diagnostics;
  std::vector<recipes::Statistic> statistics;  // of its cook; none of a copy
  std::string file;                            // the source that its input is, or lies in
};
struct StepFailed {
  StepName step;
  Reason reason;
  double seconds = 0;
  std::vector<recipes::Diagnostic> diagnostics;  // at least one error
};
// Many at once: a no-op build reports a hundred thousand of them in one event.
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
  std::string what;  // why, for people
};

using Event = std::variant<BuildPlanned, StepStarted, StepFinished, StepFailed, StepsCached, StepQueued, OutputRemoved,
                           CacheDropped>;

// Called by one thread at a time, from any thread; must not call the build.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void on(const Event& event) = 0;
};

// Events of many threads, one at a time.
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
