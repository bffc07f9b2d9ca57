#include "engine/watch/watch.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/watch_protocol.hpp"
#include "engine/watch/folders.hpp"

namespace assetc::engine {
namespace {

constexpr std::chrono::milliseconds kRetry{100};  // while another build holds the output, or the input is missing
constexpr std::chrono::milliseconds kNever{0};
// How often the watch checks whether another program has built or has taken the socket's place.
constexpr std::chrono::milliseconds kLookAround{1000};
// How often a watch looks for changes where the system does not report them all, and how many times longer than it
// looks it waits, at least.
constexpr std::chrono::milliseconds kLeastPoll{1000};
constexpr int kPollShare = 20;
// Time after the last save until a full check. It finds changes without an event, and brings the cache up to date for
// the next run of assetc.
constexpr std::chrono::milliseconds kCheckAfter{30'000};

class Watch {
 public:
  Watch(const ReadTask& read_task, BuildListener& builds, WatchListener& listener, Disk& disk, WatchLoop& loop,
        const WatchSettings& settings)
      : read_task_(read_task), builds_(builds), listener_(listener), disk_(disk), loop_(loop), settings_(settings) {}

  Result<void> run() {
    auto first = next_task();
    while (is_canceled(first)) {
      if (loop_.wait(kRetry) == WatchLoop::Woken::kStopped) return {};
      first = next_task();
    }
    if (!first) return std::unexpected(std::move(first).error());
    BuildTask task = std::move(*first);
    ASSETC_CHECK(open(task));
    for (;;) {
      ASSETC_TRY(const bool again, step(task));
      if (again) {
        changes_ = std::nullopt;
      } else {
        const auto timeout = is_held_ ? kRetry : session_.went_on() ? kCheckAfter : kNever;
        session_.prepare(task.request, disk_);  // does some work for the next build in advance
        if (!wait(task, timeout)) return {};
      }
      // If the configuration cannot be read, report that and wait until it is saved again.
      for (auto next = next_task();; next = next_task()) {
        if (next) {
          task = std::move(*next);
          break;
        }
        changes_ = std::nullopt;
        if (is_canceled(next)) {
          if (loop_.wait(kRetry) == WatchLoop::Woken::kStopped) return {};
          continue;
        }
        if (!unreadable_ || *unreadable_ != next.error().to_string()) listener_.say_unreadable(next.error());
        unreadable_ = next.error().to_string();
        tell({false, std::nullopt, next.error()}, false);
        if (loop_.wait(kNever) == WatchLoop::Woken::kStopped) return {};
      }
    }
  }

 private:
  static bool is_canceled(const Result<BuildTask>& task) { return !task && task.error().code == ErrorCode::kCanceled; }
  Result<BuildTask> next_task() const {
    auto task = read_task_();
    if (task) task->request.tolerates_unmatched = true;
    return task;
  }

  // Waits for a change, for at most `timeout`; kNever: without limit. False if the program is asked to end.
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
      until_poll_ -= turn;
      if (polls_ && until_poll_ <= kNever && has_changed(task)) {
        changes_ = std::nullopt;
        return true;
      }
      const bool is_over = timeout != kNever && left <= kNever;
      // The output is not watched, because the files of a build would hide saves during that build. Its cache and
      // socket are polled instead.
      if (is_deaf_) listen_or_warn(*task.profile);
      const bool is_as_left =
          (is_deaf_ || loop_.is_listening()) && (!left_ || cache_stamp(*task.profile, disk_) == *left_);
      if (!is_over && is_as_left) continue;
      changes_ = std::nullopt;
      return true;
    }
  }

  // Looks for changes that the system has not reported.
  bool has_changed(const BuildTask& task) {
    const auto start = std::chrono::steady_clock::now();
    const ContentHash now = state_of_input(*task.profile, *task.request.target, disk_);
    const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - start);
    until_poll_ = std::max(kLeastPoll, kPollShare * took);
    return now != seen_;
  }

  // Decides whether to look for changes, and says so once.
  void see_what_is_watched(const BuildTask& task) {
    const std::string& input = task.profile->input;
    const bool reports = disk_.reports_changes(input);
    const bool polls = !reports || loop_.unwatched();
    if (polls && !polls_) {
      Error why = reports ? *loop_.unwatched()
                          : Error{ErrorCode::kUnsupported,
                                  input,
                                  {},
                                  "the system does not report all changes here: it is a network drive, or a folder of "
                                  "another system",
                                  "a project on a disk of this system is built at once"};
      why.what += "; so this watch looks for changes itself, once a second or less often";
      listener_.warn({WarningKind::kWatchPolls, std::move(why)});
    }
    polls_ = polls;
  }

  Result<void> open(const BuildTask& task) {
    if (const auto listening = listen(*task.profile); !listening) {
      if (listening.error().code == ErrorCode::kConflict) return listening;
      listen_or_warn(*task.profile);  // network drives have no sockets
    }
    loop_.on_refused([this] {
      if (std::exchange(told_refused_, true)) return;
      listener_.warn({WarningKind::kWatchListeners,
                      ErrorCode::kLimit,
                      places_.socket,
                      {},
                      "a listener was refused: " + std::to_string(WatchLoop::kMaxListeners) + " are connected already",
                      "close some of them"});
    });
    // Watch before the first build, so that no change between the two is missed.
    ASSETC_TRY(const auto folders, folders_to_watch(*task.profile, *task.request.target, disk_, session_));
    loop_.watch(folders);
    see_what_is_watched(task);
    if (settings_.websocket) {
      ASSETC_TRY(const std::uint16_t port, loop_.listen_on(*settings_.websocket));
      places_.web = "ws://127.0.0.1:" + std::to_string(port);
    }
    listener_.say_places(places_);
    return {};
  }

  // Listens where listeners of this output look for the socket. Also repairs a removed socket and follows a changed
  // output.
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
    loop_.let_all_go();  // they belong to another output folder
    left_.reset();
    listener_.say_places(places_);
    return {};
  }

  // While a watch runs, another file may take the socket's place. Then the watch builds without listeners until that
  // file is gone.
  void listen_or_warn(const Profile& profile) {
    const auto listening = listen(profile);
    if (!listening && !is_deaf_) {
      Error error = listening.error();
      error.what += "; listeners get no messages until then";
      if (error.hint.empty()) error.hint = "remove the file at this path";
      listener_.warn({WarningKind::kWatchListeners, std::move(error)});
    }
    is_deaf_ = !listening;
  }

  void greet() { loop_.greet_with(hello_line(settings_.program, output_, errors_ ? &*errors_ : nullptr)); }

  // Runs one build. Returns true if another one must follow at once, because a new folder was not watched until now.
  Result<bool> step(const BuildTask& task) {
    const Profile& profile = *task.profile;
    if (polls_) seen_ = state_of_input(profile, *task.request.target, disk_);
    until_poll_ = kLeastPoll;
    auto report = build_project(task, &session_, changes_, disk_, settings_.environment, builds_);
    const WatchOutcome outcome = report ? WatchOutcome{report->ok, std::move(*report), std::nullopt}
                                        : WatchOutcome{false, std::nullopt, std::move(report).error()};
    unreadable_ = outcome.error ? std::optional(outcome.error->to_string()) : std::nullopt;
    // Another build is running. The next build here will see its result.
    const bool was_held = is_held_;
    is_held_ =
        outcome.error && (outcome.error->code == ErrorCode::kConflict || outcome.error->code == ErrorCode::kCanceled);
    if (!is_held_) {
      listen_or_warn(profile);
      const bool by_others = outcome.report && (left_ ? outcome.report->found != *left_ : was_held);
      if (outcome.report) left_ = outcome.report->left;
      tell(outcome, by_others);
    }
    if (session_.went_on()) return false;  // the folders have not changed
    const auto folders = folders_to_watch(profile, *task.request.target, disk_, session_);
    if (!folders && folders.error().code == ErrorCode::kNotFound) {
      is_held_ = true;  // the input is missing: try again later
      return false;
    }
    if (!folders) return std::unexpected(folders.error());
    const bool is_new = loop_.watch(*folders);
    see_what_is_watched(task);
    return is_new;
  }

  // Sends the result of a build if it is news, or if a listener connected before any build has finished.
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

  const ReadTask& read_task_;
  BuildListener& builds_;
  WatchListener& listener_;
  Disk& disk_;
  WatchLoop& loop_;
  const WatchSettings& settings_;
  Session session_;
  Changes changes_;
  WatchPlaces places_;
  std::string output_;                     // absolute path
  std::optional<std::string> errors_;      // errors of the last build
  std::optional<CacheStamp> left_;         // state of the cache after the last build
  std::optional<std::string> unreadable_;  // last reported reason why a build could not start
  bool is_held_ = false;
  bool polls_ = false;  // looks for changes, because the system does not report all of them
  ContentHash seen_;    // state of the input before the last build, if it polls
  std::chrono::milliseconds until_poll_ = kLeastPoll;
  bool is_deaf_ = false;  // cannot listen at its socket
  bool told_refused_ = false;
};

}  // namespace

Result<void> watch(const ReadTask& read_task, BuildListener& builds, WatchListener& listener, Disk& disk,
                   WatchLoop& loop, const WatchSettings& settings) {
  return Watch(read_task, builds, listener, disk, loop, settings).run();
}

}  // namespace assetc::engine
