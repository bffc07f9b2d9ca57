// Which steps may have one name.
#include "engine/run/output_claims.hpp"

#include <gmock/gmock.h>

#include "engine/target/params.hpp"

namespace assetc::engine {
namespace {

using testing::HasSubstr;

TEST(OutputClaims, shared_steps_are_one_if_their_content_is) {
  const State state;
  OutputClaims claims(runtime_target(), state, false, nullptr);
  const std::string one = encode_params({{std::string(recipes::kContentParam), "1"}}),
                    other = encode_params({{std::string(recipes::kContentParam), "2"}});
  const StepId id = step_id("texture", "shared/0");
  EXPECT_EQ(claims.add_step(id, "a.glb image 0", "shared/0", {"", one}), true);
  EXPECT_EQ(claims.add_step(id, "b.glb image 0", "shared/0", {"", one}), false);
  const auto collides = claims.add_step(id, "c.glb image 0", "shared/0", {"", other});
  ASSERT_FALSE(collides);
  EXPECT_EQ(collides.error().code, ErrorCode::kConflict);
  EXPECT_THAT(collides.error().to_string(),
              HasSubstr("has a picture that differs from one of a.glb image 0, but by chance the name shared/0 is that "
                        "of both; change a texel of one of them"));
}

TEST(OutputClaims, other_steps_of_one_name_are_in_conflict) {
  const State state;
  OutputClaims claims(runtime_target(), state, false, nullptr);
  const StepId id = step_id("texture", "a");
  EXPECT_EQ(claims.add_step(id, "a.png", "a", {"a.png", ""}), true);
  EXPECT_FALSE(claims.add_step(id, "a.jpg", "a", {"a.jpg", ""}));
  EXPECT_FALSE(claims.add_step(id, "a.png", "a", {"a.png", ""}));
}

}  // namespace
}  // namespace assetc::engine
