#include "engine/state/toolchain.hpp"

#include "engine/engine_fixture.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class AToolchain : public Engine {
 protected:
  AToolchain() {
    toy::toy_program() = {};
    toy::toy_library() = "libtoy=1\n";
  }
  ~AToolchain() override { toy::toy_library() = {}; }
};

TEST_F(AToolchain, replacing_a_program_runs_the_steps_that_ran_it) {
  disk.put("assets/a.script", "poem");
  disk.put("assets/b.script", "plain text");
  disk.put("assets/c.pic", "c");
  build();
  EXPECT_EQ(disk.text("runtime/a.txt"), "poem by 1 libtoy=1\n");
  toy::toy_program() = {"2", "2"};
  EXPECT_THAT(why(build()), ElementsAre("a.script: toolchain changed: scribe 1 -> 2"));
  EXPECT_EQ(disk.text("runtime/a.txt"), "poem by 2 libtoy=1\n");
  toy::toy_program() = {"1", "1"};
  EXPECT_THAT(why(build()), ElementsAre("a.script: toolchain changed: scribe 2 -> 1"));
  EXPECT_EQ(disk.text("runtime/a.txt"), "poem by 1 libtoy=1\n");
  EXPECT_THAT(why(build()), IsEmpty());
}

TEST_F(AToolchain, a_program_is_asked_once_for_each_state_of_its_file) {
  disk.put("assets/a.script", "poem");
  disk.put("assets/b.script", "verse");
  build();
  EXPECT_EQ(toy::toy_program().asked, 1);
  build();
  disk.put("assets/b.script", "prose");
  build();
  EXPECT_EQ(toy::toy_program().asked, 1);
  toy::toy_program().file = "installed again";
  EXPECT_THAT(why(build()), IsEmpty());
  EXPECT_EQ(toy::toy_program().asked, 2);
  EXPECT_THAT(why(build()), IsEmpty());
  EXPECT_EQ(toy::toy_program().asked, 2);
}

TEST_F(AToolchain, a_program_that_no_step_runs_is_not_asked) {
  disk.put("assets/b.script", "plain text");
  build();
  toy::toy_program().file = "2";
  build();
  EXPECT_EQ(toy::toy_program().asked, 0);
}

TEST_F(AToolchain, another_version_of_a_library_runs_the_steps_of_its_recipe) {
  disk.put("assets/a.script", "plain a");
  disk.put("assets/b.script", "plain a");  // a duplicate of a; must not get outputs of the old library
  disk.put("assets/c.pic", "c");
  build();
  toy::toy_library() = "libtoy=2\n";
  const Report report = build();
  EXPECT_EQ(report.totals.ran, 1u);
  EXPECT_EQ(report.totals.copied, 1u);
  ASSERT_EQ(report.steps.size(), 2u);
  EXPECT_EQ(report.steps[0].reason.to_string(), "toolchain changed: libtoy 1 -> 2");
  EXPECT_EQ(disk.text("runtime/a.txt"), "plain a libtoy=2\n");
  EXPECT_EQ(disk.text("runtime/b.txt"), "plain a libtoy=2\n");
}

TEST_F(AToolchain, a_dry_run_says_what_a_replaced_program_would_run) {
  disk.put("assets/a.script", "poem");
  build();
  toy::toy_program() = {"2", "2"};
  request.dry_run = true;
  EXPECT_THAT(why(build()), ElementsAre("a.script: toolchain changed: scribe 1 -> 2"));
}

}  // namespace
}  // namespace assetc::engine
