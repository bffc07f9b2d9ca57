// Spans of bytes, bytes that keep their owner alive, and little-endian loads from any alignment.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

namespace assetc {

static_assert(std::endian::native == std::endian::little, "every format of assetc is little-endian and read in place");

using ByteSpan = std::span<const std::byte>;
using ByteVector = std::vector<std::byte>;

inline ByteSpan as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}
inline std::string_view as_text(ByteSpan bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
template <class T>
  requires std::is_trivially_copyable_v<T>
ByteSpan object_bytes(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

// Read-only bytes together with their owner: a vector, a mapped file, or a part of either.
// A copy shares the owner. The bytes stay valid as long as one copy exists.
// Thread safety: any number of threads may copy and read.
class Bytes {
 public:
  Bytes() = default;
  explicit Bytes(ByteVector owned);
  Bytes(std::shared_ptr<const void> owner, ByteSpan span) : owner_(std::move(owner)), span_(span) {}

  ByteSpan span() const { return span_; }
  operator ByteSpan() const { return span_; }
  std::size_t size() const { return span_.size(); }
  bool empty() const { return span_.empty(); }
  const std::byte* data() const { return span_.data(); }

  // Returns a part of these bytes that shares their owner. Requires offset + size <= this->size().
  Bytes slice(std::size_t offset, std::size_t size) const { return {owner_, span_.subspan(offset, size)}; }
  // Returns whether both are parts of the same vector or mapped file. Empty bytes have no owner.
  bool shares_owner(const Bytes& other) const {
    return owner_ != nullptr && !owner_.owner_before(other.owner_) && !other.owner_.owner_before(owner_);
  }
  // Returns these bytes and those of `next` without a copy. Requires that they share an owner and that `next` begins
  // where these end.
  Bytes joined_with(const Bytes& next) const { return {owner_, {data(), size() + next.size()}}; }

 private:
  std::shared_ptr<const void> owner_;
  ByteSpan span_;
};

// Return a * b and a + b, or nothing if the result does not fit 64 bits.
inline std::optional<std::uint64_t> checked_mul(std::uint64_t a, std::uint64_t b) {
  if (a != 0 && b > UINT64_MAX / a) return std::nullopt;
  return a * b;
}
inline std::optional<std::uint64_t> checked_add(std::uint64_t a, std::uint64_t b) {
  if (b > UINT64_MAX - a) return std::nullopt;
  return a + b;
}

// Returns whether [offset, offset + size) lies inside a buffer of total bytes.
constexpr bool range_fits(std::uint64_t offset, std::uint64_t size, std::uint64_t total) {
  return offset <= total && size <= total - offset;
}

// Loads a T from any alignment. Requires offset + sizeof(T) <= bytes.size().
template <class T>
  requires std::is_trivially_copyable_v<T>
T load(ByteSpan bytes, std::size_t offset = 0) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

template <class T>
  requires std::is_trivially_copyable_v<T>
void append(ByteVector& out, const T& value) {
  const auto* p = reinterpret_cast<const std::byte*>(&value);
  out.insert(out.end(), p, p + sizeof(T));
}
void append_bytes(ByteVector& out, ByteSpan bytes);
template <class T>
void append_array(ByteVector& out, std::span<const T> values) {
  append_bytes(out, std::as_bytes(values));
}
// Appends zero bytes up to the next multiple of alignment.
void pad_to(ByteVector& out, std::size_t alignment);

}  // namespace assetc
