#include "texture/resample.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace assetc::texture {
namespace {

// The caller may free the memory of a row when the last strip that it is planned for has ended.
TEST(resample, rows_are_read_only_while_a_strip_that_planned_them_has_not_ended) {
  for (const Filter filter : {Filter::kBox, Filter::kKaiser, Filter::kLanczos}) {
    for (const Wrap wrap : {Wrap::kRepeat, Wrap::kClamp}) {
      for (const std::int64_t height : {1, 3, 127, 128, 1000, 1001}) {
        std::vector<std::atomic<int>> strips(static_cast<std::size_t>(height));
        std::atomic<int> read_unplanned = 0;
        std::atomic<std::uint32_t> rows_begun = 0;
        const auto count = [&](std::int64_t begin, std::int64_t end, int by) {
          for (std::int64_t y = begin; y < end; ++y) {
            const std::int64_t row =
                wrap == Wrap::kRepeat ? (y % height + height) % height : std::clamp<std::int64_t>(y, 0, height - 1);
            strips[static_cast<std::size_t>(row)] += by;
          }
        };
        const StripEvents events{.planned = [&](std::int64_t begin, std::int64_t end) { count(begin, end, 1); },
                                 .begins = [&](std::uint32_t begin, std::uint32_t end) { rows_begun += end - begin; },
                                 .ended = [&](std::int64_t begin, std::int64_t end) { count(begin, end, -1); }};
        Planes target(1, static_cast<std::uint32_t>(std::max<std::int64_t>(height / 2, 1)), 1);
        resample(
            [&](std::uint32_t y, float* out, std::size_t) {
              read_unplanned += strips[y] > 0 ? 0 : 1;
              out[0] = out[1] = static_cast<float>(y);
            },
            2, static_cast<std::uint32_t>(height), filter, wrap, target, &events);
        EXPECT_EQ(read_unplanned, 0) << height;
        EXPECT_EQ(rows_begun, target.height()) << height;
        for (const std::atomic<int>& strip : strips) EXPECT_EQ(strip, 0) << height;
      }
    }
  }
}

}  // namespace
}  // namespace assetc::texture
