#include "texture/resample.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

namespace assetc::texture {
namespace {

// Whoever is told that rows are done may give their memory back.
TEST(resample, rows_that_are_done_are_not_read_again) {
  for (const Filter filter : {Filter::kBox, Filter::kKaiser, Filter::kLanczos}) {
    for (const Wrap wrap : {Wrap::kRepeat, Wrap::kClamp}) {
      for (const std::uint32_t height : {1u, 3u, 127u, 128u, 1000u, 1001u}) {
        std::vector<std::atomic<bool>> done(height);
        std::atomic<std::uint32_t> read_again = 0, rows_done = 0;
        Planes target(1, std::max(height / 2, 1u), 1);
        resample(
            [&](std::uint32_t y, float* out, std::size_t) {
              read_again += done[y] ? 1 : 0;
              out[0] = out[1] = static_cast<float>(y);
            },
            2, height, filter, wrap, target,
            [&](std::uint32_t begin, std::uint32_t end) {
              rows_done += end - begin;
              for (std::uint32_t y = begin; y < end; ++y) done[y] = true;
            });
        EXPECT_EQ(read_again, 0u) << height;
        EXPECT_LE(rows_done, height);
        if (height >= 1000) {
          EXPECT_GT(rows_done, height * 3 / 4);
        }
      }
    }
  }
}

}  // namespace
}  // namespace assetc::texture
