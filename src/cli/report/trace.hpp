// The file of --trace: a timeline of a build for Perfetto, chrome://tracing and Tracy's importer.
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

// Records the events of a build and forwards them. Source: Trace Event Format (Google), with complete ("X"), instant
// ("i"), asynchronous ("b", "e") and metadata ("M") events. Times are in microseconds since the recorder was created.
class TraceRecorder final : public engine::EventSink {
 public:
  explicit TraceRecorder(engine::EventSink& next) : next_(next), start_(Clock::now()) {}
  void on(const engine::Event& event) override;
  // Adds a span of the whole build, such as "plan".
  void span(std::string_view name, double from_us, double to_us);
  double now_us() const { return us(Clock::now()); }
  // Adds the transfers to and from a shared cache, in separate rows.
  void add_transfers(std::span<const engine::TransferRecord> records);
  // Adds the times in which threads had no step, in separate rows.
  void add_waits(std::span<const engine::WaitRecord> records);
  // Adds the wait for uploads, from from_us until now.
  void add_upload_wait(double from_us);
  // Returns the text of the file. The recording ends.
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
  double last_step_us_ = 0;                         // end of the last step; end of the plan if no step ran
  std::map<std::thread::id, std::size_t> threads_;  // numbers from 1, in order of appearance; 0 is the build
  std::string text_;
};

}  // namespace assetc::cli
