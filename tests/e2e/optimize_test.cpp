// assetc optimize: files beside a .gltf, and folders.
#include <gmock/gmock.h>

#include "e2e/model.hpp"
#include "e2e/project.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;

class Optimize : public Project {
 protected:
  // A model in a folder, with its buffer and picture.
  void add_model(const std::string& folder, const std::string& name, int seed) {
    const Model model = grid_model(name, name + ".png", 8, static_cast<float>(seed) * 0.1f);
    write(folder + "/" + name + ".gltf", model.gltf);
    write(folder + "/" + name + ".bin", model.bin);
    write(folder + "/" + name + ".png", png(16, 16, static_cast<std::uint32_t>(seed)));
  }
  void add_models() {
    add_model("in", "chair", 1);
    add_model("in/sub", "table", 2);
    add_model("in/sub/deep", "lamp", 3);
  }
};

TEST_F(Optimize, writes_a_gltf_with_files_beside_it) {
  const Model model = grid_model("chair", "wood.png");
  write("chair.gltf", model.gltf);
  write("chair.bin", model.bin);
  write("wood.png", png(16, 16, 1));
  const Finished made = run("optimize chair.gltf small.gltf --texture.format uastc");
  EXPECT_EQ(made.exit_code, 0) << made.err;
  EXPECT_THAT(made.out, testing::StartsWith("wrote small.gltf and 2 files beside it, "));
  EXPECT_THAT(read("small.gltf"), HasSubstr("\"uri\":\"small.bin\""));
  EXPECT_THAT(read("small.gltf"), HasSubstr("\"uri\":\"small_wood.ktx2\""));
  EXPECT_TRUE(fs::exists(root_ / "small.bin"));
  EXPECT_EQ(run("info small_wood.ktx2").exit_code, 0);
  EXPECT_EQ(run("convert small.gltf back.glb").exit_code, 0);
  // From the cache, under another name.
  EXPECT_EQ(run("optimize chair.gltf sub/other.gltf --texture.format uastc").exit_code, 0);
  EXPECT_THAT(read("sub/other.gltf"), HasSubstr("other.bin"));
  EXPECT_TRUE(fs::exists(root_ / "sub/other_wood.ktx2"));
}

// A model that someone else made refers to files of the one who opens it.
TEST_F(Optimize, convert_and_render_read_nothing_outside_of_the_folder_of_the_model) {
  for (const std::string secret : {"up", "linked"}) {
    const Model model = grid_model(secret == "up" ? "../secret" : "linked", "wood.png");
    write("models/" + secret + "/chair.gltf", model.gltf);
    write(secret == "up" ? "models/secret.bin" : "secret/linked.bin", model.bin);
    write("models/" + secret + "/wood.png", png(16, 16, 1));
  }
  fs::create_symlink("../../secret/linked.bin", root_ / "models/linked/linked.bin");
  const std::pair<std::string, std::string> commands[] = {
      {"optimize", "small.glb"}, {"convert", "small.hmesh"}, {"render", "small.png"}};
  for (const auto& [command, output] : commands) {
    SCOPED_TRACE(command);
    for (const std::string name : {"up", "linked"}) {
      const Finished refused = run(command + " models/" + name + "/chair.gltf " + output);
      EXPECT_EQ(refused.exit_code, 1) << name;
      EXPECT_THAT(refused.err, HasSubstr("lies outside of the folder ")) << name;
      EXPECT_THAT(refused.err, HasSubstr("put it beside the model, or name a folder that holds both with --root\n"))
          << name;
      EXPECT_FALSE(exists(output));
    }
    build(command + " models/up/chair.gltf " + output + " --root models");
    build(command + " models/linked/chair.gltf " + output + " --root .");
    remove(output);
    EXPECT_EQ(run(command + " models/up/chair.gltf " + output).exit_code, 1) << "not from the cache either";
    EXPECT_EQ(run(command + " models/linked/chair.gltf " + output + " --root models").exit_code, 1);
    EXPECT_EQ(run(command + " models/up/chair.gltf " + output + " --root secret").exit_code, 2);
  }
  EXPECT_EQ(run("optimize models small --root .").exit_code, 2);
  write("models/assetc.yml", "");
  for (const auto& [command, output] : commands) {
    build(command + " models/up/chair.gltf " + output);
    EXPECT_EQ(run(command + " models/linked/chair.gltf " + output).exit_code, 1) << "a link leads out of the project";
  }
}

TEST_F(Optimize, never_replaces_a_file_of_its_source) {
  const Model model = grid_model("chair", "wood.png");
  write("in.gltf", model.gltf);
  write("chair.bin", model.bin);
  write("wood.png", png(16, 16, 1));
  const Finished refused = run("optimize in.gltf chair.gltf");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("chair.bin would be written, but in.gltf refers to it"));
  EXPECT_EQ(read("chair.bin"), model.bin);
  EXPECT_FALSE(fs::exists(root_ / "chair.gltf"));
}

TEST_F(Optimize, a_folder_is_built_in_steps) {
  add_models();
  const Finished first = run("optimize in out --for phone");
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_THAT(first.out, HasSubstr("3 sources: 3 built"));
  for (const char* path : {"out/chair.glb", "out/sub/table.glb", "out/sub/deep/lamp.glb"}) {
    EXPECT_THAT(read(path), testing::StartsWith("glTF")) << path;
    EXPECT_TRUE(read(path).contains("image/ktx2")) << path;
    EXPECT_TRUE(read(path).contains("\"name\"")) << path;
  }
  EXPECT_FALSE(fs::exists(root_ / "out/chair.png"));
  EXPECT_EQ(run("optimize in/chair.gltf alone.glb --for phone").exit_code, 0);
  EXPECT_EQ(read("alone.glb"), read("out/chair.glb"));
  const Finished second = run("optimize in out --for phone");
  EXPECT_EQ(second.exit_code, 0);
  EXPECT_THAT(second.out, HasSubstr("0 built, 3 up to date"));
  // One file of one model changes.
  write("in/sub/table.png", png(16, 16, 9));
  EXPECT_THAT(run("optimize in out --for phone").out, HasSubstr("1 built, 2 up to date"));
  // Other options change all.
  EXPECT_THAT(run("optimize in out --for phone --keep none").out, HasSubstr("3 built"));
  EXPECT_FALSE(read("out/chair.glb").contains("\"name\""));
}

TEST_F(Optimize, takes_the_options_of_builds_for_a_model_and_for_a_folder) {
  ::setenv("ASSETC_CACHE", fs::absolute(root_ / "store").c_str(), 1);
  add_models();
  EXPECT_EQ(run("optimize in/chair.gltf chair.gltf -q -j 1").out, "");
  const std::string made = read("chair.gltf");
  const Finished verbose = run("optimize in/chair.gltf chair.gltf -v --no-cache");
  EXPECT_THAT(verbose.out, HasSubstr("wrote chair.bin, "));
  EXPECT_THAT(verbose.out, HasSubstr("wrote chair.gltf and 2 files beside it, "));
  EXPECT_EQ(read("chair.gltf"), made);
  EXPECT_EQ(run("optimize in out -q -j 2").out, "");
  EXPECT_THAT(run("optimize in out").out, HasSubstr("0 built, 3 up to date"));
  const Finished again = run("optimize in out -v --no-cache");
  EXPECT_THAT(again.out, HasSubstr("3 built"));
  EXPECT_THAT(again.out + again.err, HasSubstr("sub/table.gltf"));
  EXPECT_EQ(run("optimize in out -q -v").exit_code, 2);
}

TEST_F(Optimize, an_empty_output_is_filled_from_the_cache) {
  ::setenv("ASSETC_CACHE", fs::absolute(root_ / "store").c_str(), 1);
  add_models();
  EXPECT_EQ(run("optimize in out").exit_code, 0);
  const std::string made = read("out/chair.glb");
  fs::remove_all(root_ / "out");
  EXPECT_THAT(run("optimize in out").out, HasSubstr("0 built, 3 from the cache"));
  EXPECT_EQ(read("out/chair.glb"), made);
}

TEST_F(Optimize, a_changed_mesh_takes_its_pictures_from_the_cache) {
  ::setenv("ASSETC_CACHE", fs::absolute(root_ / "store").c_str(), 1);
  add_models();
  const auto stored = [&] {
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(root_ / "store/products-2"))
      files += entry.is_regular_file();
    return files;
  };
  EXPECT_EQ(run("optimize in/chair.gltf out.glb --texture.format uastc").exit_code, 0);
  EXPECT_EQ(stored(), 2u) << "the model and its picture";
  EXPECT_EQ(run("optimize in/chair.gltf out.glb --mesh.position_bits 12 --texture.format uastc").exit_code, 0);
  EXPECT_EQ(stored(), 3u);
  EXPECT_EQ(run("optimize in/chair.gltf out.glb --texture.rdo 0 --texture.format uastc").exit_code, 0);
  EXPECT_EQ(stored(), 5u);
  // In a folder too.
  EXPECT_EQ(run("optimize in out --texture.format uastc").exit_code, 0);
  const std::size_t before = stored();
  EXPECT_EQ(run("optimize in out --mesh.position_bits 12 --texture.format uastc").exit_code, 0);
  EXPECT_EQ(stored(), before + 3);
}

TEST_F(Optimize, outputs_of_deleted_models_go) {
  add_models();
  EXPECT_EQ(run("optimize in out").exit_code, 0);
  fs::remove(root_ / "in/chair.gltf");
  EXPECT_THAT(run("optimize in out").out, HasSubstr("1 output removed"));
  EXPECT_FALSE(fs::exists(root_ / "out/chair.glb"));
  EXPECT_TRUE(fs::exists(root_ / "out/sub/table.glb"));
}

TEST_F(Optimize, a_file_that_grows_is_told_or_stays) {
  const Model model = grid_model("chair", "wood.png");
  write("in/chair.gltf", model.gltf);
  write("in/chair.bin", model.bin);
  write("in/wood.png", png(16, 16, 1));
  EXPECT_EQ(run("optimize in/chair.gltf models/chair.glb").exit_code, 0);
  // In a folder too, each file that grows is a warning.
  const Finished grown = run("optimize models out --texture.format uastc --mesh.compress none --mesh.quantize false");
  EXPECT_EQ(grown.exit_code, 0) << grown.err;
  EXPECT_THAT(grown.err, testing::MatchesRegex(
                             "warning: chair.glb: becomes larger: it has [0-9]+ % of the source: .*larger-output.\n"));
  EXPECT_THAT(grown.err, HasSubstr("geometry and clips "));
  // Without wishes for its form, it stays.
  EXPECT_EQ(run("optimize models out2").exit_code, 0);
  EXPECT_LE(read("out2/chair.glb").size(), read("models/chair.glb").size());
  EXPECT_EQ(run("optimize in/chair.gltf a.glb --texture.rdo 5").exit_code, 2);
  EXPECT_EQ(run("optimize in/chair.gltf a.glb --texture.format etc1s --texture.etc1s_quality 200").exit_code, 0);
  EXPECT_EQ(run("optimize in/chair.gltf a.glb --texture.format uastc --texture.etc1s_quality 200").exit_code, 2);
}

TEST_F(Optimize, a_broken_model_of_a_folder_stops_no_other) {
  add_models();
  write("in/bad.glb", "glTF");
  const Finished made = run("optimize in out");
  EXPECT_EQ(made.exit_code, 1);
  EXPECT_THAT(made.err, HasSubstr("bad.glb"));
  EXPECT_THAT(made.err, testing::Not(HasSubstr("manifest"))) << "this build has none";
  EXPECT_THAT(made.out, HasSubstr("3 built"));
  EXPECT_TRUE(fs::exists(root_ / "out/sub/deep/lamp.glb"));
  EXPECT_FALSE(fs::exists(root_ / "out/bad.glb"));
  const Finished again = run("optimize in out --json");
  EXPECT_THAT(again.out, HasSubstr("\"event\":\"summary\""));
  EXPECT_THAT(again.out, HasSubstr("\"failed\":1"));
}

TEST_F(Optimize, a_folder_needs_another_folder) {
  add_models();
  write("file.glb", "text");
  EXPECT_EQ(run("optimize in file.glb").exit_code, 2);
  EXPECT_EQ(run("optimize in in/").exit_code, 2);
  EXPECT_EQ(run("optimize none out").exit_code, 1);
  EXPECT_EQ(read("file.glb"), "text");
  // Outputs below the input are no sources.
  EXPECT_EQ(run("optimize in in/out").exit_code, 0);
  EXPECT_THAT(run("optimize in in/out").out, HasSubstr("3 sources: 0 built"));
}

}  // namespace
}  // namespace assetc::e2e
