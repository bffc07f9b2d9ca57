// SHA-1.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "assetc/base/bytes.hpp"

namespace assetc {

// SHA-1, as FIPS 180-4 has it: for what asks for it by name, and nothing that is to be trusted.
class Sha1 {
 public:
  void add(ByteSpan bytes) {
    for (const std::byte b : bytes) add(static_cast<std::uint8_t>(b));
  }
  std::array<std::uint8_t, 20> finish() {
    const std::uint64_t bits = size_bytes_ * 8;
    add(std::uint8_t{0x80});
    while (size_bytes_ % 64 != 56) add(std::uint8_t{0});
    for (int shift = 56; shift >= 0; shift -= 8) add(static_cast<std::uint8_t>(bits >> shift));
    std::array<std::uint8_t, 20> digest;
    for (std::size_t i = 0; i < 20; ++i) digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
    return digest;
  }

 private:
  void add(std::uint8_t byte) {
    block_[size_bytes_++ % 64] = byte;
    if (size_bytes_ % 64 == 0) compress();
  }
  void compress() {
    std::array<std::uint32_t, 80> w;
    for (std::size_t i = 0; i < 16; ++i) {
      w[i] = std::uint32_t{block_[4 * i]} << 24 | std::uint32_t{block_[4 * i + 1]} << 16 |
             std::uint32_t{block_[4 * i + 2]} << 8 | block_[4 * i + 3];
    }
    for (std::size_t i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    auto [a, b, c, d, e] = state_;
    for (std::size_t i = 0; i < 80; ++i) {
      const std::uint32_t f = i < 20   ? (b & c) | (~b & d)
                              : i < 40 ? b ^ c ^ d
                              : i < 60 ? (b & c) | (b & d) | (c & d)
                                       : b ^ c ^ d;
      static constexpr std::uint32_t kRounds[] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
      const std::uint32_t next = std::rotl(a, 5) + f + e + kRounds[i / 20] + w[i];
      e = d;
      d = c;
      c = std::rotl(b, 30);
      b = a;
      a = next;
    }
    state_ = {state_[0] + a, state_[1] + b, state_[2] + c, state_[3] + d, state_[4] + e};
  }

  std::array<std::uint32_t, 5> state_{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  std::array<std::uint8_t, 64> block_{};
  std::uint64_t size_bytes_ = 0;
};

}  // namespace assetc
