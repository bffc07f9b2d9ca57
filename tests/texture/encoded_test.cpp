// Functions of every texture whose texels are encoded.
#include "texture/encoded.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace assetc::texture {
namespace {

TEST(Encoded, texels_are_compressed_and_blocks_only_where_asked) {
  EXPECT_EQ(zstd_level_of(TexelFormat::kRgba8, 0), kDefaultRawZstdLevel);
  EXPECT_EQ(zstd_level_of(TexelFormat::kRgba16f, 0), kDefaultRawZstdLevel);
  EXPECT_EQ(zstd_level_of(TexelFormat::kRgba8, 19), 19);
  EXPECT_EQ(zstd_level_of(TexelFormat::kBc7, 0), 0);
  EXPECT_EQ(zstd_level_of(TexelFormat::kUastc, 0), 0);
  EXPECT_EQ(zstd_level_of(TexelFormat::kUastc, 0, true), kDefaultRawZstdLevel);
  EXPECT_EQ(zstd_level_of(TexelFormat::kUastc, 3, true), 3);
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

TEST(Encoded, a_level_is_given_as_it_was_encoded) {
  for (const int zstd_level : {0, 6}) {
    EncodedTexture texture;
    texture.zstd_level = zstd_level;
    const ByteVector images(4096, std::byte{7});
    ASSERT_TRUE(texture.add_level(images));
    const auto level = texture.inflated_level(0);
    ASSERT_TRUE(level) << level.error().to_string();
    EXPECT_TRUE(std::ranges::equal(level->span(), images)) << zstd_level;
    // An uncompressed level is returned without a copy.
    EXPECT_EQ(level->span().data() == texture.levels[0].bytes.data(), zstd_level == 0);
  }
}

TEST(Encoded, a_damaged_level_is_an_error) {
  EncodedTexture texture;
  texture.zstd_level = 6;
  ASSERT_TRUE(texture.add_level(ByteVector(4096, std::byte{7})));
  texture.levels[0].bytes[0] ^= std::byte{0xff};
  const auto level = texture.inflated_level(0);
  ASSERT_FALSE(level);
  EXPECT_EQ(level.error().code, ErrorCode::kInvalidData);
}

}  // namespace
}  // namespace assetc::texture
