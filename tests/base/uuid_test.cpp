#include "assetc/base/uuid.hpp"

#include <gtest/gtest.h>

#include <string>

namespace assetc {
namespace {

constexpr std::string_view kDns = "6ba7b810-9dad-11d1-80b4-00c04fd430c8";

TEST(Uuid, text_and_bytes_go_both_ways) {
  const Uuid uuid = Uuid::parse(kDns).value();
  EXPECT_EQ(uuid.bytes[0], 0x6b);
  EXPECT_EQ(uuid.bytes[15], 0xc8);
  EXPECT_EQ(uuid.version(), 1);
  EXPECT_EQ(uuid.to_string(), kDns);
  EXPECT_EQ(Uuid::parse("6BA7B810-9DAD-11D1-80B4-00C04FD430C8"), uuid);
  EXPECT_EQ(Uuid{}.to_string(), "00000000-0000-0000-0000-000000000000");
  EXPECT_TRUE(Uuid{}.is_nil());
  EXPECT_FALSE(uuid.is_nil());
}

TEST(Uuid, other_text_is_refused) {
  const std::string good(kDns);
  for (std::size_t size = 0; size < good.size(); ++size) EXPECT_FALSE(Uuid::parse(good.substr(0, size))) << size;
  EXPECT_FALSE(Uuid::parse(good + "0"));
  EXPECT_FALSE(Uuid::parse("{" + good + "}"));
  EXPECT_FALSE(Uuid::parse("6ba7b8109dad11d180b400c04fd430c8"));
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = bad[i] == '-' ? '0' : 'g';
    EXPECT_FALSE(Uuid::parse(bad)) << bad;
    bad[i] = good[i] == '-' ? '_' : '-';
    EXPECT_FALSE(Uuid::parse(bad)) << bad;
  }
}

TEST(Uuid, random_bytes_give_version_4) {
  std::array<std::uint8_t, 16> random;
  random.fill(0xff);
  const Uuid uuid = Uuid::from_random(random);
  EXPECT_EQ(uuid.to_string(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
  EXPECT_EQ(uuid.version(), 4);
}

TEST(Uuid, order_is_that_of_the_text) {
  const Uuid low = Uuid::parse("00000000-0000-0000-0000-0000000000ff").value();
  const Uuid high = Uuid::parse("01000000-0000-0000-0000-000000000000").value();
  EXPECT_LT(low, high);
  EXPECT_LT(low.to_string(), high.to_string());
  EXPECT_NE(std::hash<Uuid>()(low), std::hash<Uuid>()(high));
}

}  // namespace
}  // namespace assetc
