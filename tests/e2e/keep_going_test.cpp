// --keep-going: the command, its exit code, and what other commands say of an incomplete output.
#include <gmock/gmock.h>

#include "e2e/cook.hpp"
#include "e2e/model.hpp"
#include "e2e/project.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

class KeepGoing : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    write("assets/good.png", png(4, 4, 1));
    write("assets/bad.png", "no picture");
  }
};

TEST_F(KeepGoing, one_bad_file_leaves_a_manifest_and_a_pack_that_say_that_they_are_incomplete) {
  EXPECT_EQ(run("").exit_code, 1);
  EXPECT_FALSE(fs::exists(root_ / "runtime/assets.hman"));
  const Finished built = run("--keep-going --pack");
  EXPECT_EQ(built.exit_code, 1);
  EXPECT_THAT(built.err, HasSubstr("error: bad.png: "));
  EXPECT_THAT(built.err, HasSubstr("\n  to leave it out: ignore: [\"bad.png\"] in assetc.yml\n"));
  EXPECT_THAT(built.err, HasSubstr("the manifest is incomplete: it lacks what failed\n"));
  EXPECT_THAT(built.out, HasSubstr("packed into runtime.hpack"));
  const std::string said =
      "is incomplete: it lacks sources that failed, and those that depend on them; build until "
      "nothing fails";
  const Finished check = run("check");
  EXPECT_EQ(check.exit_code, 1);
  EXPECT_THAT(check.err, HasSubstr("assets.hman: " + said));
  EXPECT_THAT(run("check runtime.hpack").err, HasSubstr("assets.hman: " + said));
  EXPECT_THAT(run("info runtime/assets.hman").out, HasSubstr("incomplete"));
  write("assets/bad.png", png(4, 4, 2));
  EXPECT_EQ(run("--pack").exit_code, 0);
  EXPECT_EQ(run("check").exit_code, 0);
  EXPECT_EQ(run("check runtime.hpack").exit_code, 0);
  EXPECT_THAT(run("info runtime/assets.hman").out, Not(HasSubstr("incomplete")));
}

TEST_F(KeepGoing, the_offered_line_leaves_the_source_out) {
  const Finished json = run("--json");
  EXPECT_THAT(json.out, HasSubstr("\"ignore\":[\"bad.png\"]"));
  EXPECT_THAT(run("--sarif log.sarif").err, HasSubstr("to leave it out"));
  EXPECT_THAT(read("log.sarif"), HasSubstr("leave it out: ignore: [\\\"bad.png\\\"] in assetc.yml"));
  write("assetc.yml", "ignore: [\"bad.png\"]\n");
  EXPECT_EQ(run("").exit_code, 0);
}

TEST_F(KeepGoing, a_folder_is_left_out_by_its_line_too) {
  fs::remove(root_ / "assets/bad.png");
  write("assets/lit.shader/lit.frag", "#version 450\nvoid main() {}\nnonsense");
  const Finished built = run("");
  EXPECT_THAT(built.err, HasSubstr("to leave it out: ignore: [\"lit.shader\"] in assetc.yml\n"));
  write("assetc.yml", "ignore: [\"lit.shader\"]\n");
  EXPECT_EQ(run("").exit_code, 0) << run("").err;
}

TEST_F(KeepGoing, names_the_sources_that_depend_on_what_failed) {
  const Model model = grid_model("chair", "bad.png");
  write("assets/chair.gltf", model.gltf);
  write("assets/chair.bin", model.bin);
  const Finished built = run("--keep-going");
  EXPECT_THAT(built.err, HasSubstr("the manifest is incomplete: it lacks what failed, and 1 source that depends on it: "
                                   "chair.gltf\n"));
  EXPECT_THAT(run("--keep-going --json").out, HasSubstr("\"incomplete\":true,\"dependent\":[\"chair.gltf\"]"));
}

TEST_F(KeepGoing, is_not_for_shares) {
  const Finished share = run("--keep-going --shard 1/2");
  EXPECT_EQ(share.exit_code, 2);
  EXPECT_THAT(share.err, HasSubstr("found --keep-going and --shard, expected one of them"));
}

TEST_F(KeepGoing, a_mistake_that_is_taken_back_is_gone_from_the_report) {
  write("assets/bad.png", png(4, 4, 2));
  EXPECT_EQ(run("").exit_code, 0);
  write("assets/bad.png", "no picture");
  EXPECT_EQ(run("").exit_code, 1);
  EXPECT_THAT(read("runtime/.assetc-cache-build"), HasSubstr("\"severity\":\"error\""));
  write("assets/bad.png", png(4, 4, 2));
  const Finished mended = run("--sarif log.sarif");
  EXPECT_EQ(mended.exit_code, 0);
  EXPECT_THAT(mended.out, HasSubstr(" 0 built"));
  EXPECT_THAT(read("runtime/.assetc-cache-build"), Not(HasSubstr("\"severity\":\"error\"")));
  EXPECT_THAT(read("log.sarif"), HasSubstr("\"results\":[]"));
}

class CookKeepsGoing : public Cook {};

TEST_F(CookKeepsGoing, the_registry_lacks_what_failed_and_what_needs_it) {
  write("Assets/Textures/good.png", png(8, 8, 2));
  ASSERT_EQ(cook().exit_code, 0);
  EXPECT_EQ(run("validate --platform Win64").exit_code, 0);
  const std::string whole = registry();
  write("Assets/Textures/wood.png", "no picture");
  EXPECT_EQ(run("cook --platform Win64").exit_code, 1);
  EXPECT_EQ(registry(), whole);
  const Finished cooked = run("cook --platform Win64 --keep-going");
  EXPECT_EQ(cooked.exit_code, 1);
  EXPECT_THAT(cooked.err, HasSubstr("the registry is incomplete: it lacks what failed"));
  EXPECT_THAT(registry(), HasSubstr("\"SchemaVersion\": 1,\n\"Incomplete\": true,\n"));
  EXPECT_THAT(registry(), HasSubstr("/good\""));
  EXPECT_THAT(registry(), Not(HasSubstr("/wood\"")));
  EXPECT_THAT(registry(), Not(HasSubstr("\"Type\":\"Mesh\""))) << "its material needs the texture";
  const Finished validated = run("validate --platform Win64");
  EXPECT_EQ(validated.exit_code, 1);
  EXPECT_THAT(validated.err, HasSubstr("it lacks sources that failed, and those that depend on them"));
  EXPECT_THAT(validated.out, HasSubstr("1 problem"));
  EXPECT_THAT(run("bundle create base.pak --cooked build/Cooked/Win64").err,
              HasSubstr("is incomplete, and bundles are for players; cook until nothing fails"));
  write("Assets/Textures/wood.png", png(16, 16, 1));
  EXPECT_EQ(cook().exit_code, 0);
  EXPECT_EQ(registry(), whole);
}

}  // namespace
}  // namespace assetc::e2e
