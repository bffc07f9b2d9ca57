// Outputs of files, references to them, and the files that belong to them.
#include "engine/engine_fixture.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST_F(Engine, settings_say_what_a_file_becomes_and_what_refers_to_it_runs_again) {
  recipes::Recipe picture = toy::picture_recipe();
  picture.params_of = [](std::string_view, const recipes::Claim& claim, const recipes::Settings& settings,
                         const recipes::HasSet&) {
    const bool gray = settings.texture.usage == recipes::TextureUsage::kGray;
    return recipes::mode_params(gray ? recipes::TextureUsage::kGray : claim.mode);
  };
  const std::array<const recipes::Recipe*, 2> list{&toy::model_recipe(), &picture};
  request.recipes = list;
  disk.put("assets/a.model", "link wall.pic\n");
  disk.put("assets/b.model", "x\n");
  disk.put("assets/wall.pic", "bricks");
  build();
  EXPECT_THAT(disk.text("runtime/a.hmesh"), HasSubstr(" wall \n"));
  yaml = "default: {rules: [{match: wall.pic, texture: {usage: gray}}]}";
  EXPECT_THAT(why(build()), ElementsAre("a.model: resolves to another asset: wall.pic",
                                        "wall.pic: parameter changed: mode (none) -> gray"));
  EXPECT_THAT(disk.text("runtime/a.hmesh"), HasSubstr(" wall gray\n"));
  expect_tree_as_clean();
}

TEST_F(Engine, sources_in_folders_of_a_folder_that_is_one_asset_are_told) {
  disk.put("assets/a.set/one", "1");
  disk.put("assets/a.set/flat.pic", "2");
  disk.put("assets/a.set/more/x.pic", "3");
  disk.put("assets/a.set/more/deeper/y.pic", "4");
  disk.put("assets/a.set/more/notes", "5");
  const std::string said =
      "a.set: 2 files in its subfolders are left out, the first is a.set/more/deeper/y.pic; only files "
      "directly in this folder are read: move it up, or out to compile it on its own\n";
  EXPECT_EQ(messages(build()), said);
  EXPECT_EQ(messages(build()), said);
}

TEST_F(Engine, a_file_that_becomes_another_asset_runs_what_refers_to_it) {
  disk.put("assets/a.model", "link wall.big.pic\n");
  disk.put("assets/b.model", "x\n");
  disk.put("assets/wall.big.pic", "bricks");
  build();
  EXPECT_THAT(disk.text("runtime/a.hmesh"), HasSubstr(" wall.big \n"));
  EXPECT_THAT(manifest(), ElementsAre("a.hmesh linear", "b.hmesh linear", "wall.big.ktx2 srgb"));

  // A longer suffix is claimed: the mode and stem change.
  static constexpr std::array kClaims{
      recipes::Claim{".big.pic", false, ".big.pic", ".huge", recipes::TextureUsage::kGray},
      recipes::Claim{".pic", false, ".pic", {}, {}}};
  recipes::Recipe picture = toy::picture_recipe();
  picture.claims = kClaims;
  const std::array<const recipes::Recipe*, 2> list{&toy::model_recipe(), &picture};
  request.recipes = list;
  EXPECT_THAT(why(build()),
              ElementsAre("a.model: resolves to another asset: wall.big.pic", "wall.big.pic: not built yet"));
  EXPECT_THAT(disk.text("runtime/a.hmesh"), HasSubstr(" wall.huge gray\n"));
  EXPECT_THAT(manifest(), ElementsAre("a.hmesh linear", "b.hmesh linear", "wall.huge.ktx2 linear"));

  disk.erase("assets/wall.big.pic");
  EXPECT_THAT(why(build()), ElementsAre("a.model: resolves to another asset: wall.big.pic"));
  EXPECT_THAT(disk.text("runtime/a.hmesh"), HasSubstr("\nnothing\n"));
  EXPECT_THAT(manifest(), ElementsAre("a.hmesh linear", "b.hmesh linear"));
}

TEST_F(Engine, a_sidecar_belongs_to_its_file_and_is_no_source) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/a.pic.meta", "id 1");
  disk.put("assets/m.set/one", "1");
  disk.put("assets/m.set.meta", "id 2");
  disk.put("assets/lost.pic.meta", "id 3");
  const Report report = build();
  EXPECT_EQ(report.totals.sources, 2u);
  EXPECT_THAT(report.unclaimed, ElementsAre("lost.pic.meta"));
  disk.put("assets/lost.pic", "found");
  EXPECT_EQ(build().totals.unclaimed, 0u);
}

TEST_F(Engine, a_sidecar_is_not_claimed) {
  static constexpr std::array kClaims{recipes::Claim{".meta", false, ".meta", {}, {}}};
  recipes::Recipe picture = toy::picture_recipe();
  picture.claims = kClaims;
  const std::array<const recipes::Recipe*, 1> list{&picture};
  request.recipes = list;
  disk.put("assets/a.pic", "a");
  disk.put("assets/a.pic.meta", "id 1");
  disk.put("assets/b.meta", "b");
  build();
  EXPECT_THAT(disk.tree("runtime"), testing::UnorderedElementsAre(testing::Key("b.ktx2"), testing::Key("assets.hman")));
}

TEST_F(Engine, a_sidecar_is_no_file_of_the_folder_it_lies_in) {
  disk.put("assets/m.set/one", "1");
  build();
  disk.put("assets/m.set/one.meta", "id 1");
  EXPECT_THAT(why(build()), IsEmpty());
  disk.put("assets/m.set/two.meta", "of nothing: a file like any other");
  EXPECT_THAT(why(build()), ElementsAre("m.set: files added or removed in: m.set"));
}

TEST_F(Engine, a_sidecar_that_a_step_read_runs_it) {
  disk.put("assets/a.model", "include a.model.meta\n");
  disk.put("assets/a.model.meta", "id 1");
  build();
  EXPECT_THAT(why(build()), IsEmpty());
  disk.put("assets/a.model.meta", "id 2");
  EXPECT_THAT(why(build()), ElementsAre("a.model: input changed: a.model.meta"));
  expect_tree_as_clean();
}

}  // namespace
}  // namespace assetc::engine
