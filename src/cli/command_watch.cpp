#include <fmt/format.h>

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
constexpr std::chrono::milliseconds kRetry{500};  // where another build holds the output
constexpr std::chrono::milliseconds kNever{0};
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

// What listeners are told of a build: specified in docs/guide/watch.md.
std::string built_line(const BuildOutcome& outcome) {
  std::string errors;
  const auto add = [&](const Error& error) {
    const auto outputs = outcome.report ? outputs_of(*outcome.report, error) : std::vector<std::string>{};
    errors += (errors.empty() ? "" : ",") + error_json(error, outputs);
  };
  if (outcome.error) add(*outcome.error);
  JsonObject line = json_event("built");
  line.add("ok", outcome.exit_code == kExitOk);
  if (outcome.report) {
    for (const recipes::Diagnostic& diagnostic : outcome.report->diagnostics) {
      if (diagnostic.severity == recipes::Severity::kError) add(diagnostic.what);
    }
    for (const Error& trouble : outcome.report->troubles) add(trouble);
    line.add("seconds", outcome.report->totals.seconds);
    line.raw("written", list_json(outcome.report->written)).raw("removed", list_json(outcome.report->removed));
  }
  return line.raw("errors", "[" + errors + "]").str();
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
        stop(arguments_, console_, work.error());
        loop_->tell(built_line({kExitUsage, std::nullopt, work.error()}));
        if (loop_->wait(kNever) == engine::WatchLoop::Woken::kStopped) return kExitOk;
        kept_.expect(std::nullopt);
      }
    }
  }

 private:
  // Until something changed, or for so long. False where the program is to end.
  bool wait(const Work& work, std::chrono::milliseconds timeout) {
    const auto woken = loop_->wait(timeout);
    const auto changed = engine::changes_of_input(loop_->take_changes(), *work.profile);
    kept_.expect(woken == engine::WatchLoop::Woken::kChanged ? changed : std::nullopt);
    return woken != engine::WatchLoop::Woken::kStopped;
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
    ASSETC_CHECK(disk_.make_directories(profile.output));
    const std::string output = disk_.real_path(profile.output);
    const std::string socket = profile.output + "/.assetc-watch";
    ASSETC_TRY(
        loop_,
        engine::WatchLoop::open(
            socket,
            json_event("hello").add("protocol", kProtocol).add("program", ASSETC_VERSION).add("output", output).str()));
    loop_->on_refused([this, socket] {
      if (std::exchange(told_refused_, true)) return;
      console_.diagnostic(recipes::Severity::kWarning, {ErrorCode::kLimit,
                                                        socket,
                                                        {},
                                                        fmt::format("a listener was turned away: there are {} already",
                                                                    engine::WatchLoop::kMaxListeners),
                                                        "close some of them"});
    });
    // Before the first build, so that nothing changes between the two unseen.
    ASSETC_TRY(const auto folders, engine::folders_to_watch(profile, *work.options.target, disk_, kept_));
    ASSETC_CHECK(loop_->watch(folders));
    std::string web;
    if (arguments_.websocket) {
      ASSETC_TRY(const std::uint16_t port, loop_->listen_on(*arguments_.websocket));
      web = fmt::format("ws://127.0.0.1:{}", port);
    }
    if (arguments_.json) {
      JsonObject event = json_event("watching").add("input", profile.input).add("socket", socket);
      if (!web.empty()) event.add("websocket", web);
      console_.out(event.str() + "\n");
    } else if (!arguments_.quiet) {
      const std::string places = web.empty() ? socket : socket + " and " + web;
      console_.out(fmt::format("watching {}; listeners are told at {}\n", profile.input, places));
    }
    std::fflush(stdout);  // where it listens is of use before the first build ends
    return {};
  }

  // A build. Whether another must follow at once: a folder came that nobody watched.
  Result<bool> step(const Work& work) {
    const engine::Profile& profile = *work.profile;
    BuildOutcome outcome = build_and_tell(arguments_, console_, disk_, work.options, profile, said_);
    std::fflush(stdout);  // whoever reads a pipe sees it now
    is_held_ = outcome.error && outcome.error->code == ErrorCode::kConflict;
    // Where nothing failed any more this is news, though a save that is taken back builds nothing.
    const bool is_mended = std::exchange(failed_, outcome.exit_code != kExitOk) && !failed_;
    const bool is_news =
        outcome.report ? !outcome.report->did_nothing() : !said_ || said_->to_string() != outcome.error->to_string();
    if (is_mended || is_news) loop_->tell(built_line(outcome));
    said_ = std::move(outcome.error);
    if (kept_.was_used()) return false;  // the folders are those that they were
    const auto folders = engine::folders_to_watch(profile, *work.options.target, disk_, kept_);
    if (!folders && folders.error().code == ErrorCode::kNotFound) {
      is_held_ = true;  // the input is away: looked for again
      return false;
    }
    if (!folders) return std::unexpected(folders.error());
    return loop_->watch(*folders);
  }

  const Arguments& arguments_;
  Console& console_;
  engine::Disk& disk_;
  std::unique_ptr<engine::WatchLoop> loop_;
  engine::Kept kept_;
  bool is_held_ = false;
  bool told_refused_ = false;
  bool failed_ = false;        // the last build
  std::optional<Error> said_;  // what kept it from starting
};

}  // namespace

int run_watch(const Arguments& arguments, Console& console, engine::Disk& disk) {
  return Watch(arguments, console, disk).run();
}

}  // namespace assetc::cli
