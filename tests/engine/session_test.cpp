// Builds that continue from the last one and look only at what changed.
#include "engine/run/session.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "engine/engine_fixture.hpp"

namespace assetc::engine {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

class ASession : public Engine {
 protected:
  ASession() { session = &builds; }
  Report build_changed(const std::vector<std::string>& changed) {
    builds.prepare(request, disk);
    changes = changed;
    return build();
  }
  // Why everything was looked at; empty if only changes were looked at.
  std::string whole(const std::vector<std::string>& changed) {
    const Report report = build_changed(changed);
    EXPECT_NE(builds.went_on(), report.whole.has_value());
    expect_tree_as_clean();
    return report.whole ? report.whole->to_string() : "";
  }
  Session builds;
};

TEST_F(ASession, a_file_in_a_folder_that_is_one_asset_is_no_source) {
  disk.put("assets/a.set/one.pic", "one");
  disk.put("assets/a.set/below/two.pic", "two");
  build();
  disk.put("assets/a.set/one.pic", "three");
  const Report report = build_changed({"a.set/one.pic"});
  EXPECT_TRUE(builds.went_on());
  EXPECT_THAT(why(report), ElementsAre("a.set: input changed: a.set/one.pic"));
  disk.put("assets/a.set/below/two.pic", "four");
  EXPECT_THAT(why(build_changed({"a.set/below/two.pic"})), IsEmpty());
  expect_tree_as_clean();
}

TEST_F(ASession, looks_only_at_what_changed) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "b");
  EXPECT_FALSE(build().whole) << "nothing was built before";
  disk.put("assets/a.pic", "other");
  EXPECT_EQ(whole({"a.pic"}), "");
  disk.put("assets/notes.txt", "nobody takes it");
  EXPECT_EQ(whole({"notes.txt"}), "");
}

TEST_F(ASession, says_why_it_looks_at_everything) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.model", "x\n");
  disk.put("assets/c.model", "picture a.pic\n");
  disk.put("assets/d.set/one", "1");
  build();
  disk.put("assets/new/e.pic", "e");
  EXPECT_EQ(whole({"new"}), "a folder was added, removed or replaced: new");
  disk.put("assets/.f.pic", "f");
  EXPECT_EQ(whole({".f.pic"}), "it is left out now, or was left out before: .f.pic");
  disk.put("assets/a.pic.meta", "m");
  EXPECT_EQ(whole({"a.pic.meta"}),
            "a .meta was added or removed, or a file of the engine in from: changed: a.pic.meta");
  disk.put("assets/d.set/two", "2");
  EXPECT_EQ(whole({"d.set/two"}), "it was added or removed in a folder that is one asset: d.set/two");
  disk.put("assets/b.model", "picture a.pic\n");
  EXPECT_EQ(whole({"b.model"}), "it now needs other steps, or writes other files: b.model");
  disk.erase("assets/b.model");
  EXPECT_EQ(whole({"b.model"}), "it was added or removed, and the index or other files may depend on it: b.model");
  disk.put("assets/f.pic", "f");
  EXPECT_EQ(whole({"f.pic"}), "it now needs other steps, or writes other files: f.pic");
  yaml = "default: {rules: [{match: '*.pic', texture: {quality: fast}}]}";
  EXPECT_EQ(whole({}), "the configuration or the program changed");
  disk.put("assets/g.pic", "g");
  EXPECT_EQ(whole({"g.pic"}), "it was added or removed, and a rule matches it: g.pic");
  EXPECT_EQ(whole({""}), "the input folder was replaced or is missing");
  EXPECT_EQ(whole(std::vector<std::string>(1001, "a.pic")), "") << "one path, however often it is told";
  std::vector<std::string> many;
  many.reserve(1001);
  for (int i = 0; i < 1001; ++i) many.push_back(std::to_string(i));
  EXPECT_EQ(whole(many), "too many files changed");
}

TEST_F(ASession, says_that_nobody_knows_what_changed) {
  disk.put("assets/a.pic", "a");
  build();
  builds.prepare(request, disk);
  changes = std::nullopt;
  const Report report = build();
  ASSERT_TRUE(report.whole);
  EXPECT_EQ(report.whole->kind, WholeKind::kUnknownChanges);
  EXPECT_EQ(to_string(report.whole->kind), "unknown_changes");
}

TEST_F(ASession, looks_at_everything_where_the_command_says_so) {
  disk.put("assets/a.pic", "a");
  build();
  request.no_cache = true;
  EXPECT_EQ(build_changed({}).whole, WholeReason{WholeKind::kAsked});
}

TEST_F(ASession, sees_that_another_program_has_built) {
  disk.put("assets/a.pic", "a");
  build();
  builds.prepare(request, disk);
  disk.put("assets/b.pic", "b");
  session = nullptr;
  build();
  session = &builds;
  EXPECT_EQ(whole({"b.pic"}), "another program has built this output");
}

TEST_F(ASession, goes_on_where_a_build_failed_once_it_is_mended) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "b");
  build();
  builds.prepare(request, disk);
  disk.put("assets/a.pic", "broken");
  changes = {"a.pic"};
  const auto failed = try_build();
  ASSERT_TRUE(failed);
  EXPECT_FALSE(failed->ok);
  EXPECT_FALSE(failed->whole);
  disk.put("assets/a.pic", "mended");
  EXPECT_EQ(whole({"a.pic"}), "");
}

TEST_F(ASession, knows_the_folders_of_its_input) {
  disk.put("assets/x/y/a.pic", "a");
  EXPECT_FALSE(builds.folders());
  build();
  EXPECT_THAT(builds.folders(), testing::Optional(ElementsAre("", "x", "x/y")));
  builds.prepare(request, disk);
  EXPECT_THAT(builds.folders(), testing::Optional(ElementsAre("", "x", "x/y")));
}

TEST(SessionLinks, what_comes_where_a_link_leads_is_built_for_the_link_too) {
  std::string root = (fs::temp_directory_path() / "assetc-session-XXXXXX").string();
  ASSERT_NE(mkdtemp(root.data()), nullptr);
  fs::create_directory(root + "/assets");
  fs::create_symlink("b.pic", root + "/assets/a.pic");
  const auto disk = make_real_disk();
  Session session;
  BuildRequest request;
  request.recipes = toy::all();
  Profile profile;
  profile.input = root + "/assets";
  profile.output = root + "/runtime";
  const BuildServices services{.disk = *disk};
  ASSERT_TRUE(session.apply(request, services, profile, std::nullopt).value().ok);
  session.prepare(request, *disk);
  std::ofstream(root + "/assets/b.pic") << "b";
  const Report report = session.apply(request, services, profile, std::vector<std::string>{"b.pic"}).value();
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.totals.sources, 2u);
  EXPECT_TRUE(fs::exists(root + "/runtime/a.ktx2"));
  fs::remove_all(root);
}

}  // namespace
}  // namespace assetc::engine
