// How a material samples a texture: wrap modes and filters. .hmat and AAS1 use the same values.
#pragma once

#include <cstdint>

namespace assetc::sampling {

enum class Wrap : std::uint8_t { kRepeat = 0, kClamp = 1, kMirror = 2 };
// kDefault: the source sets no filter; the engine chooses, usually linear.
enum class Filter : std::uint8_t { kDefault = 0, kNearest = 1, kLinear = 2 };
// The filter between mip levels. kNone: only level 0 is read.
enum class MipFilter : std::uint8_t { kDefault = 0, kNone = 1, kNearest = 2, kLinear = 3 };

// The initial values are those of a glTF texture without a sampler.
struct Sampler {
  Wrap wrap_u = Wrap::kRepeat;
  Wrap wrap_v = Wrap::kRepeat;
  Filter mag = Filter::kDefault;
  Filter min = Filter::kDefault;
  MipFilter mip = MipFilter::kDefault;
  bool operator==(const Sampler&) const = default;
};

// The bit layout in files. Wraps: 4 bits, u in the low two. Filters: 6 bits, mag in the low two, then min, then mip.
inline constexpr std::uint32_t kWrapBits = 4;
inline constexpr std::uint32_t kFilterBits = 6;

constexpr std::uint32_t wrap_bits(const Sampler& s) {
  return static_cast<std::uint32_t>(s.wrap_u) | static_cast<std::uint32_t>(s.wrap_v) << 2;
}
constexpr std::uint32_t filter_bits(const Sampler& s) {
  return static_cast<std::uint32_t>(s.mag) | static_cast<std::uint32_t>(s.min) << 2 |
         static_cast<std::uint32_t>(s.mip) << 4;
}
// Return whether each field holds a value of its type. The value 3 is invalid for wraps and for the mag and min
// filters.
constexpr bool are_wrap_bits(std::uint32_t bits) { return (bits & 3) != 3 && (bits >> 2 & 3) != 3; }
constexpr bool are_filter_bits(std::uint32_t bits) { return (bits & 3) != 3 && (bits >> 2 & 3) != 3; }
// Reads a sampler from the low bits of both arguments. A field with an invalid 3 gets its initial value.
constexpr Sampler sampler_of(std::uint32_t wraps, std::uint32_t filters) {
  const auto below_3 = [](std::uint32_t bits) { return static_cast<std::uint8_t>((bits & 3) == 3 ? 0 : bits & 3); };
  return {static_cast<Wrap>(below_3(wraps)), static_cast<Wrap>(below_3(wraps >> 2)),
          static_cast<Filter>(below_3(filters)), static_cast<Filter>(below_3(filters >> 2)),
          static_cast<MipFilter>(filters >> 4 & 3)};
}

}  // namespace assetc::sampling
