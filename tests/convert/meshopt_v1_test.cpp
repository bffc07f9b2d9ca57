// Streams of our encoder, read by our decoder, which tests/interop/meshopt.cjs compares with meshoptimizer's.
#include "export/meshopt_v1.hpp"

#include <gtest/gtest.h>
#include <meshoptimizer.h>

#include <cmath>
#include <cstring>
#include <functional>

#include "import/gltf/meshopt_v1.hpp"

namespace assetc::exporter {
namespace {

using Value = std::function<unsigned(std::size_t element, std::size_t byte)>;

class Noise {
 public:
  unsigned below(unsigned n) {
    state_ = state_ * 1664525u + 1013904223u;
    return (state_ >> 8) % n;
  }

 private:
  std::uint32_t state_ = 12345;
};

ByteVector elements(std::size_t count, std::size_t stride, const Value& value) {
  ByteVector out(count * stride);
  for (std::size_t e = 0; e < count; ++e)
    for (std::size_t k = 0; k < stride; ++k) out[e * stride + k] = static_cast<std::byte>(value(e, k));
  return out;
}

ByteVector decoded(const ByteVector& stream, std::size_t count, std::size_t stride) {
  ByteVector out(count * stride);
  const auto done = importer::decode_meshopt_v1(stream, count, stride, out);
  EXPECT_TRUE(done) << (done ? "" : done.error().to_string());
  return out;
}

TEST(MeshoptV1Encoder, elements_come_back_whatever_they_hold) {
  Noise noise;
  const Value values[] = {
      [](std::size_t, std::size_t) { return 77u; },
      [](std::size_t e, std::size_t k) { return static_cast<unsigned>(e * (k % 3)); },
      [&](std::size_t, std::size_t) { return noise.below(256); },
      [&](std::size_t, std::size_t) { return noise.below(40) == 0 ? noise.below(256) : 0; },
      [&](std::size_t, std::size_t k) { return static_cast<unsigned>(100 + k) + noise.below(3); },
      [&](std::size_t e, std::size_t k) { return (e >> 6) % 3 == k % 3 ? noise.below(256) : noise.below(2); }};
  for (const std::size_t stride : {4u, 8u, 12u, 16u, 28u, 64u, 100u, 252u, 256u}) {
    for (const std::size_t count : {1u, 2u, 15u, 16u, 17u, 255u, 256u, 257u, 1000u, 1500u}) {
      for (const Value& value : values) {
        const ByteVector source = elements(count, stride, value);
        const ByteVector stream = encode_meshopt_v1(source, stride);
        EXPECT_EQ(decoded(stream, count, stride), source) << count << " of " << stride;
        EXPECT_EQ(stream, encode_meshopt_v1(source, stride));
      }
    }
  }
}

// Each kind of difference is the best one for some numbers.
TEST(MeshoptV1Encoder, streams_are_smaller_than_those_of_version_0) {
  Noise noise;
  constexpr std::size_t kCount = 5000;
  std::vector<std::uint16_t> shorts(kCount * 2);
  std::vector<float> floats(kCount);
  for (std::size_t i = 0; i < kCount; ++i) {
    for (std::size_t k = 0; k < 2; ++k) {
      const unsigned last = i == 0 ? 20000 : shorts[2 * (i - 1) + k];
      shorts[2 * i + k] = static_cast<std::uint16_t>(last + noise.below(900) - 450);
    }
    floats[i] = std::ldexp(static_cast<float>(4096 + noise.below(64)), -12);
  }
  const auto check = [](ByteSpan source, std::size_t stride, std::size_t most_percent) {
    const std::size_t count = source.size() / stride;
    ByteVector version_0(meshopt_encodeVertexBufferBound(count, stride));
    version_0.resize(meshopt_encodeVertexBuffer(reinterpret_cast<unsigned char*>(version_0.data()), version_0.size(),
                                                source.data(), count, stride));
    const ByteVector stream = encode_meshopt_v1(source, stride);
    EXPECT_LT(stream.size() * 100, version_0.size() * most_percent);
    EXPECT_EQ(decoded(stream, count, stride), ByteVector(source.begin(), source.end()));
  };
  check(std::as_bytes(std::span(shorts)), 4, 99);
  check(std::as_bytes(std::span(floats)), 4, 80);
}

}  // namespace
}  // namespace assetc::exporter
