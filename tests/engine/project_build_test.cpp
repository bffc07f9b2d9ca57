// What the engine decides about a build, whichever command or watch runs it.
#include "engine/run/project_build.hpp"

#include "engine/engine_fixture.hpp"
#include "engine/run/build_log.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

class AProject : public Engine, public BuildListener {
 protected:
  AProject() { yaml = "cache: {path: /cache}\n"; }

  void say(const recipes::Diagnostic& diagnostic) override { calls.push_back(diagnostic.what.to_string()); }
  void begin(const BuildTask&) override { calls.emplace_back("begin"); }
  void on(const Event&) override {
    if (calls.empty() || calls.back() != "events") calls.emplace_back("events");
  }
  void steps_ended() override { calls.emplace_back("steps ended"); }
  void uploading(std::size_t) override { calls.emplace_back("uploading"); }
  void stores_ended(const std::optional<RemoteStore::Summary>& shared) override {
    calls.emplace_back(shared ? "stores ended, shared" : "stores ended");
  }
  void end(const BuildTask&, const Result<Report>& report) override {
    calls.emplace_back(!report ? "end: " + report.error().to_string() : report->ok ? "end: ok" : "end: not ok");
  }

  Result<Report> build_it() {
    calls.clear();
    const BuildTask task{std::make_shared<const Profile>(profile()), request};
    return build_project(task, nullptr, std::nullopt, disk, [](const char*) { return std::nullopt; }, *this);
  }
  std::string log() { return disk.text("runtime/" + std::string(kBuildLogName)); }

  std::vector<std::string> calls;
};

TEST_F(AProject, is_told_in_order) {
  disk.put("assets/a.pic", "a");
  ASSERT_TRUE(build_it());
  EXPECT_THAT(calls, ElementsAre("begin", "events", "steps ended", "stores ended", "end: ok"));
}

TEST_F(AProject, leaves_a_log_when_something_changed) {
  disk.put("assets/a.pic", "a");
  ASSERT_TRUE(build_it());
  EXPECT_THAT(log(), HasSubstr(R"({"event":"step_finished","recipe":"picture","source":"a.pic")"));
  EXPECT_THAT(log(), HasSubstr(R"({"event":"summary","ok":true)"));
  EXPECT_THAT(log(), EndsWith("\n"));
  disk.put("runtime/" + std::string(kBuildLogName), "old");
  ASSERT_TRUE(build_it());
  EXPECT_EQ(log(), "old") << "nothing changed";
  request.dry_run = true;
  disk.put("assets/a.pic", "b");
  ASSERT_TRUE(build_it());
  EXPECT_EQ(log(), "old");
}

TEST_F(AProject, a_mistake_that_is_taken_back_leaves_no_error_in_the_log) {
  disk.put("assets/a.pic", "a");
  disk.put("assets/b.pic", "odd");
  ASSERT_TRUE(build_it());
  disk.put("assets/a.pic", "broken");
  ASSERT_TRUE(build_it());
  EXPECT_THAT(log(), HasSubstr("\"severity\":\"error\""));
  EXPECT_THAT(log(), HasSubstr("\"ignore\":[\"a.pic\"]"));
  EXPECT_THAT(log(), HasSubstr("step_failed"));
  disk.put("assets/a.pic", "a");
  const auto mended = build_it();
  ASSERT_TRUE(mended);
  EXPECT_TRUE(mended->ok);
  EXPECT_TRUE(mended->mends);
  EXPECT_FALSE(mended->did_nothing()) << "a watch tells it";
  EXPECT_EQ(mended->totals.ran, 0u);
  EXPECT_THAT(log(), testing::Not(HasSubstr("\"severity\":\"error\"")));
  EXPECT_THAT(log(), testing::Not(HasSubstr("step_failed")));
  EXPECT_THAT(log(), HasSubstr("an odd picture"));
  EXPECT_THAT(log(), HasSubstr("{\"event\":\"summary\",\"ok\":true"));
  const std::string before = log();
  const auto again = build_it();
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->mends);
  EXPECT_TRUE(again->did_nothing());
  EXPECT_EQ(log(), before);
}

TEST_F(AProject, the_log_keeps_the_steps_of_the_last_build_that_ran_some) {
  const std::string before = yaml;
  yaml += "default: {rules: [{match: gone.pic, texture: {quality: fast}}]}\n";
  disk.put("assets/a.pic", "a");
  ASSERT_TRUE(build_it());
  EXPECT_THAT(log(), HasSubstr("matches no source"));
  yaml = before;
  const auto report = build_it();
  ASSERT_TRUE(report);
  EXPECT_EQ(report->totals.ran, 0u);
  EXPECT_THAT(log(), testing::Not(HasSubstr("matches no source")));
  EXPECT_THAT(log(), HasSubstr("step_finished"));
}

TEST_F(AProject, a_strict_build_that_fails_and_one_that_does_not_are_told_apart_in_the_log) {
  disk.put("assets/a.model", "warn soft\n");
  ASSERT_TRUE(build_it());
  request.strict = true;
  ASSERT_FALSE(build_it()->ok);
  EXPECT_THAT(log(), testing::StartsWith("{\"event\":\"build_result\",\"ok\":false"));
  EXPECT_THAT(log(), HasSubstr("step_finished"));
  request.strict = false;
  EXPECT_TRUE(build_it()->mends);
  EXPECT_THAT(log(), testing::StartsWith("{\"event\":\"build_result\",\"ok\":true"));
}

TEST_F(AProject, a_log_that_cannot_be_written_fails_no_build) {
  disk.put("assets/a.pic", "a");
  disk.unwritable.insert("runtime/" + std::string(kBuildLogName));
  const auto report = build_it();
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->ok);
}

TEST_F(AProject, warnings_fail_a_strict_build) {
  disk.put("assets/a.model", "warn soft\n");
  auto report = build_it();
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->ok);
  EXPECT_EQ(report->refused_warnings, 0u);
  request.strict = true;
  report = build_it();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->ok);
  EXPECT_EQ(report->refused_warnings, 1u);
  yaml += "accept: [{kind: dropped-content, reason: known}]\n";
  report = build_it();
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->ok);
}

TEST_F(AProject, an_accept_entry_that_matches_nothing_fails_it_or_is_a_warning) {
  yaml += "accept: [{kind: merged-nodes, reason: known}]\n";
  disk.put("assets/a.pic", "a");
  auto report = build_it();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->ok);
  EXPECT_THAT(report->unmatched, testing::SizeIs(1));
  request.tolerates_unmatched = true;
  report = build_it();
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->ok);
  EXPECT_THAT(report->unmatched, IsEmpty());
  EXPECT_THAT(messages(*report), HasSubstr("the entry matches nothing any more; remove it"));
}

TEST_F(AProject, a_shard_needs_a_store_that_keeps_its_products) {
  disk.put("assets/a.pic", "a");
  request.shard = Shard{1, 1};
  auto report = build_it();
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->ok);
  EXPECT_FALSE(disk.has("runtime/" + std::string(kBuildLogName)));
  disk.remove_all("/cache");
  yaml = "cache: {path: off}\n";
  report = build_it();
  ASSERT_FALSE(report);
  EXPECT_THAT(report.error().to_string(), HasSubstr("--shard: there is no cache for the compiled outputs"));
  EXPECT_THAT(calls, ElementsAre(HasSubstr("end: "))) << "it did not begin";
}

TEST_F(AProject, says_whether_there_is_an_index) {
  disk.put("assets/a.pic", "broken");
  auto report = build_it();
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->has_index);
  disk.put("assets/a.pic", "a");
  ASSERT_TRUE(build_it());
  disk.put("assets/a.pic", "broken");
  report = build_it();
  ASSERT_TRUE(report);
  EXPECT_TRUE(report->has_index) << "that of the last good build";
}

}  // namespace
}  // namespace assetc::engine
