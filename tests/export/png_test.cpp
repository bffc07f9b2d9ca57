#include "export/png.hpp"

#include <gtest/gtest.h>

namespace assetc::exporter {
namespace {

TEST(Png, writes_a_png_and_refuses_what_is_no_picture) {
  scene::Image image;
  image.width_texels = image.height_texels = 1;
  image.pixels.resize(4);
  const auto png = write_png(image);
  ASSERT_TRUE(png) << png.error().to_string();
  EXPECT_TRUE(as_text(*png).starts_with("\x89PNG"));
  EXPECT_TRUE(as_text(*png).ends_with(std::string_view("IEND\xAE\x42\x60\x82")));
  image.pixels.resize(3);
  EXPECT_EQ(write_png(image).error().to_string(), "an image of 1x1 has 3 bytes");
  image.type = scene::PixelType::kF32;
  EXPECT_EQ(write_png(image).error().code, ErrorCode::kUnsupported);
}

}  // namespace
}  // namespace assetc::exporter
