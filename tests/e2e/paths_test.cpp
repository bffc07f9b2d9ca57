// Places of sources and outputs: every spelling of a folder means the same folder.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "e2e/model.hpp"
#include "e2e/project.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Paths : public Project {
 protected:
  // The counts at the start of the summary: "2 sources: 0 built, 2 up to date".
  static std::string counts(const Finished& done) { return done.out.substr(0, done.out.find_first_of(";(")); }
};

TEST_F(Paths, an_output_inside_the_input_is_no_source_however_either_is_spelled) {
  fs::create_directory_symlink("project", root_ / "link");
  for (const std::string input : {".", "./", "../project", "../link", "sub/..", "../project/./"}) {
    for (const std::string output : {"runtime", "./out/", "../link/sub/out", "sub/../deep/er"}) {
      remove("project");
      write("project/a.png", png(4, 4, 1));
      write("project/sub/b.png", png(4, 4, 2));
      write("project/assetc.yml",
            "input: " + input + "\noutput: " + output + "\npresets:\n  mobile: {output: ./mobile}\n");
      const std::string spelled = input + " into " + output;
      for (const char* arguments : {"", "--preset mobile", "-o elsewhere/deep", "--pack", "--preset mobile --pack"}) {
        const Finished first = run(arguments, {}, "project");
        EXPECT_EQ(first.exit_code, 0) << spelled << "\n" << first.err;
        EXPECT_THAT(first.out, StartsWith("2 sources: ")) << spelled << " " << arguments;
        EXPECT_THAT(first.out, Not(HasSubstr("left out"))) << spelled << " " << arguments;
        const Finished second = run(arguments, {}, "project");
        EXPECT_EQ(counts(second), "2 sources: 0 built, 2 up to date") << spelled << " " << arguments;
      }
    }
  }
}

TEST_F(Paths, an_input_above_the_configuration_leaves_the_output_out) {
  write("project/a.png", png(4, 4, 1));
  write("project/build/assetc.yml", "input: ..\n");
  EXPECT_EQ(counts(run("", {}, "project/build")), "1 source: 1 built, 0 up to date");
  EXPECT_EQ(counts(run("", {}, "project/build")), "1 source: 0 built, 1 up to date");
}

TEST_F(Paths, an_output_reached_through_a_link_in_the_input_is_no_source) {
  write("assets/a.png", png(4, 4, 1));
  write("assetc.yml", "output: assets/runtime\n");
  fs::create_directory_symlink("runtime", root_ / "assets/again");
  build();
  EXPECT_EQ(counts(build()), "1 source: 0 built, 1 up to date");
  EXPECT_EQ(tree("assets/runtime").size(), 2u);
}

TEST_F(Paths, the_output_of_another_build_is_left_out_with_a_word) {
  write("assets/a.png", png(4, 4, 1));
  build("-o assets/first");
  const Finished done = build();
  EXPECT_THAT(done.out, StartsWith("1 source: 1 built"));
  EXPECT_THAT(done.err, HasSubstr("warning: first: is the output of another build; it is ignored; move it out of the "
                                  "input, or list it under ignore: [other-output]\n"));
  write("assetc.yml", "ignore: [first]\n");
  EXPECT_EQ(build().err, "");
}

TEST_F(Paths, an_output_that_contains_the_input_is_refused_however_it_is_spelled) {
  write("assets/a.png", png(4, 4, 1));
  fs::create_directory_symlink(".", root_ / "link");
  for (const char* output : {".", "assets", "./assets/", "link", "link/assets", "..", "/"}) {
    const Finished done = run(std::string("-o ") + output);
    EXPECT_EQ(done.exit_code, 2) << output;
    EXPECT_THAT(done.err, EndsWith("contains the input \"assets\"; build into a directory of its own\n")) << output;
  }
  EXPECT_FALSE(exists("assets.hman"));
}

TEST_F(Paths, check_and_info_look_at_one_output_and_name_those_inside_it) {
  write("assets/a.png", png(4, 4, 1));
  write("assets/b.n.png", png(4, 4, 2));
  write("assetc.yml", "presets:\n  desktop: {output: runtime/desktop}\n  mobile: {output: runtime/mobile}\n");
  build();
  build("--preset desktop");
  build("--preset mobile");
  for (const std::string command : {"check", "info"}) {
    const Finished done = build(command);
    EXPECT_EQ(done.err,
              "note: runtime/desktop: is the output folder of another build; it is not included; use -o to select it\n"
              "note: runtime/mobile: is the output folder of another build; it is not included; use -o to select it\n");
    EXPECT_THAT(done.out, Not(HasSubstr("mobile/"))) << done.out;
    EXPECT_THAT(done.out, HasSubstr("3 files"));
    EXPECT_EQ(build(command + " --preset mobile").err, "");
  }
}

TEST_F(Paths, check_and_info_work_inside_an_unpacked_artifact) {
  write("assets/a.png", png(4, 4, 1));
  build();
  build("-o runtime/mobile");
  remove("runtime/.assetc-cache");
  remove("runtime/mobile/.assetc-cache");
  for (const char* command : {"check -o .", "check -o ./", "check -o ../runtime", "info -o ."}) {
    const Finished done = run(command, {}, "runtime");
    EXPECT_EQ(done.exit_code, 0) << command << "\n" << done.err;
    EXPECT_THAT(done.out, HasSubstr("2 files")) << command;
  }
}

// A model with a picture in a sibling folder.
class ModelPaths : public Paths {
 protected:
  void SetUp() override {
    Project::SetUp();
    const Model model = grid_model("chair", "../textures/red.png", 4);
    write("p/assets/models/chair.gltf", model.gltf);
    write("p/assets/models/chair.bin", model.bin);
    write("p/assets/textures/red.png", png(8, 8, 1));
    write("p/assetc.yml", "");
    fs::create_directory_symlink("p", root_ / "link");
    EXPECT_EQ(run("", {}, "p").exit_code, 0);
  }
  // A way to name a file: the working directory and the path from it.
  struct Way {
    std::string folder, file;
  };
  std::vector<Way> ways(const std::string& folder, const std::string& name) const {
    return {{"p", folder + "/" + name},
            {"p", (root_ / "p" / folder / name).string()},
            {"p/" + folder, name},
            {"p/" + folder, "./" + name},
            {"p/assets/textures", "../../" + folder + "/" + name},
            {".", "link/" + folder + "/" + name},
            {"p/assets", "../../link/./" + folder + "/" + name}};
  }
};

TEST_F(ModelPaths, render_and_convert_find_the_same_textures_wherever_they_run) {
  for (const auto& [folder, name] : {std::pair("assets/models", "chair.gltf"), {"runtime/models", "chair.hmesh"}}) {
    std::set<std::string> pictures, models;
    for (const Way& way : ways(folder, name)) {
      for (const char* output : {"out.png", "out.glb"}) {
        const std::string to = (root_ / output).string();
        const Finished done = run((output == std::string("out.png") ? "render " : "convert ") + way.file + " " + to +
                                      (output == std::string("out.png") ? " --size 32x32" : ""),
                                  {}, way.folder);
        EXPECT_EQ(done.exit_code, 0) << way.folder << ": " << way.file << "\n" << done.err;
        // The warning for a .glb with levels.
        EXPECT_TRUE(done.err.empty() || done.err.ends_with("--mesh.lods 0 leaves them out\n"))
            << way.folder << ": " << way.file << "\n"
            << done.err;
      }
      pictures.insert(read("out.png"));
      models.insert(read("out.glb"));
    }
    EXPECT_EQ(pictures.size(), 1u) << name;
    EXPECT_EQ(models.size(), 1u) << name;
    EXPECT_EQ(
        run("render " + std::string(folder) + "/" + name + " --shaded --size 32x32 ../shaded.png", {}, "p").exit_code,
        0);
    EXPECT_NE(*pictures.begin(), read("shaded.png")) << "without its textures the model would look the same everywhere";
  }
}

TEST_F(ModelPaths, an_error_names_the_file_once_and_as_the_user_did) {
  remove("p/assets/textures/red.png");
  for (const Way& way : ways("assets/models", "chair.gltf")) {
    const Finished done = run("convert " + way.file + " " + (root_ / "out.hmesh").string(), {}, way.folder);
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.err, StartsWith("error: " + way.file + ": /images/0/uri: the image file \"")) << way.folder;
    EXPECT_THAT(done.err, HasSubstr("red.png\" is not there")) << way.folder;
  }
  EXPECT_THAT(run("convert assets/models/chair.gltf out.hmesh", {}, "p").err,
              HasSubstr("the image file \"assets/textures/red.png\" is not there"));
  remove("p/assets/models/chair.bin");
  EXPECT_THAT(run("render ../models/chair.gltf out.png", {}, "p/assets/textures").err,
              StartsWith("error: ../models/chair.gltf: /buffers/0/uri: the file \""));
  EXPECT_THAT(run("render assets/models/none.gltf out.png", {}, "p").err,
              StartsWith("error: assets/models/none.gltf: cannot open"));
}

TEST_F(Paths, an_output_that_is_the_input_is_refused) {
  write("a.png", png(8, 8, 1));
  build("convert a.png a.ktx2");
  const std::string before = read("a.ktx2");
  fs::create_hard_link(root_ / "a.ktx2", root_ / "hard.ktx2");
  fs::create_symlink("a.ktx2", root_ / "soft.ktx2");
  fs::create_directory_symlink(".", root_ / "here");
  fs::permissions(root_ / "a.ktx2", fs::perms::owner_read);
  for (const std::string output : {"a.ktx2", "./a.ktx2", "hard.ktx2", "soft.ktx2", "here/a.ktx2"}) {
    const Finished done = run("convert a.ktx2 " + output);
    EXPECT_EQ(done.exit_code, 2) << output;
    EXPECT_THAT(done.err, EndsWith("which would be overwritten; choose another output\n")) << output;
  }
  EXPECT_EQ(fs::hard_link_count(root_ / "a.ktx2"), 2u);
  EXPECT_TRUE(fs::is_symlink(root_ / "soft.ktx2"));
  EXPECT_EQ(read("a.ktx2"), before);
  write("b.png", png(8, 8, 2));
  EXPECT_EQ(run("diff a.png b.png --heat b.png").exit_code, 2);
  EXPECT_EQ(read("b.png"), png(8, 8, 2));
}

TEST_F(Paths, a_model_that_replaces_another_takes_its_materials_and_clips_away) {
  fs::copy_file(fs::path(places::kSource) / "tests/data/corpus/models/worm.glb", root_ / "worm.glb");
  fs::copy_file(fs::path(places::kSource) / "tests/data/corpus/models/box.glb", root_ / "box.glb");
  build("convert worm.glb out.hmesh");
  EXPECT_TRUE(exists("out.hanim"));
  EXPECT_THAT(build("convert box.glb out.hmesh").out,
              HasSubstr("removed out.hanim, which belonged to the replaced mesh\n"));
  EXPECT_FALSE(exists("out.hanim"));
  build("convert worm.glb other.gali");
  ASSERT_TRUE(exists("other.hanim"));
  EXPECT_EQ(build("convert box.glb other.hmesh").err,
            "warning: other.gali: has the same name, so it now uses other.hmat of other.hmesh; give the output another "
            "name, or remove the mesh that it replaces [shared-siblings]\n"
            "warning: other.hanim: existed before, and other.hmesh now uses it; remove it, or give the output another "
            "name [shared-siblings]\n");
  EXPECT_TRUE(exists("other.hanim"));
  build("convert worm.glb worm.hmesh");
  build("convert worm.hmesh worm.gali");
  build("convert worm.hmesh worm.gali");
  EXPECT_TRUE(exists("worm.hanim")) << "files beside the input belong to the input";
}

TEST_F(Paths, names_that_no_pack_takes_fail_at_once_with_what_to_do) {
  const std::string names[] = {"a:b", "c\x1b[31md", "e\xff", "f\\g", "h\ni"};
  for (const std::string& name : names) write("assets/" + name + ".png", png(4, 4, 1));
  write("assets/fine.png", png(4, 4, 1));
  for (const char* arguments : {"", "--pack", "--color always"}) {
    const Finished done = run(arguments);
    EXPECT_EQ(done.exit_code, 1);
    EXPECT_THAT(done.out, HasSubstr("5 failed"));
    std::size_t hints = 0;
    for (const std::string& line : lines_after(done.err, ""))
      hints += line.ends_with("; rename the source: packs and other systems do not support such names");
    EXPECT_EQ(hints, 5u) << done.err;
    EXPECT_THAT(done.err, Not(HasSubstr("\x1b[31md")));
    EXPECT_THAT(done.err, Not(HasSubstr("\xff")));
    EXPECT_THAT(done.err, HasSubstr("c\\x1b[31md.png: "));
    EXPECT_THAT(done.err, HasSubstr("e\\xff.png: "));
    EXPECT_THAT(done.err, HasSubstr("h\\ni.png: "));
  }
  EXPECT_TRUE(exists("runtime/fine.ktx2"));
}

TEST_F(Paths, no_command_sends_control_characters_of_a_name_to_the_terminal) {
  const std::string evil =
      "x\x1b]0;t\x07\x1b[2J\xc2\x9b"
      "31m";
  write("assets/" + evil + ".png", png(4, 4, 1));
  write("runtime/" + evil + ".ktx2", "no texture");
  const std::string quoted = "$'x\\x1b]0;t\\x07\\x1b[2J\\xc2\\x9b31m'";
  for (const std::string& arguments :
       {std::string(), std::string("-v --explain --color always"), std::string("--json"), std::string("-n --explain"),
        std::string("info"), std::string("info --json"), std::string("check"), "convert " + quoted + " a.glb",
        "render a.glb " + quoted, "--preset " + quoted, quoted, "info " + quoted, "pack info " + quoted}) {
    const Finished done = run(arguments);
    for (const std::string& text : {done.out, done.err}) {
      EXPECT_EQ(text.find("\x1b]"), std::string::npos) << arguments;
      EXPECT_EQ(text.find("\x1b[2J"), std::string::npos) << arguments;
      EXPECT_EQ(text.find('\x07'), std::string::npos) << arguments;
      EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos) << arguments;
    }
  }
}

TEST_F(Paths, what_is_left_out_is_said_with_what_to_do_and_counted_when_nothing_changed) {
  write("assets/a.png", png(4, 4, 1));
  write("assets/.hidden.png", png(4, 4, 1));
  write("assets/sub/.too.png", png(4, 4, 1));
  write("assets/._a.png", "of a file manager");
  write("assets/.gitignore", "*");
  write("assets/.git/a.png", png(4, 4, 1));
  write("assets/.wip/a.png", png(4, 4, 1));
  fs::create_symlink("nowhere.png", root_ / "assets/broken.png");
  fs::create_directory_symlink(".", root_ / "assets/loop");
  ASSERT_EQ(mkfifo((root_ / "assets/pipe.png").c_str(), 0600), 0);
  const std::string warnings =
      "warning: .hidden.png: is hidden and ignored; so is sub/.too.png; rename it without the dot, or list it under "
      "ignore: [hidden-file]\n"
      "warning: broken.png: is a link whose target does not exist; it is ignored; correct or remove it [broken-link]\n"
      "warning: loop: is a link to a folder that contains it; it is not followed; remove it, or list it under ignore: "
      "[link-loop]\n"
      "warning: pipe.png: is a pipe, socket or device; it is ignored; replace it with a file, or list it under "
      "ignore: [special-file]\n";
  EXPECT_EQ(build().err, warnings);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));  // younger files are read again
  build();
  EXPECT_EQ(build().err, "4 warnings already reported; --warnings lists all\n");
  EXPECT_EQ(build("--warnings").err, warnings);
  EXPECT_THAT(build("-v").err, HasSubstr("note: .wip: is a hidden folder; its files are ignored; "));
  write("assets/.new.png", png(4, 4, 1));
  EXPECT_THAT(build().err, HasSubstr("so are .new.png, sub/.too.png; "));
  write("assetc.yml", "ignore: [\"**/.*\", broken.png, loop, pipe.png]\n");
  EXPECT_EQ(build().err, "");
}

TEST_F(Paths, a_pointer_of_git_lfs_is_named_as_such_for_every_kind_of_file) {
  const std::string pointer =
      "version https://git-lfs.github.com/spec/v1\noid sha256:" + std::string(64, 'a') + "\nsize 9\n";
  const Model model = grid_model("chair", "red.png", 4);
  const std::vector<std::string> sources{"a.png",
                                         "b.n.jpg",
                                         "c.exr",
                                         "d.ktx2",
                                         "e.glb",
                                         "f.obj",
                                         "g.mat",
                                         "h.lut.cube",
                                         "i.env.hdr",
                                         "j.gali",
                                         "k.shader/vertex.glsl",
                                         "l.array/0.png",
                                         "m/chair.bin",
                                         "n/red.png"};
  for (const std::string& source : sources) write("assets/" + source, pointer);
  write("assets/m/chair.gltf", model.gltf);
  write("assets/m/red.png", png(4, 4, 1));
  write("assets/n/chair.gltf", model.gltf);
  write("assets/n/chair.bin", model.bin);
  const Finished done = run();
  for (const std::string& source : sources)
    EXPECT_THAT(done.err, HasSubstr("error: " + source +
                                    ": is a pointer of Git LFS, not the file itself; run `git lfs "
                                    "pull`\n"));
  for (const char* arguments :
       {"convert assets/a.png a.ktx2", "render assets/e.glb a.png", "diff assets/a.png assets/a.png"})
    EXPECT_THAT(run(arguments).err, HasSubstr("is a pointer of Git LFS")) << arguments;
}

TEST_F(Paths, errors_come_in_the_order_of_sources_whatever_finished_first) {
  for (int i = 0; i < 40; ++i)
    write("assets/t" + std::to_string(100 + i) + ".png", i % 4 == 0 ? png(64, 64, 1) : std::string(i * 100u, 'x'));
  std::set<std::string> seen;
  for (const char* jobs : {"-j 1", "-j 2", "-j 7"}) seen.insert(run(jobs).err);
  ASSERT_EQ(seen.size(), 1u);
  const auto lines = lines_after(*seen.begin(), "error: ");
  EXPECT_EQ(lines.size(), 30u);
  EXPECT_TRUE(std::ranges::is_sorted(lines));
}

}  // namespace
}  // namespace assetc::e2e
