#include "cli/serve/watch_follower.hpp"

#include <array>
#include <chrono>
#include <optional>

#include "base/json_line.hpp"
#include "base/watch_protocol.hpp"
#include "engine/run/build_log.hpp"

namespace assetc::cli {
namespace {

constexpr std::chrono::milliseconds kRetry{250};
constexpr std::size_t kMaxLineBytes = 64u << 20;

}  // namespace

WatchFollower::WatchFollower(std::string output, engine::Disk& disk, OnLine on_line)
    : output_(std::move(output)), disk_(disk), on_line_(std::move(on_line)) {
  if (stop_) thread_ = std::thread([this] { run(); });
}

WatchFollower::~WatchFollower() {
  if (!thread_.joinable()) return;
  stop_.wake();
  thread_.join();
}

std::int64_t WatchFollower::last_build_ns() const {
  const auto status = disk_.status(output_ + "/" + std::string(engine::kBuildLogName));
  return status ? status->signature.mtime_ns : 0;
}

void WatchFollower::run() {
  std::int64_t seen_ns = last_build_ns();
  do {
    os::LocalSocket socket = os::LocalSocket::connect(output_ + "/" + std::string(watch_protocol::kSocketName));
    if (socket) read_lines(socket);
    const std::int64_t now_ns = last_build_ns();
    if (now_ns == seen_ns) continue;
    if (!socket) on_line_(json_event("built").add("ok", true).add("everything", true).str(), false);
    seen_ns = now_ns;
  } while (!stop_.wait_for(kRetry));
}

void WatchFollower::read_lines(os::LocalSocket& socket) {
  std::array<std::byte, 64u << 10> buffer;
  std::string rest;
  bool is_greeting = true;
  while (socket.wait(stop_) != os::LocalSocket::Event::kWoken) {
    const std::optional<std::size_t> size = socket.receive(buffer);
    if (!size) continue;
    if (*size == 0) return;  // the watch ended
    rest += as_text(ByteSpan(buffer).first(*size));
    for (std::size_t end = rest.find('\n'); end != rest.npos; end = rest.find('\n')) {
      on_line_(rest.substr(0, end), std::exchange(is_greeting, false));
      rest.erase(0, end + 1);
    }
    if (rest.size() > kMaxLineBytes) return;
  }
}

}  // namespace assetc::cli
