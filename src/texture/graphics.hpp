// Recognizes pictures that are no photographs: pixel art, sprites, icons, palettes, bitmap fonts, maps of regions.
//
// Blocks of 4x4 texels lose most where many colors with hard edges meet, and they take a byte for each texel even where
// nothing changes. Such pictures are better stored as texels under Zstd.
#pragma once

#include <cstdint>

#include "scene/image.hpp"
#include "texture/compile.hpp"

namespace assetc::texture {

enum class PictureClass : std::uint8_t {
  kPhotograph,  // everything else: photographs, paintings, gradients, noise, one color
  kTiny,        // none of the below, but too small for blocks to save memory
  kGraphics,    // flat areas with hard edges
  kPixelArt,    // graphics of few colors without smooth outlines, or a tiny picture with hard edges
};

struct PictureLooks {
  PictureClass is = PictureClass::kPhotograph;
  bool is_at_any_size = false;  // the class does not rest on a small size
};

// The thresholds are in docs/reference/textures.md, and the reasons for them in
// docs/decisions/0426-graphics-are-kept-as-texels.md. The same answer on every machine: all counts are integers. Normal
// maps, light, and pictures of more than 8 bits count as photographs; RGBA8 cannot store the latter two. Most
// photographs are known after an eighth of their texels.
PictureLooks look_at(const scene::Image& image, TexelKind kind);

// The most texels, after scaling, of a picture that keeps_graphics stores as texels: 16 MiB of video memory.
inline constexpr std::uint64_t kMostGraphicsTexels = 2048ull * 2048;

// The options that this picture is compiled with: `asked`, or RGBA8 if asked.keeps_graphics and the picture is no
// photograph. Pixel art that stands alone then gets no mip levels. The result has no keeps_graphics.
CompileOptions options_for(const scene::Image& image, const CompileOptions& asked);

}  // namespace assetc::texture
