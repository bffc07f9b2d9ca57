// Mip chains, one level at a time.
//
//   MipChain chain(std::move(image), options);
//   do {
//     … chain.read_rgba8(y, rows, out) …   // in strips, from any number of threads
//   } while (chain.advance());
//
// Memory: the image, then one level as floats. Each level is made from the one before, which is then freed. Nothing
// else grows with the picture. For a large picture, advance(step_rows, read) holds only about one of the two:
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

// The meaning of texels, which decides how they are averaged and what is written.
enum class TexelKind : std::uint8_t {
  kColor,   // sRGB color; averaged in linear light, weighted by alpha. RGBA.
  kLinear,  // independent data in each channel. RGBA.
  kNormal,  // a unit vector in R and G (0..1 means -1..1), z >= 0 implied; averaged as vectors. (X, Y, 0, 1) or, with
            // MipOptions::normal_z, (X, Y, Z, 1). Pictures with Z in B are normalized first (normal_map.hpp).
  kGray,    // data in R. (R, 0, 0, 1).
  kHdr,  // linear light, also above 1, multiplied by alpha as in OpenEXR. Channels are averaged independently, always
         // by box: next to the sun, negative lobes of a kernel make black rings. RGBA.
};

struct MipOptions {
  TexelKind kind = TexelKind::kColor;
  Filter filter = Filter::kKaiser;
  Wrap wrap = Wrap::kRepeat;
  bool all_levels = true;             // false: level 0 only
  std::uint32_t max_size_texels = 0;  // level 0 is scaled down until neither side is longer; 0: no limit
  // Level 0 is scaled down until its sides are multiples of this; a shorter side stays as it is.
  std::uint32_t side_multiple = 1;
  // kColor with alpha: each level keeps the fraction of texels whose alpha reaches this. 0: alpha stays as filtered.
  float alpha_cutoff = 0.0f;
  bool normal_z = false;  // kNormal: write Z, computed from X and Y
  // kNormal: level 0 is the picture itself. Below it, A is averaged as data, and so is B if it does not hold Z.
  bool normal_data = false;
};

struct Extent {
  std::uint32_t width_texels = 0;
  std::uint32_t height_texels = 0;
  bool operator==(const Extent&) const = default;
};

// The extent of the next level: sides halved, rounded down, at least 1.
constexpr Extent next_level(Extent e) {
  return {e.width_texels > 1 ? e.width_texels / 2 : 1, e.height_texels > 1 ? e.height_texels / 2 : 1};
}
// The number of levels down to 1x1.
constexpr std::uint32_t full_level_count(Extent e) {
  std::uint32_t count = 1;
  for (; e.width_texels > 1 || e.height_texels > 1; e = next_level(e)) ++count;
  return count;
}
// The extent of level 0 of a picture under max_size_texels. The aspect ratio is kept as well as whole texels allow.
Extent limited_extent(Extent source, std::uint32_t max_size_texels);
// The extent of level 0 of a picture: under max_size_texels, then with sides that are multiples of side_multiple.
Extent level0_extent(Extent source, const MipOptions& options);
// An upper bound on the bytes that a MipChain holds for such an image, including the image and made_bytes. made_bytes
// is what the caller makes from the levels; it grows while the rows of a large image are freed.
std::uint64_t mip_peak_bytes(Extent source, scene::PixelType type, const MipOptions& options, std::uint64_t made_bytes);

class MipChain {
 public:
  // Takes any decoded image of at least 1x1.
  MipChain(scene::Image image, const MipOptions& options);
  ~MipChain();
  MipChain(MipChain&&) noexcept;
  MipChain& operator=(MipChain&&) noexcept;

  std::uint32_t level_count() const;
  std::uint32_t level() const;  // the current one
  Extent extent() const;        // of the current level
  // Whether the alpha of some texel is below full.
  bool has_alpha() const;

  // Makes the next level the current one; returns false if there is none. Not thread-safe.
  bool advance();
  // The same, but first calls read(y, row_count) for all rows of the current level, step_rows at a time, on many
  // threads. The rows of a large picture are freed when they were read and the next level does not need them any more.
  bool advance(std::uint32_t step_rows, const std::function<void(std::uint32_t y, std::uint32_t row_count)>& read);

  // Rows [y, y + row_count) of the current level as 8-bit RGBA, tightly packed, color as sRGB codes. Level 0 of an
  // 8-bit source gives the source texels. Requires out.size() == row_count * width * 4. Thread-safe.
  void read_rgba8(std::uint32_t y, std::uint32_t row_count, std::span<std::byte> out) const;

  // The same as four IEEE half floats for each texel. Color is linear light; channels of a normal stay 0 to 1. A
  // channel has negative values only if the picture has some in it: a kernel with negative lobes makes none. Values
  // beyond 65504 are clamped. Requires out.size() == row_count * width * 8. Thread-safe.
  void read_rgba16f(std::uint32_t y, std::uint32_t row_count, std::span<std::byte> out) const;

  // The same as four 16-bit integers for each texel, 0 to 65535. Level 0 of an 8-bit source gives its texels times 257.
  // Requires a kind other than kColor and kHdr.
  void read_rgba16(std::uint32_t y, std::uint32_t row_count, std::span<std::byte> out) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace assetc::texture
