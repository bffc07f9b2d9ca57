#include "engine/store/costs.hpp"

#include <gmock/gmock.h>

#include "engine/fake_disk.hpp"

namespace assetc::engine {
namespace {

class CostsOfSteps : public testing::Test {
 protected:
  CostsOfSteps() {
    recipe_.name = "texture";
    settings_.of_recipe.resize(1);
    node_.recipe = &recipe_;
    node_.settings = &settings_;
  }
  FakeDisk disk_;
  recipes::Recipe recipe_;
  EffectiveSettings settings_;
  Node node_;
};

TEST_F(CostsOfSteps, are_those_measured_of_their_kind) {
  Costs costs(disk_, "cache/costs");
  const double guess = costs.estimate(node_, 1 << 20);
  EXPECT_GT(guess, 0);
  costs.add(node_, 1 << 20, 2);
  EXPECT_DOUBLE_EQ(costs.estimate(node_, 1 << 20), 2);
  EXPECT_GT(costs.estimate(node_, 2 << 20), 3);
  EXPECT_GT(costs.estimate(node_, 0), 0) << "a step of nothing costs something";
  settings_.of_recipe[0].canonical = "texture.quality best";
  EXPECT_DOUBLE_EQ(costs.estimate(node_, 1 << 20), guess) << "another kind";
}

TEST_F(CostsOfSteps, are_remembered) {
  Costs before(disk_, "cache/costs");
  ASSERT_TRUE(before.save());
  EXPECT_FALSE(disk_.status("cache/costs")) << "nothing was added";
  before.add(node_, 100, 1);
  ASSERT_TRUE(before.save());
  EXPECT_DOUBLE_EQ(Costs(disk_, "cache/costs").estimate(node_, 100), 1);
  const std::string whole = disk_.text("cache/costs");
  const double guess = Costs(disk_, "elsewhere").estimate(node_, 100);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 1);
    disk_.put("cache/costs", damaged);
    EXPECT_DOUBLE_EQ(Costs(disk_, "cache/costs").estimate(node_, 100), guess) << i;
    disk_.put("cache/costs", whole.substr(0, i));
    EXPECT_DOUBLE_EQ(Costs(disk_, "cache/costs").estimate(node_, 100), guess) << i;
  }
}

}  // namespace
}  // namespace assetc::engine
