#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "compression/encode.hpp"

namespace assetc::compression {
namespace {

ByteVector text_of(std::size_t size_bytes) {
  std::mt19937 random(3);
  ByteVector bytes(size_bytes);
  for (std::byte& b : bytes) b = static_cast<std::byte>('a' + random() % 4);
  return bytes;
}

Bytes sample_of(unsigned number) {
  const std::string text =
      "a material named wood-" + std::to_string(number) + " with a roughness of 0.5 and no texture";
  const ByteSpan bytes = as_bytes(text);
  return Bytes(ByteVector(bytes.begin(), bytes.end()));
}

TEST(Compression, a_frame_gives_its_content_back) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{5'000}, std::size_t{300'000}}) {
    const ByteVector content = text_of(size);
    const ByteVector frame = deflate(content, {.level = 3, .checksum = true});
    EXPECT_EQ(content_size(frame), size);
    EXPECT_EQ(inflate(frame, size).value(), content);
  }
}

TEST(Compression, what_does_not_shrink_is_no_frame) {
  std::mt19937 random(5);
  ByteVector noise(4'000);
  for (std::byte& b : noise) b = static_cast<std::byte>(random());
  EXPECT_FALSE(deflate_if_smaller(noise, {.level = 1}));
  EXPECT_TRUE(deflate_if_smaller(text_of(4'000), {.level = 1}));
}

TEST(Compression, every_prefix_of_a_frame_is_refused) {
  const ByteVector content = text_of(2'000);
  const ByteVector frame = deflate(content, {.level = 3, .checksum = true});
  for (std::size_t size = 0; size < frame.size(); ++size) {
    const ByteVector prefix(frame.begin(), frame.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(inflate(prefix, content.size())) << size;
    EXPECT_FALSE(inflate_pieces(prefix, [](ByteSpan) { return true; })) << size;
  }
}

TEST(Compression, a_flipped_bit_is_found_by_the_checksum) {
  const ByteVector content = text_of(2'000);
  const ByteVector frame = deflate(content, {.level = 3, .checksum = true});
  for (std::size_t i = 0; i < frame.size(); ++i) {
    ByteVector damaged = frame;
    damaged[i] ^= std::byte{1};
    const auto inflated = inflate(damaged, content.size());
    EXPECT_TRUE(!inflated || *inflated == content) << i;
  }
}

TEST(Compression, a_content_of_another_size_says_how_large_it_is) {
  const ByteVector frame = deflate(text_of(1'000), {.level = 3});
  EXPECT_EQ(inflate(frame, 1'001).error().what, "found 1000 bytes, expected 1001");
  ByteVector small(999);
  const auto larger = inflate_into(frame, small);
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error().kind, FrameFault::Kind::kLarger);
}

TEST(Compression, pieces_are_the_content_in_order) {
  const ByteVector content = text_of(1'000'000);
  const ByteVector frame = deflate(content, {.level = 1});
  ByteVector joined;
  EXPECT_EQ(inflate_pieces(frame,
                           [&](ByteSpan piece) {
                             append_bytes(joined, piece);
                             return true;
                           })
                .value(),
            content.size());
  EXPECT_EQ(joined, content);
}

TEST(Compression, pieces_stop_when_their_taker_does) {
  const ByteVector frame = deflate(text_of(1'000'000), {.level = 1});
  std::size_t calls = 0;
  const auto result = inflate_pieces(frame, [&](ByteSpan) { return ++calls < 3; });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, FrameFault::Kind::kLarger);
  EXPECT_EQ(calls, 3u);
}

TEST(Compression, bytes_behind_a_frame_are_counted) {
  ByteVector frame = deflate(text_of(1'000), {.level = 3});
  frame.resize(frame.size() + 7);
  const auto result = inflate_pieces(frame, [](ByteSpan) { return true; });
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().to_error(1'000).what, "found 7 bytes after the end of a frame");
}

TEST(Compression, a_dictionary_makes_small_contents_smaller) {
  std::vector<Bytes> samples;
  for (unsigned i = 0; i < 2'000; ++i) samples.push_back(sample_of(i));
  const auto dictionary = Dictionary::train(samples, 8 << 10);
  ASSERT_TRUE(dictionary);
  const Bytes content = sample_of(5'000);
  const auto with = deflate_if_smaller(content, {.level = 15}, &*dictionary);
  ASSERT_TRUE(with);
  const auto without = deflate_if_smaller(content, {.level = 15});
  EXPECT_LT(with->size(), without ? without->size() : content.size());
  const auto opened = DecodeDictionary::open(dictionary->bytes());
  EXPECT_EQ(as_text(inflate(*with, content.size(), &opened.value()).value()), as_text(content));
  EXPECT_FALSE(inflate(*with, content.size()));
}

TEST(Compression, bytes_that_are_no_dictionary_are_refused) {
  EXPECT_EQ(DecodeDictionary::open(text_of(1'000)).error().what, "found a dictionary that Zstd cannot read");
  EXPECT_FALSE(Dictionary::open(Bytes(text_of(1'000))));
}

TEST(Compression, a_frame_after_other_bytes_is_small_and_needs_them) {
  const ByteVector before = text_of(500'000);
  ByteVector content = before;
  std::ranges::reverse(std::span(content).first(100));
  const ByteVector frame = deflate_after(before, content);
  EXPECT_LT(frame.size(), 1'000u);
  EXPECT_EQ(inflate_after(before, frame, content.size()).value(), content);
  EXPECT_FALSE(inflate_after({}, frame, content.size()));
}

}  // namespace
}  // namespace assetc::compression
