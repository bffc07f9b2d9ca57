// Reads the streams of EXT_meshopt_compression: attributes (version 0) and triangles (version 1). Safe for any input.
// Source: the extension's specification, appendix A, modes 0 and 1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#include "assetc/base/bytes.hpp"

namespace assetc::meshopt_stream {

inline constexpr std::size_t kMaxStride = 256;
inline constexpr std::size_t kMaxBlock = 256;  // elements
inline constexpr std::size_t kGroup = 16;      // bytes that share a width

// Maximum number of output bytes per byte of an attribute stream: two bits can encode 16 zeros.
inline constexpr std::uint64_t kAttributeExpansion = 64;

// The bytes of one block of elements, channel by channel: channel k is byte k of every element.
struct Block {
  alignas(16) std::array<std::array<std::uint8_t, kMaxBlock>, kMaxStride> channels;
};

// Reads an attribute stream block by block.
class Attributes {
 public:
  // Nothing if the bytes cannot be such a stream. Requires a stride of 4 to 256 that is a multiple of 4.
  static std::optional<Attributes> open(ByteSpan stream, std::uint64_t count, std::size_t stride_bytes);

  // Reads the differences of the next block: of each byte to the byte of the element before, modulo 256. The difference
  // of element 0 is to 0. Returns the number of elements; 0 after the last element, or if the stream is damaged.
  std::size_t differences(Block& block);
  // Whether all elements were read and the stream ended with them.
  bool is_complete() const { return left_ == 0 && at_ == end_; }

 private:
  Attributes() = default;

  const std::byte* at_ = nullptr;
  const std::byte* end_ = nullptr;    // of the blocks; at least 32 bytes follow
  const std::byte* first_ = nullptr;  // an element, which the first one is stored as a difference to
  std::uint64_t left_ = 0;
  std::size_t stride_ = 0;
  std::size_t block_ = 0;  // elements of a block
  bool is_first_ = true;
};

// Decodes count elements of stride_bytes into out. Returns false if the stream is damaged. Requires count *
// stride_bytes bytes in out.
bool decode_attributes(ByteSpan stream, std::uint64_t count, std::size_t stride_bytes, std::byte* out);

using Triangle = std::array<std::uint32_t, 3>;

// Reads a triangle stream. Indices are any 32-bit values: the caller compares them with the vertex count.
class Triangles {
 public:
  // Nothing if the bytes cannot be such a stream.
  static std::optional<Triangles> open(ByteSpan stream, std::uint64_t triangle_count);

  // Reads the next triangle. Requires fewer calls than triangles. Beyond the end of a damaged stream, triangles are
  // unspecified and is_complete() is false.
  [[gnu::always_inline]] Triangle next() {
    const auto code = static_cast<std::uint32_t>(*code_++);
    // A triangle has at most 16 bytes of data. The 16 bytes behind the data are a table.
    is_damaged_ |= data_ > table_;
    if (is_damaged_) data_ = table_;
    if (code < 0xF0) return on_edge(code);
    return code < 0xFE ? after_table(static_cast<std::uint32_t>(table_[code & 15])) : free(code);
  }
  bool is_complete() const { return !is_damaged_ && data_ == table_; }

 private:
  Triangles() { edges_.fill({~0u, ~0u}), vertices_.fill(~0u); }

  [[gnu::always_inline]] Triangle on_edge(std::uint32_t code) {
    // Loaded one by one, as they were stored: the processor forwards stores of the same size.
    const std::array<std::uint32_t, 2>& edge = edges_[(edge_ - 1 - (code >> 4)) & 15];
    const std::uint32_t a = edge[0], b = edge[1];
    const std::uint32_t field = code & 15;
    std::uint32_t c = 0;
    if (field < 13) {
      const bool is_new = field == 0;
      c = is_new ? next_ : vertices_[(vertex_ - 1 - field) & 15];
      next_ += is_new;
      push(c, is_new);
    } else {
      c = last_ = field == 15 ? stored() : last_ + (field == 13 ? ~0u : 1u);
      push(c, true);
    }
    push_edge(c, b);
    push_edge(a, c);
    return {a, b, c};
  }
  [[gnu::always_inline]] Triangle after_table(std::uint32_t fields) {
    const std::uint32_t a = next_++;
    const std::uint32_t field_b = fields >> 4, field_c = fields & 15;
    const std::uint32_t b = field_b == 0 ? next_++ : vertices_[(vertex_ - field_b) & 15];
    const std::uint32_t c = field_c == 0 ? next_++ : vertices_[(vertex_ - field_c) & 15];
    return pushed(a, true, b, field_b == 0, c, field_c == 0);
  }
  [[gnu::always_inline]] Triangle free(std::uint32_t code) {
    const auto fields = static_cast<std::uint32_t>(*data_++);
    const bool stores_a = code == 0xFF;
    const std::uint32_t field_b = fields >> 4, field_c = fields & 15;
    if (fields == 0) next_ = 0;
    std::uint32_t a = stores_a ? 0 : next_++;
    std::uint32_t b = field_b == 0 ? next_++ : vertices_[(vertex_ - field_b) & 15];
    std::uint32_t c = field_c == 0 ? next_++ : vertices_[(vertex_ - field_c) & 15];
    if (stores_a) a = last_ = stored();
    if (field_b == 15) b = last_ = stored();
    if (field_c == 15) c = last_ = stored();
    return pushed(a, true, b, field_b == 0 || field_b == 15, c, field_c == 0 || field_c == 15);
  }
  [[gnu::always_inline]] Triangle pushed(std::uint32_t a, bool push_a, std::uint32_t b, bool push_b, std::uint32_t c,
                                         bool push_c) {
    push(a, push_a);
    push(b, push_b);
    push(c, push_c);
    push_edge(b, a);
    push_edge(c, b);
    push_edge(a, c);
    return {a, b, c};
  }
  void push(std::uint32_t vertex, bool does) {
    vertices_[vertex_ & 15] = vertex;
    vertex_ += does;
  }
  void push_edge(std::uint32_t a, std::uint32_t b) {
    std::array<std::uint32_t, 2>& edge = edges_[edge_++ & 15];
    edge[0] = a, edge[1] = b;
  }
  // A difference to the last stored index, in at most 5 bytes of 7 bits.
  std::uint32_t stored() {
    std::uint32_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      const auto byte = static_cast<std::uint32_t>(*data_++);
      value |= (byte & 0x7F) << shift;
      if (byte < 0x80) break;
    }
    return last_ + ((value >> 1) ^ (0u - (value & 1)));
  }

  const std::byte* code_ = nullptr;
  const std::byte* data_ = nullptr;
  const std::byte* table_ = nullptr;  // the last 16 bytes
  std::array<std::array<std::uint32_t, 2>, 16> edges_;
  std::array<std::uint32_t, 16> vertices_;
  std::uint32_t edge_ = 0, vertex_ = 0;  // counts
  std::uint32_t next_ = 0, last_ = 0;
  bool is_damaged_ = false;
};

}  // namespace assetc::meshopt_stream
