// --keep-going: one bad file of many leaves an index, and the index says that it is incomplete.
#include <random>

#include "assetc/formats/hpack.hpp"
#include "engine/engine_fixture.hpp"
#include "engine/run/reporting.hpp"
#include "engine/sequences.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class KeepGoing : public Engine {
 protected:
  KeepGoing() { request.keep_going = true; }

  Report fail_to_build() {
    auto report = try_build();
    EXPECT_TRUE(report) << report.error().to_string();
    if (!report) return {};
    EXPECT_FALSE(report->ok);
    return std::move(*report);
  }
  bool is_incomplete() const {
    const std::string bytes = disk.text("runtime/assets.hman");
    const auto view = hman::View::open(as_bytes(bytes));
    return view && view->is_incomplete();
  }
  std::vector<std::string> packed() const {
    const std::string bytes = disk.text("runtime.hpack");
    const auto view = hpack::View::open(as_bytes(bytes));
    if (!view) return {view.error().to_string()};
    std::vector<std::string> paths;
    for (const hpack::EntryView& entry : view->entries()) paths.emplace_back(entry.path);
    std::ranges::sort(paths);
    return paths;
  }
};

TEST_F(KeepGoing, writes_the_manifest_without_what_failed_and_says_that_it_is_incomplete) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "broken");
  const Report report = fail_to_build();
  EXPECT_TRUE(report.is_incomplete);
  EXPECT_TRUE(report.index_written);
  EXPECT_THAT(report.dependent, IsEmpty());
  EXPECT_THAT(manifest(), ElementsAre("a.ktx2 srgb"));
  EXPECT_TRUE(is_incomplete());
}

TEST_F(KeepGoing, without_it_there_is_no_manifest) {
  request.keep_going = false;
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "broken");
  EXPECT_FALSE(fail_to_build().is_incomplete);
  EXPECT_FALSE(disk.has("runtime/assets.hman"));
}

TEST_F(KeepGoing, a_build_without_failures_is_as_without_it) {
  disk.put("assets/a.pic", "a");
  EXPECT_FALSE(build().is_incomplete);
  EXPECT_FALSE(is_incomplete());
}

TEST_F(KeepGoing, leaves_out_what_depends_on_what_failed) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "broken");
  disk.put("assets/child.model", "picture a.pic\npicture b.pic\n");
  disk.put("assets/inside.model", "inside good a\ninside bad broken\n");
  disk.put("assets/named.model", "refer b\n");
  disk.put("assets/whole.model", "picture a.pic\n");
  const Report report = fail_to_build();
  EXPECT_THAT(report.dependent, ElementsAre("child.model", "inside.model", "named.model"));
  EXPECT_THAT(manifest(), ElementsAre("whole.hmesh linear", "whole/a.pic.ktx2 srgb"));
}

TEST_F(KeepGoing, a_reference_that_nothing_answers_is_an_error_and_leaves_its_source_out) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/m.model", "refer gone\n");
  const Report report = fail_to_build();
  EXPECT_THAT(messages(report), testing::HasSubstr("m.model: refers to the texture gone, which no source makes"));
  EXPECT_THAT(report.dependent, ElementsAre("m.model"));
  EXPECT_THAT(manifest(), ElementsAre("a.ktx2 srgb"));
}

TEST_F(KeepGoing, the_next_build_knows_that_not_all_is_done) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "b");
  build();
  disk.put("assets/b.pic", "broken");
  fail_to_build();
  request.keep_going = false;
  EXPECT_FALSE(fail_to_build().index_written);
  EXPECT_TRUE(is_incomplete()) << "it is still that of the build that kept going";
  disk.put("assets/b.pic", "b");
  const Report mended = build();
  EXPECT_THAT(why(mended), IsEmpty()) << "its outputs were still there";
  EXPECT_THAT(manifest(), ElementsAre("a.ktx2 srgb", "b.ktx2 srgb"));
  EXPECT_FALSE(is_incomplete());
  expect_tree_as_clean();
}

TEST_F(KeepGoing, the_last_good_outputs_stay_on_disk_but_not_in_the_manifest_and_the_pack) {
  yaml = "pack: true";
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "b");
  build();
  EXPECT_THAT(packed(), ElementsAre("a.ktx2", "assets.hman", "b.ktx2"));
  disk.put("assets/b.pic", "broken");
  disk.put("runtime/by_hand.txt", "mine");
  const Report report = fail_to_build();
  EXPECT_TRUE(report.packed);
  EXPECT_TRUE(disk.has("runtime/b.ktx2"));
  EXPECT_THAT(manifest(), ElementsAre("a.ktx2 srgb"));
  EXPECT_THAT(packed(), ElementsAre("a.ktx2", "assets.hman", "by_hand.txt"));
  disk.put("assets/b.pic", "b");
  build();
  EXPECT_THAT(packed(), ElementsAre("a.ktx2", "assets.hman", "b.ktx2", "by_hand.txt"));
}

TEST_F(KeepGoing, outputs_of_a_source_that_is_gone_stay_until_a_build_succeeds) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "b");
  build();
  disk.erase("assets/a.pic");
  disk.put("assets/b.pic", "broken");
  fail_to_build();
  EXPECT_TRUE(disk.has("runtime/a.ktx2"));
  EXPECT_THAT(manifest(), IsEmpty());
}

TEST_F(KeepGoing, a_build_that_continues_from_the_last_one_writes_it_too) {
  Session builds;
  session = &builds;
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "b");
  build();
  const auto build_changed = [&] {
    builds.prepare(request, disk);
    changes = std::vector<std::string>{"b.pic"};
    return try_build();
  };
  disk.put("assets/b.pic", "broken");
  auto report = build_changed();
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->is_incomplete);
  ASSERT_TRUE(report->whole);
  EXPECT_EQ(report->whole->to_string(), "it failed, and the index is written without it: b.pic");
  EXPECT_THAT(manifest(), ElementsAre("a.ktx2 srgb"));
  disk.put("assets/b.pic", "other");
  report = build_changed();
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->ok);
  EXPECT_FALSE(is_incomplete());
  expect_tree_as_clean();
}

TEST_F(KeepGoing, a_disk_that_takes_no_files_leaves_the_last_manifest) {
  disk.put("assets/a.pic", "a");
  build();
  const std::string before = disk.text("runtime/assets.hman");
  disk.put("assets/b.pic", "broken");
  disk.unwritable.insert("runtime/assets.hman");
  EXPECT_FALSE(fail_to_build().is_incomplete);
  EXPECT_EQ(disk.text("runtime/assets.hman"), before);
}

TEST_F(KeepGoing, an_error_names_what_to_ignore_to_leave_its_source_out) {
  request.keep_going = false;
  disk.put("assets/b.pic", "broken");
  disk.put("assets/c.pic", "broken too");
  disk.put("assets/inside.model", "inside bad broken inside\n");
  disk.put("assets/m.model", "picture b.pic\n");
  disk.put("assets/n.model", "picture b.pic\nfail here\n");
  std::vector<std::string> offers;
  for (const recipes::Diagnostic& error : fail_to_build().diagnostics) {
    std::string line = error.what.file + ":";
    for (const std::string& path : error.ignore) line += " " + path;
    offers.push_back(line);
  }
  EXPECT_THAT(offers, ElementsAre("c.pic: c.pic", "inside.model inside bad: inside.model",
                                  "m.model picture b.pic: m.model", "n.model: n.model"));
  yaml = "ignore: [c.pic, inside.model, m.model, n.model]";
  fail_to_build();
  yaml = "ignore: [b.pic, c.pic, inside.model, m.model, n.model]";
  build();
}

// A project in which some sources are broken has the manifest of the project without them and without what depends on
// them. Pictures that only those models use are missing, too.
TEST_F(KeepGoing, the_manifest_is_that_of_the_project_without_the_broken_sources) {
  std::mt19937 random;
  const auto pick = [&](std::size_t n) { return random() % n; };
  const int count = sequences();
  for (int seed = 0; seed < count; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    random.seed(static_cast<unsigned>(seed));
    disk.remove_all("assets");
    if (pick(2) == 0) disk.remove_all("runtime");
    disk.put("assets/.keep", "");
    for (std::size_t i = 0; i < 6; ++i) {
      const std::string text = pick(3) == 0 ? "broken " + std::to_string(i) : "good " + std::to_string(pick(3));
      disk.put("assets/t" + std::to_string(i) + ".pic", text);
    }
    for (std::size_t i = 0; i < 6; ++i) {
      std::string text;
      for (std::size_t lines = pick(4), k = 0; k < lines; ++k) {
        const std::string picture = "t" + std::to_string(2 * k + pick(2)) + ".pic\n";
        switch (pick(6)) {
          case 0:
            text += "inside p" + std::to_string(k) + (pick(3) == 0 ? " broken\n" : " good\n");
            break;
          case 1:
            if (pick(3) == 0) text += "fail here\n";
            break;
          case 2:
            text += "link " + picture;
            break;
          default:
            text += "picture " + picture;
            break;
        }
      }
      disk.put("assets/m" + std::to_string(i) + ".model", text);
    }
    const auto report = try_build();
    ASSERT_TRUE(report);
    if (report->ok) continue;
    ASSERT_TRUE(report->is_incomplete);
    const std::vector<std::string> ours = manifest();

    FakeDisk other;
    other.copy_files(disk, "assets");
    std::string dependent;  // the texts of the models that are left out
    for (const std::string& path : report->dependent) {
      dependent += disk.text("assets/" + path);
      other.erase("assets/" + path);
    }
    for (const Failure& failure : report->failures) {
      if (!failure.own_source.empty() && other.has("assets/" + failure.own_source))
        other.erase("assets/" + failure.own_source);
    }
    // A broken picture that models take has no step of its own here.
    for (std::size_t i = 0; i < 6; ++i) {
      const std::string path = "assets/t" + std::to_string(i) + ".pic";
      if (other.has(path) && other.text(path).starts_with("broken")) other.erase(path);
    }
    BuildRequest plain = request;
    plain.keep_going = false;
    const auto expected = engine::build(plain, {.disk = other}, profile());
    ASSERT_TRUE(expected);
    ASSERT_TRUE(expected->ok) << messages(*expected);
    const std::string bytes = other.text("runtime/assets.hman");
    const auto view = hman::View::open(as_bytes(bytes));
    ASSERT_TRUE(view);
    std::set<std::string> theirs;
    for (const hman::EntryView& entry : view->entries()) {
      const std::string path(entry.path);
      const bool is_listed = std::ranges::any_of(ours, [&](const auto& line) { return line.starts_with(path + " "); });
      if (!is_listed && dependent.contains("picture " + path.substr(0, path.rfind('.')) + ".pic")) continue;
      theirs.insert(path);
    }
    std::set<std::string> paths;
    for (const std::string& line : ours) paths.insert(line.substr(0, line.rfind(' ')));
    ASSERT_EQ(paths, theirs);
  }
}

// A picture that many models use has to be mended: nobody leaves out all of them.
TEST(OfferIgnore, names_the_sources_that_ask_for_a_failed_step_unless_they_are_many) {
  const auto offered = [](std::size_t users) {
    Failure failure;
    failure.step = step_id("texture", "wood");
    failure.diagnostics.push_back(
        {recipes::Severity::kError, Error{ErrorCode::kInvalidData, "wood.png", {}, "bad", {}}});
    std::size_t visited = 0;
    offer_ignore(std::span(&failure, 1), [&](const StepId&, const auto& visit) {
      for (std::size_t i = 0; i < users; ++i) {
        const std::string path = std::to_string(i) + ".model";
        StepRecord user;
        user.recipe = "mesh", user.stem = user.input_path = path;
        ++visited;
        if (!visit(user)) return;
      }
    });
    EXPECT_LE(visited, kIgnoreOffered + 1) << "the cost of many failures does not grow with their users";
    return failure.diagnostics.front().ignore;
  };
  EXPECT_THAT(offered(2), ElementsAre("0.model", "1.model"));
  EXPECT_EQ(offered(kIgnoreOffered).size(), kIgnoreOffered);
  EXPECT_THAT(offered(kIgnoreOffered + 1), IsEmpty());
  EXPECT_THAT(offered(10'000), IsEmpty());
}

}  // namespace
}  // namespace assetc::engine
