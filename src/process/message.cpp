#include "process/message.hpp"

#include <algorithm>

namespace assetc::process {
namespace {

// The size comes from the other process and is not trusted, so memory is allocated as bytes arrive.
constexpr std::size_t kStepBytes = 16u << 20;

}  // namespace

bool send_message(int socket, ByteSpan message, Deadline deadline, std::uint32_t max_bytes) {
  const auto size = static_cast<std::uint32_t>(message.size());
  return message.size() <= max_bytes && os::send_all(socket, object_bytes(size), deadline) &&
         os::send_all(socket, message, deadline);
}

bool receive_message(int socket, ByteVector& message, Deadline deadline, std::uint32_t max_bytes) {
  std::uint32_t size = 0;
  if (!os::receive_all(socket, std::as_writable_bytes(std::span(&size, 1)), deadline) || size > max_bytes) return false;
  message.clear();
  while (message.size() < size) {
    const std::size_t had = message.size();
    message.resize(had + std::min(kStepBytes, size - had));
    if (!os::receive_all(socket, std::span(message).subspan(had), deadline)) return false;
  }
  return true;
}

}  // namespace assetc::process
