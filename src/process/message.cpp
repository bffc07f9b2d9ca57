#include "process/message.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace assetc::process {
namespace {

// A size is the other side's word: memory is taken as bytes come.
constexpr std::size_t kStepBytes = 16u << 20;

// Both ways of a socket: operation(bytes done) transfers some of size bytes and returns as send and recv do.
template <class Operation>
bool transfer(int socket, short events, std::size_t size, Deadline deadline, const Operation& operation) {
  std::size_t done = 0;
  while (done < size) {
    const ssize_t moved = operation(done);
    if (moved > 0) {
      done += static_cast<std::size_t>(moved);
    } else if (moved < 0 && errno == EINTR) {
      continue;
    } else if (moved == 0 || (errno != EAGAIN && errno != EWOULDBLOCK) || !wait_until_ready(socket, events, deadline)) {
      return false;
    }
  }
  return true;
}

bool send_all(int socket, ByteSpan bytes, Deadline deadline) {
  return transfer(socket, POLLOUT, bytes.size(), deadline, [&](std::size_t done) {
    return ::send(socket, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
  });
}

bool receive_all(int socket, std::span<std::byte> bytes, Deadline deadline) {
  return transfer(socket, POLLIN, bytes.size(), deadline, [&](std::size_t done) {
    return ::recv(socket, bytes.data() + done, bytes.size() - done, MSG_DONTWAIT);
  });
}

}  // namespace

bool send_message(int socket, ByteSpan message, Deadline deadline, std::uint32_t max_bytes) {
  const auto size = static_cast<std::uint32_t>(message.size());
  return message.size() <= max_bytes && send_all(socket, object_bytes(size), deadline) &&
         send_all(socket, message, deadline);
}

bool receive_message(int socket, ByteVector& message, Deadline deadline, std::uint32_t max_bytes) {
  std::uint32_t size = 0;
  if (!receive_all(socket, std::as_writable_bytes(std::span(&size, 1)), deadline) || size > max_bytes) return false;
  message.clear();
  while (message.size() < size) {
    const std::size_t had = message.size();
    message.resize(had + std::min(kStepBytes, size - had));
    if (!receive_all(socket, std::span(message).subspan(had), deadline)) return false;
  }
  return true;
}

}  // namespace assetc::process
