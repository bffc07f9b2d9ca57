// The messages between a process and its child: each is its size in 32 bits, followed by its bytes.
#pragma once

#include <limits>
#include <string>

#include "assetc/base/bytes.hpp"
#include "process/limits.hpp"

namespace assetc::process {

// Both return false if the other process is gone, the deadline passed, or the message is larger than max_bytes.
bool send_message(int socket, ByteSpan message, Deadline deadline, std::uint32_t max_bytes);
bool receive_message(int socket, ByteVector& message, Deadline deadline, std::uint32_t max_bytes);

class MessageWriter {
 public:
  template <class T>
  MessageWriter& number(T value) {
    append(bytes_, value);
    return *this;
  }
  MessageWriter& blob(ByteSpan bytes) {
    append(bytes_, static_cast<std::uint64_t>(bytes.size()));
    append_bytes(bytes_, bytes);
    return *this;
  }
  MessageWriter& text(std::string_view text) { return blob(as_bytes(text)); }
  MessageWriter& error(const Error& error) {
    return number(error.code).text(error.file).text(error.place).text(error.what).text(error.hint);
  }
  ByteSpan bytes() const { return bytes_; }

 private:
  ByteVector bytes_;
};

// Reading past the end gives zeros and empty bytes, and ok() returns false.
class MessageReader {
 public:
  explicit MessageReader(ByteSpan bytes) : rest_(bytes) {}
  template <class T>
  T number() {
    if (rest_.size() < sizeof(T)) {
      ok_ = false;
      return {};
    }
    const T value = load<T>(rest_);
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }
  ByteSpan blob() {
    const auto size = number<std::uint64_t>();
    if (size > rest_.size()) {
      ok_ = false;
      return {};
    }
    const ByteSpan bytes = rest_.first(static_cast<std::size_t>(size));
    rest_ = rest_.subspan(static_cast<std::size_t>(size));
    return bytes;
  }
  std::string text() { return std::string(as_text(blob())); }
  Error error() {
    Error error;
    error.code = number<ErrorCode>();
    if (error.code > ErrorCode::kCanceled) ok_ = false;
    error.file = text();
    error.place = text();
    error.what = text();
    error.hint = text();
    return error;
  }
  std::size_t left() const { return rest_.size(); }
  bool ok() const { return ok_; }
  void refuse() { ok_ = false; }

 private:
  ByteSpan rest_;
  bool ok_ = true;
};

}  // namespace assetc::process
