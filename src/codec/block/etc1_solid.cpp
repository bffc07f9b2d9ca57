#include "codec/block/etc1_solid.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>

#include "codec/block/etc_block.hpp"

namespace assetc::codec {
namespace {

// The nearest base and its error, for a channel value and one combination of precision, table and level.
struct SolidChannel {
  std::uint8_t base, error;
};
using SolidTable = std::array<std::array<std::array<std::array<SolidChannel, 256>, 4>, 8>, 2>;

SolidTable make_solid_table() {
  SolidTable all;
  for (unsigned diff = 0; diff < 2; ++diff) {
    for (unsigned table = 0; table < 8; ++table) {
      for (unsigned level = 0; level < 4; ++level) {
        const int modifier = (level < 2 ? -1 : 1) * kEtc1Modifiers[table][level == 0 || level == 3];
        for (int v = 0; v < 256; ++v) {
          SolidChannel best{0, 255};
          for (unsigned base = 0; base < (diff ? 32u : 16u); ++base) {
            const int wide = diff ? etc_expand5(base) : etc_expand4(base);
            const int e = std::abs(std::clamp(wide + modifier, 0, 255) - v);
            if (e < best.error) best = {static_cast<std::uint8_t>(base), static_cast<std::uint8_t>(e)};
          }
          all[diff][table][level][v] = best;
        }
      }
    }
  }
  return all;
}

}  // namespace

UastcSolidHints solid_etc1_hints(Rgba8 color) {
  static const SolidTable solid = make_solid_table();
  UastcSolidHints h;
  unsigned best = UINT32_MAX;
  for (unsigned diff = 2; diff-- > 0;) {
    for (unsigned table = 0; table < 8; ++table) {
      for (unsigned level = 0; level < 4; ++level) {
        const auto& channel = solid[diff][table][level];
        const unsigned r = channel[color.r].error, g = channel[color.g].error, b = channel[color.b].error;
        const unsigned e = r * r + g * g + b * b;
        if (e >= best) continue;
        best = e;
        h = {diff != 0,
             static_cast<std::uint8_t>(table),
             static_cast<std::uint8_t>(level),
             {channel[color.r].base, channel[color.g].base, channel[color.b].base}};
      }
    }
  }
  return h;
}

}  // namespace assetc::codec
