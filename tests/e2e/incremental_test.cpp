// After an edit exactly the affected steps run, and --explain states the reason for each.
#include <gmock/gmock.h>

#include "e2e/project.hpp"

namespace assetc::e2e {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr const char* kFragment =
    "#version 450\n#include \"../common/tint.glsl\"\nlayout(location=0) out vec4 c;\nvoid main() { c = tint(); }\n";
constexpr const char* kCompute = "#version 450\nlayout(local_size_x=8) in;\nvoid main() {}\n";

class Incremental : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    write("assetc.yml",
          "default:\n  rules:\n    - match: \"ui/*\"\n      texture: {compress: false}\npresets:\n  a: {}\n  b: "
          "{texture: {mips: false}}\n");
    write("assets/ui/button.png", png(8, 8, 1));
    write("assets/wall.png", png(16, 16, 2));
    write("assets/common/tint.glsl", "vec4 tint() { return vec4(1); }\n");
    write("assets/lit.shader/fragment.glsl", kFragment);
    write("assets/sim.shader/compute.glsl", kCompute);
    build();
  }

  // The steps that a build runs, as --explain prints them. Then compares the tree with that of a clean build.
  std::vector<std::string> explained(const std::string& arguments = {}) {
    const Finished done = build("--explain " + arguments);
    std::vector<std::string> lines = lines_after(done.out, "built ");
    for (const std::string& line : lines_after(done.out, "removed ")) lines.push_back("removed " + line);
    const auto incremental = tree();
    build("--no-cache -o clean " + arguments);
    EXPECT_EQ(incremental, tree("clean"));
    remove("clean");
    return lines;
  }
};

TEST_F(Incremental, nothing_changed_runs_nothing) { EXPECT_THAT(explained(), IsEmpty()); }

TEST_F(Incremental, touching_runs_nothing) {
  fs::last_write_time(root_ / "assets/wall.png", fs::file_time_type::clock::now());
  write("assets/ui/button.png", png(8, 8, 1));
  EXPECT_THAT(explained(), IsEmpty());
}

TEST_F(Incremental, a_changed_texture) {
  write("assets/wall.png", png(16, 16, 3));
  EXPECT_THAT(explained(), ElementsAre("wall.png (texture): input changed: wall.png"));
}

TEST_F(Incremental, a_changed_include_runs_its_shader_alone) {
  write("assets/common/tint.glsl", "vec4 tint() { return vec4(0.5); }\n");
  EXPECT_THAT(explained(), ElementsAre("lit.shader (shader): input changed: common/tint.glsl"));
}

TEST_F(Incremental, a_nearer_include_that_appears_is_noticed) {
  write("assets/lit.shader/fragment.glsl",
        "#version 450\n#include \"tint.glsl\"\nlayout(location=0) out vec4 c;\nvoid main() { c = tint(); }\n");
  write("assets/tint.glsl", "vec4 tint() { return vec4(1); }\n");
  build();
  write("assets/lit.shader/tint.glsl", "vec4 tint() { return vec4(0.25); }\n");
  const auto lines = explained();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_TRUE(lines[0].starts_with("lit.shader (shader): ")) << lines[0];
}

TEST_F(Incremental, a_stage_that_is_added) {
  write("assets/sim.shader/vertex.glsl", "#version 450\nvoid main() { gl_Position = vec4(0); }\n");
  EXPECT_THAT(explained(), ElementsAre("sim.shader (shader): files added or removed in: sim.shader"));
  EXPECT_TRUE(exists("runtime/sim.shader/vertex.spv"));
}

TEST_F(Incremental, one_rule) {
  replace("assetc.yml", "compress: false", "compress: true");
  EXPECT_THAT(explained(), ElementsAre("ui/button.png (texture): setting changed: texture.format rgba8 -> uastc"));
}

TEST_F(Incremental, a_preset) {
  EXPECT_THAT(explained("--preset b"),
              ElementsAre("ui/button.png (texture): setting changed: texture.mips true -> false",
                          "wall.png (texture): setting changed: texture.mips true -> false"));
  EXPECT_THAT(explained("--preset b"), IsEmpty());
}

TEST_F(Incremental, a_compiled_texture_is_copied_where_it_is_what_format_says) {
  write("assets/done.ktx2", read("runtime/wall.ktx2"));
  write("assets/ui/done.ktx2", read("runtime/wall.ktx2"));
  build();
  EXPECT_EQ(read("runtime/done.ktx2"), read("assets/done.ktx2"));
  EXPECT_THAT(build("info").out, testing::ContainsRegex("ui/done.ktx2 .*rgba8"));
  // An invalid rule is refused even if it matches nothing.
  replace("assetc.yml", "compress: false", "quality: good");
  EXPECT_EQ(run("").exit_code, 2);
  replace("assetc.yml", "quality: good", "compress: true, format: rgba8");
  EXPECT_EQ(run("").exit_code, 2);
}

TEST_F(Incremental, a_missing_output_is_made_again) {
  remove("runtime/wall.ktx2");
  EXPECT_THAT(explained(), ElementsAre("wall.png (texture): output missing: wall.ktx2"));
}

TEST_F(Incremental, every_output_is_checked_not_only_the_first) {
  write("assets/sim.shader/vertex.glsl", "#version 450\nvoid main() { gl_Position = vec4(0); }\n");
  build();
  remove("runtime/sim.shader/compute.spv");
  EXPECT_THAT(explained(), ElementsAre("sim.shader (shader): output missing: sim.shader/compute.spv"));
}

TEST_F(Incremental, an_output_that_was_tampered_with) {
  write("runtime/wall.ktx2", "not mine");
  EXPECT_THAT(explained(), ElementsAre("wall.png (texture): output modified: wall.ktx2"));
}

TEST_F(Incremental, a_removed_source_takes_its_outputs_along) {
  remove("assets/wall.png");
  EXPECT_THAT(explained(), ElementsAre("removed wall.ktx2: no source makes it any more"));
  remove("assets/lit.shader");
  EXPECT_THAT(explained(), ElementsAre("removed lit.shader/fragment.spv: no source makes it any more"));
  EXPECT_FALSE(exists("runtime/lit.shader"));
}

TEST_F(Incremental, a_renamed_source) {
  fs::rename(root_ / "assets/wall.png", root_ / "assets/brick.png");
  explained();
  EXPECT_TRUE(exists("runtime/brick.ktx2"));
  EXPECT_FALSE(exists("runtime/wall.ktx2"));
}

TEST_F(Incremental, an_ignored_source_is_left_out) {
  write("assetc.yml", "ignore: [\"wall*\"]\n" + read("assetc.yml"));
  explained();
  EXPECT_FALSE(exists("runtime/wall.ktx2"));
}

TEST_F(Incremental, no_cache_runs_everything) {
  EXPECT_THAT(lines_after(build("--no-cache --explain").out, "built "),
              ElementsAre("lit.shader (shader): --no-cache", "sim.shader (shader): --no-cache",
                          "ui/button.png (texture): --no-cache", "wall.png (texture): --no-cache"));
}

TEST_F(Incremental, a_dry_run_says_what_it_would_do_and_does_nothing) {
  write("assets/wall.png", png(16, 16, 9));
  remove("assets/ui/button.png");
  const auto before = tree();
  const Finished done = build("-n --explain");
  EXPECT_EQ(lines_after(done.out, "would "),
            (std::vector<std::string>{"build wall.png (texture): input changed: wall.png",
                                      "remove ui/button.ktx2: no source makes it any more"}));
  EXPECT_EQ(tree(), before);
  remove("runtime");
  build("-n");
  EXPECT_FALSE(exists("runtime"));
}

TEST_F(Incremental, the_pack_follows_the_tree) {
  build("--pack");
  const std::string first = read("runtime.hpack");
  build("--pack");
  EXPECT_EQ(read("runtime.hpack"), first);
  write("assets/wall.png", png(16, 16, 4));
  build("--pack");
  EXPECT_NE(read("runtime.hpack"), first);
}

}  // namespace
}  // namespace assetc::e2e
