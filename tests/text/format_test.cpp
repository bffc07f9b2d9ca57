#include "text/format.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace assetc {
namespace {

TEST(Format, values_take_the_places_of_braces) {
  EXPECT_EQ(formatted("plain"), "plain");
  EXPECT_EQ(formatted("{} {} {}", "a", std::string("b"), std::string_view("c")), "a b c");
  EXPECT_EQ(formatted("{}, {}", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::uint64_t>::max()),
            "-9223372036854775808, 18446744073709551615");
  EXPECT_EQ(formatted("{{{}}}", 7), "{7}");
}

TEST(Format, numbers_have_the_digits_that_the_pattern_asks_for) {
  EXPECT_EQ(formatted("{} {:.2f} {:.3g} {:.2g}", 0.1, 2.0 / 3, 1234.5, 0.00123), "0.1 0.67 1.23e+03 0.0012");
  EXPECT_EQ(formatted("{:02} {:04} {:016x} {:02x}", 5, 42u, std::uint64_t{0xabc}, std::uint8_t{7}),
            "05 0042 0000000000000abc 07");
  EXPECT_EQ(formatted("[{:<8}] [{:<4}]", "left", 1), "[left    ] [1   ]");
  EXPECT_EQ(formatted("{:.1f} {} {}", 1.5f, 0.1f, -1e18f), "1.5 0.1 -1e+18");
}

}  // namespace
}  // namespace assetc
