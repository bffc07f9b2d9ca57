// Trace events of a manager, for a profiler.
#pragma once

#include <cstdint>
#include <string_view>

namespace assetc::runtime {

struct TraceEvent {
  enum class Kind : std::uint8_t {
    kBegin,       // the calling thread starts an activity
    kEnd,         // the same thread ends it; activities nest
    kAsyncBegin,  // a concurrent activity starts, identified by name and value
    kAsyncEnd,    // any thread ends it
    kCounter,
    kWaits,  // an asset waits
  };
  Kind kind = Kind::kBegin;
  // A string literal. Parts of assets have the same events as assets.
  // - kBegin, kEnd: "pump", "finalize" and "release" on the thread that pumps; "decode" on a thread of the job system.
  // - kAsyncBegin, kAsyncEnd: "read".
  // - kCounter, after each pump: "in_flight_bytes", "cpu_bytes", "gpu_bytes", "loading".
  // - kWaits, after each pump: the reason, as to_string(Waits) gives it, for the most urgent asset of each queue that
  //   waits for room, a source, a retry, a processor, the GPU budget or its device object.
  const char* name = "";
  std::string_view detail{};  // of an asset: its virtual path, or its path in a runtime/ tree; valid during the call
  // kAsyncBegin, kAsyncEnd: the id; kCounter: the value; kWaits: how many assets are in its queue
  std::uint64_t value = 0;
};

// Receives trace events. Called on the thread of the event, on several threads at once, without a lock held. If event
// is null, nothing is called.
struct Tracer {
  void* context = nullptr;
  void (*event)(void* context, const TraceEvent& event) = nullptr;

  void operator()(const TraceEvent& said) const {
    if (event != nullptr) event(context, said);
  }
};

}  // namespace assetc::runtime
