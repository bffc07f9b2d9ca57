// Bundles that a cook writes by rule.
#include <gmock/gmock.h>

#include "e2e/cook.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

class BundleRules : public Cook {
 protected:
  void SetUp() override {
    Cook::SetUp();
    write("assetc.yml", "bundles:\n  engine: {prefix: Engine}\n  \"demo-*\":\n  rest: {}\n");
    write("Tools/Assets/notes.json", "{}");
  }
  std::string bundle(const std::string& name) const { return "build/Cooked/Win64/Bundles/" + name + ".pak"; }
};

TEST_F(BundleRules, are_written_by_a_cook_and_hold_all_assets) {
  const Finished done = cook();
  EXPECT_THAT(done.out, HasSubstr("wrote " + bundle("engine") + ": 1 asset, "));
  EXPECT_THAT(done.out, HasSubstr("wrote " + bundle("demo-Minimal") + ": 3 assets, "));
  EXPECT_THAT(done.out, HasSubstr("wrote " + bundle("rest") + ": 1 asset, "));
  EXPECT_THAT(build("bundle info " + bundle("demo-Minimal")).out, HasSubstr("\"demo-Minimal\""));
  EXPECT_THAT(build("validate --platform Win64").out, HasSubstr("3 bundles, no problem"));
  build("bundle extract " + bundle("demo-Minimal") + " -o out");
  const std::string lid = member("Demo/Minimal/crate/Lid", "Uuid");
  EXPECT_EQ(read("out/Assets/" + lid + ".bin"), read("build/Cooked/Win64/Assets/" + lid + ".bin"));
}

TEST_F(BundleRules, only_the_bundle_of_a_changed_asset_is_written_again) {
  cook();
  EXPECT_THAT(cook().out, Not(HasSubstr("wrote")));
  const std::string demo = read(bundle("demo-Minimal")), engine = read(bundle("engine"));
  write("Assets/Textures/wood.png", png(16, 16, 2));
  const Finished done = cook();
  EXPECT_THAT(done.out, HasSubstr("wrote " + bundle("engine")));
  EXPECT_THAT(done.out, Not(HasSubstr("demo-Minimal.pak")));
  EXPECT_EQ(read(bundle("demo-Minimal")), demo);
  EXPECT_NE(read(bundle("engine")), engine);
  write("Assets/Textures/wood.png", png(16, 16, 1));
  cook();
  EXPECT_EQ(read(bundle("engine")), engine);
  EXPECT_THAT(cook("--json").out, Not(HasSubstr("bundle_written")));
}

TEST_F(BundleRules, what_is_missing_damaged_or_of_no_rule_is_mended) {
  cook();
  const std::string good = read(bundle("rest"));
  remove(bundle("rest"));
  EXPECT_THAT(cook().out, HasSubstr("wrote " + bundle("rest")));
  EXPECT_EQ(read(bundle("rest")), good);
  std::string bad = good;
  bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 1);
  write(bundle("rest"), bad);
  cook();
  EXPECT_EQ(read(bundle("rest")), good);
  write(bundle("own"), "a person's");
  write("assetc.yml", "bundles: {all: {}}\n");
  EXPECT_THAT(cook().out, HasSubstr("removed " + bundle("rest") + ": no rule makes it"));
  EXPECT_FALSE(exists(bundle("engine")));
  EXPECT_TRUE(exists(bundle("all")));
  EXPECT_TRUE(exists(bundle("own")));
  write("assetc.yml", "{}\n");
  cook();
  EXPECT_FALSE(exists(bundle("all")));
}

TEST_F(BundleRules, a_signature_stays_while_the_contents_do) {
  build("keygen studio");
  cook();
  build("sign " + bundle("engine") + " --key studio.key");
  const std::string sealed = read(bundle("engine"));
  cook();
  EXPECT_EQ(read(bundle("engine")), sealed);
  write("Assets/Textures/wood.png", png(16, 16, 2));
  EXPECT_THAT(cook().err, HasSubstr(bundle("engine") + ": was signed, and changed"));
}

TEST_F(BundleRules, validate_finds_old_missing_and_foreign_contents) {
  cook();
  const std::string old = read(bundle("engine"));
  write("Assets/Textures/wood.png", png(16, 16, 2));
  cook();
  write(bundle("engine"), old);
  EXPECT_THAT(run("validate --platform Win64").err,
              HasSubstr("has other contents than the cooked folder: 1 of 1 asset, the first is " +
                        member("Engine/Textures/wood", "Uuid") + " (Engine/Textures/wood)"));
  remove(bundle("engine"));
  EXPECT_THAT(run("validate --platform Win64").err, HasSubstr("engine.pak: is not there, although bundles: has it"));
  build("bundle create " + bundle("engine") + " --cooked build/Cooked/Win64 --prefix Demo");
  EXPECT_THAT(run("validate --platform Win64").err, HasSubstr("has 3 assets, but its rule selects 1 asset"));
  build("keygen --encryption content");
  build("bundle create " + bundle("engine") + " --cooked build/Cooked/Win64 --prefix Engine --encrypt content.key");
  EXPECT_THAT(build("validate --platform Win64").out, HasSubstr("3 bundles (contents of 1 encrypted not compared)"));
}

TEST_F(BundleRules, are_not_written_through_a_link) {
  cook();
  remove(bundle("engine"));
  fs::create_directories(root_ / "elsewhere");
  remove("build/Cooked/Win64/Bundles");
  fs::create_directory_symlink(root_ / "elsewhere", root_ / "build/Cooked/Win64/Bundles");
  const Finished done = run("cook --platform Win64");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("build/Cooked/Win64/Bundles: is a link"));
  EXPECT_TRUE(fs::is_empty(root_ / "elsewhere"));
}

TEST_F(BundleRules, are_made_for_several_platforms_and_for_one_demo) {
  write("assetc.yml", "bundles:\n  engine: {prefix: Engine, platform: Linux}\n  \"demo-*\":\n");
  build("cook --platform Win64,Linux");
  EXPECT_FALSE(exists(bundle("engine")));
  EXPECT_TRUE(exists(bundle("demo-Minimal")));
  EXPECT_TRUE(exists("build/Cooked/Linux/Bundles/engine.pak"));
  EXPECT_EQ(run("cook --platform Win64,").exit_code, 2);
  EXPECT_EQ(run("cook --platform Win64,Linux --report r.json").exit_code, 2);
  remove("build");
  write("assetc.yml", "bundles:\n  tools: {prefix: Tools}\n  \"demo-*\": {dependencies: all}\n");
  write("Demo/Other/Assets/notes.json", "{}");
  EXPECT_THAT(build("cook --platform Win64 --demo Minimal").out, Not(HasSubstr("demo-Other")));
  EXPECT_TRUE(exists(bundle("tools")));
  EXPECT_THAT(cook().out, HasSubstr("demo-Other.pak: 1 asset, "));
}

TEST_F(BundleRules, of_a_demo_that_is_cooked_alone_follow_each_change) {
  for (int i = 0; i < 4; ++i) {
    replace("Demo/Minimal/Assets/crate.obj", i == 0 ? "v 0 0 0" : "v " + std::to_string(i) + " 0 0",
            "v " + std::to_string(i + 1) + " 0 0");
    const Finished done = build("cook --platform Win64 --demo Minimal");
    EXPECT_THAT(done.out, HasSubstr("wrote " + bundle("demo-Minimal"))) << i;
    EXPECT_THAT(build("cook --platform Win64 --demo Minimal").out, Not(HasSubstr("wrote")));
    EXPECT_THAT(build("validate --platform Win64").out, HasSubstr("no problem"));
  }
  EXPECT_THAT(build("cook --platform Win64 --verify").out, Not(HasSubstr("wrote")));
}

TEST_F(BundleRules, are_laid_out_in_the_order_of_a_trace) {
  for (int i = 0; i < 9; ++i)
    write("Assets/Data/d" + std::to_string(i) + ".json", "{\"n\": " + std::to_string(i) + "}");
  write("assetc.yml", "bundles:\n  all: {order: loads.txt}\n");
  EXPECT_THAT(run("cook --platform Win64").err, HasSubstr("loads.txt"));
  write("loads.txt", "Engine/Nothing\n");
  EXPECT_THAT(run("cook --platform Win64").err, HasSubstr("loads.txt: names none of the assets"));
  write("loads.txt", "Engine/Data/d7\nEngine/Data/d2\nEngine/Data/d5\n");
  EXPECT_THAT(cook().out, HasSubstr("wrote " + bundle("all")));
  const std::string all = read(bundle("all"));
  const auto at = [&](int i) { return all.find("{\"n\": " + std::to_string(i) + "}"); };
  EXPECT_LT(at(7), at(2));
  EXPECT_LT(at(2), at(5));
  for (const int other : {0, 1, 3, 4, 6, 8}) EXPECT_LT(at(5), at(other));
  EXPECT_THAT(cook().out, Not(HasSubstr("wrote")));
  write("loads.txt", "Engine/Data/d7\nEngine/Data/d2\nEngine/Data/d5\n# as before\n");
  EXPECT_THAT(cook().out, Not(HasSubstr("wrote")));
  write("loads.txt", "Engine/Data/d2\nEngine/Data/d7\n");
  EXPECT_THAT(cook().out, HasSubstr("wrote " + bundle("all")));
  EXPECT_THAT(build("validate --platform Win64").out, HasSubstr("1 bundle, no problem"));
  build("bundle create laid.pak --cooked build/Cooked/Win64 --order loads.txt --name all");
  EXPECT_EQ(read("laid.pak"), read(bundle("all")));
}

TEST_F(BundleRules, a_dry_run_writes_none) {
  cook();
  const std::string before = read(bundle("engine"));
  write("Assets/Textures/wood.png", png(16, 16, 2));
  const Finished planned = build("cook --platform Win64 --dry-run");
  EXPECT_THAT(planned.out, Not(HasSubstr("wrote")));
  EXPECT_EQ(read(bundle("engine")), before);
}

TEST_F(BundleRules, a_wrong_rule_fails_the_cook_and_names_its_line) {
  cook();
  write("assetc.yml", "bundles:\n  engine: {prefix: Engin}\n");
  Finished done = run("cook --platform Win64");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("assetc.yml: line 2"));
  EXPECT_THAT(done.err, HasSubstr("has the prefix \"Engin\", which no asset has"));
  EXPECT_TRUE(exists(bundle("engine")));
  write("assetc.yml", "bundles: {engine: {platform: Win32}}\n");
  EXPECT_EQ(run("cook --platform Win64").exit_code, 2);
  write("assetc.yml", "");
  write("config/AssetPipeline.json",
        R"({"Bundles": [{"Name": "all", "Platform": ["Linux"]}, {"Name": "w", "Version": 3}]})");
  cook();
  EXPECT_FALSE(exists(bundle("all")));
  EXPECT_THAT(build("bundle info " + bundle("w")).out, HasSubstr("version 3"));
  write("config/AssetPipeline.json", R"({"Bundles": [{"Name": "all", "Type": "Texture"}]})");
  EXPECT_THAT(run("cook --platform Win64").err, HasSubstr("config/AssetPipeline.json: /Bundles/0/Type: type: found"));
}

}  // namespace
}  // namespace assetc::e2e
