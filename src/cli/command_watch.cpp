#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>

#include "cli/commands.hpp"
#include "cli/json_line.hpp"
#include "engine/run/kept.hpp"
#include "engine/watch/folders.hpp"
#include "engine/watch/watch_loop.hpp"

namespace assetc::cli {
namespace {

constexpr int kProtocol = 1;
constexpr std::chrono::milliseconds kRetry{100};  // where another build holds the output, or the input is away
constexpr std::chrono::milliseconds kNever{0};
// How often it is seen whether another program has built, or took the socket away.
constexpr std::chrono::milliseconds kLookAround{1000};
// After the last save: what nothing told of is found then, and the next assetc finds nothing to do.
constexpr std::chrono::milliseconds kCheckAfter{30'000};

std::string list_json(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const std::string& text : texts) list += (list.size() > 1 ? "," : "") + json_quote(text);
  return list + "]";
}

std::string error_json(const Error& error, const std::vector<std::string>& outputs) {
  return JsonObject()
      .add("code", to_string(error.code))
      .add("file", error.file)
      .add("place", error.place)
      .add("what", error.what)
      .add("hint", error.hint)
      .raw("outputs", list_json(outputs))
      .str();
}

// What an earlier build made where a step has failed now.
std::vector<std::string> outputs_of(const engine::Report& report, const Error& error) {
  const std::string text = error.to_string();
  for (const engine::Failure& failure : report.failures) {
    for (const recipes::Diagnostic& said : failure.diagnostics) {
      if (said.what.to_string() == text) return failure.outputs;
    }
  }
  return {};
}

// All that is wrong after a build, in the shape that listeners are told it in.
std::string errors_json(const BuildOutcome& outcome) {
  std::string errors;
  const auto add = [&](const Error& error) {
    const auto outputs = outcome.report ? outputs_of(*outcome.report, error) : std::vector<std::string>{};
    errors += (errors.empty() ? "" : ",") + error_json(error, outputs);
  };
  if (outcome.error) add(*outcome.error);
  if (outcome.report) {
    for (const recipes::Diagnostic& diagnostic : outcome.report->diagnostics) {
      if (diagnostic.severity == recipes::Severity::kError) add(diagnostic.what);
    }
    for (const Error& trouble : outcome.report->troubles) add(trouble);
  }
  return "[" + errors + "]";
}

// What listeners are told of a build: specified in docs/guide/watch.md. by_others: another program built since the
// last.
std::string built_line(const BuildOutcome& outcome, const std::string& errors, bool by_others) {
  const engine::Report none;
  const engine::Report& report = outcome.report ? *outcome.report : none;
  return json_event("built")
      .add("ok", outcome.exit_code == kExitOk)
      .add("seconds", report.totals.seconds)
      .add("everything", by_others)
      .raw("written", list_json(report.written))
      .raw("removed", list_json(report.removed))
      .raw("errors", errors)
      .str();
}

class Watch {
 public:
  Watch(const Arguments& arguments, Console& console, engine::Disk& disk)
      : arguments_(arguments), console_(console), disk_(disk) {}

  int run() {
    auto work = next_work();
    if (!work) return stop(arguments_, console_, work.error());
    if (const auto ready = open(*work); !ready) return stop(arguments_, console_, ready.error());
    for (;;) {
      const Result<bool> again = step(*work);
      if (!again) return stop(arguments_, console_, again.error());
      if (*again) {
        kept_.expect(std::nullopt);
      } else {
        const auto timeout = is_held_ ? kRetry : kept_.was_used() ? kCheckAfter : kNever;
        kept_.prepare(work->options, disk_);  // while nobody waits for a build
        if (!wait(*work, timeout)) return kExitOk;
      }
      // A configuration that does not parse is told of, and the next save of it looked at.
      while (!(work = next_work())) {
        if (!said_.error || said_.error->to_string() != work.error().to_string())
          stop(arguments_, console_, work.error());
        said_.error = work.error();
        tell({kExitUsage, std::nullopt, work.error()}, false);
        if (loop_->wait(kNever) == engine::WatchLoop::Woken::kStopped) return kExitOk;
        kept_.expect(std::nullopt);
      }
    }
  }

 private:
  // Until something changed, or for so long; kNever: for ever. False where the program is to end.
  bool wait(const Work& work, std::chrono::milliseconds timeout) {
    using Woken = engine::WatchLoop::Woken;
    auto left = timeout;
    while (true) {
      const auto turn = timeout == kNever ? kLookAround : std::min(left, kLookAround);
      const Woken woken = loop_->wait(turn);
      if (woken == Woken::kStopped) return false;
      if (woken == Woken::kChanged) {
        kept_.expect(engine::changes_of_input(loop_->take_changes(), *work.profile));
        return true;
      }
      left -= turn;
      const bool is_over = timeout != kNever && left <= kNever;
      // The output is not watched: what is built there would hide what is saved meanwhile.
      const bool is_as_left = loop_->is_listening() && (!left_ || engine::cache_stamp(*work.profile, disk_) == *left_);
      if (!is_over && is_as_left) continue;
      kept_.expect(std::nullopt);
      return true;
    }
  }

  // As assetc or, of a platform, assetc import and assetc cook find it now.
  Result<Work> next_work() {
    if (arguments_.platform.empty()) {
      ASSETC_TRY(engine::Profile profile, load_profile(arguments_, console_, disk_));
      Work work{std::make_shared<const engine::Profile>(std::move(profile)), build_options(arguments_)};
      work.options.kept = &kept_;
      return work;
    }
    // What it writes wakes the watch again, and finds nothing to do then.
    Arguments import = arguments_;
    import.quiet = true;
    run_import(import, console_, disk_);
    return cook_work(arguments_, console_, disk_);
  }

  Result<void> open(const Work& work) {
    const engine::Profile& profile = *work.profile;
    ASSETC_TRY(loop_, engine::WatchLoop::open());
    ASSETC_CHECK(listen(profile));
    loop_->on_refused([this] {
      if (std::exchange(told_refused_, true)) return;
      console_.diagnostic(recipes::Severity::kWarning, {ErrorCode::kLimit,
                                                        socket_,
                                                        {},
                                                        fmt::format("a listener was turned away: there are {} already",
                                                                    engine::WatchLoop::kMaxListeners),
                                                        "close some of them"});
    });
    // Before the first build, so that nothing changes between the two unseen.
    ASSETC_TRY(const auto folders, engine::folders_to_watch(profile, *work.options.target, disk_, kept_));
    ASSETC_CHECK(loop_->watch(folders));
    if (arguments_.websocket) {
      ASSETC_TRY(const std::uint16_t port, loop_->listen_on(*arguments_.websocket));
      web_ = fmt::format("ws://127.0.0.1:{}", port);
    }
    say_where(profile);
    return {};
  }

  // Where listeners of this output look for it, also once that was removed or is another.
  Result<void> listen(const engine::Profile& profile) {
    const std::string socket = profile.output + "/.assetc-watch";
    ASSETC_CHECK(disk_.make_directories(profile.output));
    ASSETC_CHECK(loop_->listen_at(socket));
    output_ = disk_.real_path(profile.output);
    const bool has_moved = !socket_.empty() && socket != socket_;
    socket_ = socket;
    greet();
    if (!has_moved) return {};
    loop_->let_all_go();  // they look at another folder
    left_.reset();
    say_where(profile);
    return {};
  }

  void greet() {
    JsonObject hello = json_event("hello");
    hello.add("protocol", kProtocol).add("program", ASSETC_VERSION).add("output", output_);
    if (errors_) hello.raw("errors", *errors_);
    loop_->greet_with(hello.str());
  }

  void say_where(const engine::Profile& profile) {
    if (arguments_.json) {
      JsonObject event = json_event("watching").add("input", profile.input).add("socket", socket_);
      if (!web_.empty()) event.add("websocket", web_);
      console_.out(event.str() + "\n");
    } else if (!arguments_.quiet) {
      const std::string places = web_.empty() ? socket_ : socket_ + " and " + web_;
      console_.out(fmt::format("watching {}; listeners are told at {}\n", profile.input, places));
    }
    std::fflush(stdout);  // where it listens is of use before the first build ends
  }

  // A build. Whether another must follow at once: a folder came that nobody watched.
  Result<bool> step(const Work& work) {
    const engine::Profile& profile = *work.profile;
    BuildOutcome outcome = build_and_tell(arguments_, console_, disk_, work.options, profile, &said_);
    std::fflush(stdout);  // whoever reads a pipe sees it now
    said_.error = outcome.error;
    // Another build is at it, and the next one here sees what it did.
    const bool was_held = is_held_;
    is_held_ = outcome.error && outcome.error->code == ErrorCode::kConflict;
    if (!is_held_) {
      ASSETC_CHECK(listen(profile));
      const bool by_others = outcome.report && (left_ ? outcome.report->found != *left_ : was_held);
      if (outcome.report) left_ = outcome.report->left;
      tell(outcome, by_others);
    }
    if (kept_.was_used()) return false;  // the folders are those that they were
    const auto folders = engine::folders_to_watch(profile, *work.options.target, disk_, kept_);
    if (!folders && folders.error().code == ErrorCode::kNotFound) {
      is_held_ = true;  // the input is away: looked for again
      return false;
    }
    if (!folders) return std::unexpected(folders.error());
    return loop_->watch(*folders);
  }

  // Tells what came of a build where that is news, or where somebody listens who has heard of none yet.
  void tell(const BuildOutcome& outcome, bool by_others) {
    std::string errors = errors_json(outcome);
    const bool is_unheard = !errors_ && loop_->has_listeners();
    const bool is_other = errors != errors_.value_or("[]");
    const engine::Report* const report = outcome.report ? &*outcome.report : nullptr;
    const bool wrote = report != nullptr && (!report->written.empty() || !report->removed.empty());
    const bool did = report != nullptr && report->ok && !report->did_nothing();
    errors_ = std::move(errors);
    greet();
    if (is_unheard || is_other || by_others || wrote || did) loop_->tell(built_line(outcome, *errors_, by_others));
  }

  const Arguments& arguments_;
  Console& console_;
  engine::Disk& disk_;
  std::unique_ptr<engine::WatchLoop> loop_;
  engine::Kept kept_;
  std::string socket_, output_, web_;
  std::optional<std::string> errors_;       // after the last build
  std::optional<engine::CacheStamp> left_;  // by the last build
  Said said_;
  bool is_held_ = false;
  bool told_refused_ = false;
};

}  // namespace

int run_watch(const Arguments& arguments, Console& console, engine::Disk& disk) {
  return Watch(arguments, console, disk).run();
}

}  // namespace assetc::cli
