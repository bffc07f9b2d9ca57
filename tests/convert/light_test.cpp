// Pictures with light brighter than white, converted to textures and to display color.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assetc/formats/ktx2.hpp"
#include "convert/support.hpp"
#include "import/image/image.hpp"
#include "places.hpp"

namespace assetc::convert {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

Bytes hdr_texel(std::array<char, 4> rgbe) {
  const std::string text = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n-Y 1 +X 1\n" + std::string(rgbe.data(), 4);
  return Bytes(ByteVector(as_bytes(text).begin(), as_bytes(text).end()));
}

std::vector<int> first_texel(const Converted& converted) {
  const auto image = importer::decode_image(converted.files.at(0).bytes);
  EXPECT_TRUE(image) << image.error().to_string();
  std::vector<int> texel;
  for (std::size_t c = 0; image && c < 4; ++c) texel.push_back(std::to_integer<int>(image->pixels[c]));
  return texel;
}

TEST(Light, a_png_holds_what_a_screen_shows) {
  Files files;
  files.put("dim.hdr", hdr_texel({'\x40', '\x20', '\x00', '\x81'}));  // 0.5, 0.25, 0
  const auto dim = convert_file("dim.hdr", "dim.png", files.reader(), {});
  ASSERT_TRUE(dim) << dim.error().to_string();
  EXPECT_THAT(first_texel(*dim), ElementsAre(188, 137, 0, 255));  // IEC 61966-2-1
  EXPECT_THAT(dim->diagnostics, IsEmpty());

  files.put("sun.hdr", hdr_texel({'\x40', '\x20', '\x00', '\x90'}));
  const auto sun = convert_file("sun.hdr", "sun.png", files.reader(), {});
  ASSERT_TRUE(sun);
  EXPECT_THAT(first_texel(*sun), ElementsAre(255, 255, 0, 255));
  ASSERT_EQ(sun->diagnostics.size(), 1u);
  EXPECT_EQ(sun->diagnostics[0].severity, recipes::Severity::kNote);
  EXPECT_EQ(sun->diagnostics[0].what.to_string(),
            "sun.hdr: values above 1 are clipped to white in a PNG; a .ktx2 keeps it");
}

TEST(Light, rdo_of_what_is_not_uastc_is_said_to_do_nothing) {
  Files files;
  files.put("dim.hdr", hdr_texel({'\x40', '\x20', '\x00', '\x81'}));
  const auto dim = convert_file("dim.hdr", "dim.png", files.reader(), {});
  ASSERT_TRUE(dim);
  files.put(*dim);
  const auto warnings = [&](const std::string& input, texture::TargetFormat format, double rdo) {
    ConvertOptions options;
    options.settings.texture.format = format;
    options.settings.texture.rdo = rdo;
    std::vector<std::string> all;
    const auto converted = convert_file(input, "out.ktx2", files.reader(), options);
    EXPECT_TRUE(converted) << converted.error().to_string();
    for (const recipes::Diagnostic& d : converted ? converted->diagnostics : std::vector<recipes::Diagnostic>{})
      all.push_back(d.what.to_string());
    return all;
  };
  using enum texture::TargetFormat;
  const auto idle = [](const std::string& input) {
    return ElementsAre(
        input +
        ": texture.rdo has no effect on other formats than uastc, bc7, bc5, bc4, bc3, bc1, etc2; use one of these as "
        "texture.format, or remove texture.rdo");
  };
  EXPECT_THAT(warnings("dim.png", kUastc, 5), IsEmpty());
  EXPECT_THAT(warnings("dim.png", kBc7, 0), IsEmpty());
  EXPECT_THAT(warnings("dim.png", kBc7, 5), IsEmpty());
  EXPECT_THAT(warnings("dim.png", kAstc4x4, 5), idle("dim.png"));
  EXPECT_THAT(warnings("dim.hdr", kUastc, 5), idle("dim.hdr"));
}

TEST(Light, every_exr_compression_becomes_a_texture_of_half_floats) {
  std::size_t count = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(places::kSource) / "fuzz/corpus/exr")) {
    const std::string name = entry.path().filename().string();
    const Files files(entry.path().parent_path());
    const auto converted = convert_file(name, "out.ktx2", files.reader(), {});
    ASSERT_TRUE(converted) << converted.error().to_string();
    const auto view = ktx2::View::open(converted->files.at(0).bytes);
    ASSERT_TRUE(view) << name << ": " << view.error().to_string();
    EXPECT_EQ(view->transfer(), ktx2::Transfer::kLinear) << name;
    EXPECT_EQ(view->width_texels(), 8u) << name;
    ++count;
  }
  EXPECT_EQ(count, 10u);
}

}  // namespace
}  // namespace assetc::convert
