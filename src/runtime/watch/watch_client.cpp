#include "assetc/runtime/watch_client.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "base/watch_protocol.hpp"
#include "os/local_socket.hpp"
#include "runtime/watch/watch_protocol.hpp"

namespace assetc::runtime {
namespace {

constexpr std::chrono::milliseconds kRetry{250};
constexpr std::chrono::milliseconds kMaxRetry{4000};
constexpr std::chrono::milliseconds kMeeting{100};
constexpr std::chrono::milliseconds kRetryOfStranger{5000};  // after a protocol error
constexpr std::size_t kReadBytes = 64u << 10;

}  // namespace

class WatchClient::Impl {
 public:
  Impl(const std::string& folder, std::function<void(const Changes&)> then)
      : path_(folder + "/" + std::string(watch_protocol::kSocketName)), then_(std::move(then)) {
    if (!stop_) return;
    connect();
    const bool is_there = static_cast<bool>(socket_);
    thread_ = std::thread([this] { run(); });
    if (!is_there) return;
    std::unique_lock lock(meeting_);
    met_.wait_for(lock, kMeeting, [this] { return has_met_; });
  }
  ~Impl() {
    if (stop_) stop_.wake();
    if (thread_.joinable()) thread_.join();
  }
  bool is_connected() const { return connected_; }

 private:
  void run() {
    while (true) {
      if (socket_) {
        if (!listen()) return;
        connected_ = false;
        socket_ = os::LocalSocket();
        meet();
      }
      if (stop_.wait_for(retry_)) return;
      connect();
    }
  }

  void connect() {
    if (!os::SocketAddress::has(path_)) {
      if (!std::exchange(told_path_, true)) {
        tell_error(
            {ErrorCode::kLimit, path_, {}, "is too long for the path of a socket", "use a folder with a shorter path"});
      }
      return;
    }
    os::LocalSocket socket = os::LocalSocket::connect(path_);
    if (!socket) return;
    socket_ = std::move(socket);
    reader_ = {};
    is_greeted_ = false;
  }

  // Ends the wait of the constructor.
  void meet() {
    {
      const std::lock_guard lock(meeting_);
      has_met_ = true;
    }
    met_.notify_all();
  }

  void hear(const Changes& changes) {
    // The first message is the greeting. A watch with too many connections closes this one without a greeting.
    if (!std::exchange(is_greeted_, true)) {
      retry_ = kRetry;
      connected_ = true;
    }
    then_(changes);
    meet();
  }

  // Returns when the watch disconnects or breaks the protocol. Returns false if the thread must end.
  bool listen() {
    std::array<std::byte, kReadBytes> buffer;
    while (true) {
      if (socket_.wait(stop_) == os::LocalSocket::Event::kWoken) return false;
      const auto size = socket_.receive(buffer);
      if (!size) continue;
      if (*size == 0) {
        if (!is_greeted_) retry_ = std::min(2 * retry_, kMaxRetry);
        return true;
      }
      const auto said = reader_.read(ByteSpan(buffer).first(*size));
      if (!said) {
        tell_error(Error(said.error()).in(path_));
        retry_ = kRetryOfStranger;
        return true;
      }
      for (const Changes& changes : *said) hear(changes);
    }
  }

  void tell_error(Error error) const { then_({.broken = {{{}, std::move(error)}}, .leaves_broken = true}); }

  const std::string path_;
  const std::function<void(const Changes&)> then_;
  os::Waker stop_;  // ends the thread
  os::LocalSocket socket_;
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
