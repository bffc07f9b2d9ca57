// Mip chains, one level at a time.
//
//   MipChain chain(std::move(image), options);
//   do {
//     … chain.read_rgba8(y, rows, out) …   // in strips, from as many threads as you like
//   } while (chain.advance());
//
// Memory: the image, then one level as floats (each level is made of the one before, which is then freed); nothing else
// that grows with the picture. Of a large picture, advance(step_rows, read) holds about one of the two:
//
//   while (chain.advance(step_rows, read)) …   // read(y, row_count): … chain.read_rgba8(y, row_count, out) …
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "scene/image.hpp"
#include "texture/filter.hpp"

namespace assetc::texture {

// What the texels mean, and so how they are averaged and what is written.
enum class TexelKind : std::uint8_t {
  kColor,   // sRGB color; averaged in linear light, weighted by alpha. RGBA.
  kLinear,  // data in each channel for itself. RGBA.
  kNormal,  // a unit vector in R and G (0..1 means -1..1), z >= 0 implied; averaged as vectors. (X, Y, 0, 1) or, under
            // MipOptions::normal_z, (X, Y, Z, 1).
  kGray,    // data in R. (R, 0, 0, 1).
  kHdr,  // linear light past 1 and, as in OpenEXR, times alpha; each channel is averaged for itself and always by box,
         // for beside the sun a kernel's negative lobes are black rings. RGBA.
};

struct MipOptions {
  TexelKind kind = TexelKind::kColor;
  Filter filter = Filter::kKaiser;
  Wrap wrap = Wrap::kRepeat;
  bool all_levels = true;             // false: level 0 only
  std::uint32_t max_size_texels = 0;  // level 0 is scaled down until neither side is longer; 0: never
  // kColor with alpha: each level keeps the fraction of texels whose alpha reaches this. 0: leave alpha as filtered.
  float alpha_cutoff = 0.0f;
  bool normal_z = false;  // kNormal: write Z, made of X and Y
  // kNormal: level 0 is the picture, and below it A is averaged as data, and so is B where it is not Z.
  bool normal_data = false;
};

struct Extent {
  std::uint32_t width_texels = 0;
  std::uint32_t height_texels = 0;
  bool operator==(const Extent&) const = default;
};

// Of the next level: sides halved, rounded down, at least 1.
constexpr Extent next_level(Extent e) {
  return {e.width_texels > 1 ? e.width_texels / 2 : 1, e.height_texels > 1 ? e.height_texels / 2 : 1};
}
// Levels down to 1x1.
constexpr std::uint32_t full_level_count(Extent e) {
  std::uint32_t count = 1;
  for (; e.width_texels > 1 || e.height_texels > 1; e = next_level(e)) ++count;
  return count;
}
// Level 0 of a picture under max_size_texels; keeps the ratio of the sides as well as whole texels can.
Extent limited_extent(Extent source, std::uint32_t max_size_texels);
// The most bytes that a MipChain holds for such an image, the image included, and what is made of its levels on the
// way: made_bytes, which come as a large image goes.
std::uint64_t mip_peak_bytes(Extent source, scene::PixelType type, const MipOptions& options, std::uint64_t made_bytes);

class MipChain {
 public:
  // Takes any decoded image; sizes of at least 1x1.
  MipChain(scene::Image image, const MipOptions& options);
  ~MipChain();
  MipChain(MipChain&&) noexcept;
  MipChain& operator=(MipChain&&) noexcept;

  std::uint32_t level_count() const;
  std::uint32_t level() const;  // the current one
  Extent extent() const;        // of the current level
  // Whether some texel's alpha is below full.
  bool has_alpha() const;

  // Makes the next level the current one; false when there is none. Not thread-safe.
  bool advance();
  // The same once read(y, row_count) was called for all rows of the current level, step_rows at a time, on many
  // threads. Rows of a large picture go when they are read and the next level has what it needs of them.
  bool advance(std::uint32_t step_rows, const std::function<void(std::uint32_t y, std::uint32_t row_count)>& read);

  // Rows [y, y + row_count) of the current level as 8-bit RGBA, tightly packed, color as sRGB codes. Level 0 of an
  // 8-bit source is its own texels. Requires out.size() == row_count * width * 4. Thread-safe.
  void read_rgba8(std::uint32_t y, std::uint32_t row_count, std::span<std::byte> out) const;

  // The same as four IEEE half floats a texel, clamped to 0 to 65504: color as linear light, a normal's channels still
  // 0 to 1. Requires out.size() == row_count * width * 8. Thread-safe.
  void read_rgba16f(std::uint32_t y, std::uint32_t row_count, std::span<std::byte> out) const;

  // The same of data as four whole numbers of 16 bits, 0 to 65535; level 0 of an 8-bit source is its texels times 257.
  // Requires a kind other than kColor and kHdr.
  void read_rgba16(std::uint32_t y, std::uint32_t row_count, std::span<std::byte> out) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assetc::texture
