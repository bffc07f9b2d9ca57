// A connection to a socket in the file system, and a way to wake whoever waits for it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace assetc::os {

// Wakes one thread that waits. Thread safety: wake() from any thread.
class Waker {
 public:
  Waker();
  ~Waker();
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;
  // Whether the system gave one.
  explicit operator bool() const { return waits_ >= 0; }
  void wake();
  // True if woken before the time is over.
  bool wait_for(std::chrono::milliseconds time) const;

 private:
  friend class LocalSocket;
  int waits_ = -1, wakes_ = -1;
};

// Whether the program at the other end of an IPv4 loopback connection runs as this user, or as the system's own (root).
// Ports in host byte order: ours and the other end's. Nothing where the system does not tell.
std::optional<bool> is_peer_ours(std::uint16_t port, std::uint16_t peer_port);

class LocalSocket {
 public:
  enum class Event : std::uint8_t { kReadable, kWoken };

  LocalSocket() = default;
  LocalSocket(LocalSocket&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  LocalSocket& operator=(LocalSocket&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~LocalSocket();
  // Whether the path of a socket may be so long.
  static bool can_address(const std::string& path);
  // Not connected if nobody listens there. Programs that are started do not inherit it.
  static LocalSocket connect(const std::string& path);
  explicit operator bool() const { return descriptor_ >= 0; }

  // Waits for bytes, the end of the connection, or the waker.
  Event wait(const Waker& waker) const;
  // The bytes that are there, at most buffer.size(): 0 if the connection is over, nothing if there are none yet.
  std::optional<std::size_t> receive(std::span<std::byte> buffer) const;

 private:
  explicit LocalSocket(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace assetc::os
