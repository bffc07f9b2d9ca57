#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "compression/encode.hpp"
#include "compression/zlib.hpp"

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

ByteVector bytes_of(std::string_view digits) {
  ByteVector bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes.push_back(static_cast<std::byte>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16)));
  return bytes;
}

struct ZlibStream {
  const char* digits;  // hexadecimal
  std::uint64_t content_bytes;
};
// Written by zlib 1.2.13: a stored block, one with the fixed codes, and one with codes of its own. The last one refers
// to content at the greatest distance that it can.
constexpr ZlibStream kZlibStreams[] = {
    {"7801010600f9ff73746f726564093c0292", 6},
    {"78014b4c8481a46438020057e20802", 21},
    {"78daed974b8e65370c43b394b7044bf217b59a00c920c3a491fdc7940b41516be099d56db72ddafaf0b5cfafbffffdfd9f3f"
     "fff8fcf5ebd3be3ef6f36ffbfaf8cfbffbd7277efe7dbe3e9dd6cfafcff8f9c1c7d767fefc1077c5a22def1efbe787790f39"
     "3f3fec1b85353aa621508ed4b18a82b57e77b2e0f8ee69c6219f1b9171d088da26ebc02a0adc37f6a2d0c371e261bdb8438a"
     "be237aa7e87bc72abeea7df7728a7ef83dd129fab16e5c4ed14f44ef14fdcc5514fdcabd28fa9527f2d523aea0e80fa20f8a"
     "fe4063f0dd375c45f0e537dc58f0ed1b2e36063f2514c4e46f78a620091678cdd8e5cd712e89b081dce89c4113323aa7d044"
     "a675d6b1908e9d756ce46c2f5984c4ee9c460d3a3ae791a1443a279237ec473a3c1ace251ddedb8d6f34ce4be818a4c367ae"
     "231dbeb0df084e609c3b48879f2c61d211a96370191bf48e55b21ffb714504ee6f704974dcf36c5c26d03149472cbcdb241d"
     "b1f1be9374c4411eccce35867c99a4a3675e4dd2d103f937b92375e4e9241d7d229f27e9e80b79bfb8b6b33c16e9180d55b4"
     "48c73014dbe2f20ed4e4e2faee28dd453a4656f89adc07721de91827f7e3e6daf2dcc30d03f1edc64d183a36e998037ab773"
     "67c1bd6cd23137ee6f938ed570cf7b700b828e4d3a56e0dd36b7aa81f7dddcab16f260938e75902fa7f1ec808e433ab623ff"
     "8e73a3cbb1433af6443e1fd2b137f2fe0cee88d07148c70d05eb48c7e9a8b7b3b975a22e0fe938bbe5c4ab232f875eb3d266"
     "dfdad27c3b76b556daefc4f9f71f4b5346a4d6b8055b6abaff85bf7ae45a6ec3b7e7e6bedc886dce8c815bb1ed9ce6659cfb"
     "f7402f133d72a697a1ee23c77a99ebbe72b297d1ee27873b4f778b37df79c05bf41cf156474c4e791ef31627073d4f7aeb36"
     "d383b43290521bcf7bbbe9966b8b61d9a84ee3a96fc350c7c683df46a0e28d67bfbdde603cfe6decb796b5cdef7d59db8c17"
     "036b9b2fde284334bb9db11bb0f5eea11882d5f3ce8a2558ef7e8b295827dfa2d882fddead18833b8c732d6bdb2f1f8a3938"
     "ed59c2534677e6593108272792158b705efeb249b83598b9ce36c1dbab0b360ade56d650b10adff556cd42646d16bb60af8e"
     "8b6180387c65cbe0af3f14d3f05c8315dbe0afef14e31096fb16eb10d9cbac988758192fdb876b5b521b1b08ef91f7c016c2"
     "7bf65c6313717d45de2fdb081fd9c76d1643f4de8dad848f9c0dc666c2efe4c3be6c277ce6bc3136147e1315f1b2a5f0f5fd"
     "5b81b5ad91f9cbb6c257ce456363e137ab3306d6b673d61a9b8bfb8b23b5b1bdf093f3dbd860f81959c76c316e43cc9a6793"
     "710d5ef687556cdfeb256c34a29db776153bf8f665f377b5660c6cff3cfd90b1e1b8e631b5b1e5084f8f656c3a222cef8c6d"
     "47447fbfc8585bec7c0bb61ef1bca0b1f9b82320df98ed47f4f497c606244664eeb00589919ed54e31b76fbeb10db9ce38f3"
     "978dc81d3899eb6c45ae15ceba6033722740d610db91d8afded890dcae9eb5c9962476fe0630362577bc65cdb32db9ce0cfd"
     "e137218410420821841042082184104208218410420821841042082184104208218410420821841042082184104208218410"
     "420821841042082184104208218410420821841042082184104208218410420821841042082184104208218410420821c4ff"
     "fc0781e09e2d",
     44144}};

TEST(Zlib, streams_of_zlib_are_whole) {
  for (const ZlibStream& stream : kZlibStreams) {
    const ByteVector bytes = bytes_of(stream.digits);
    const auto whole = check_zlib(bytes, stream.content_bytes);
    EXPECT_TRUE(whole) << whole.error().to_string();
    EXPECT_FALSE(check_zlib(bytes, stream.content_bytes - 1));
    EXPECT_FALSE(check_zlib(bytes, stream.content_bytes + 1));
    ByteVector longer = bytes;
    longer.push_back(std::byte{0});
    EXPECT_FALSE(check_zlib(longer, stream.content_bytes));
  }
}

TEST(Zlib, every_prefix_and_every_changed_byte_is_refused) {
  for (const ZlibStream& stream : kZlibStreams) {
    const ByteVector bytes = bytes_of(stream.digits);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      const ByteVector prefix(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_FALSE(check_zlib(prefix, stream.content_bytes)) << size;
      ByteVector changed = bytes;  // only high bits of a byte may mean nothing
      changed[size] ^= std::byte{1};
      EXPECT_FALSE(check_zlib(changed, stream.content_bytes)) << size;
    }
  }
}

}  // namespace
}  // namespace assetc::compression
