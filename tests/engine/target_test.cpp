// The engine with targets other than runtime/.
#include "engine/target/target.hpp"

#include "assetc/base/hash.hpp"
#include "engine/engine_fixture.hpp"
#include "engine/toy_target.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ATarget : public Engine {
 protected:
  ATarget() { request.target = &toy::kFlatTarget; }
};

TEST_F(ATarget, names_outputs_and_writes_its_index_last) {
  disk.put("assets/a/b.model", "inside p red\nrefer wood\n");
  disk.put("assets/wood.pic", "oak");
  build();
  EXPECT_THAT(disk.paths_below("runtime"), testing::IsSupersetOf({"a+b.hmesh", "a+b+p.ktx2", "wood.ktx2", "list.txt"}));
  EXPECT_EQ(disk.text("runtime/list.txt"), "a+b+p.ktx2\na+b.hmesh\nwood.ktx2\n");
  EXPECT_FALSE(disk.has("runtime/assets.hman"));
  EXPECT_THAT(why(build()), IsEmpty());
}

TEST_F(ATarget, gives_assets_their_refs) {
  disk.put("assets/m/a.model", "link wood.pic\nown p\n");
  disk.put("assets/m/wood.pic", "oak");
  build();
  EXPECT_THAT(disk.text("runtime/m+a.hmesh"), testing::HasSubstr("\n6 m/wood \n5\n"));
  const auto refs_of = [](std::uint64_t wood, std::uint64_t own) {
    return "\n" + std::to_string(wood) + " m/wood \n" + std::to_string(own) + "\n";
  };
  request.target = &runtime_target();
  build();
  EXPECT_THAT(disk.text("runtime/m/a.hmesh"),
              testing::HasSubstr(refs_of(hash_asset_ref("m/wood"), hash_asset_ref("m/a/p"))));
}

// A target with the same file names as another, but other references.
TEST_F(ATarget, runs_what_holds_refs_of_another_target) {
  Target other = toy::kFlatTarget;
  other.name = "other";
  other.asset_ref = [](std::string_view) -> std::uint64_t { return 7; };
  disk.put("assets/m/a.model", "link wood.pic\n");
  disk.put("assets/m/wood.pic", "oak");
  build();
  request.target = &other;
  EXPECT_THAT(why(build()), ElementsAre("m/a.model: toolchain changed: target flat -> other"));
  EXPECT_THAT(disk.text("runtime/m+a.hmesh"), testing::HasSubstr("\n7 m/wood \n"));
}

TEST_F(ATarget, finds_again_what_it_named) {
  disk.put("assets/a/b.model", "inside p red\ninside q blue\n");
  build();
  disk.erase("runtime/a+b+p.ktx2");
  EXPECT_THAT(why(build()),
              ElementsAre("a/b.model: its bytes are needed by a/b.model inside p: output missing: a+b+p.ktx2",
                          "a/b.model inside p: output missing: a+b+p.ktx2"));
  disk.put("assets/a/b.model", "inside q blue\n");
  EXPECT_THAT(build().removed, ElementsAre("a+b+p.ktx2"));
  EXPECT_FALSE(disk.has("runtime/a+b+p.ktx2"));
}

TEST_F(ATarget, refuses_two_sources_that_it_names_alike) {
  disk.put("assets/a/b.pic", "1");
  disk.put("assets/a+b.pic", "2");
  const auto report = try_build();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->ok);
  EXPECT_THAT(messages(*report), testing::HasSubstr("would write a+b.ktx2, which "));
}

TEST_F(ATarget, makes_no_bundle_where_it_has_none) {
  yaml = "pack: true";
  disk.put("assets/a.pic", "1");
  disk.put("runtime/mine.hpack", "a file like any other here");
  EXPECT_EQ(build().pack_file, "");
  EXPECT_FALSE(disk.has("runtime.hpack"));
}

TEST_F(ATarget, need_not_have_an_index) {
  request.target = &toy::kBareTarget;
  disk.put("assets/a.pic", "1");
  const Report report = build();
  EXPECT_EQ(report.totals.outputs, 1u);
  EXPECT_EQ(report.totals.files_written, 1u);
  EXPECT_THAT(why(build()), IsEmpty());
}

TEST_F(ATarget, takes_the_place_of_another) {
  request.target = &runtime_target();
  disk.put("assets/a/b.pic", "1");
  build();
  request.target = &toy::kFlatTarget;
  EXPECT_THAT(why(build()), ElementsAre("a/b.pic: output missing: a+b.ktx2"));
  EXPECT_TRUE(disk.has("runtime/a+b.ktx2"));
  EXPECT_FALSE(disk.has("runtime/a/b.ktx2"));
}

}  // namespace
}  // namespace assetc::engine
