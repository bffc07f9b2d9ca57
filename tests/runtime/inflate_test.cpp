#include "assetc/runtime/inflate.hpp"

#include <gtest/gtest.h>
#include <zstd.h>

#include <vector>

#include "assetc/runtime/scene.hpp"
#include "formats/support.hpp"

namespace assetc::runtime {
namespace {

using formats_test::Exact;

ByteVector frame_of(ByteSpan content) {
  ByteVector frame(ZSTD_compressBound(content.size()));
  frame.resize(ZSTD_compress(frame.data(), frame.size(), content.data(), content.size(), 3));
  return frame;
}

// RGBA8 of 64 x 64 and 32 x 32 texels that do not compress well.
std::vector<ByteVector> two_levels() {
  std::vector<ByteVector> levels{ByteVector(64 * 64 * 4), ByteVector(32 * 32 * 4)};
  std::uint32_t state = 1;
  for (ByteVector& level : levels) {
    for (std::byte& b : level) b = static_cast<std::byte>((state = state * 1664525u + 1013904223u) >> 28);
  }
  return levels;
}

ByteVector texture_of(const std::vector<ByteVector>& frames, ktx2::Supercompression scheme) {
  ktx2::Texture texture;
  texture.format = TexelFormat::kRgba8;
  texture.width_texels = texture.height_texels = 64;
  texture.supercompression = scheme;
  for (std::size_t i = 0; i < frames.size(); ++i)
    texture.levels.push_back({frames[i], std::uint64_t{64u >> i} * (64u >> i) * 4});
  return ktx2::write(texture).value();
}

ByteVector zstd_texture(const std::vector<ByteVector>& frames) {
  return texture_of(frames, ktx2::Supercompression::kZstd);
}

TEST(Inflate, every_level_comes_back) {
  const std::vector<ByteVector> levels = two_levels();
  for (const ByteVector& file :
       {zstd_texture({frame_of(levels[0]), frame_of(levels[1])}), texture_of(levels, ktx2::Supercompression::kNone)}) {
    const auto view = ktx2::View::open(file).value();
    for (std::size_t i = 0; i < levels.size(); ++i) {
      EXPECT_EQ(inflated_size_bytes(view, i), levels[i].size());
      ByteVector out(levels[i].size());
      const auto done = inflate_level(view, i, out);
      ASSERT_TRUE(done) << done.error().to_string();
      EXPECT_EQ(out, levels[i]);
      EXPECT_TRUE(check_level(view, i));
    }
  }
}

TEST(Inflate, a_span_of_another_size_is_refused) {
  const std::vector<ByteVector> levels = two_levels();
  const ByteVector file = zstd_texture({frame_of(levels[0]), frame_of(levels[1])});
  const auto view = ktx2::View::open(file).value();
  ByteVector out(levels[1].size() + 1);
  EXPECT_EQ(inflate_level(view, 1, out).error().to_string(), "level 1: asked for 4097 bytes, the level has 4096");
  EXPECT_EQ(inflate_level(view, 2, out).error().to_string(), "level 2: the texture has 2 levels");
  EXPECT_EQ(check_level(view, 2).error().code, ErrorCode::kUsage);
}

TEST(Inflate, a_frame_of_another_size_is_refused_with_its_level) {
  std::vector<ByteVector> levels = two_levels();
  const auto errors = [&] {
    const ByteVector file = zstd_texture({frame_of(levels[0]), frame_of(levels[1])});
    const auto view = ktx2::View::open(file).value();
    ByteVector out(4096);
    const std::string error = inflate_level(view, 1, out).error().to_string();
    EXPECT_EQ(check_level(view, 1).error().to_string(), error);
    return error;
  };
  levels[1].pop_back();
  EXPECT_EQ(errors(), "level 1: inflates to 4095 bytes, expected 4096; write the texture again");
  levels[1].resize(4097);
  EXPECT_EQ(errors(), "level 1: inflates to more than 4096 bytes, expected 4096; write the texture again");
}

TEST(Inflate, every_prefix_of_a_frame_is_refused) {
  const std::vector<ByteVector> levels = two_levels();
  const ByteVector first = frame_of(levels[0]), frame = frame_of(levels[1]);
  for (std::size_t size = 1; size < frame.size(); ++size) {
    const ByteVector file = zstd_texture({first, ByteVector(frame.begin(), frame.begin() + std::ptrdiff_t(size))});
    const Exact exact(file);
    const auto view = ktx2::View::open(exact).value();
    ByteVector out(4096);
    const auto inflated = inflate_level(view, 1, out);
    ASSERT_FALSE(inflated) << size;
    EXPECT_EQ(inflated.error().code, ErrorCode::kInvalidData);
    EXPECT_EQ(inflated.error().place, "level 1");
    ASSERT_FALSE(check_level(view, 1)) << size;
  }
}

TEST(Inflate, checking_and_inflating_agree_on_changed_bytes) {
  const std::vector<ByteVector> levels = two_levels();
  const ByteVector first = frame_of(levels[0]), frame = frame_of(levels[1]);
  for (std::size_t i = 0; i < frame.size(); i += 7) {
    ByteVector changed = frame;
    changed[i] ^= std::byte{0x55};
    changed.push_back(std::byte{0});
    const ByteVector file = zstd_texture({first, changed});
    const auto view = ktx2::View::open(file).value();
    ByteVector out(4096);
    EXPECT_EQ(inflate_level(view, 1, out).has_value(), check_level(view, 1).has_value()) << i;
  }
}

TEST(Inflate, a_promise_that_no_frame_can_hold_is_refused_before_memory_is_taken) {
  ktx2::Texture texture;
  texture.format = TexelFormat::kRgba8;
  texture.width_texels = texture.height_texels = 1u << 16;
  texture.supercompression = ktx2::Supercompression::kZstd;
  const ByteVector frame = frame_of(ByteVector(16));
  texture.levels = {{frame, std::uint64_t{4} << 32}};
  const ByteVector file = ktx2::write(texture).value();
  const auto view = ktx2::View::open(file).value();
  EXPECT_EQ(inflated_size_bytes(view, 0).error().to_string(),
            "level 0: a Zstd frame too short for its content; write the texture again");
}

}  // namespace
}  // namespace assetc::runtime
