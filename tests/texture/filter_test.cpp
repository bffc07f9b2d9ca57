#include "texture/filter.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace assetc::texture {
namespace {

TEST(filter, weights_sum_to_one) {
  for (Filter filter : {Filter::kKaiser, Filter::kBox, Filter::kLanczos}) {
    for (auto [from, to] : {std::pair{2u, 1u}, {3u, 1u}, {7u, 3u}, {8u, 4u}, {100u, 33u}, {5u, 5u}, {1u, 1u}}) {
      const Taps taps = make_taps(filter, from, to);
      for (std::uint32_t i = 0; i < to; ++i) {
        const float* w = taps.weights_of(i);
        EXPECT_NEAR(std::accumulate(w, w + taps.tap_count, 0.0f), 1.0f, 1e-6f) << from << " to " << to << " at " << i;
      }
    }
  }
}

TEST(filter, box_is_the_exact_mean) {
  const Taps even = make_taps(Filter::kBox, 8, 4);
  EXPECT_TRUE(even.halving);
  ASSERT_EQ(even.tap_count, 2u);
  EXPECT_EQ(even.weights[0], 0.5f);
  EXPECT_EQ(even.first[3], 6);
  // 3 texels to 1, and 5 to 2; the middle one of 5 is shared.
  const Taps third = make_taps(Filter::kBox, 3, 1);
  EXPECT_EQ(third.tap_count, 3u);
  EXPECT_EQ(third.weights[1], 1.0f / 3.0f);
  const Taps odd = make_taps(Filter::kBox, 5, 2);
  ASSERT_EQ(odd.tap_count, 3u);
  EXPECT_FLOAT_EQ(odd.weights_of(0)[0], 0.4f);
  EXPECT_FLOAT_EQ(odd.weights_of(0)[2], 0.2f);
  EXPECT_FLOAT_EQ(odd.weights_of(1)[0], 0.2f);
  EXPECT_EQ(odd.first[1], 2);
}

TEST(filter, halving_kernels_are_symmetric_and_sharpen) {
  for (Filter filter : {Filter::kKaiser, Filter::kLanczos}) {
    const Taps taps = make_taps(filter, 64, 32);
    ASSERT_EQ(taps.tap_count, 12u);
    EXPECT_EQ(taps.first[0], -5);
    for (std::size_t k = 0; k < 6; ++k) EXPECT_EQ(taps.weights[k], taps.weights[11 - k]);
    EXPECT_GT(taps.weights[5], 0.2f);
    EXPECT_LT(taps.weights[3], 0.0f);
  }
}

TEST(filter, indices_wrap) {
  EXPECT_EQ(wrap_index(-1, 4, Wrap::kRepeat), 3u);
  EXPECT_EQ(wrap_index(-9, 4, Wrap::kRepeat), 3u);
  EXPECT_EQ(wrap_index(4, 4, Wrap::kRepeat), 0u);
  EXPECT_EQ(wrap_index(-5, 4, Wrap::kClamp), 0u);
  EXPECT_EQ(wrap_index(9, 4, Wrap::kClamp), 3u);
  EXPECT_EQ(wrap_index(-3, 1, Wrap::kRepeat), 0u);
}

}  // namespace
}  // namespace assetc::texture
