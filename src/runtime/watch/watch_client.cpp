#include "assetc/runtime/watch_client.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <thread>
#include <utility>

#include "base/watch_protocol.hpp"
#include "runtime/watch/watch_protocol.hpp"

namespace assetc::runtime {
namespace {

constexpr std::chrono::milliseconds kRetry{250};
constexpr std::chrono::milliseconds kMaxRetry{4000};
constexpr std::chrono::milliseconds kMeeting{100};
constexpr std::chrono::milliseconds kRetryOfStranger{5000};  // that breaks the protocol
constexpr std::size_t kReadBytes = 64u << 10;

// A descriptor, closed with it.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  // Neither inherited by programs that are started, nor waited for.
  void tame() const {
    ::fcntl(fd_, F_SETFD, FD_CLOEXEC);
    ::fcntl(fd_, F_SETFL, O_NONBLOCK);
  }

 private:
  int fd_;
};

}  // namespace

class WatchClient::Impl {
 public:
  Impl(const std::string& folder, std::function<void(const Changes&)> then)
      : path_(folder + "/" + std::string(watch_protocol::kSocketName)), then_(std::move(then)) {
    int ends[2];
    if (::pipe(ends) != 0) return;
    stop_ = Descriptor(ends[0]);
    stopper_ = Descriptor(ends[1]);
    stop_.tame();
    stopper_.tame();
    connect();
    const bool is_there = static_cast<bool>(socket_);
    thread_ = std::thread([this] { run(); });
    if (!is_there) return;
    std::unique_lock lock(meeting_);
    met_.wait_for(lock, kMeeting, [this] { return has_met_; });
  }
  ~Impl() {
    // A byte, and not the end alone: a process that was forked meanwhile may hold the other end.
    if (stopper_) static_cast<void>(::write(stopper_.get(), "", 1) == 1);
    stopper_ = Descriptor();
    if (thread_.joinable()) thread_.join();
  }
  bool is_connected() const { return connected_; }

 private:
  void run() {
    while (true) {
      if (socket_) {
        if (!listen()) return;
        connected_ = false;
        socket_ = Descriptor();
        meet();
      }
      if (!rest()) return;
      connect();
    }
  }

  void connect() {
    sockaddr_un address{};
    if (path_.size() >= sizeof address.sun_path) {
      if (!std::exchange(told_path_, true)) {
        tell_error({ErrorCode::kLimit, path_, {}, "is too long for the path of a socket", "use a shorter folder"});
      }
      return;
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.c_str(), path_.size());
    Descriptor socket(::socket(AF_UNIX, SOCK_STREAM, 0));
    if (!socket) return;
    socket.tame();
    // A local socket is connected at once or not at all.
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
    socket_ = std::move(socket);
    reader_ = {};
    is_greeted_ = false;
  }

  // The constructor waits no longer.
  void meet() {
    {
      const std::lock_guard lock(meeting_);
      has_met_ = true;
    }
    met_.notify_all();
  }

  void hear(const Changes& changes) {
    // The other side has said who it is, and not that it listens to others enough.
    if (!std::exchange(is_greeted_, true)) {
      retry_ = kRetry;
      connected_ = true;
    }
    then_(changes);
    meet();
  }

  // Until the other side is gone or breaks the protocol. False where this is to end.
  bool listen() {
    std::array<std::byte, kReadBytes> buffer;
    while (true) {
      std::array<pollfd, 2> waits{{{socket_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
      if (::poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) return false;
      if (waits[1].revents != 0) return false;
      if (waits[0].revents == 0) continue;
      const ssize_t size = ::recv(socket_.get(), buffer.data(), buffer.size(), 0);
      if (size < 0 && (errno == EAGAIN || errno == EINTR)) continue;
      if (size <= 0) {
        if (!is_greeted_) retry_ = std::min(2 * retry_, kMaxRetry);
        return true;
      }
      const auto said = reader_.read(ByteSpan(buffer).first(static_cast<std::size_t>(size)));
      if (!said) {
        tell_error(Error(said.error()).in(path_));
        retry_ = kRetryOfStranger;
        return true;
      }
      for (const Changes& changes : *said) hear(changes);
    }
  }

  bool rest() const {
    pollfd wait{stop_.get(), POLLIN, 0};
    return ::poll(&wait, 1, static_cast<int>(retry_.count())) <= 0;
  }

  void tell_error(Error error) const { then_({.broken = {{{}, std::move(error)}}, .leaves_broken = true}); }

  const std::string path_;
  const std::function<void(const Changes&)> then_;
  Descriptor stop_, stopper_;  // the thread ends when the second is written to or closed
  Descriptor socket_;
  WatchReader reader_;
  std::chrono::milliseconds retry_ = kRetry;
  bool told_path_ = false;
  bool is_greeted_ = false;
  std::atomic<bool> connected_ = false;
  std::mutex meeting_;
  std::condition_variable met_;
  bool has_met_ = false;
  std::thread thread_;
};

WatchClient::WatchClient(const std::string& folder, std::function<void(const Changes&)> then)
    : impl_(std::make_unique<Impl>(folder, std::move(then))) {}
WatchClient::~WatchClient() = default;
bool WatchClient::is_connected() const { return impl_->is_connected(); }

}  // namespace assetc::runtime
