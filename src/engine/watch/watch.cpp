#include "engine/watch/watch.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/watch_protocol.hpp"
#include "engine/watch/folders.hpp"

namespace assetc::engine {
namespace {

constexpr std::chrono::milliseconds kRetry{100};  // where another build holds the output, or the input is away
constexpr std::chrono::milliseconds kNever{0};
// How often it is seen whether another program has built, or took the socket away.
constexpr std::chrono::milliseconds kLookAround{1000};
// After the last save: what nothing told of is found then, and the next assetc finds nothing to do.
constexpr std::chrono::milliseconds kCheckAfter{30'000};

class Watch {
 public:
  Watch(WatchHost& host, Disk& disk, WatchLoop& loop, const WatchSettings& settings)
      : host_(host), disk_(disk), loop_(loop), settings_(settings) {}

  Result<void> run() {
    ASSETC_TRY(BuildTask task, host_.next());
    ASSETC_CHECK(open(task));
    for (;;) {
      ASSETC_TRY(const bool again, step(task));
      if (again) {
        changes_ = std::nullopt;
      } else {
        const auto timeout = is_held_ ? kRetry : session_.went_on() ? kCheckAfter : kNever;
        session_.prepare(task.request, disk_);  // while nobody waits for a build
        if (!wait(task, timeout)) return {};
      }
      // A configuration that cannot be read is told of, and the next save of it looked at.
      for (auto next = host_.next();; next = host_.next()) {
        if (next) {
          task = std::move(*next);
          break;
        }
        if (!unreadable_ || *unreadable_ != next.error().to_string()) host_.say_unreadable(next.error());
        unreadable_ = next.error().to_string();
        tell({false, std::nullopt, next.error()}, false);
        if (loop_.wait(kNever) == WatchLoop::Woken::kStopped) return {};
        changes_ = std::nullopt;
      }
    }
  }

 private:
  // Until something changed, or for so long; kNever: for ever. False where the program is to end.
  bool wait(const BuildTask& task, std::chrono::milliseconds timeout) {
    using Woken = WatchLoop::Woken;
    auto left = timeout;
    while (true) {
      const auto turn = timeout == kNever ? kLookAround : std::min(left, kLookAround);
      const Woken woken = loop_.wait(turn);
      if (woken == Woken::kStopped) return false;
      if (woken == Woken::kChanged) {
        changes_ = changes_of_input(loop_.take_changes(), *task.profile);
        return true;
      }
      left -= turn;
      const bool is_over = timeout != kNever && left <= kNever;
      // The output is not watched: what is built there would hide what is saved meanwhile.
      if (is_deaf_) listen_or_warn(*task.profile);
      const bool is_as_left =
          (is_deaf_ || loop_.is_listening()) && (!left_ || cache_stamp(*task.profile, disk_) == *left_);
      if (!is_over && is_as_left) continue;
      changes_ = std::nullopt;
      return true;
    }
  }

  Result<void> open(const BuildTask& task) {
    ASSETC_CHECK(listen(*task.profile));
    loop_.on_refused([this] {
      if (std::exchange(told_refused_, true)) return;
      host_.warn({WarningKind::kWatchListeners,
                  ErrorCode::kLimit,
                  places_.socket,
                  {},
                  "a listener was turned away: there are " + std::to_string(WatchLoop::kMaxListeners) + " already",
                  "close some of them"});
    });
    // Before the first build, so that nothing changes between the two unseen.
    ASSETC_TRY(const auto folders, folders_to_watch(*task.profile, *task.request.target, disk_, session_));
    ASSETC_CHECK(loop_.watch(folders));
    if (settings_.websocket) {
      ASSETC_TRY(const std::uint16_t port, loop_.listen_on(*settings_.websocket));
      places_.web = "ws://127.0.0.1:" + std::to_string(port);
    }
    host_.say_places(places_);
    return {};
  }

  // Where listeners of this output look for it, also once that was removed or is another.
  Result<void> listen(const Profile& profile) {
    const std::string socket = profile.output + "/" + std::string(watch_protocol::kSocketName);
    ASSETC_CHECK(disk_.make_directories(profile.output));
    ASSETC_CHECK(loop_.listen_at(socket));
    output_ = disk_.real_path(profile.output);
    const bool has_moved = !places_.socket.empty() && socket != places_.socket;
    places_.input = profile.input;
    places_.socket = socket;
    greet();
    if (!has_moved) return {};
    loop_.let_all_go();  // they look at another folder
    left_.reset();
    host_.say_places(places_);
    return {};
  }

  // Something else may take the socket's name while a watch runs. It then builds without listeners until that is gone.
  void listen_or_warn(const Profile& profile) {
    const auto listening = listen(profile);
    if (!listening && !is_deaf_) {
      Error error = listening.error();
      error.what += "; nobody hears of builds meanwhile";
      if (error.hint.empty()) error.hint = "remove what is there";
      host_.warn({WarningKind::kWatchListeners, std::move(error)});
    }
    is_deaf_ = !listening;
  }

  void greet() { loop_.greet_with(hello_line(settings_.program, output_, errors_ ? &*errors_ : nullptr)); }

  // A build. Whether another must follow at once: a folder came that nobody watched.
  Result<bool> step(const BuildTask& task) {
    const Profile& profile = *task.profile;
    const WatchOutcome outcome = host_.build(session_, task, changes_);
    unreadable_ = outcome.error ? std::optional(outcome.error->to_string()) : std::nullopt;
    // Another build is at it, and the next one here sees what it did.
    const bool was_held = is_held_;
    is_held_ = outcome.error && outcome.error->code == ErrorCode::kConflict;
    if (!is_held_) {
      listen_or_warn(profile);
      const bool by_others = outcome.report && (left_ ? outcome.report->found != *left_ : was_held);
      if (outcome.report) left_ = outcome.report->left;
      tell(outcome, by_others);
    }
    if (session_.went_on()) return false;  // the folders are those that they were
    const auto folders = folders_to_watch(profile, *task.request.target, disk_, session_);
    if (!folders && folders.error().code == ErrorCode::kNotFound) {
      is_held_ = true;  // the input is away: looked for again
      return false;
    }
    if (!folders) return std::unexpected(folders.error());
    return loop_.watch(*folders);
  }

  // Tells what came of a build where that is news, or where somebody listens who has heard of none yet.
  void tell(const WatchOutcome& outcome, bool by_others) {
    std::string errors = errors_json(outcome);
    const bool is_unheard = !errors_ && loop_.has_listeners();
    const bool is_other = errors != errors_.value_or("[]");
    const Report* const report = outcome.report ? &*outcome.report : nullptr;
    const bool wrote = report != nullptr && (!report->written.empty() || !report->removed.empty());
    const bool did = report != nullptr && report->ok && !report->did_nothing();
    errors_ = std::move(errors);
    greet();
    if (is_unheard || is_other || by_others || wrote || did) loop_.tell(built_line(outcome, *errors_, by_others));
  }

  WatchHost& host_;
  Disk& disk_;
  WatchLoop& loop_;
  const WatchSettings& settings_;
  Session session_;
  Changes changes_;
  WatchPlaces places_;
  std::string output_;                     // absolute
  std::optional<std::string> errors_;      // after the last build
  std::optional<CacheStamp> left_;         // by the last build
  std::optional<std::string> unreadable_;  // what was said last of what kept a build from starting
  bool is_held_ = false;
  bool is_deaf_ = false;  // cannot listen at its socket
  bool told_refused_ = false;
};

}  // namespace

Result<void> watch(WatchHost& host, Disk& disk, WatchLoop& loop, const WatchSettings& settings) {
  return Watch(host, disk, loop, settings).run();
}

}  // namespace assetc::engine
