#include "cli/report/trace.hpp"

#include <algorithm>

#include "cli/report/progress.hpp"

namespace assetc::cli {
namespace {

JsonObject trace_event(std::string_view name, std::string_view category, std::string_view phase, double at_us,
                       std::size_t thread) {
  JsonObject object;
  return object.add("name", name)
      .add("cat", category)
      .add("ph", phase)
      .add("ts", at_us)
      .add("pid", 1)
      .add("tid", thread);
}

}  // namespace

std::size_t TraceRecorder::thread() {
  const auto [at, is_new] = threads_.try_emplace(std::this_thread::get_id(), threads_.size() + 1);
  return at->second;
}

void TraceRecorder::step(const engine::StepName& step, const engine::Reason& reason, double seconds,
                         std::string_view verb, std::uint64_t bytes) {
  const double end = last_step_us_ = now_us();
  const double took = std::min(seconds * 1e6, end);
  JsonObject args;
  args.add("stem", step.stem).add("reason", reason.to_string()).add("outcome", verb).add("bytes", bytes);
  add(trace_event(text_of(step), step.recipe, "X", end - took, thread()).add("dur", took).add("args", args).str());
}

void TraceRecorder::span(std::string_view name, double from_us, double to_us) {
  add(trace_event(name, "build", "X", from_us, 0).add("dur", to_us - from_us).str());
}

void TraceRecorder::on(const engine::Event& event) {
  if (const auto* planned = std::get_if<engine::BuildPlanned>(&event)) {
    last_step_us_ = now_us();
    span("plan", 0, last_step_us_);
    JsonObject args;
    args.add("sources", planned->sources).add("steps_to_run", planned->steps_to_run);
    add(trace_event("planned", "build", "i", last_step_us_, 0).add("s", "p").add("args", args).str());
  } else if (const auto* finished = std::get_if<engine::StepFinished>(&event)) {
    step(finished->step, finished->reason, finished->seconds, verb_of(finished->origin), finished->bytes);
  } else if (const auto* failed = std::get_if<engine::StepFailed>(&event)) {
    step(failed->step, failed->reason, failed->seconds, "failed", 0);
  }
  next_.on(event);
}

// An asynchronous slice. Overlapping slices of one category differ by their id.
void TraceRecorder::slice(std::string_view name, std::string_view category, std::uint64_t id, double from_us,
                          double to_us, const JsonObject& args) {
  add(trace_event(name, category, "b", from_us, 0).add("id", id).add("args", args).str());
  add(trace_event(name, category, "e", to_us, 0).add("id", id).str());
}

void TraceRecorder::add_transfers(std::span<const engine::TransferRecord> records) {
  constexpr std::string_view kVerbs[] = {"GET", "HEAD", "PUT"};
  std::uint64_t number = 0;
  for (const engine::TransferRecord& record : records) {
    const std::string name(kVerbs[static_cast<std::size_t>(record.method)]);
    JsonObject args;
    args.add("path", record.path).add("status", record.status).add("bytes", record.bytes);
    slice(name, "transfer", ++number, us(record.begin), us(record.end), args);
  }
}

void TraceRecorder::add_waits(std::span<const engine::WaitRecord> records) {
  constexpr std::string_view kNames[] = {"wait for memory", "wait for the shared cache", "wait for steps"};
  for (const engine::WaitRecord& record : records)
    slice(kNames[static_cast<std::size_t>(record.kind)], "wait", record.thread + 1, us(record.begin), us(record.end),
          {});
}

void TraceRecorder::add_upload_wait(double from_us) { slice("wait for uploads", "wait", 0, from_us, now_us(), {}); }

std::string TraceRecorder::finish() {
  const double end = now_us();
  span("build", 0, end);
  span("index and records", last_step_us_, end);
  const auto name = [&](std::size_t thread, const std::string& text) {
    JsonObject args;
    args.add("name", text);
    add(trace_event("thread_name", "__metadata", "M", 0, thread).add("args", args).str());
  };
  name(0, "build");
  for (const auto& [id, number] : threads_) name(number, "thread " + std::to_string(number));
  return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + text_ + "\n]}\n";
}

}  // namespace assetc::cli
