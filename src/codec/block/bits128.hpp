// 128 bits, least significant first, as in all 16-byte block formats.
#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>

namespace assetc::codec {

struct Bits128 {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  static Bits128 load(const void* block) {
    Bits128 b;
    std::memcpy(&b.low, block, 8);
    std::memcpy(&b.high, static_cast<const char*>(block) + 8, 8);
    return b;
  }
  void store(void* block) const {
    std::memcpy(block, &low, 8);
    std::memcpy(static_cast<char*>(block) + 8, &high, 8);
  }

  // The 64 bits from position at; bits past the end read as 0. at < 128.
  [[gnu::always_inline]] std::uint64_t window(unsigned at) const {
    if (at >= 64) return high >> (at - 64);
    return at == 0 ? low : (low >> at) | (high << (64 - at));
  }
  // Reads count bits from position at. count <= 32, at + count <= 128.
  [[gnu::always_inline]] std::uint32_t get(unsigned at, unsigned count) const {
    assert(count <= 32 && at + count <= 128);
    if (at == 128) return 0;  // count is 0 then
    return static_cast<std::uint32_t>(window(at) & ((std::uint64_t{1} << count) - 1));
  }
  // ORs value into [at, at + count). value < 2^count, count <= 64, at + count <= 128.
  [[gnu::always_inline]] void put(unsigned at, unsigned count, std::uint64_t value) {
    assert(at + count <= 128 && (count >= 64 || value >> count == 0));
    if (count == 0) return;
    if (at >= 64) {
      high |= value << (at - 64);
    } else {
      low |= value << at;
      if (at + count > 64) high |= value >> (64 - at);
    }
  }
  // The first count bits, then zeros. count <= 128.
  Bits128 first(unsigned count) const {
    const auto ones = [](unsigned n) { return n >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; };
    return {low & ones(count), count <= 64 ? 0 : high & ones(count - 64)};
  }
  // All 128 bits in reverse order, as ASTC stores its weights.
  Bits128 reversed() const { return {reverse(high), reverse(low)}; }

  friend Bits128 operator|(Bits128 a, Bits128 b) { return {a.low | b.low, a.high | b.high}; }
  friend Bits128 operator>>(Bits128 a, unsigned n) {
    assert(n < 128);
    if (n >= 64) return {a.high >> (n - 64), 0};
    return n == 0 ? a : Bits128{(a.low >> n) | (a.high << (64 - n)), a.high >> n};
  }

  static std::uint64_t reverse(std::uint64_t v) {
    v = ((v >> 1) & 0x5555555555555555u) | ((v & 0x5555555555555555u) << 1);
    v = ((v >> 2) & 0x3333333333333333u) | ((v & 0x3333333333333333u) << 2);
    v = ((v >> 4) & 0x0f0f0f0f0f0f0f0fu) | ((v & 0x0f0f0f0f0f0f0f0fu) << 4);
    return std::byteswap(v);
  }
};

// Reads a Bits128 from position at upward.
class BitReader {
 public:
  explicit BitReader(Bits128 bits, unsigned at = 0) : bits_(bits), at_(at) {}
  std::uint32_t take(unsigned count) {
    const std::uint32_t value = bits_.get(at_, count);
    at_ += count;
    return value;
  }
  unsigned position() const { return at_; }
  void skip(unsigned count) { at_ += count; }
  const Bits128& bits() const { return bits_; }

 private:
  Bits128 bits_;
  unsigned at_;
};

// Writes a Bits128 from its first bit upward.
class BitWriter {
 public:
  [[gnu::always_inline]] void add(std::uint64_t value, unsigned count) {
    bits_.put(at_, count, value);
    at_ += count;
  }
  unsigned position() const { return at_; }
  const Bits128& bits() const { return bits_; }
  Bits128& bits() { return bits_; }

 private:
  Bits128 bits_;
  unsigned at_ = 0;
};

}  // namespace assetc::codec
