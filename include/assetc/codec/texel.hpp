// The texel that every codec of assetc reads and writes.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

namespace assetc {

// Four 8-bit channels in memory order R, G, B, A. The type does not say whether R, G and B are sRGB-encoded.
struct Rgba8 {
  std::uint8_t r = 0, g = 0, b = 0, a = 0;
  bool operator==(const Rgba8&) const = default;

  // Returns channel 0 to 3.
  constexpr std::uint8_t operator[](unsigned channel) const {
    return channel == 0 ? r : channel == 1 ? g : channel == 2 ? b : a;
  }
  constexpr void set(unsigned channel, std::uint8_t value) {
    (channel == 0 ? r : channel == 1 ? g : channel == 2 ? b : a) = value;
  }
};
static_assert(sizeof(Rgba8) == 4 && std::is_trivially_copyable_v<Rgba8>);

inline constexpr unsigned kBlockTexels = 16;
// The 16 texels of a 4x4 block, row by row.
using BlockTexels = std::array<Rgba8, kBlockTexels>;

}  // namespace assetc
