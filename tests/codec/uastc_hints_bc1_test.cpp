#include "codec/encode/uastc/uastc_hints_bc1.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "codec/block/bc_block.hpp"
#include "codec/random_uastc.hpp"

namespace assetc::codec {
namespace {

std::uint32_t error_of(const std::uint8_t* bc1, const BlockTexels& source) {
  const BlockTexels texels = decode_bc1(bc1);
  std::uint32_t sum = 0;
  for (unsigned t = 0; t < kBlockTexels; ++t)
    for (unsigned c = 0; c < 3; ++c) {
      const int miss = texels[t][c] - source[t][c];
      sum += static_cast<std::uint32_t>(miss * miss);
    }
  return sum;
}

// Texels between two colors, of only one of them, or random; the decoded texels lack some of the source's noise.
struct Sample {
  BlockTexels source, decoded;
  std::array<Rgba8, 2> ends;
  Bc1Levels levels;
};

Sample make_sample(std::mt19937& random, unsigned kind) {
  Sample s;
  const auto any = [&] { return static_cast<std::uint8_t>(random()); };
  s.ends = {Rgba8{any(), any(), any(), 255}, Rgba8{any(), any(), any(), 255}};
  if (kind % 4 == 1)
    for (unsigned c = 0; c < 3; ++c)
      s.ends[1].set(c, static_cast<std::uint8_t>(std::min(255, s.ends[0][c] + static_cast<int>(below(random, 5)))));
  if (kind % 4 == 2) s.ends[1] = s.ends[0];
  for (unsigned t = 0; t < kBlockTexels; ++t) {
    s.levels[t] = static_cast<std::uint8_t>(kind % 8 == 7 ? 2 : below(random, 4));
    for (unsigned c = 0; c < 3; ++c) {
      const int at =
          kind % 4 == 3 && kind % 8 != 7 ? any() : (s.ends[0][c] * (3 - s.levels[t]) + s.ends[1][c] * s.levels[t]) / 3;
      s.decoded[t].set(c, static_cast<std::uint8_t>(at));
      s.source[t].set(c, static_cast<std::uint8_t>(std::clamp(at + static_cast<int>(below(random, 9)) - 4, 0, 255)));
    }
    s.source[t].a = s.decoded[t].a = 255;
  }
  return s;
}

TEST(Bc1Hints, say_the_errors_that_the_transcoder_makes) {
  std::mt19937 random(31);
  std::vector<Sample> samples;
  std::vector<BlockTexels> source, decoded;
  for (unsigned i = 0; i < 1003; ++i) {
    samples.push_back(make_sample(random, i));
    source.push_back(samples.back().source);
    decoded.push_back(samples.back().decoded);
  }
  std::vector<Bc1Line> lines;
  std::vector<Bc1Errors> expected;
  for (std::uint32_t i = 0; i + 1 < samples.size(); ++i) {
    const std::uint32_t block = i ^ 1;  // not in the order of the blocks
    const Sample& s = samples[block];
    lines.push_back({block, static_cast<std::uint32_t>(pack_indices(s.levels.data(), 2)), bc1_color(s.ends[0]),
                     bc1_color(s.ends[1])});
    Bc1Errors e;
    std::uint8_t bc1[8];
    encode_bc1_direct(s.ends[0], s.ends[1], s.levels, bc1);
    e.by_endpoints = error_of(bc1, s.source);
    encode_bc1_levels(s.decoded, s.levels, bc1);
    e.by_weights = error_of(bc1, s.source);
    encode_bc1(s.decoded, bc1);
    e.fresh = error_of(bc1, s.source);
    expected.push_back(e);
  }
  std::vector<PlanarBlock> source_planes(source.size()), decoded_planes(source.size());
  std::vector<BlockKind> kinds(source.size());
  split_blocks(source, source_planes, kinds);
  split_blocks(decoded, decoded_planes, kinds);
  std::vector<Bc1Errors> errors(lines.size());
  measure_bc1_hints(source_planes, decoded_planes, lines, true, true, errors);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_EQ(errors[i].by_endpoints, expected[i].by_endpoints) << i;
    EXPECT_EQ(errors[i].by_weights, expected[i].by_weights) << i;
    EXPECT_EQ(errors[i].fresh, expected[i].fresh) << i;
  }
}

TEST(Bc1Hints, leave_alone_what_is_not_asked_for) {
  const std::vector<PlanarBlock> black(1, PlanarBlock{{}});
  const std::vector<Bc1Line> line = {{0, 0, 0xffff, 0}};
  std::vector<Bc1Errors> errors = {{1, 2, 3}};
  measure_bc1_hints(black, black, line, false, false, errors);
  EXPECT_EQ(errors[0].by_endpoints, 16u * 3 * 255 * 255);
  EXPECT_EQ(errors[0].by_weights, 2u);
  EXPECT_EQ(errors[0].fresh, 3u);
}

}  // namespace
}  // namespace assetc::codec
