// What a build tells while it runs: typed, so that a progress bar, plain lines and JSON are three printers of one
// thing.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "recipes/recipe.hpp"

namespace assetc::engine {

enum class ReasonKind : std::uint8_t {
  kNoRecord,          // never built, or its last attempt failed
  kNoCache,           // --no-cache
  kInputChanged,      // subject: path
  kInputAppeared,     // subject: a path that was looked for and was not there
  kInputVanished,     // subject: path
  kListingChanged,    // subject: directory
  kAssetChanged,      // subject: a path that becomes another asset, or none
  kSourceChanged,     // another source makes this now; before, after
  kSettingChanged,    // subject: "texture.quality", before, after
  kParamsChanged,     // what the parent step asks for; subject: name, before, after
  kRecipeVersion,     // before, after
  kToolchainChanged,  // subject: a library or program, before, after
  kOutputMissing,     // subject: path
  kOutputModified,    // subject: path
  kNeededByChild,     // subject: the step whose input is inside this one's source
};
// A stable name for JSON: "input_changed".
std::string_view to_string(ReasonKind kind);

// Why a step ran.
struct Reason {
  ReasonKind kind = ReasonKind::kNoRecord;
  std::string subject;
  std::string before;
  std::string after;
  // "input changed: models/chair.bin", "setting changed: texture.quality normal -> fast"
  std::string to_string() const;
};

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
