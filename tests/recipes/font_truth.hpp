// Text as FreeType draws it, which computes exact coverage: the truth for distance fields.
#pragma once

#include <ft2build.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include "assetc/base/bytes.hpp"

namespace assetc::testing {

// The difference between two pictures of coverage, 0 to 1.
struct CoverageError {
  double mean = 0;  // over the texels that either picture covers in part
  double most = 0;
  std::size_t texels = 0;

  void add(const std::vector<float>& drawn, const std::vector<float>& truth) {
    double sum = mean * static_cast<double>(texels);
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const double difference = std::abs(static_cast<double>(drawn[i]) - static_cast<double>(truth[i]));
      const bool is_plain = (truth[i] == 0 || truth[i] == 1) && difference == 0;
      if (is_plain) continue;
      sum += difference;
      most = std::max(most, difference);
      ++texels;
    }
    mean = texels == 0 ? 0 : sum / static_cast<double>(texels);
  }
};

// Draws single characters of a font without hints.
class FontTruth {
 public:
  explicit FontTruth(ByteSpan file) {
    if (FT_Init_FreeType(&library_) != 0 || FT_New_Memory_Face(library_, reinterpret_cast<const FT_Byte*>(file.data()),
                                                               static_cast<FT_Long>(file.size()), 0, &face_) != 0)
      throw std::runtime_error("FreeType cannot open the font");
  }
  FontTruth(const FontTruth&) = delete;
  FontTruth& operator=(const FontTruth&) = delete;
  ~FontTruth() {
    FT_Done_Face(face_);
    FT_Done_FreeType(library_);
  }

  FT_Face face() const { return face_; }

  // The coverage of a character of `size` texels per em whose pen is at (x, y), y from the top.
  std::vector<float> cover(char32_t character, double size, double x, double y, std::uint32_t width,
                           std::uint32_t height) const {
    if (FT_Load_Char(face_, character, FT_LOAD_NO_SCALE | FT_LOAD_NO_HINTING) != 0)
      throw std::runtime_error("FreeType cannot load a character");
    FT_Outline& outline = face_->glyph->outline;
    // 1 / 64 of 1 / 16 texel would be enough; the outline is scaled in floating point to keep more.
    const double scale = size * 64 / face_->units_per_EM;
    for (int i = 0; i < outline.n_points; ++i) {
      outline.points[i].x = std::lround(static_cast<double>(outline.points[i].x) * scale + x * 64);
      outline.points[i].y =
          std::lround(static_cast<double>(outline.points[i].y) * scale + (static_cast<double>(height) - y) * 64);
    }
    std::vector<unsigned char> bytes(std::size_t{width} * height);
    FT_Bitmap bitmap{};
    bitmap.rows = height;
    bitmap.width = width;
    bitmap.pitch = static_cast<int>(width);
    bitmap.buffer = bytes.data();
    bitmap.num_grays = 256;
    bitmap.pixel_mode = FT_PIXEL_MODE_GRAY;
    if (FT_Outline_Get_Bitmap(library_, &outline, &bitmap) != 0)
      throw std::runtime_error("FreeType cannot draw a character");
    std::vector<float> coverage(bytes.size());
    std::ranges::transform(bytes, coverage.begin(), [](unsigned char byte) { return static_cast<float>(byte) / 255; });
    return coverage;
  }

 private:
  FT_Library library_ = nullptr;
  FT_Face face_ = nullptr;
};

}  // namespace assetc::testing
