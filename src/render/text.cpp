#include "render/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "assetc/runtime/text.hpp"
#include "render/render.hpp"

namespace assetc::render {
namespace {

// Samples an atlas as a GPU does with linear filtering.
class Sampler {
 public:
  explicit Sampler(const scene::Image& atlas)
      : texels_(reinterpret_cast<const std::uint8_t*>(atlas.pixels.data())),
        width_(static_cast<int>(atlas.width_texels)),
        height_(static_cast<int>(atlas.height_texels)) {}

  // The median of red, green and blue, 0 to 1. x and y: in texels.
  float median_at(float x, float y) const {
    const float left = std::floor(x - 0.5f), top = std::floor(y - 0.5f);
    const float u = x - 0.5f - left, v = y - 0.5f - top;
    const int x0 = static_cast<int>(left), y0 = static_cast<int>(top);
    std::array<float, 3> c{};
    for (std::size_t i = 0; i < 3; ++i) {
      const float above = texel(x0, y0, i) * (1 - u) + texel(x0 + 1, y0, i) * u;
      const float below = texel(x0, y0 + 1, i) * (1 - u) + texel(x0 + 1, y0 + 1, i) * u;
      c[i] = (above * (1 - v) + below * v) / 255;
    }
    return std::max(std::min(c[0], c[1]), std::min(std::max(c[0], c[1]), c[2]));
  }

 private:
  float texel(int x, int y, std::size_t channel) const {
    const auto column = static_cast<std::size_t>(std::clamp(x, 0, width_ - 1));
    const auto row = static_cast<std::size_t>(std::clamp(y, 0, height_ - 1));
    return static_cast<float>(texels_[(row * static_cast<std::size_t>(width_) + column) * 4 + channel]);
  }

  const std::uint8_t* texels_;
  int width_, height_;
};

// Adds one glyph to the picture. Where glyphs overlap, the larger coverage counts.
void draw_quad(const runtime::TextQuad& quad, const hfont::AtlasRect& from, const Sampler& sampler, float range,
               float origin_x, float origin_y, TextCoverage& to) {
  const auto texel_range = [](float low, float high, std::uint32_t limit) {
    const float end = static_cast<float>(limit);
    return std::pair(static_cast<std::uint32_t>(std::clamp(std::floor(low), 0.0f, end)),
                     static_cast<std::uint32_t>(std::clamp(std::ceil(high), 0.0f, end)));
  };
  const float left = quad.left + origin_x, top = quad.top + origin_y;
  const float width = quad.right - quad.left, height = quad.bottom - quad.top;
  const auto [x_begin, x_end] = texel_range(left, left + width, to.width_texels);
  const auto [y_begin, y_end] = texel_range(top, top + height, to.height_texels);
  for (std::uint32_t y = y_begin; y < y_end; ++y) {
    for (std::uint32_t x = x_begin; x < x_end; ++x) {
      const float u = (static_cast<float>(x) + 0.5f - left) / width, v = (static_cast<float>(y) + 0.5f - top) / height;
      if (u < 0 || u > 1 || v < 0 || v > 1) continue;
      const float value = sampler.median_at(static_cast<float>(from.x) + u * static_cast<float>(from.width),
                                            static_cast<float>(from.y) + v * static_cast<float>(from.height));
      float& covered = to.values[std::size_t{y} * to.width_texels + x];
      covered = std::max(covered, std::clamp((value - 0.5f) * range + 0.5f, 0.0f, 1.0f));
    }
  }
}

}  // namespace

Result<TextCoverage> cover_text(const hfont::View& font, const scene::Image& atlas, std::string_view utf8,
                                const TextPictureOptions& options) {
  const hfont::FontDesc& desc = font.desc();
  if (atlas.type != scene::PixelType::kU8 || atlas.width_texels != desc.atlas_width_texels ||
      atlas.height_texels != desc.atlas_height_texels) {
    return fail(ErrorCode::kInvalidData,
                "found an atlas of " + std::to_string(atlas.width_texels) + "x" + std::to_string(atlas.height_texels) +
                    " texels, but the font expects " + std::to_string(desc.atlas_width_texels) + "x" +
                    std::to_string(desc.atlas_height_texels) + " texels of 8 bits",
                "compile the font again");
  }
  const runtime::TextLayout text = runtime::layout_text(font, utf8, {.size = options.size_texels});
  const float margin = static_cast<float>(options.margin_texels);
  const float width = std::ceil(text.width) + 2 * margin, height = std::ceil(text.bottom - text.top) + 2 * margin;
  if (!(width >= 1 && height >= 1 && width <= static_cast<float>(kMaxRenderSide) &&
        height <= static_cast<float>(kMaxRenderSide))) {
    return fail(ErrorCode::kLimit,
                "the text needs a picture with a side above " + std::to_string(kMaxRenderSide) + " texels, or of 0",
                "draw a shorter text or a smaller size");
  }
  TextCoverage out{static_cast<std::uint32_t>(width), static_cast<std::uint32_t>(height), {}};
  out.values.resize(std::size_t{out.width_texels} * out.height_texels);
  const Sampler sampler(atlas);
  const float range = runtime::screen_range(font, options.size_texels);
  const float baseline = std::ceil(-text.top) + margin;
  for (const runtime::TextQuad& quad : text.quads)
    draw_quad(quad, font.glyphs()[quad.glyph].atlas, sampler, range, margin, baseline, out);
  return out;
}

Result<scene::Image> render_text(const hfont::View& font, const scene::Image& atlas, std::string_view utf8,
                                 const TextPictureOptions& options) {
  ASSETC_TRY(const TextCoverage coverage, cover_text(font, atlas, utf8, options));
  scene::Image picture;
  picture.width_texels = coverage.width_texels;
  picture.height_texels = coverage.height_texels;
  picture.source_channels = 3;
  picture.pixels.resize(coverage.values.size() * 4, std::byte{255});
  for (std::size_t i = 0; i < coverage.values.size(); ++i) {
    const auto gray = static_cast<std::uint8_t>((1 - coverage.values[i]) * 255 + 0.5f);
    std::fill_n(picture.pixels.begin() + static_cast<std::ptrdiff_t>(i * 4), 3, std::byte{gray});
  }
  return picture;
}

}  // namespace assetc::render
