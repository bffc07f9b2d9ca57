#include "cli/report/progress.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

#include "engine/run/build_json.hpp"
#include "text/format.hpp"

namespace assetc::cli {
namespace {

using Clock = std::chrono::steady_clock;

// ", 43.1 dB, 5.2 of 8 bits per texel"; uncompressed UASTC has 8 bits per texel.
std::string rdo_text(const texture::RdoReport& rdo) {
  const double bits = rdo.block_bits * static_cast<double>(rdo.compressed_bytes) /
                      static_cast<double>(std::max<std::uint64_t>(rdo.uncompressed_bytes, 1));
  const std::string quality = std::isfinite(rdo.psnr_db) ? formatted("{:.2f} dB", rdo.psnr_db) : "exact";
  return formatted(", {}, {:.2f} of {} bits per texel", quality, bits, rdo.block_bits);
}

class JsonProgress : public engine::EventSink {
 public:
  explicit JsonProgress(Console& console) : console_(console) {}
  void on(const engine::Event& event) override { console_.out(engine::event_json(event).str() + "\n"); }

 private:
  Console& console_;
};

// Counts the steps of a build.
class Tally {
 public:
  void on(const engine::Event& event) {
    if (const auto* planned = std::get_if<engine::BuildPlanned>(&event)) {
      state_.total += planned->steps_to_run;
    } else if (std::holds_alternative<engine::StepQueued>(event)) {
      ++state_.total;
    } else if (const auto* started = std::get_if<engine::StepStarted>(&event)) {
      state_.current = started->step.source;
    } else if (std::holds_alternative<engine::StepFinished>(event)) {
      ++state_.done;
    } else if (std::holds_alternative<engine::StepFailed>(event)) {
      ++state_.done;
      ++state_.failed;
    }
  }
  // The state now.
  const ProgressState& state() {
    state_.seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    return state_;
  }

 private:
  ProgressState state_;
  Clock::time_point start_ = Clock::now();
};

// With -v, prints one line per step.
class StepLines : public engine::EventSink {
 public:
  StepLines(const Arguments& arguments, Console& console) : arguments_(arguments), console_(console) {}

  void on(const engine::Event& event) override {
    if (const auto* e = std::get_if<engine::StepFinished>(&event); e && arguments_.verbose) {
      const auto* rdo = recipes::find_statistic<texture::RdoReport>(e->statistics);
      line(formatted("{} {}  {}, {}{}\n", verb_of(e->origin), text_of(e->step), size_text(e->bytes),
                     seconds_text(e->seconds), rdo != nullptr ? rdo_text(*rdo) : std::string()));
    } else if (const auto* failed = std::get_if<engine::StepFailed>(&event); failed && arguments_.verbose) {
      line(formatted("failed {}\n", text_of(failed->step)));
    } else if (const auto* removed = std::get_if<engine::OutputRemoved>(&event); removed && arguments_.verbose) {
      line("removed " + removed->path + "\n");
    }
  }

 protected:
  virtual void before_line() {}
  void line(std::string_view text) {
    before_line();
    console_.err(text);
  }

 private:
  const Arguments& arguments_;
  Console& console_;
};

// For a log: prints a line every few seconds, which shows that the build is still running.
class LogProgress : public StepLines {
 public:
  LogProgress(const Arguments& arguments, Console& console)
      : StepLines(arguments, console), says_(!arguments.verbose && !arguments.quiet) {}

  void on(const engine::Event& event) override {
    constexpr auto kEvery = std::chrono::seconds(5);
    constexpr int kColumns = 160;
    tally_.on(event);
    if (says_ && Clock::now() - said_ >= kEvery) {
      said_ = Clock::now();
      line(progress_text(tally_.state(), kColumns) + "\n");
    }
    StepLines::on(event);
  }

 private:
  Tally tally_;
  const bool says_;
  Clock::time_point said_ = Clock::now();
};

// A separate thread redraws the bar ten times per second, so that it also moves during a long step.
class TerminalProgress : public StepLines {
 public:
  TerminalProgress(const Arguments& arguments, Console& console)
      : StepLines(arguments, console),
        console_(console),
        ticker_([this](const std::stop_token& stop) { tick(stop); }) {}

  ~TerminalProgress() override {
    ticker_.request_stop();
    ticker_.join();
    before_line();
  }

  void on(const engine::Event& event) override {
    const std::scoped_lock lock(mutex_);
    tally_.on(event);
    StepLines::on(event);
  }

 private:
  void before_line() override {
    if (drawn_) console_.redraw({});
    drawn_ = false;
  }

  void tick(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, stop, std::chrono::milliseconds(100), [] { return false; }) &&
           !stop.stop_requested()) {
      const ProgressState& state = tally_.state();
      if (state.total == 0) continue;
      console_.redraw(progress_text(state, console_.columns()));
      drawn_ = true;
    }
  }

  Console& console_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  Tally tally_;
  bool drawn_ = false;
  std::jthread ticker_;  // last: it uses the members above
};

}  // namespace

std::string_view verb_of(engine::Origin origin) {
  switch (origin) {
    case engine::Origin::kCooked:
      return "built";
    case engine::Origin::kCopied:
      return "copied";
    case engine::Origin::kRestored:
      return "restored";
  }
  return "built";
}

std::string text_of(const engine::StepName& step) {
  const bool told = !step.mode.empty() && step.mode != "color";
  return step.source + " (" + step.recipe + (told ? ", " + step.mode : "") + ")";
}

std::string progress_text(const ProgressState& state, int columns) {
  constexpr std::size_t kBar = 20;
  const double part = state.total == 0 ? 0 : static_cast<double>(state.done) / static_cast<double>(state.total);
  const auto filled = static_cast<std::size_t>(part * kBar);
  std::string text = "[" + std::string(filled, '#') + std::string(kBar - filled, '.') + "]";
  text += formatted(" {}/{}", state.done, state.total);
  if (state.done > 0 && state.seconds > 0) {
    const double rate = static_cast<double>(state.done) / state.seconds;
    const auto left = static_cast<std::uint64_t>(
        std::ceil(static_cast<double>(state.total - std::min(state.done, state.total)) / rate));
    text += formatted("  {:.1f}/s  {}:{:02} left", rate, left / 60, left % 60);
  }
  if (state.failed > 0) text += formatted("  {} failed", state.failed);
  if (!state.current.empty()) text += "  " + printable(state.current);
  const auto room = static_cast<std::size_t>(std::max(columns - 1, 1));
  if (text.size() > room) {
    text.resize(room);
    // Ends at an ASCII character, so that no UTF-8 sequence is split.
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0x80) != 0) text.pop_back();
  }
  return text;
}

std::unique_ptr<engine::EventSink> make_progress(const Arguments& arguments, Console& console) {
  if (arguments.json) return std::make_unique<JsonProgress>(console);
  if (arguments.quiet || arguments.dry_run || !console.err_is_terminal())
    return std::make_unique<LogProgress>(arguments, console);
  return std::make_unique<TerminalProgress>(arguments, console);
}

}  // namespace assetc::cli
