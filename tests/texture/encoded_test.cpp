// What every texture shares once its texels are encoded.
#include "texture/encoded.hpp"

#include <gtest/gtest.h>

namespace assetc::texture {
namespace {

TEST(Encoded, texels_are_compressed_and_blocks_only_where_asked) {
  EXPECT_EQ(zstd_level_of(ktx2::Format::kRgba8, 0), kDefaultRawZstdLevel);
  EXPECT_EQ(zstd_level_of(ktx2::Format::kRgba16f, 0), kDefaultRawZstdLevel);
  EXPECT_EQ(zstd_level_of(ktx2::Format::kRgba8, 19), 19);
  EXPECT_EQ(zstd_level_of(ktx2::Format::kBc7, 0), 0);
  EXPECT_EQ(zstd_level_of(ktx2::Format::kUastc, 0), 0);
  EXPECT_EQ(zstd_level_of(ktx2::Format::kUastc, 0, true), kDefaultRawZstdLevel);
  EXPECT_EQ(zstd_level_of(ktx2::Format::kUastc, 3, true), 3);
}

TEST(Encoded, levels_are_compressed_as_they_come) {
  EncodedTexture texture;
  texture.zstd_level = 6;
  ASSERT_TRUE(texture.add_level(ByteVector(4096, std::byte{7})));
  ASSERT_EQ(texture.levels.size(), 1u);
  EXPECT_EQ(texture.levels[0].uncompressed_bytes, 4096u);
  EXPECT_LT(texture.levels[0].bytes.size(), 100u);
  texture.zstd_level = 0;
  ASSERT_TRUE(texture.add_level(ByteVector(64, std::byte{7})));
  EXPECT_EQ(texture.levels[1].bytes, ByteVector(64, std::byte{7}));
}

TEST(Encoded, a_ktx2_file_says_all_that_the_texture_does) {
  EncodedTexture texture;
  texture.format = ktx2::Format::kRgba8;
  texture.transfer = ktx2::Transfer::kSrgb;
  texture.swizzle = "bgra";
  texture.width_texels = 2;
  texture.height_texels = 4;
  texture.layer_count = 3;
  texture.zstd_level = 9;
  texture.metadata.emplace_back("sh", "text");
  ASSERT_TRUE(texture.add_level(ByteVector(2 * 4 * 3 * 4)));
  const auto file = write_ktx2(texture);
  ASSERT_TRUE(file) << file.error().to_string();
  const auto view = ktx2::View::open(*file);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_EQ(view->format(), texture.format);
  EXPECT_TRUE(view->is_srgb());
  EXPECT_EQ(view->width_texels(), 2u);
  EXPECT_EQ(view->height_texels(), 4u);
  EXPECT_EQ(view->layer_count(), 3u);
  EXPECT_EQ(view->supercompression(), ktx2::Supercompression::kZstd);
  EXPECT_EQ(view->text("KTXwriterScParams"), "zstd 9");
  EXPECT_EQ(view->text("KTXswizzle"), "bgra");
  EXPECT_EQ(view->text("sh"), "text");
  EXPECT_EQ(view->levels()[0].uncompressed_size_bytes, 96u);
}

}  // namespace
}  // namespace assetc::texture
