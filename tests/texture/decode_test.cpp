#include "texture/decode.hpp"

#include <gtest/gtest.h>

#include "texture/storage.hpp"

namespace assetc::texture {
namespace {

TEST(Decode, formats_without_a_decoder_are_told) {
  EXPECT_TRUE(can_decode(TexelFormat::kEtc1s));
  EXPECT_TRUE(can_decode(TexelFormat::kBc2));
  EXPECT_FALSE(can_decode(TexelFormat::kBc6hSigned));
  EXPECT_TRUE(can_decode(TexelFormat::kUastc));
  EXPECT_TRUE(can_decode(TexelFormat::kAstc12x12));
  EXPECT_TRUE(can_decode(TexelFormat::kRg16f));
}

TEST(Decode, channels_that_a_format_lacks_are_black_and_opaque) {
  const ByteVector stored{std::byte{7}, std::byte{9}};
  const auto image = decode_texels(TexelFormat::kR8, false, stored, {2, 1});
  ASSERT_TRUE(image);
  EXPECT_EQ(image->source_channels, 1);
  EXPECT_EQ(image->pixels, (ByteVector{std::byte{7}, std::byte{0}, std::byte{0}, std::byte{255}, std::byte{9},
                                       std::byte{0}, std::byte{0}, std::byte{255}}));
}

// For every format with a decoder: an image of one block and a part of another, of zero bytes, has the documented type.
TEST(Decode, the_type_is_the_one_that_is_said) {
  for (std::size_t f = 0; f < kTexelFormatCount; ++f) {
    const auto format = static_cast<TexelFormat>(f);
    if (!can_decode(format)) continue;
    const Extent extent{13, 5};
    const auto image = decode_texels(format, false, ByteVector(image_bytes(extent, format)), extent);
    if (!image) continue;  // zeros are no block of UASTC
    EXPECT_EQ(image->type, decoded_type(format)) << to_string(format);
    EXPECT_EQ(image->pixels.size(), image->row_bytes() * 5) << to_string(format);
  }
}

}  // namespace
}  // namespace assetc::texture
