// A connection to a socket in the file system, and a waker for threads that wait for it.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace assetc::os {

// Wakes one waiting thread. Thread safety: wake() from any thread.
class Waker {
 public:
  Waker();
  ~Waker();
  Waker(const Waker&) = delete;
  Waker& operator=(const Waker&) = delete;
  // False if the system could not provide one.
  explicit operator bool() const { return waits_ >= 0; }
  void wake();
  // Returns true if it was woken before the time was over.
  bool wait_for(std::chrono::milliseconds time) const;

 private:
  friend class LocalSocket;
  int waits_ = -1, wakes_ = -1;
};

// One end of a TCP connection.
struct Endpoint {
  std::array<std::uint8_t, 16> address{};  // of IPv6, in network order; IPv4 is mapped: ::ffff:127.0.0.1
  std::uint16_t port = 0;                  // in host byte order
  bool operator==(const Endpoint&) const = default;
  static Endpoint ipv4(const std::array<std::uint8_t, 4>& of, std::uint16_t port) {
    return {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, of[0], of[1], of[2], of[3]}, port};
  }
};

// Returns whether the program at the other end of a loopback connection runs as this user or as root. Nothing if the
// system does not report it, or reports more than one socket with these two ends.
//
// Both addresses count, not only the ports: another user can bind the port of `ours` at another address of the
// loopback interface, and the sockets of this program are in the same table.
std::optional<bool> is_peer_ours(const Endpoint& ours, const Endpoint& theirs);

// The address of a socket at a path. The system limits it to about 100 bytes. A longer path is named relative to its
// open folder, if the system has names for open files (Linux). The folder then stays open, and the name valid, as long
// as this object exists.
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
  // Whether a socket is a file, which others can remove. On Windows it is a named pipe, whose name is made from the
  // path.
#ifdef _WIN32
  static constexpr bool kIsFile = false;
#else
  static constexpr bool kIsFile = true;
#endif
  // Returns whether a socket at this path can have an address, if its folder exists.
  static bool has(const std::string& path);
  // Empty if there is no address: the folder does not exist, or the path is too long.
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
  // Not connected if no program listens there. Started programs do not inherit it.
  static LocalSocket connect(const std::string& path);
  explicit operator bool() const { return descriptor_ >= 0; }

  // Waits for bytes, the end of the connection, or the waker.
  Event wait(const Waker& waker) const;
  // Returns available bytes, at most buffer.size(): 0 if the connection is closed, nothing if no bytes have arrived.
  std::optional<std::size_t> receive(std::span<std::byte> buffer) const;

 private:
  explicit LocalSocket(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace assetc::os
