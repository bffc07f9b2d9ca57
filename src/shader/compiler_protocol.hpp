// What the two processes of a compile say to one another. Each message is its size as 32 bits and its bytes; the first
// of them is its Tag.
//
//   kJob       ->  options, limits, path, source
//   <- kRead       path of a file that the source includes     any number of times
//   kFile      ->  its bytes, or the error
//   <- kCompiled   the SPIR-V and warnings, or the error
#pragma once

#include <optional>
#include <string>

#include "shader/process.hpp"
#include "shader/shader.hpp"

namespace assetc::shader {

inline constexpr std::uint32_t kMaxMessageBytes = 256u << 20;

enum class Tag : std::uint8_t { kJob, kRead, kFile, kCompiled };

// Both return false when the other side is gone or the deadline passed.
bool send_message(int socket, ByteSpan message, Deadline deadline);
bool receive_message(int socket, ByteVector& message, Deadline deadline);

class MessageWriter {
 public:
  explicit MessageWriter(Tag tag) { append(bytes_, tag); }
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

// Reading past the end gives zeros and empty bytes, and ok() says so.
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
    const ByteSpan bytes = rest_.first(size);
    rest_ = rest_.subspan(size);
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
  bool ok() const { return ok_; }

 private:
  ByteSpan rest_;
  bool ok_ = true;
};

}  // namespace assetc::shader
