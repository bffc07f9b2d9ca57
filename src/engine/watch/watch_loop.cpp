#include "engine/watch/watch_loop.hpp"

#include <uv.h>

#include <algorithm>
#include <csignal>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "engine/http/peer.hpp"
#include "engine/watch/websocket.hpp"
#include "os/console.hpp"
#include "os/file.hpp"
#include "os/local_socket.hpp"

namespace assetc::engine {
namespace {

// A save is complete when nothing has changed for kSettleMs. If a folder never rests, wait at most kRestlessMs.
constexpr std::uint64_t kSettleMs = 15;
constexpr std::uint64_t kRestlessMs = 1000;
constexpr std::size_t kMaxUnreadBytes = 4u << 20;  // per listener
// A connection that sends no WebSocket request for this long is closed, so that it does not occupy a slot.
constexpr std::uint64_t kHandshakeMs = 5000;
constexpr std::string_view kForbidden = "HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
constexpr int kBacklog = 16;
// The system drops events beyond its queue (16384 on Linux, or less if set by sysctl), and libuv does not report that.
// So beyond this many changes, any file may have changed.
constexpr std::size_t kMostKept = 1000;

Error error_of(int status, ErrorCode code, std::string what, std::string hint = {}) {
  return {code, {}, {}, std::move(what) + ": " + uv_strerror(status), std::move(hint)};
}

class UvWatchLoop final : public WatchLoop {
 public:
  Result<void> start() {
    os::survive_closed_pipes();  // a listener may close its end during a write
    if (const int status = uv_loop_init(&loop_); status != 0)
      return std::unexpected(error_of(status, ErrorCode::kIo, "cannot watch"));
    is_open_ = true;
    uv_timer_init(&loop_, &settle_);
    uv_timer_init(&loop_, &timeout_);
    uv_timer_init(&loop_, &handshakes_);
    for (int i = 0; i < 2; ++i) {
      uv_signal_init(&loop_, &signals_[i]);
      signals_[i].data = this;
    }
    settle_.data = timeout_.data = handshakes_.data = this;
    own_output_ = os::output_files();
    return {};
  }

  Result<void> listen_at(const std::string& socket) override {
    if (socket == socket_ && is_listening()) return {};
    // If the socket answers, another watch is running. If not, it was left by a killed watch.
    if (answers(socket)) {
      return std::unexpected(Error{
          ErrorCode::kConflict, socket, {}, "another watch of this output is running", "stop it, or use its events"});
    }
    if (server_ != nullptr) close(std::exchange(server_, nullptr));  // also removes the socket file
    address_ = os::SocketAddress(socket);
    uv_fs_t removal;
    uv_fs_unlink(&loop_, &removal, socket.c_str(), nullptr);
    uv_fs_req_cleanup(&removal);
    server_ = new uv_pipe_t;
    uv_pipe_init(&loop_, server_, 0);
    server_->data = this;
    socket_ = socket;
    int status = 0;
    {
      const os::PrivateFiles only_ours;
      status = address_.name().empty() ? UV_ENAMETOOLONG : uv_pipe_bind(server_, address_.name().c_str());
    }
    if (status == 0) status = uv_listen(reinterpret_cast<uv_stream_t*>(server_), kBacklog, on_connection);
    bound_ = inode_of(socket);
    if (status == 0) return {};
    Error error = error_of(status, ErrorCode::kIo, "cannot listen here",
                           status == UV_ENAMETOOLONG || status == UV_EINVAL
                               ? "the socket's path is too long: use a shorter output folder"
                               : "");
    return std::unexpected(std::move(error).in(socket));
  }
  bool is_listening() override { return server_ != nullptr && bound_ != 0 && inode_of(socket_) == bound_; }
  void greet_with(std::string_view greeting) override { greeting_ = message_of(greeting); }
  bool has_listeners() const override { return !listeners_.empty(); }
  void let_all_go() override {
    while (!listeners_.empty()) let_go(listeners_.front());
  }

  Result<std::uint16_t> listen_on(std::uint16_t port) override {
    web_.data = this;
    uv_tcp_init(&loop_, &web_);
    sockaddr_storage bound{};
    auto* const address = reinterpret_cast<sockaddr*>(&bound);
    auto* const ipv4 = reinterpret_cast<sockaddr_in*>(&bound);
    int size = sizeof bound;
    int status = uv_ip4_addr("127.0.0.1", port, ipv4);
    if (status == 0) status = uv_tcp_bind(&web_, address, 0);
    if (status == 0) status = uv_listen(reinterpret_cast<uv_stream_t*>(&web_), kBacklog, on_web_connection);
    if (status == 0) status = uv_tcp_getsockname(&web_, address, &size);
    if (status == 0) return ntohs(ipv4->sin_port);
    return std::unexpected(error_of(status, status == UV_EADDRINUSE ? ErrorCode::kConflict : ErrorCode::kIo,
                                    "cannot listen on port " + std::to_string(port) + " for WebSockets",
                                    "choose another port, or 0 for any free port"));
  }

  ~UvWatchLoop() override {
    if (!is_open_) return;
    let_all_go();
    if (server_ != nullptr) close(server_);
    folders_.clear();
    uv_walk(
        &loop_,
        [](uv_handle_t* handle, void*) {
          if (uv_is_closing(handle) == 0) uv_close(handle, nullptr);
        },
        nullptr);
    uv_run(&loop_, UV_RUN_DEFAULT);
    uv_loop_close(&loop_);
  }

  const std::optional<Error>& unwatched() const override { return unwatched_; }
  bool watch(const std::vector<std::string>& folders) override {
    unwatched_.reset();
    uv_run(&loop_, UV_RUN_NOWAIT);  // find out which folders were replaced
    Folders now;
    bool is_new = false;
    for (const std::string& folder : folders) {
      if (now.contains(folder)) continue;  // the input and the configuration may be in the same folder
      if (const auto known = folders_.find(folder); known != folders_.end() && !is_replaced(folder)) {
        now.insert(folders_.extract(known));
        continue;
      }
      if (unwatched_) continue;  // the next ones would fail, too
      Folders::mapped_type made(new Folder{{}, this, folder});
      uv_fs_event_init(&loop_, &made->handle);
      made->handle.data = made.get();
      const int status = uv_fs_event_start(&made->handle, on_change, folder.c_str(), 0);
      if (status != 0) {
        if (status == UV_ENOENT || status == UV_ENOTDIR) continue;  // deleted again
        unwatched_ = status == UV_ENOSPC || status == UV_EMFILE
                         ? Error{ErrorCode::kLimit,
                                 folder,
                                 {},
                                 "the system cannot watch more folders",
                                 "raise fs.inotify.max_user_watches and max_user_instances with sysctl"}
                         : error_of(status, ErrorCode::kIo, "cannot watch this folder").in(folder);
        continue;
      }
      now.emplace(folder, std::move(made));
      is_new = true;
    }
    folders_ = std::move(now);
    replaced_.clear();
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
    uv_run(&loop_, UV_RUN_NOWAIT);  // do not lose a signal that arrived at the same time
    // Outside of wait(), a signal ends the program at once, as in any build.
    for (uv_signal_t& signal : signals_) uv_signal_stop(&signal);
    uv_timer_stop(&timeout_);
    uv_timer_stop(&settle_);
    if (result_ == Woken::kChanged) changed_ = false;
    first_change_ms_ = 0;
    return result_;
  }

  std::optional<std::vector<std::string>> take_changes() override {
    return std::exchange(changes_, std::vector<std::string>{});
  }

  void tell(std::string_view line) override {
    const Message message = message_of(line);
    uv_run(&loop_, UV_RUN_NOWAIT);  // new connections get this line too
    std::vector<Listener*> slow;
    for (Listener& listener : listeners_) {
      if (uv_stream_get_write_queue_size(listener.stream) > kMaxUnreadBytes) slow.push_back(&listener);
    }
    for (Listener* listener : slow) let_go(*listener);
    for (Listener& listener : listeners_) {
      if (listener.hears()) write(listener.stream, listener.web ? message.frame : message.line, false);
    }
    uv_run(&loop_, UV_RUN_NOWAIT);
  }

  void on_refused(std::function<void()> call) override { refused_ = std::move(call); }

 private:
  // Closes and deletes a handle.
  template <class Handle>
  static void close(Handle* handle) {
    uv_close(reinterpret_cast<uv_handle_t*>(handle), [](uv_handle_t* h) { delete reinterpret_cast<Handle*>(h); });
  }

  struct Folder {
    uv_fs_event_t handle;
    UvWatchLoop* loop;
    std::string path;  // libuv only knows the path under which it first saw the folder
  };
  struct CloseFolder {
    void operator()(Folder* folder) const {
      uv_close(reinterpret_cast<uv_handle_t*>(&folder->handle),
               [](uv_handle_t* h) { delete static_cast<Folder*>(h->data); });
    }
  };
  using Folders = std::map<std::string, std::unique_ptr<Folder, CloseFolder>, std::less<>>;

  struct Listener {
    uv_stream_t* stream;
    std::uint64_t since_ms;
    std::optional<WebSocket> web = std::nullopt;
    bool is_leaving = false;
    bool is_tcp() const { return stream->type == UV_TCP; }
    bool hears() const { return !is_leaving && (!web || web->is_open()); }
  };
  using Text = std::shared_ptr<const std::string>;
  struct Message {
    Text line, frame;
  };
  struct Write {
    uv_write_t request;
    Text text;
    bool is_last;
  };
  static Message message_of(std::string_view line) {
    return {std::make_shared<const std::string>(std::string(line) + "\n"),
            std::make_shared<const std::string>(WebSocket::text_frame(line))};
  }

  // 0 if the file does not exist.
  static std::uint64_t inode_of(const std::string& path) {
    if (!os::SocketAddress::kIsFile) return 1;
    const auto status = os::status(path);
    return status ? status->inode : 0;
  }

  static UvWatchLoop& self(void* data) { return *static_cast<UvWatchLoop*>(data); }

  bool answers(const std::string& socket) {
    const os::SocketAddress address(socket);
    if (address.name().empty()) return false;
    uv_pipe_t probe;
    uv_pipe_init(&loop_, &probe, 0);
    struct Attempt {
      uv_connect_t request;
      bool done = false, connected = false;
    } attempt;
    attempt.request.data = &attempt;
    uv_pipe_connect(&attempt.request, &probe, address.name().c_str(), [](uv_connect_t* request, int status) {
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
    if (woken_ && result_ == Woken::kStopped) return;
    woken_ = true;
    result_ = how;
    uv_stop(&loop_);
  }

  static void on_change(uv_fs_event_t* handle, const char* name, int, int status) {
    const Folder& folder = *static_cast<const Folder*>(handle->data);
    if (!folder.loop->take(folder, name, status)) return;
    folder.loop->changed_ = true;
    folder.loop->settle();
  }
  static std::string name_known_to_uv(const uv_fs_event_t& handle) {
    std::string path(1, '\0');
    std::size_t size = path.size();
    while (uv_fs_event_getpath(const_cast<uv_fs_event_t*>(&handle), path.data(), &size) == UV_ENOBUFS)
      path.resize(size);
    path.resize(size);
    return path.substr(path.rfind('/') + 1);
  }
  // False if the change does not count: this program wrote to its own redirected output.
  bool take(const Folder& folder, const char* name, int status) {
    // An event of the folder itself carries the folder's own name. The folder may have been replaced.
    const bool is_itself = name == nullptr || status != 0 || name_known_to_uv(folder.handle) == name;
    std::string path = is_itself ? folder.path : folder.path + "/" + name;
    if (!is_itself && is_own_output(path)) return false;
    // If a folder is moved, there are no events for the folders below it.
    const std::string place = path.substr(path.starts_with("./") ? 2 : 0);
    const auto below = folders_.lower_bound(place + "/");
    if (folders_.contains(place) || (below != folders_.end() && below->first.starts_with(place + "/")))
      replaced_.insert(place);
    if (is_itself || (changes_ && changes_->size() == kMostKept)) changes_.reset();
    if (changes_) changes_->push_back(std::move(path));
    return true;
  }
  bool is_own_output(const std::string& path) const {
    if (own_output_.empty()) return false;
    const auto now = os::status(path);
    return now && std::ranges::any_of(own_output_, [&](const os::Status& own) {
             return own.inode == now->inode && own.device == now->device;
           });
  }
  // Whether the folder or one of its parents was replaced.
  bool is_replaced(std::string_view folder) const {
    for (std::size_t end = folder.size(); end != folder.npos && end != 0; end = folder.rfind('/', end - 1)) {
      if (replaced_.contains(folder.substr(0, end))) return true;
    }
    return false;
  }
  static void on_timeout(uv_timer_t* timer) { self(timer->data).wake(Woken::kTimeout); }
  static void on_signal(uv_signal_t* signal, int) { self(signal->data).wake(Woken::kStopped); }

  template <class Handle>
  Listener* accept(uv_stream_t* server, Handle* handle) {
    auto* const stream = reinterpret_cast<uv_stream_t*>(handle);
    handle->data = this;
    const bool accepted = uv_accept(server, stream) == 0;
    const auto like_it = [&](const Listener& other) { return other.stream->type == stream->type; };
    const bool is_full = static_cast<std::size_t>(std::ranges::count_if(listeners_, like_it)) >= kMaxListeners;
    if (!accepted || is_full) {
      close(handle);
      if (accepted && refused_) refused_();
      return nullptr;
    }
    listeners_.push_back({.stream = stream, .since_ms = uv_now(&loop_)});
    uv_read_start(stream, on_allocate, on_read);
    return &listeners_.back();
  }
  static void on_connection(uv_stream_t* server, int status) {
    if (status != 0) return;
    UvWatchLoop& loop = self(server->data);
    auto* pipe = new uv_pipe_t;
    uv_pipe_init(&loop.loop_, pipe, 0);
    if (const Listener* listener = loop.accept(server, pipe)) write(listener->stream, loop.greeting_.line, false);
  }
  static void on_web_connection(uv_stream_t* server, int status) {
    if (status != 0) return;
    UvWatchLoop& loop = self(server->data);
    auto* tcp = new uv_tcp_t;
    uv_tcp_init(&loop.loop_, tcp);
    Listener* const listener = loop.accept(server, tcp);
    if (listener == nullptr) return;
    listener->web.emplace();
    if (uv_is_active(reinterpret_cast<uv_handle_t*>(&loop.handshakes_)) == 0)
      uv_timer_start(
          &loop.handshakes_, [](uv_timer_t* timer) { self(timer->data).drop_silent(); }, kHandshakeMs,
          kHandshakeMs / 5);
    if (is_peer_ours(*tcp)) return;
    listener->is_leaving = true;
    write(listener->stream, std::make_shared<const std::string>(kForbidden), true);
  }
  void drop_silent() {
    std::vector<Listener*> silent;
    for (Listener& listener : listeners_) {
      if (listener.is_tcp() && !listener.hears() && uv_now(&loop_) - listener.since_ms >= kHandshakeMs)
        silent.push_back(&listener);
    }
    for (Listener* listener : silent) let_go(*listener);
    const bool some_wait =
        std::ranges::any_of(listeners_, [](const Listener& one) { return one.is_tcp() && !one.hears(); });
    if (!some_wait) uv_timer_stop(&handshakes_);
  }

  // Input is ignored, except on WebSockets. The end of a connection is not.
  static void on_allocate(uv_handle_t*, std::size_t, uv_buf_t* buffer) {
    static char bytes[4096];
    *buffer = uv_buf_init(bytes, sizeof bytes);
  }
  static void on_read(uv_stream_t* stream, ssize_t size, const uv_buf_t* buffer) {
    UvWatchLoop& loop = self(stream->data);
    const auto at = std::ranges::find(loop.listeners_, stream, &Listener::stream);
    if (at == loop.listeners_.end()) return;
    if (size < 0) return loop.let_go(*at);
    if (!at->web || at->is_leaving) return;
    const bool was_open = at->web->is_open();
    std::string answer;
    at->is_leaving = !at->web->read({buffer->base, static_cast<std::size_t>(size)}, answer);
    if (!answer.empty()) write(stream, std::make_shared<const std::string>(std::move(answer)), at->is_leaving);
    if (!was_open && at->hears()) write(stream, loop.greeting_.frame, false);
    // A client that sends requests without reading the answers.
    if (uv_stream_get_write_queue_size(stream) > kMaxUnreadBytes) loop.let_go(*at);
  }

  void let_go(const Listener& listener) {
    uv_stream_t* const stream = listener.stream;
    listeners_.remove_if([&](const Listener& other) { return other.stream == stream; });
    if (stream->type == UV_TCP) return close(reinterpret_cast<uv_tcp_t*>(stream));
    close(reinterpret_cast<uv_pipe_t*>(stream));
  }

  // is_last: close the connection after this text.
  static void write(uv_stream_t* stream, Text text, bool is_last) {
    auto* write = new Write{{}, std::move(text), is_last};
    write->request.data = write;
    const uv_buf_t buffer =
        uv_buf_init(const_cast<char*>(write->text->data()), static_cast<unsigned>(write->text->size()));
    const auto done = [](uv_write_t* request, int status) {
      const std::unique_ptr<const Write> sent(static_cast<const Write*>(request->data));
      if (!sent->is_last || status == UV_ECANCELED) return;
      UvWatchLoop& loop = self(request->handle->data);
      const auto at = std::ranges::find(loop.listeners_, request->handle, &Listener::stream);
      if (at != loop.listeners_.end()) loop.let_go(*at);
    };
    if (uv_write(&write->request, stream, &buffer, 1, done) != 0) delete write;
  }

  uv_loop_t loop_{};
  bool is_open_ = false;
  uv_pipe_t* server_ = nullptr;
  std::string socket_;
  os::SocketAddress address_;  // of the socket; closing the socket removes this file
  std::uint64_t bound_ = 0;    // inode of the socket file
  uv_tcp_t web_{};
  uv_timer_t settle_{}, timeout_{}, handshakes_{};
  uv_signal_t signals_[2]{};
  Message greeting_;
  Folders folders_;
  std::optional<Error> unwatched_;
  std::set<std::string, std::less<>> replaced_;  // folders replaced since watch(); folders below them may be new too
  std::list<Listener> listeners_;
  std::function<void()> refused_;
  std::vector<os::Status> own_output_;
  bool changed_ = false;
  std::optional<std::vector<std::string>> changes_ = std::vector<std::string>{};
  std::uint64_t first_change_ms_ = 0;
  bool woken_ = false;
  Woken result_ = Woken::kTimeout;
};

}  // namespace

Result<std::unique_ptr<WatchLoop>> WatchLoop::open() {
  auto loop = std::make_unique<UvWatchLoop>();
  ASSETC_CHECK(loop->start());
  return loop;
}

}  // namespace assetc::engine
