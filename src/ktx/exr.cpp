// Source of the layout: OpenEXR File Layout, version 2: a header of attributes, a table of offsets, then a block for
// each scan line, which holds its channels one after the other in the order of their names.
#include "ktx/exr.hpp"

#include <bit>
#include <cmath>
#include <string_view>

#include "texture/color.hpp"

namespace assetc::ktx {
namespace {

void append_text(ByteVector& out, std::string_view text) {
  append_bytes(out, as_bytes(text));
  out.push_back(std::byte{0});
}

// An attribute: its name, its type, the size of its value, and the value.
template <class... Values>
void append_attribute(ByteVector& out, std::string_view name, std::string_view type, Values... values) {
  append_text(out, name);
  append_text(out, type);
  append(out, static_cast<std::uint32_t>((sizeof(values) + ...)));
  (append(out, values), ...);
}

void append_channels(ByteVector& out, std::string_view letters, bool halves) {
  constexpr std::uint32_t kHalf = 1, kFloat = 2;
  constexpr std::uint32_t kBytesEach = 2 + 16, kEnd = 1;
  append_text(out, "channels");
  append_text(out, "chlist");
  append(out, static_cast<std::uint32_t>(letters.size() * kBytesEach + kEnd));
  for (const char letter : letters) {
    append_text(out, std::string_view(&letter, 1));
    append(out, halves ? kHalf : kFloat);
    append(out, std::uint32_t{0});  // not perceptually linear
    append(out, std::uint32_t{1});  // a sample for each column and each row
    append(out, std::uint32_t{1});
  }
  out.push_back(std::byte{0});
}

// Values that were halves stay what they were, also infinite ones; NaN stays NaN.
std::uint16_t half_of(float value) {
  constexpr std::uint32_t kExponent = 0x7F800000, kMantissa = 0x7FFFFF;
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  if ((bits & kExponent) == kExponent)
    return static_cast<std::uint16_t>(sign | ((bits & kMantissa) != 0 ? 0x7E00u : 0x7C00u));
  return static_cast<std::uint16_t>(sign | texture::half_from_float(std::fabs(value)));
}

}  // namespace

ByteVector write_exr(const scene::Image& image, const ExrOptions& options) {
  constexpr std::uint32_t kMagic = 20000630, kVersion = 2;
  constexpr std::string_view kLetters = "ABGR";
  const std::string_view letters = options.channels == 4 ? kLetters : kLetters.substr(4 - options.channels);
  ByteVector out;
  append(out, kMagic);
  append(out, kVersion);
  append_channels(out, letters, options.halves);
  append_attribute(out, "compression", "compression", std::uint8_t{0});
  const std::uint32_t right = image.width_texels - 1, bottom = image.height_texels - 1, zero = 0;
  append_attribute(out, "dataWindow", "box2i", zero, zero, right, bottom);
  append_attribute(out, "displayWindow", "box2i", zero, zero, right, bottom);
  append_attribute(out, "lineOrder", "lineOrder", std::uint8_t{0});
  append_attribute(out, "pixelAspectRatio", "float", 1.0f);
  append_attribute(out, "screenWindowCenter", "v2f", 0.0f, 0.0f);
  append_attribute(out, "screenWindowWidth", "float", 1.0f);
  if (options.is_bt709) {
    append_attribute(out, "chromaticities", "chromaticities", 0.64f, 0.33f, 0.30f, 0.60f, 0.15f, 0.06f, 0.3127f,
                     0.3290f);
  }
  out.push_back(std::byte{0});

  constexpr std::uint64_t kLineHeaderBytes = 8, kOffsetBytes = 8;
  const std::uint64_t line_bytes =
      std::uint64_t{image.width_texels} * letters.size() * (options.halves ? sizeof(std::uint16_t) : sizeof(float));
  const std::uint64_t first = out.size() + kOffsetBytes * image.height_texels;
  out.reserve(first + image.height_texels * (line_bytes + kLineHeaderBytes));
  for (std::uint32_t y = 0; y < image.height_texels; ++y) append(out, first + y * (line_bytes + kLineHeaderBytes));
  for (std::uint32_t y = 0; y < image.height_texels; ++y) {
    append(out, y);
    append(out, static_cast<std::uint32_t>(line_bytes));
    const ByteSpan row = ByteSpan(image.pixels).subspan(y * image.row_bytes(), image.row_bytes());
    for (const char letter : letters) {
      const std::size_t channel = letter == 'A' ? 3 : 2 - (kLetters.find(letter) - 1);
      for (std::size_t x = 0; x < image.width_texels; ++x) {
        const auto value = load<float>(row, (x * 4 + channel) * sizeof(float));
        if (options.halves) {
          append(out, half_of(value));
        } else {
          append(out, value);
        }
      }
    }
  }
  return out;
}

}  // namespace assetc::ktx
