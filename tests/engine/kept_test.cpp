// Builds that go on from the last one, and look only at what changed.
#include "engine/run/kept.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/engine_fixture.hpp"

namespace assetc::engine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class KeptBuilds : public Engine {
 protected:
  KeptBuilds() { options.kept = &kept; }
  Report build_changed(const std::vector<std::string>& changed) {
    kept.prepare(options, disk);
    kept.expect(changed);
    return build();
  }
  Kept kept;
};

TEST_F(KeptBuilds, a_file_in_a_folder_that_is_one_asset_is_no_source) {
  disk.put("assets/a.set/one.pic", "one");
  disk.put("assets/a.set/below/two.pic", "two");
  build();
  disk.put("assets/a.set/one.pic", "three");
  const Report report = build_changed({"a.set/one.pic"});
  EXPECT_TRUE(kept.was_used());
  EXPECT_THAT(why(report), ElementsAre("a.set: input changed: a.set/one.pic"));
  disk.put("assets/a.set/below/two.pic", "four");
  EXPECT_THAT(why(build_changed({"a.set/below/two.pic"})), IsEmpty());
  options.kept = nullptr;
  EXPECT_EQ(disk.tree("runtime"), clean_tree());
}

TEST(KeptLinks, what_comes_where_a_link_leads_is_built_for_the_link_too) {
  std::string root = (fs::temp_directory_path() / "assetc-kept-XXXXXX").string();
  ASSERT_NE(mkdtemp(root.data()), nullptr);
  fs::create_directory(root + "/assets");
  fs::create_symlink("b.pic", root + "/assets/a.pic");
  const auto disk = make_real_disk();
  Kept kept;
  Options options;
  options.recipes = toy::all();
  options.kept = &kept;
  Profile profile;
  profile.input = root + "/assets";
  profile.output = root + "/runtime";
  ASSERT_TRUE(build(options, profile, *disk).value().ok);
  kept.prepare(options, *disk);
  std::ofstream(root + "/assets/b.pic") << "b";
  kept.expect(std::vector<std::string>{"b.pic"});
  const Report report = build(options, profile, *disk).value();
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.totals.sources, 2u);
  EXPECT_TRUE(fs::exists(root + "/runtime/a.ktx2"));
  fs::remove_all(root);
}

}  // namespace
}  // namespace assetc::engine
