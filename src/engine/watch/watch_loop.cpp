#include "engine/watch/watch_loop.hpp"

#include <sys/stat.h>
#include <uv.h>

#include <algorithm>
#include <csignal>
#include <list>
#include <map>
#include <memory>

namespace assetc::engine {
namespace {

// A save is over when nothing has changed for this long; a folder that never rests is looked at all the same.
constexpr std::uint64_t kSettleMs = 15;
constexpr std::uint64_t kRestlessMs = 1000;
constexpr std::size_t kMaxListeners = 64;
constexpr std::size_t kMaxUnreadBytes = 4u << 20;  // of one listener
constexpr int kBacklog = 16;

Error error_of(int status, ErrorCode code, std::string what, std::string hint = {}) {
  return {code, {}, {}, std::move(what) + ": " + uv_strerror(status), std::move(hint)};
}

class UvWatchLoop final : public WatchLoop {
 public:
  Result<void> start(const std::string& socket, std::string greeting) {
    greeting_ = std::move(greeting);
    std::signal(SIGPIPE, SIG_IGN);  // a listener that goes while it is written to
    if (const int status = uv_loop_init(&loop_); status != 0)
      return std::unexpected(error_of(status, ErrorCode::kIo, "cannot watch"));
    is_open_ = true;
    uv_timer_init(&loop_, &settle_);
    uv_timer_init(&loop_, &timeout_);
    for (int i = 0; i < 2; ++i) {
      uv_signal_init(&loop_, &signals_[i]);
      signals_[i].data = this;
    }
    settle_.data = timeout_.data = server_.data = this;
    uv_pipe_init(&loop_, &server_, 0);
    // One that answers is alive; one that does not was killed, and left its name.
    if (answers(socket)) {
      return std::unexpected(Error{
          ErrorCode::kConflict, socket, {}, "another watch of this output is running", "stop it, or use its events"});
    }
    uv_fs_t removal;
    uv_fs_unlink(&loop_, &removal, socket.c_str(), nullptr);
    uv_fs_req_cleanup(&removal);
    const mode_t mask = ::umask(S_IRWXG | S_IRWXO);
    int status = uv_pipe_bind(&server_, socket.c_str());
    ::umask(mask);
    if (status == 0) status = uv_listen(reinterpret_cast<uv_stream_t*>(&server_), kBacklog, on_connection);
    if (status != 0) {
      Error error = error_of(status, ErrorCode::kIo, "cannot listen here",
                             status == UV_ENAMETOOLONG || status == UV_EINVAL
                                 ? "a socket's path has about 100 bytes at most: use a shorter output folder"
                                 : "");
      return std::unexpected(std::move(error).in(socket));
    }
    return {};
  }

  ~UvWatchLoop() override {
    if (!is_open_) return;
    while (!listeners_.empty()) let_go(listeners_.front());
    uv_walk(
        &loop_,
        [](uv_handle_t* handle, void*) {
          if (uv_is_closing(handle) == 0) uv_close(handle, nullptr);
        },
        nullptr);
    uv_run(&loop_, UV_RUN_DEFAULT);
    uv_loop_close(&loop_);
  }

  Result<bool> watch(const std::vector<std::string>& folders) override {
    std::map<std::string, Folder, std::less<>> now;
    bool is_new = false;
    for (const std::string& folder : folders) {
      if (auto known = folders_.extract(folder)) {
        now.insert(std::move(known));
        continue;
      }
      auto handle = std::make_unique<uv_fs_event_t>();
      uv_fs_event_init(&loop_, handle.get());
      handle->data = this;
      const int status = uv_fs_event_start(handle.get(), on_change, folder.c_str(), 0);
      if (status != 0) {
        close(handle.release());
        if (status == UV_ENOENT || status == UV_ENOTDIR) continue;  // gone again
        if (status == UV_ENOSPC || status == UV_EMFILE) {
          return std::unexpected(Error{ErrorCode::kLimit,
                                       folder,
                                       {},
                                       "the system watches no more folders",
                                       "raise fs.inotify.max_user_watches and max_user_instances with sysctl"});
        }
        return std::unexpected(error_of(status, ErrorCode::kIo, "cannot watch this folder").in(folder));
      }
      now.emplace(folder, std::move(handle));
      is_new = true;
    }
    for (auto& [path, handle] : folders_) close(handle.release());
    folders_ = std::move(now);
    uv_run(&loop_, UV_RUN_NOWAIT);
    return is_new;
  }

  Woken wait(std::chrono::milliseconds timeout) override {
    woken_ = false;
    result_ = Woken::kTimeout;
    uv_signal_start(&signals_[0], on_signal, SIGINT);
    uv_signal_start(&signals_[1], on_signal, SIGTERM);
    if (timeout.count() > 0) uv_timer_start(&timeout_, on_timeout, static_cast<std::uint64_t>(timeout.count()), 0);
    if (changed_) settle();
    while (!woken_) uv_run(&loop_, UV_RUN_ONCE);
    // While nobody waits a signal ends the program at once, as it ends any build.
    for (uv_signal_t& signal : signals_) uv_signal_stop(&signal);
    uv_timer_stop(&timeout_);
    uv_timer_stop(&settle_);
    if (result_ == Woken::kChanged) changed_ = false;
    first_change_ms_ = 0;
    return result_;
  }

  void tell(std::string_view line) override {
    const auto text = std::make_shared<const std::string>(std::string(line) + "\n");
    uv_run(&loop_, UV_RUN_NOWAIT);  // who came meanwhile hears it too
    std::vector<Listener*> slow;
    for (Listener& listener : listeners_) {
      if (uv_stream_get_write_queue_size(listener.stream()) > kMaxUnreadBytes) slow.push_back(&listener);
    }
    for (Listener* listener : slow) let_go(*listener);
    for (Listener& listener : listeners_) write(listener, text);
    uv_run(&loop_, UV_RUN_NOWAIT);
  }

 private:
  // Closes handles that nobody owns any more.
  template <class Handle>
  static void close(Handle* handle) {
    uv_close(reinterpret_cast<uv_handle_t*>(handle), [](uv_handle_t* h) { delete reinterpret_cast<Handle*>(h); });
  }

  struct Listener {
    uv_pipe_t* pipe;
    uv_stream_t* stream() const { return reinterpret_cast<uv_stream_t*>(pipe); }
  };
  struct Write {
    uv_write_t request;
    std::shared_ptr<const std::string> text;
  };

  static UvWatchLoop& self(void* data) { return *static_cast<UvWatchLoop*>(data); }

  bool answers(const std::string& socket) {
    uv_pipe_t probe;
    uv_pipe_init(&loop_, &probe, 0);
    struct Attempt {
      uv_connect_t request;
      bool done = false, connected = false;
    } attempt;
    attempt.request.data = &attempt;
    uv_pipe_connect(&attempt.request, &probe, socket.c_str(), [](uv_connect_t* request, int status) {
      auto& of = *static_cast<Attempt*>(request->data);
      of.done = true;
      of.connected = status == 0;
    });
    while (!attempt.done) uv_run(&loop_, UV_RUN_ONCE);
    bool closed = false;
    probe.data = &closed;
    uv_close(reinterpret_cast<uv_handle_t*>(&probe), [](uv_handle_t* h) { *static_cast<bool*>(h->data) = true; });
    while (!closed) uv_run(&loop_, UV_RUN_ONCE);
    return attempt.connected;
  }

  void settle() {
    const std::uint64_t now = uv_now(&loop_);
    if (first_change_ms_ == 0) first_change_ms_ = now;
    if (now - first_change_ms_ >= kRestlessMs) return wake(Woken::kChanged);
    uv_timer_start(&settle_, [](uv_timer_t* timer) { self(timer->data).wake(Woken::kChanged); }, kSettleMs, 0);
  }

  void wake(Woken how) {
    woken_ = true;
    result_ = how;
    uv_stop(&loop_);
  }

  static void on_change(uv_fs_event_t* handle, const char*, int, int) {
    UvWatchLoop& loop = self(handle->data);
    loop.changed_ = true;
    loop.settle();
  }
  static void on_timeout(uv_timer_t* timer) { self(timer->data).wake(Woken::kTimeout); }
  static void on_signal(uv_signal_t* signal, int) { self(signal->data).wake(Woken::kStopped); }

  static void on_connection(uv_stream_t* server, int status) {
    if (status != 0) return;
    UvWatchLoop& loop = self(server->data);
    auto* pipe = new uv_pipe_t;
    uv_pipe_init(&loop.loop_, pipe, 0);
    pipe->data = &loop;
    if (uv_accept(server, reinterpret_cast<uv_stream_t*>(pipe)) != 0 || loop.listeners_.size() >= kMaxListeners)
      return close(pipe);
    loop.listeners_.push_back({pipe});
    uv_read_start(reinterpret_cast<uv_stream_t*>(pipe), on_allocate, on_read);
    loop.write(loop.listeners_.back(), std::make_shared<const std::string>(loop.greeting_ + "\n"));
  }

  // What listeners say has no meaning; that they are gone, has.
  static void on_allocate(uv_handle_t*, std::size_t, uv_buf_t* buffer) {
    static char ignored[256];
    *buffer = uv_buf_init(ignored, sizeof ignored);
  }
  static void on_read(uv_stream_t* stream, ssize_t size, const uv_buf_t*) {
    if (size >= 0) return;
    UvWatchLoop& loop = self(stream->data);
    const auto at = std::ranges::find(loop.listeners_, reinterpret_cast<uv_pipe_t*>(stream), &Listener::pipe);
    if (at != loop.listeners_.end()) loop.let_go(*at);
  }

  void let_go(Listener& listener) {
    uv_pipe_t* const pipe = listener.pipe;
    listeners_.remove_if([&](const Listener& other) { return other.pipe == pipe; });
    close(pipe);
  }

  void write(Listener& listener, std::shared_ptr<const std::string> text) {
    auto* write = new Write{{}, std::move(text)};
    write->request.data = write;
    const uv_buf_t buffer =
        uv_buf_init(const_cast<char*>(write->text->data()), static_cast<unsigned>(write->text->size()));
    const auto done = [](uv_write_t* request, int) { delete static_cast<Write*>(request->data); };
    if (uv_write(&write->request, listener.stream(), &buffer, 1, done) != 0) delete write;
  }

  using Folder = std::unique_ptr<uv_fs_event_t>;

  uv_loop_t loop_{};
  bool is_open_ = false;
  uv_pipe_t server_{};
  uv_timer_t settle_{}, timeout_{};
  uv_signal_t signals_[2]{};
  std::string greeting_;
  std::map<std::string, Folder, std::less<>> folders_;
  std::list<Listener> listeners_;
  bool changed_ = false;
  std::uint64_t first_change_ms_ = 0;
  bool woken_ = false;
  Woken result_ = Woken::kTimeout;
};

}  // namespace

Result<std::unique_ptr<WatchLoop>> WatchLoop::open(const std::string& socket, std::string greeting) {
  auto loop = std::make_unique<UvWatchLoop>();
  ASSETC_CHECK(loop->start(socket, std::move(greeting)));
  return loop;
}

}  // namespace assetc::engine
