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

// How the system is told of a socket at a path, which it bounds to about 100 bytes: a longer one is named from its
// folder, where the system has names for what is open (Linux). Then the folder is open, and the name valid, as long as
// this.
class SocketAddress {
 public:
  SocketAddress() = default;
  explicit SocketAddress(const std::string& path);
  SocketAddress(SocketAddress&& other) noexcept
      : folder_(std::exchange(other.folder_, -1)), name_(std::exchange(other.name_, {})) {}
  SocketAddress& operator=(SocketAddress&& other) noexcept {
    std::swap(folder_, other.folder_);
    std::swap(name_, other.name_);
    return *this;
  }
  ~SocketAddress();
  // Whether a socket at this path has an address, once its folder is there.
  static bool has(const std::string& path);
  // Empty where there is none: the folder is not there, or the path too long.
  const std::string& name() const { return name_; }

 private:
  int folder_ = -1;
  std::string name_;
};

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
