// Shares of a build, each compiled only into a store, and the build that finds them there.
#include <set>

#include "engine/engine_fixture.hpp"
#include "engine/plan/recorded_costs.hpp"

namespace assetc::engine {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

class Shards : public Engine {
 protected:
  Shards() { shares = true; }

  Report build_shard(std::uint32_t number, std::uint32_t count) {
    request.shard = Shard{number, count};
    auto report = try_build();
    request.shard.reset();
    EXPECT_TRUE(report) << report.error().to_string();
    return report ? std::move(*report) : Report{};
  }
  // Steps cooked by all shards, sorted.
  std::vector<std::string> build_shards(std::uint32_t count) {
    std::vector<std::string> all;
    for (std::uint32_t number = 1; number <= count; ++number) {
      EXPECT_TRUE(build_shard(number, count).ok);
      std::ranges::move(toy::cooked().take(), std::back_inserter(all));
    }
    std::ranges::sort(all);
    return all;
  }
  void put_project() {
    for (int i = 0; i < 20; ++i) disk.put("assets/" + std::to_string(i) + ".pic", "picture " + std::to_string(i));
    disk.put("assets/a.model", "picture 1.pic\nrelief 2.pic\ninside own text\ninclude d.bin\n");
    disk.put("assets/b.model", "picture 1.pic\npicture 3.pic\n");
    disk.put("assets/c.model", "clip\nwarn soft\n");
    disk.put("assets/d.bin", "bytes");
    disk.put("assets/f.set/one", "1");
  }
};

TEST_F(Shards, compile_everything_once_and_write_nothing_but_the_store) {
  put_project();
  const std::vector<std::string> cooked = build_shards(4);
  EXPECT_THAT(disk.tree("runtime"), IsEmpty());
  EXPECT_THAT(disk.paths_below("runtime"), IsEmpty());
  EXPECT_EQ(std::set(cooked.begin(), cooked.end()).size(), cooked.size());
  const Report whole = build();
  EXPECT_THAT(toy::cooked().take(), IsEmpty());
  EXPECT_EQ(whole.totals.ran, 0u);
  EXPECT_THAT(messages(whole), HasSubstr("soft"));
  expect_tree_as_clean();
  // All steps that a build from nothing cooks, whichever step asks for a picture.
  EXPECT_THAT(cooked, AllOf(Contains("a.model relief 2.pic"), Contains("a.model inside own"), Contains("19.pic")));
}

TEST_F(Shards, are_shares_that_cover_all_sources) {
  put_project();
  std::uint64_t sources = 0;
  for (std::uint32_t number = 1; number <= 5; ++number) sources += build_shard(number, 5).totals.sources;
  EXPECT_EQ(sources, build().totals.sources);
  EXPECT_EQ(build_shard(1, 1).totals.sources, sources);
}

TEST_F(Shards, compile_a_picture_of_many_models_with_the_first) {
  for (const char* name : {"a", "b", "c", "d", "e", "f"})
    disk.put("assets/" + std::string(name) + ".model", "picture p.pic\n" + std::string(name));
  disk.put("assets/p.pic", "1");
  const std::vector<std::string> cooked = build_shards(3);
  EXPECT_EQ(std::ranges::count_if(cooked, [](const std::string& s) { return s.ends_with("picture p.pic"); }), 1);
  EXPECT_EQ(cooked.size(), 7u);
  EXPECT_EQ(build().totals.ran, 0u);
  expect_tree_as_clean();
}

// A look at a model's head may find too few or too many pictures. The result stays the same: the assembling build
// compiles the missing ones.
TEST_F(Shards, leave_what_names_got_wrong_to_whoever_assembles) {
  disk.put("assets/a.model", "secret p.pic\nnamed q.pic\n");
  disk.put("assets/p.pic", "1");
  disk.put("assets/q.pic", "2");
  build_shards(2);
  const Report whole = build();
  EXPECT_THAT(toy::cooked().take(), ElementsAre("q.pic"));
  EXPECT_EQ(whole.totals.ran, 1u);
  expect_tree_as_clean();
}

TEST_F(Shards, pictures_that_stand_alone_are_compiled_as_both) {
  yaml = "default: {texture: {standalone: true}}";
  disk.put("assets/a.model", "relief p.pic\n");
  disk.put("assets/p.pic", "1");
  EXPECT_THAT(build_shards(2), ElementsAre("a.model", "a.model relief p.pic", "p.pic"));
  EXPECT_EQ(build().totals.ran, 0u);
  expect_tree_as_clean();
}

TEST_F(Shards, one_that_died_costs_its_own_work_alone) {
  put_project();
  build_shard(1, 3);
  build_shard(3, 3);
  toy::cooked().take();
  const Report whole = build();
  const std::uint64_t missing = whole.totals.ran;
  EXPECT_GT(missing, 0u);
  EXPECT_GT(whole.totals.restored, 0u);
  expect_tree_as_clean();
  // A shard that runs again finds its finished steps.
  EXPECT_EQ(build_shard(2, 3).totals.ran, 0u);
}

TEST_F(Shards, fail_with_what_is_broken_in_them_and_do_the_rest) {
  put_project();
  disk.put("assets/z.pic", "broken");
  int failed = 0;
  for (std::uint32_t number = 1; number <= 3; ++number) {
    const Report report = build_shard(number, 3);
    if (report.ok) continue;
    ++failed;
    EXPECT_THAT(messages(report), HasSubstr("paint it again"));
  }
  EXPECT_EQ(failed, 1);
  disk.put("assets/z.pic", "mended");
  EXPECT_EQ(build().totals.ran, 1u);
}

TEST_F(Shards, fill_the_store_whatever_the_output_folder_has) {
  put_project();
  shares = false;
  const Report before = build();
  shares = true;
  build_shards(2);
  EXPECT_THAT(why(build()), IsEmpty());
  disk.remove_all("runtime");
  const Report after = build();
  EXPECT_EQ(after.totals.ran, 0u);
  EXPECT_EQ(after.totals.restored + after.totals.copied, before.totals.ran + before.totals.copied);
}

TEST_F(Shards, say_nothing_of_the_whole) {
  yaml = "default: {rules: [{match: nothing.pic, texture: {quality: best}}]}";
  disk.put("assets/a.pic", "1");
  disk.put("assets/other.txt", "1");
  for (std::uint32_t number = 1; number <= 2; ++number) {
    const Report report = build_shard(number, 2);
    EXPECT_EQ(messages(report), "");
    EXPECT_EQ(report.totals.unclaimed, 0u);
  }
  EXPECT_THAT(messages(build()), HasSubstr("matches no source"));
}

TEST_F(Shards, list_what_they_would_do) {
  put_project();
  request.dry_run = true;
  std::vector<std::string> sources;
  for (std::uint32_t number = 1; number <= 3; ++number) {
    for (const StepReport& step : build_shard(number, 3).steps) sources.push_back(step.step.source);
  }
  EXPECT_EQ(std::set(sources.begin(), sources.end()).size(), sources.size());
  EXPECT_THAT(sources, AllOf(Contains("a.model"), Contains("19.pic")));
  EXPECT_THAT(disk.paths_below("cache"), IsEmpty());
}

TEST_F(Shards, are_measured_by_recorded_costs) {
  for (const char* name : {"a", "b", "c", "d"}) disk.put("assets/" + std::string(name) + ".pic", name);
  request.costs = {
      {"a.pic", 3'000'000'000}, {"b.pic", 1'000'000'000}, {"c.pic", 1'000'000'000}, {"d.pic", 900'000'000}};
  std::vector<std::vector<std::string>> shards;
  for (std::uint32_t number = 1; number <= 2; ++number) {
    build_shard(number, 2);
    shards.push_back(toy::cooked().take());
  }
  EXPECT_THAT(shards, UnorderedElementsAre(ElementsAre("a.pic"), ElementsAre("b.pic", "c.pic", "d.pic")));
}

TEST_F(Shards, are_measured_by_what_heads_of_sources_tell) {
  for (const char* name : {"a", "b", "c", "d", "e", "f"})
    disk.put("assets/" + std::string(name) + ".model", "inside heavy " + std::string(name) + "\n");
  for (int i = 0; i < 20; ++i) disk.put("assets/" + std::to_string(i) + ".pic", std::string(100'000, 'a' + i));
  for (std::uint32_t number = 1; number <= 2; ++number) {
    build_shard(number, 2);
    const std::vector<std::string> made = toy::cooked().take();
    EXPECT_EQ(std::ranges::count_if(made, [](const std::string& s) { return s.ends_with(".model"); }), 3) << number;
  }
}

// One model takes longer than all else, because of the pictures in it.
TEST_F(Shards, divide_the_pictures_inside_a_source) {
  disk.put("assets/a.model", "inside full 0\ninside one 1\ninside two 2\ninside three 3\n");
  disk.put("assets/b.pic", "b");
  std::uint64_t sources = 0;
  std::vector<std::string> inside;
  for (std::uint32_t number = 1; number <= 2; ++number) {
    const Report report = build_shard(number, 2);
    sources += report.totals.sources;
    const std::vector<std::string> made = toy::cooked().take();
    EXPECT_EQ(std::ranges::count_if(made, [](const auto& s) { return s.starts_with("a.model inside"); }), 2) << number;
    std::ranges::copy_if(made, std::back_inserter(inside), [](const auto& s) { return s.starts_with("a.model i"); });
  }
  EXPECT_EQ(sources, 2u);
  EXPECT_THAT(inside, UnorderedElementsAre("a.model inside full", "a.model inside one", "a.model inside two",
                                           "a.model inside three"));
  EXPECT_EQ(build().totals.ran, 0u);
  expect_tree_as_clean();
}

TEST_F(Shards, divide_the_pictures_that_a_source_names) {
  disk.put("assets/a.model", "inside full 0\npicture p.pic\npicture q.pic\npicture r.pic\n");
  disk.put("assets/b.model", "picture p.pic\npicture s.pic\n");
  for (const char* name : {"p", "q", "r", "s"}) disk.put("assets/" + std::string(name) + ".pic", name);
  std::vector<std::string> cooked = build_shards(2);
  std::erase(cooked, "a.model");  // each shard with a part reads it, unless the store has it
  EXPECT_EQ(std::set(cooked.begin(), cooked.end()).size(), cooked.size());
  EXPECT_EQ(build().totals.ran, 0u);
  expect_tree_as_clean();
}

// A shard that finds the model in the store takes the same part of its pictures as one that reads the model.
TEST_F(Shards, divide_a_source_in_the_same_way_if_it_is_stored) {
  disk.put("assets/a.model", "inside full 0\ninside one 1\ninside two 2\ninside three 3\n");
  build_shards(2);
  for (std::uint32_t number = 1; number <= 2; ++number) EXPECT_EQ(build_shard(number, 2).totals.ran, 0u) << number;
}

TEST_F(Shards, that_make_only_pictures_of_a_source_do_not_store_it) {
  disk.put("assets/a.model", "inside full 0\ninside one 1\ninside two 2\ninside three 3\n");
  request.dry_run = true;
  const bool first_makes_outputs = build_shard(1, 2).totals.sources == 1;
  request.dry_run = false;
  build_shard(first_makes_outputs ? 2 : 1, 2);
  EXPECT_EQ(toy::cooked().take().size(), 3u);
  const Report whole = build();
  EXPECT_THAT(toy::cooked().take(), Contains("a.model"));
  EXPECT_EQ(whole.totals.ran, 3u);
  expect_tree_as_clean();
}

TEST_F(Shards, list_the_outputs_of_a_divided_source_once) {
  disk.put("assets/a.model", "inside full 0\ninside one 1\ninside two 2\ninside three 3\n");
  request.dry_run = true;
  std::size_t steps = 0;
  for (std::uint32_t number = 1; number <= 2; ++number) steps += build_shard(number, 2).steps.size();
  EXPECT_EQ(steps, 1u);
}

TEST(RecordedCosts, are_seconds_by_source) {
  const auto costs = parse_costs(as_bytes(R"({"ok":true,"costs":{"a.png":1.5,"b/c.glb":0}})"));
  ASSERT_TRUE(costs) << costs.error().to_string();
  EXPECT_THAT(*costs, ElementsAre(Pair("a.png", 1'500'000'000), Pair("b/c.glb", 0)));
}

TEST(RecordedCosts, refuse_what_they_are_not) {
  const auto error = [](std::string_view text) { return parse_costs(as_bytes(text)).error().to_string(); };
  EXPECT_EQ(error("{"), "is not JSON; give a file that a build wrote with --report");
  for (const char* text : {"[]", "1", "{}", R"({"costs":[]})"})
    EXPECT_THAT(error(text), HasSubstr("has no \"costs\" with the compile time of each source"));
  for (const char* text : {R"({"costs":{"a":-1}})", R"({"costs":{"a":"1"}})", R"({"costs":{"a":1e300}})"})
    EXPECT_THAT(error(text), HasSubstr("/costs/a: is not a number of seconds up to a million"));
}

}  // namespace
}  // namespace assetc::engine
