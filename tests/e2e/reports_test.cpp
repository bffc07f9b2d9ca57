// Reports of a build for its maintainers: a trace, a report, an exit code.
#include <gmock/gmock.h>

#include "e2e/project.hpp"
#include "parsed_json.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;
using Report = Json;

class Reports : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    write("assets/a.png", png(16, 16, 1));
    write("assets/b.png", png(16, 16, 1));
    write("assets/c.mat", "name: c\n");
  }
  Report json(const std::string& path) const { return parsed_json(read(path)); }
};

TEST_F(Reports, a_trace_has_every_step_within_the_build) {
  build("--trace out/trace.json");
  const Report trace = json("out/trace.json");
  double build_us = 0;
  std::map<std::string, int> outcomes;
  std::set<std::uint64_t> threads, named;
  for (const Report& event : trace["traceEvents"].items()) {
    ASSERT_TRUE(event.contains("ph") && event.contains("ts") && event.contains("pid") && event.contains("tid"));
    if (event["name"] == "build") build_us = event["dur"].as_number();
    if (event["ph"] == "M") named.insert(event["tid"].as_uint());
    if (event["ph"] != "M") threads.insert(event["tid"].as_uint());
    if (event["ph"] == "X" && event["cat"] != "build") ++outcomes[event["args"]["outcome"].as_string()];
  }
  EXPECT_EQ(threads, named);
  EXPECT_EQ(outcomes, (std::map<std::string, int>{{"built", 2}, {"copied", 1}}));
  for (const Report& event : trace["traceEvents"].items()) {
    if (event["ph"] != "X") continue;
    EXPECT_GE(event["ts"].as_number(), 0);
    EXPECT_LE(event["ts"].as_number() + event["dur"].as_number(), build_us + 1) << event;
  }
}

TEST_F(Reports, a_trace_says_what_threads_waited_for) {
  build("-j 2 --memory 1K --trace trace.json");
  const Report trace = json("trace.json");
  std::map<std::string, int> open;
  std::set<std::string> names;
  for (const Report& event : trace["traceEvents"].items()) {
    if (event["cat"] != "wait") continue;
    names.insert(event["name"].as_string());
    ASSERT_TRUE(event["ph"] == "b" || event["ph"] == "e");
    // Events of one id do not overlap, and each begins before it ends.
    int& is_open = open[event["id"].text()];
    EXPECT_EQ(is_open, event["ph"] == "b" ? 0 : 1);
    is_open = event["ph"] == "b" ? 1 : 0;
  }
  EXPECT_TRUE(names.contains("wait for memory")) << "no two steps fit in a kibibyte";
  for (const auto& [id, is_open] : open) EXPECT_EQ(is_open, 0) << id;
  const std::string guide = read_file(fs::path(places::kSource) / "docs/guide/json.md");
  for (const std::string& name : names) EXPECT_THAT(guide, HasSubstr("`" + name + "`"));
}

TEST_F(Reports, a_report_counts_by_kind_and_origin) {
  build("--report report.json");
  Report report = json("report.json");
  EXPECT_EQ(report["ok"], true);
  EXPECT_EQ(report["steps"], 3);
  EXPECT_EQ(report["built"], 2);
  EXPECT_EQ(report["kinds"]["texture"]["built"], 1);
  EXPECT_EQ(report["kinds"]["texture"]["copied"], 1);
  EXPECT_GT(report["kinds"]["material"]["bytes"].as_number(), 0);
  build("--report report.json");
  report = json("report.json");
  EXPECT_EQ(report["up_to_date_share"], 1.0);
  EXPECT_EQ(report["kinds"], Report::object());
  write("assets/a.png", "no picture");
  EXPECT_EQ(run("--report report.json").exit_code, 1);
  report = json("report.json");
  EXPECT_EQ(report["ok"], false);
  EXPECT_EQ(report["kinds"]["texture"]["failed"], 1);
}

TEST_F(Reports, a_report_of_a_dry_run_says_so_and_counts_nothing_as_built) {
  const auto last = [](const Finished& done) { return parsed_json(lines_after(done.out, "").back()); };
  Report summary = last(build("-n --json --report report.json"));
  EXPECT_EQ(summary["ran"], 0);
  EXPECT_EQ(summary["to_run"], 3);
  Report report = json("report.json");
  EXPECT_EQ(report["dry_run"], true);
  EXPECT_EQ(report["built"], 0);
  EXPECT_EQ(report["to_build"], 3);
  summary = last(build("--json --report report.json"));
  EXPECT_EQ(summary["ran"], 2);
  EXPECT_EQ(summary["to_run"], 0);
  report = json("report.json");
  EXPECT_EQ(report["dry_run"], false);
  EXPECT_EQ(report["built"], 2);
  EXPECT_EQ(report["to_build"], 0);
  remove("assets/a.png");
  write("assets/b.png", png(16, 16, 2));
  build("-n --report report.json");
  report = json("report.json");
  EXPECT_EQ(report["built"], 0);
  EXPECT_EQ(report["to_build"], 1);
  EXPECT_EQ(report["up_to_date"], 1);
  EXPECT_EQ(report["files_removed"], 0);
  EXPECT_EQ(report["files_to_remove"], 1);
}

TEST_F(Reports, a_file_that_cannot_be_written_fails_the_build) {
  write("file", "");
  const Finished done = run("--trace file/trace.json");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("file/trace.json"));
  EXPECT_TRUE(exists("runtime/assets.hman"));
}

TEST_F(Reports, sarif_names_files_from_the_project_wherever_check_ran) {
  write("assetc.yml", "output: out\n");
  build();
  write("out/a.ktx2", read("out/a.ktx2").substr(0, 40));
  for (const std::string folder : {".", "assets"}) {
    const Finished done = run("check --sarif problems.sarif", {}, folder);
    EXPECT_EQ(done.exit_code, 1);
    const Report log = json(folder + "/problems.sarif")["runs"][0];
    EXPECT_EQ(log["originalUriBaseIds"]["SRCROOT"]["uri"], "file://" + fs::canonical(root_).string() + "/");
    ASSERT_FALSE(log["results"].empty());
    bool has_place = false;
    for (const Report& result : log["results"].items()) {
      const Report& physical = result["locations"][0]["physicalLocation"];
      EXPECT_EQ(physical["artifactLocation"]["uri"], "out/a.ktx2");
      EXPECT_EQ(physical["artifactLocation"]["uriBaseId"], "SRCROOT");
      EXPECT_EQ(physical["region"]["startLine"], 1);
      has_place |= result["message"]["text"].as_string().starts_with("byte ");
    }
    EXPECT_TRUE(has_place) << done.err;
  }
}

TEST_F(Reports, strict_fails_where_there_is_a_warning) {
  EXPECT_EQ(build("--strict").exit_code, 0);
  write("assets/c.mat", "name: c\nnot_a_key: 1\n");
  EXPECT_EQ(build().exit_code, 0);
  const Finished strict = run("--strict");
  EXPECT_EQ(strict.exit_code, 1);
  EXPECT_THAT(strict.err, HasSubstr("1 warning, which --strict treats as errors"));
}

TEST_F(Reports, strict_says_one_thing_in_the_summary_the_report_and_the_exit_code) {
  for (const bool warns : {false, true}) {
    if (warns) write("assets/c.mat", "name: c\nnot_a_key: 1\n");
    // First built, then up to date.
    for (int i = 0; i < 2; ++i) {
      const Finished done = run("--strict --json --report report.json");
      EXPECT_EQ(done.exit_code, warns ? 1 : 0);
      EXPECT_EQ(parsed_json(lines_after(done.out, "").back())["ok"], !warns);
      EXPECT_EQ(json("report.json")["ok"], !warns);
    }
  }
}

}  // namespace
}  // namespace assetc::e2e
