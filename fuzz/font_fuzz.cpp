// Any outline, with points anywhere: compile() refuses it or writes a font whose rectangles are in its atlas.
#include "assetc/formats/hfont.hpp"
#include "font/compile.hpp"
#include "fuzz.hpp"

namespace {

using namespace assetc;

// Takes bytes as small numbers.
class Numbers {
 public:
  explicit Numbers(ByteSpan bytes) : bytes_(bytes) {}
  bool at_end() const { return bytes_.size() < 2; }
  std::int32_t next() {
    if (at_end()) return 0;
    const auto value = load<std::int16_t>(bytes_);
    bytes_ = bytes_.subspan(2);
    return value / 16;  // a quarter of them within one em
  }
  scene::OutlinePoint point() {
    const std::int32_t x = next();
    return {x, next()};
  }

 private:
  ByteSpan bytes_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr std::size_t kMaxBytes = 1024;  // the time is quadratic
  Numbers numbers(fuzz::bytes(data, std::min(size, kMaxBytes)));
  scene::Font font;
  font.units_per_em = 1000;
  scene::FontGlyph& glyph = font.glyphs.emplace_back();
  while (!numbers.at_end()) {
    scene::Contour& contour = glyph.contours.emplace_back();
    contour.start = numbers.point();
    const std::int32_t count = numbers.next() & 15;
    for (std::int32_t i = 0; i < count; ++i) {
      scene::OutlineSegment segment{.degree = 1 + static_cast<std::uint32_t>(numbers.next() & 0xFF) % 3};
      for (std::uint32_t c = 0; c + 1 < segment.degree; ++c) segment.control[c] = numbers.point();
      segment.end = numbers.point();
      contour.segments.push_back(segment);
    }
  }
  const auto compiled = font::compile(font, {.size_texels = 16, .range_texels = 3, .max_size_texels = 256});
  if (compiled) fuzz::require(hfont::write(compiled->model).has_value());
  return 0;
}
