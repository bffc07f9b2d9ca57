#include "engine/store/costs.hpp"

#include <gmock/gmock.h>

#include "engine/fake_disk.hpp"

namespace assetc::engine {
namespace {

class CostsOfSteps : public testing::Test {
 protected:
  FakeDisk disk_;
  const ContentHash kind_{1, 2}, other_{3, 4};
};

TEST_F(CostsOfSteps, are_those_measured_of_their_kind) {
  Costs costs(disk_, "cache/costs");
  const double guess = costs.estimate(kind_, 1 << 20);
  EXPECT_GT(guess, 0);
  costs.add(kind_, 1 << 20, 2);
  EXPECT_DOUBLE_EQ(costs.estimate(kind_, 1 << 20), 2);
  EXPECT_GT(costs.estimate(kind_, 2 << 20), 3);
  EXPECT_GT(costs.estimate(kind_, 0), 0) << "even an empty step has a cost";
  EXPECT_DOUBLE_EQ(costs.estimate(other_, 1 << 20), guess);
}

TEST_F(CostsOfSteps, are_remembered) {
  Costs before(disk_, "cache/costs");
  ASSERT_TRUE(before.save());
  EXPECT_FALSE(disk_.status("cache/costs")) << "nothing was added";
  before.add(kind_, 100, 1);
  ASSERT_TRUE(before.save());
  EXPECT_DOUBLE_EQ(Costs(disk_, "cache/costs").estimate(kind_, 100), 1);
  const std::string whole = disk_.text("cache/costs");
  const double guess = Costs(disk_, "elsewhere").estimate(kind_, 100);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    disk_.put("cache/costs", damaged);
    EXPECT_DOUBLE_EQ(Costs(disk_, "cache/costs").estimate(kind_, 100), guess) << i;
    disk_.put("cache/costs", whole.substr(0, i));
    EXPECT_DOUBLE_EQ(Costs(disk_, "cache/costs").estimate(kind_, 100), guess) << i;
  }
}

}  // namespace
}  // namespace assetc::engine
