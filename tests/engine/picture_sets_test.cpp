// Pictures whose usage depends on the pictures beside them.
#include "engine/engine_fixture.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class PictureSets : public Engine {
 protected:
  PictureSets() {
    picture_.claims = kClaims;
    picture_.params_of = [](std::string_view path, const recipes::Claim&, const recipes::Settings&,
                            const recipes::HasSet& has_set) {
      const auto set = recipes::set_asked_for(path);
      return recipes::mode_params(set && has_set(*set) ? recipes::TextureUsage::kGray : recipes::TextureUsage::kAuto);
    };
    request.recipes = recipes_;
  }
  // The reasons of a build that knows what changed.
  std::vector<std::string> why_changed(const std::vector<std::string>& changed) {
    builds_.prepare(request, disk);
    session = &builds_;
    changes = changed;
    std::vector<std::string> reasons = why(build());
    expect_tree_as_clean();
    return reasons;
  }

  static constexpr std::array kClaims{recipes::Claim{".png", false, ".png", {}, {}}};
  recipes::Recipe picture_ = toy::picture_recipe();
  std::array<const recipes::Recipe*, 2> recipes_{&toy::model_recipe(), &picture_};
  Session builds_;
};

TEST_F(PictureSets, a_color_map_that_comes_or_goes_rebuilds_the_mask_beside_it) {
  disk.put("assets/wood/planks_mask.png", "mask");
  disk.put("assets/wood/other_mask.png", "other");
  disk.put("assets/planks_mask.png", "above");
  build();
  disk.put("assets/wood/Planks_Albedo.png", "color");
  EXPECT_THAT(why(build()), ElementsAre("wood/Planks_Albedo.png: not built yet",
                                        "wood/planks_mask.png: parameter changed: mode (none) -> gray"));
  expect_tree_as_clean();
  EXPECT_THAT(why(build()), IsEmpty());
  disk.erase("assets/wood/Planks_Albedo.png");
  EXPECT_THAT(why(build()), ElementsAre("wood/planks_mask.png: parameter changed: mode gray -> (none)"));
  expect_tree_as_clean();
}

TEST_F(PictureSets, a_build_that_knows_what_changed_rebuilds_the_mask_too) {
  disk.put("assets/wood/planks_mask.png", "mask");
  disk.put("assets/wood/other_mask.png", "other");
  session = &builds_;
  build();
  disk.put("assets/wood/planks_normal.png", "normal");
  EXPECT_THAT(why_changed({"wood/planks_normal.png"}),
              ElementsAre("wood/planks_mask.png: parameter changed: mode (none) -> gray",
                          "wood/planks_normal.png: not built yet"));
  disk.put("assets/wood/planks_albedo.png", "color");
  EXPECT_THAT(why_changed({"wood/planks_albedo.png"}), ElementsAre("wood/planks_albedo.png: not built yet"));
  disk.erase("assets/wood/planks_normal.png");
  EXPECT_THAT(why_changed({"wood/planks_normal.png"}), IsEmpty()) << "another file proves the set";
  disk.erase("assets/wood/planks_albedo.png");
  EXPECT_THAT(why_changed({"wood/planks_albedo.png"}),
              ElementsAre("wood/planks_mask.png: parameter changed: mode gray -> (none)"));
  disk.put("assets/wood/planks_albedo.png", "again");
  EXPECT_THAT(why_changed({"wood/planks_albedo.png"}),
              testing::UnorderedElementsAre("wood/planks_albedo.png: not built yet",
                                            "wood/planks_mask.png: parameter changed: mode (none) -> gray"));
}

TEST_F(PictureSets, what_refers_to_the_mask_runs_again) {
  disk.put("assets/a.model", "link planks_mask.png\n");
  disk.put("assets/planks_mask.png", "mask");
  session = &builds_;
  build();
  disk.put("assets/planks_albedo.png", "color");
  EXPECT_THAT(why_changed({"planks_albedo.png"}),
              testing::Contains("a.model: resolves to another asset: planks_mask.png"));
  EXPECT_THAT(disk.text("runtime/a.hmesh"), HasSubstr(" planks_mask gray\n"));
}

}  // namespace
}  // namespace assetc::engine
