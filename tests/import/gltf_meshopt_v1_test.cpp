#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "import/gltf/meshopt.hpp"
#include "import/gltf/meshopt_v1.hpp"
#include "import/meshopt_v1_builder.hpp"

namespace assetc::importer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::MeshoptV1Builder;

std::uint32_t next(std::uint32_t& state) { return state = state * 1664525 + 1013904223; }
std::uint32_t below(std::uint32_t n, std::uint32_t& state) {
  return static_cast<std::uint32_t>(std::uint64_t{next(state)} * n >> 32);
}

ByteVector to_bytes(const std::vector<std::uint8_t>& v) {
  const auto bytes = std::as_bytes(std::span(v));
  return {bytes.begin(), bytes.end()};
}
std::vector<std::uint8_t> numbers(ByteSpan bytes) {
  std::vector<std::uint8_t> out;
  for (const std::byte b : bytes) out.push_back(static_cast<std::uint8_t>(b));
  return out;
}

// Decodes from a buffer of exactly the stream's size into one of exactly the elements' size, so that a sanitizer
// reports accesses past them.
Result<ByteVector> decode(ByteSpan stream, std::size_t count, std::size_t stride) {
  const auto exact = std::make_unique<std::byte[]>(stream.size());
  std::ranges::copy(stream, exact.get());
  ByteVector out(count * stride);
  ASSETC_CHECK(decode_meshopt_v1({exact.get(), stream.size()}, count, stride, out));
  return out;
}
std::string refusal(ByteSpan stream, std::size_t count, std::size_t stride) {
  const auto decoded = decode(stream, count, stride);
  return decoded ? "decoded" : decoded.error().what;
}
const std::string kDamaged = "meshopt compression: the compressed ATTRIBUTES stream (version 1) is damaged: ";

// golden_elements() as encoded by meshoptimizer 1.3 at its highest level: tests/interop/meshopt.cjs --golden.
const std::vector<std::uint8_t> kGolden{
    0xA1, 0x1D, 0xB7, 0xBA, 0xAA, 0x2A, 0x06, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
    0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x00, 0x00, 0x00, 0x00, 0x00, 0xF3, 0xBA, 0xD3, 0x34, 0xE4, 0x25, 0x87,
    0x9B, 0x04, 0xD1, 0xDC, 0x45, 0xC6, 0xD4, 0x72, 0x4E, 0x38, 0xE2, 0x94, 0xB1, 0x93, 0x15, 0x9C, 0xEF, 0x41, 0x7E,
    0x43, 0x06, 0x22, 0x41, 0xB4, 0x1D, 0xA7, 0xE0, 0xA6, 0x7D, 0xAB, 0x49, 0xD8, 0x05, 0x00, 0x60, 0x00, 0x18, 0x00,
    0x06, 0x00, 0x01, 0x01, 0x00, 0x02, 0x04, 0x10, 0x00, 0x02, 0x00, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58,
    0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58,
    0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x58, 0x15, 0x2A, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA,
    0xAA, 0xAA, 0xAA, 0xAA, 0x00, 0x00, 0x00, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A,
    0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A,
    0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x9A, 0x00, 0x29, 0x2F, 0x24, 0x11, 0x1D, 0x2B, 0x19, 0x20, 0x01, 0x16,
    0x35, 0x04, 0x12, 0x3F, 0x36, 0x12, 0x2F, 0x0C, 0x25, 0x36, 0x08, 0x20, 0x3B, 0x1F, 0x03, 0x1D, 0x3D, 0x27, 0x1D,
    0x0C, 0x32, 0x1F, 0x24, 0x39, 0x12, 0x37, 0x21, 0x38, 0x20, 0x00, 0x00, 0x00, 0x00, 0x00, 0x05, 0x5B, 0x05, 0xE8,
    0x03, 0xE8, 0xFD, 0x00, 0x40, 0x80, 0x3F, 0xC8, 0xC8, 0xC8, 0xC8, 0x00, 0x01, 0x22, 0x00,
};
constexpr std::size_t kGoldenCount = 40, kGoldenStride = 16;

std::vector<std::uint8_t> golden_elements() {
  std::vector<std::uint8_t> out;
  std::uint32_t state = 12345;
  for (std::uint32_t e = 0; e < kGoldenCount; ++e) {
    for (const std::uint32_t v : {3 * e, below(256, state), e % 9 == 4 ? 90u : 91u, e < 20 ? 5u : 6u}) {
      out.push_back(static_cast<std::uint8_t>(v));
    }
    const std::uint32_t shorts = (1000 + 300 * e) | (65000 + 77 * e) << 16,
                        floating = 0x3F800000 + (below(64, state) << 14);
    for (const std::uint32_t v : {shorts, floating, 0xC8C8C8C8u}) {
      for (unsigned j = 0; j < 4; ++j) out.push_back(static_cast<std::uint8_t>(v >> (8 * j)));
    }
  }
  return out;
}

TEST(MeshoptV1, decodes_what_meshoptimizer_encodes) {
  const auto decoded = decode(to_bytes(kGolden), kGoldenCount, kGoldenStride);
  ASSERT_TRUE(decoded) << decoded.error().what;
  EXPECT_EQ(numbers(*decoded), golden_elements());
}

// The example "Encodes 16 deltas" of the specification, as the third byte of 16 elements whose other bytes are
// constant.
TEST(MeshoptV1, decodes_the_example_of_the_specification) {
  std::vector<std::uint8_t> stream{0xA1, 0b10'00'10'10, 0b11, 0x17, 0x5F, 0xF0, 0xBC,
                                   0x77, 0xA9,          0x21, 0x00, 0x34, 0xB5};
  stream.resize(stream.size() + 24 - 5);
  stream.insert(stream.end(), {1, 2, 100, 4, 0});
  const auto decoded = decode(to_bytes(stream), 16, 4);
  ASSERT_TRUE(decoded) << decoded.error().what;
  std::vector<std::uint8_t> expected;
  int value = 100;
  for (const int delta : {-1, -4, -3, 26, -91, 0, -6, 6, -4, -4, 5, -5, 1, -1, 0, 0}) {
    value += delta;
    for (const int v : {1, 2, value, 4}) expected.push_back(static_cast<std::uint8_t>(v));
  }
  EXPECT_EQ(numbers(*decoded), expected);
}

TEST(MeshoptV1, refuses_a_group_that_ends_in_the_tail) {
  for (const std::uint8_t width : {1, 2, 3}) {
    std::vector<std::uint8_t> stream{0xA1, 0b10'10'10'00, width};
    stream.resize(stream.size() + 24);
    EXPECT_EQ(refusal(to_bytes(stream), 16, 4), kDamaged + "it ends among the elements 0 to 15 of 16");
    stream.insert(stream.end() - 24, std::size_t{1} << width, 0);
    EXPECT_TRUE(decode(to_bytes(stream), 16, 4)) << width;
  }
}

// Elements that change little, so that every bit width has deltas.
std::vector<std::uint8_t> drifting(std::size_t count, std::size_t stride, std::uint32_t state) {
  std::vector<std::uint8_t> out(count * stride);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint8_t before = i < stride ? 7 : out[i - stride];
    const std::uint32_t kind =
        (static_cast<std::uint32_t>(i / stride / 16) + static_cast<std::uint32_t>(i % stride)) % 4;
    out[i] = static_cast<std::uint8_t>(kind == 0 ? before : before + below(kind == 3 ? 256 : 3, state));
  }
  return out;
}

TEST(MeshoptV1, decodes_every_channel_control_and_width_in_blocks_of_every_size) {
  std::uint32_t state = 1;
  for (const std::size_t stride : {4, 8, 12, 16, 24, 28, 32, 36, 64, 100, 252, 256}) {
    for (const std::size_t count : {0, 1, 15, 16, 17, 31, 32, 33, 127, 128, 255, 256, 257, 600}) {
      std::vector<std::uint8_t> channels;
      for (std::size_t c = 0; c < stride / 4; ++c) {
        const std::uint32_t mode = below(3, state);
        channels.push_back(static_cast<std::uint8_t>(mode == 2 ? below(16, state) << 4 | 2 : mode));
      }
      const std::vector<std::uint8_t> elements = drifting(count, stride, next(state)), before(stride, 9);
      const ByteVector stream = MeshoptV1Builder(stride, channels, below(4, state)).encode(elements, before);
      const auto decoded = decode(stream, count, stride);
      ASSERT_TRUE(decoded) << count << " elements of " << stride << " bytes: " << decoded.error().what;
      ASSERT_EQ(numbers(*decoded), elements) << count << " elements of " << stride << " bytes";
    }
  }
}

TEST(MeshoptV1, refuses_every_prefix_and_extra_bytes) {
  ByteVector stream = to_bytes(kGolden);
  for (std::size_t size = 1; size < stream.size(); ++size) {
    EXPECT_THAT(refusal(ByteSpan(stream).first(size), kGoldenCount, kGoldenStride), HasSubstr(kDamaged)) << size;
  }
  stream.insert(stream.begin() + 200, std::byte{0});
  EXPECT_THAT(refusal(stream, kGoldenCount, kGoldenStride), HasSubstr(kDamaged));
}

TEST(MeshoptV1, says_what_is_wrong_with_a_stream) {
  const std::vector<std::uint8_t> elements = drifting(300, 4, 5), before(4, 0);
  const ByteVector whole = MeshoptV1Builder(4, {0}, 3).encode(elements, before);
  EXPECT_EQ(refusal(ByteSpan(whole).first(24), 300, 4), kDamaged + "found 24 bytes, expected at least 25");
  ByteVector cut = whole;
  cut.erase(cut.end() - 30);
  EXPECT_EQ(refusal(cut, 300, 4), kDamaged + "it ends among the elements 256 to 299 of 300");
  cut.erase(cut.begin() + 50, cut.end() - 30);
  EXPECT_EQ(refusal(cut, 300, 4), kDamaged + "it ends among the elements 0 to 255 of 300");
  ByteVector longer = whole;
  longer.insert(longer.end() - 24, 3, std::byte{0});
  EXPECT_EQ(refusal(longer, 300, 4), kDamaged + "found 3 bytes after the last of 300 elements");
  for (const unsigned mode : {3u, 15u, 0x10u, 0x21u, 0x23u, 0xFFu}) {
    ByteVector bad = whole;
    bad.back() = static_cast<std::byte>(mode);
    EXPECT_EQ(refusal(bad, 300, 4), kDamaged + "found the mode " + std::to_string(mode) +
                                        " for bytes 0 to 3 of an element, expected 0, 1, or 2 plus a multiple of 16");
  }
}

TEST(MeshoptV1, reads_damaged_streams_without_leaving_them) {
  std::uint32_t state = 7;
  for (int round = 0; round < 3000; ++round) {
    ByteVector stream = to_bytes(kGolden);
    for (std::uint32_t n = 1 + below(3, state); n > 0; --n) {
      stream[below(static_cast<std::uint32_t>(stream.size()), state)] ^= static_cast<std::byte>(1 + below(255, state));
    }
    const auto decoded = decode(stream, kGoldenCount, kGoldenStride);
    EXPECT_TRUE(decoded || decoded.error().what.starts_with(kDamaged));
  }
}

template <class T>
std::vector<T> unfiltered(std::vector<T> colors) {
  const Result<void> done = unfilter_meshopt_colors(std::as_writable_bytes(std::span(colors)), 4 * sizeof(T));
  EXPECT_TRUE(done) << done.error().what;
  return colors;
}

TEST(MeshoptV1, turns_colors_of_each_precision_into_whole_ones) {
  // All eight bits: the components are unchanged, and alpha has seven bits, of which the last is doubled.
  EXPECT_THAT(unfiltered<std::uint8_t>({128, 10, 251, 255, 200, 0, 0, 0x80, 0, 0, 0, 0x81}),
              ElementsAre(143, 123, 123, 255, 200, 200, 200, 0, 0, 0, 0, 3));
  // Two and three bits: steps of 85 and of 255 / 7.
  EXPECT_THAT(unfiltered<std::uint8_t>({1, 0, 0, 2, 3, 0, 0, 3, 5, 1, 0, 4}),
              ElementsAre(85, 85, 85, 0, 255, 255, 255, 255, 219, 182, 146, 0));
  EXPECT_THAT(unfiltered<std::uint16_t>({4095, 0, 0, 4095, 1000, 65535, 2, 0x800, 65535, 0, 0, 65535}),
              ElementsAre(65535, 65535, 65535, 65535, 15956, 16036, 15988, 0, 65535, 65535, 65535, 65535));
}

TEST(MeshoptV1, clamps_colors_outside_their_precision) {
  EXPECT_THAT(unfiltered<std::uint8_t>({255, 127, 128, 2, 0, 128, 127, 255}),
              ElementsAre(255, 255, 255, 0, 0, 127, 1, 255));
  EXPECT_THAT(unfiltered<std::uint16_t>({65535, 32767, 32768, 3}), ElementsAre(65535, 65535, 65535, 65535));
}

TEST(MeshoptV1, refuses_colors_without_precision) {
  for (const std::uint8_t alpha : {0, 1}) {
    std::vector<std::uint8_t> colors{1, 2, 3, 255, 1, 2, 3, alpha};
    EXPECT_EQ(unfilter_meshopt_colors(std::as_writable_bytes(std::span(colors)), 4).error().what,
              "meshopt compression: element 1 under the filter COLOR has the fourth component " +
                  std::to_string(alpha) + ", expected at least 2: its highest bit gives the precision of the others");
  }
}

// A few bytes can stand for many zeros, but a count is limited by the size of the data.
TEST(MeshoptV1, bounds_counts_by_the_size_of_the_data) {
  const std::vector<std::uint8_t> zeros(256 * 40 * 16), before(16, 0);
  const ByteVector stream = MeshoptV1Builder(16, {0, 1, 2, 0}, 2).encode(zeros, before);
  MeshoptStream described{"ATTRIBUTES", "NONE", 256 * 40, 16, stream};
  EXPECT_TRUE(check_meshopt(described));
  described.count = stream.size() * 1024 / 16 + 1;
  EXPECT_EQ(check_meshopt(described).error().what,
            "meshopt compression: the compressed data is cut short: " + std::to_string(stream.size()) +
                " bytes cannot hold " + std::to_string(described.count) + " elements");
}

}  // namespace
}  // namespace assetc::importer
