// assetc doctor: a line for each part, and how to get what is missing.
#include <gmock/gmock.h>

#include <set>

#include "e2e/project.hpp"
#include "parsed_json.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;

class Doctor : public Project {
 protected:
  // The events of the parts, by name.
  std::map<std::string, Json> parts(const std::string& prefix = {}) {
    std::map<std::string, Json> found;
    const Finished done = run("doctor --json", prefix);
    EXPECT_EQ(done.err, "");
    for (const std::string& line : lines_after(done.out, "")) {
      const Json event = parsed_json(line);
      if (event["event"] == "part") found.emplace(event["name"].as_string(), event);
    }
    return found;
  }
};

TEST_F(Doctor, has_a_line_for_each_part_in_both_outputs) {
  write("assetc.yml", "output: out\n");
  const Finished text = run("doctor");
  EXPECT_EQ(text.exit_code, 0) << text.out;
  const auto all = parts();
  EXPECT_GT(all.size(), 20u);
  // The version, the parts, and the summary.
  EXPECT_EQ(lines_after(text.out, "").size(), all.size() + 2);
  EXPECT_TRUE(text.out.starts_with("assetc 0."));
  for (const auto& [name, part] : all) {
    EXPECT_THAT(text.out, HasSubstr(part["does"].as_string())) << name;
    EXPECT_THAT(text.out, HasSubstr(part["detail"].as_string())) << name;
    EXPECT_NE(part["detail"], "") << name;
    EXPECT_EQ(part["state"] == "ok", part["remedy"].as_string().empty()) << name;
  }
  EXPECT_EQ(all.at("spng")["state"], "ok");
  EXPECT_EQ(all.at("project")["detail"], "assetc.yml");
  const auto lines = lines_after(run("doctor --json").out, "");
  const Json summary = parsed_json(lines.back());
  EXPECT_EQ(summary["event"], "doctor_summary");
  EXPECT_EQ(summary["ok"], true);
  EXPECT_EQ(summary["missing"], 0);
}

TEST_F(Doctor, knows_every_library_that_is_loaded_later) {
  const auto all = parts();
  std::set<std::string> known;
  for (const auto& [name, part] : all) known.insert(name);
  const fs::path folder = fs::path(places::kBinary) / "delayed";
  if (!fs::exists(folder)) GTEST_SKIP() << "this build links all libraries";
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".S" || entry.path().stem() == "delayed") continue;
    EXPECT_TRUE(known.contains(entry.path().stem().string())) << entry.path();
  }
}

TEST_F(Doctor, names_programs_that_are_not_there_and_how_to_get_them) {
  fs::create_directories(root_ / "none");
  const auto all = parts("PATH=none");
  for (const char* const name : {"oiiotool", "slangc", "dxc"}) {
    EXPECT_EQ(all.at(name)["state"], "optional") << name;
    EXPECT_EQ(all.at(name)["detail"], "not on PATH") << name;
    EXPECT_THAT(all.at(name)["remedy"].as_string(), HasSubstr("install")) << name;
  }
}

TEST_F(Doctor, looks_at_the_cache_and_leaves_it_as_it_is) {
  EXPECT_EQ(parts().at("cache")["detail"], "off");
  const auto none = parts("ASSETC_CACHE=store");
  EXPECT_EQ(none.at("cache")["state"], "ok");
  EXPECT_THAT(none.at("cache")["detail"].as_string(), HasSubstr("store: empty of 10.0 GiB"));
  EXPECT_FALSE(exists("store"));
  EXPECT_EQ(std::distance(fs::directory_iterator(root_), fs::directory_iterator{}), 2) << "stdout.txt and stderr.txt";
  write("file", "no folder");
  const Finished done = run("doctor", "ASSETC_CACHE=file/store");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, HasSubstr("missing   cache of this machine"));
  EXPECT_THAT(done.out, HasSubstr("1 needed part missing\n"));
}

TEST_F(Doctor, says_what_is_wrong_with_the_project) {
  EXPECT_EQ(parts().at("project")["state"], "optional");
  EXPECT_EQ(parts().at("project")["remedy"], "assetc new my-game");
  write("assetc.yml", "default: {texture: {compress: maybe}}\n");
  const Finished done = run("doctor");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out,
              HasSubstr("assetc.yml: line 1: texture.compress: found \"maybe\", expected auto, true or false"));
  write("assetc.yml", "defualt: {}\n");
  EXPECT_EQ(parts().at("project")["detail"], "assetc.yml, with 1 warning");
  remove("assetc.yml");
  write("Assets/AssetPipeline.json", "{\"Platforms\": [\"Linux\"]}");
  EXPECT_EQ(parts().at("project")["detail"], "Assets/AssetPipeline.json");
}

}  // namespace
}  // namespace assetc::e2e
