// Where the time of a build went: a file that Perfetto, chrome://tracing and Tracy's importer read.
#pragma once

#include <chrono>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <thread>

#include "base/json_line.hpp"
#include "engine/remote/transfers.hpp"
#include "engine/run/events.hpp"
#include "engine/run/waits.hpp"

namespace assetc::cli {

// Records the events of a build and hands them on. Source: Trace Event Format (Google), complete ("X"), instant ("i"),
// asynchronous ("b", "e") and metadata ("M") events, times in microseconds since the recorder was made.
class TraceRecorder final : public engine::EventSink {
 public:
  explicit TraceRecorder(engine::EventSink& next) : next_(next), start_(Clock::now()) {}
  void on(const engine::Event& event) override;
  // A span of the whole build, such as reading what to build.
  void span(std::string_view name, double from_us, double to_us);
  double now_us() const { return us(Clock::now()); }
  // What went to and came from a shared cache, in rows of its own.
  void add_transfers(std::span<const engine::TransferRecord> records);
  // When threads had no step, in rows of its own.
  void add_waits(std::span<const engine::WaitRecord> records);
  // Until now the build waited for uploads.
  void add_upload_wait(double from_us);
  // The file's text; ends the recording.
  std::string finish();

 private:
  using Clock = std::chrono::steady_clock;
  std::size_t thread();
  double us(Clock::time_point at) const { return std::chrono::duration<double, std::micro>(at - start_).count(); }
  void slice(std::string_view name, std::string_view category, std::uint64_t id, double from_us, double to_us,
             const JsonObject& args);
  void step(const engine::StepName& step, const engine::Reason& reason, double seconds, std::string_view verb,
            std::uint64_t bytes);
  void add(std::string_view line) { text_.append(text_.empty() ? "" : ",\n").append(line); }

  engine::EventSink& next_;
  Clock::time_point start_;
  double last_step_us_ = 0;                         // or the plan's end, where no step ran
  std::map<std::thread::id, std::size_t> threads_;  // numbered as they appear, from 1; 0 is the build itself
  std::string text_;
};

}  // namespace assetc::cli
