// What a manager does when, for a profiler's eyes.
#pragma once

#include <cstdint>
#include <string_view>

namespace assetc::runtime {

struct TraceEvent {
  enum class Kind : std::uint8_t {
    kBegin,       // of what the calling thread does, until
    kEnd,         // the same thread says so; they nest
    kAsyncBegin,  // of what goes on beside, known by its name and id, until
    kAsyncEnd,    // some thread says so
    kCounter,
  };
  Kind kind = Kind::kBegin;
  // kBegin, kEnd: "pump", "finalize" and "release" on the thread that pumps, "decode" on a thread of the job system.
  // kAsync: "read". kCounter: "in_flight_bytes", "cpu_bytes", "gpu_bytes", "loading", after each pump. Parts of
  // assets are told as assets are. Literals.
  const char* name = "";
  std::string_view detail{};  // of an asset: its virtual path, or the path in a runtime/ tree; valid during the call
  std::uint64_t value = 0;    // kAsync: the id; kCounter: the value
};

// Called on the thread that it happens on, several at once, and with nothing locked. Unset: nothing is called.
struct Tracer {
  void* context = nullptr;
  void (*event)(void* context, const TraceEvent& event) = nullptr;

  void operator()(const TraceEvent& said) const {
    if (event != nullptr) event(context, said);
  }
};

}  // namespace assetc::runtime
