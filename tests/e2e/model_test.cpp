// A model and its parts: the steps after an edit, checks, and the names that an engine resolves.
#include "e2e/model.hpp"

#include <gmock/gmock.h>

#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hmesh.hpp"
#include "e2e/project.hpp"
#include "places.hpp"

namespace assetc::e2e {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class Models : public Project {
 protected:
  void SetUp() override {
    Project::SetUp();
    for (const char* name : {"chair", "table"}) {
      const Model model = grid_model(name, "wood.png", 8, *name == 'c' ? 0.1f : 0.2f);
      write(std::string("assets/models/") + name + ".gltf", model.gltf);
      write(std::string("assets/models/") + name + ".bin", model.bin);
    }
    write("assets/models/wood.png", png(32, 32, 1));
    build();
  }
  std::vector<std::string> explained() {
    const auto lines = lines_after(build("--explain").out, "built ");
    const auto incremental = tree();
    build("--no-cache -q -o clean");
    EXPECT_EQ(incremental, tree("clean"));
    return lines;
  }
};

TEST_F(Models, publish_their_parts_and_check_finds_no_problem) {
  std::vector<std::string> paths;
  for (const auto& [path, bytes] : tree()) paths.push_back(path);
  EXPECT_THAT(paths, ElementsAre("assets.hman", "models/chair.hmat", "models/chair.hmesh", "models/chair.hscene",
                                 "models/chair/mesh_0.hmesh", "models/chair/tex_0.ktx2", "models/table.hmat",
                                 "models/table.hmesh", "models/table.hscene", "models/table/mesh_0.hmesh",
                                 "models/table/tex_0.ktx2"));
  EXPECT_THAT(build("check").out, HasSubstr("11 files, 8 texture references followed, no problem"));
}

TEST_F(Models, their_pictures_are_compiled_only_as_they_use_them_however_the_path_is_spelled) {
  EXPECT_THAT(build().out, HasSubstr("1 picture compiled only for models that use it"));
  write("assets/textures/dark wood.png", png(32, 32, 2));
  replace("assets/models/chair.gltf", "wood.png", "../models/./../textures/dark%20wood.png");
  write("assets/models/bench.obj", "mtllib bench.mtl\nusemtl oak\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n");
  write("assets/models/bench.mtl", "newmtl oak\nmap_Kd oak.png\nnorm bumps.png\n");
  write("assets/models/oak.png", png(32, 32, 3));
  write("assets/models/bumps.png", png(32, 32, 4));
  EXPECT_THAT(build().out, HasSubstr("4 pictures compiled only for models that use them"));
  for (const char* alone : {"models/wood", "models/oak", "models/bumps", "textures/dark wood"})
    EXPECT_FALSE(exists(std::string("runtime/") + alone + ".ktx2")) << alone;
  // The slot decides the usage of a picture, not its name.
  EXPECT_EQ(ktx2_transfer(read("runtime/models/bench/tex_0.ktx2")), kSrgb);
  EXPECT_EQ(ktx2_transfer(read("runtime/models/bench/tex_1.ktx2")), kLinear);
  EXPECT_THAT(build("check").err, testing::Not(HasSubstr("used by no material")));

  replace("assets/models/bench.mtl", "norm bumps.png\n", "");
  EXPECT_THAT(explained(), ElementsAre("models/bench.obj (mesh): input changed: models/bench.mtl",
                                       "models/bumps.png (texture): not built yet"));
  EXPECT_THAT(build("check").err, HasSubstr("1 texture is used by no material: models/bumps.ktx2"));
}

TEST_F(Models, an_image_of_two_models_is_cooked_once) {
  EXPECT_EQ(tree().at("models/chair/tex_0.ktx2"), tree().at("models/table/tex_0.ktx2"));
  const Finished done = run("--no-cache --explain");
  EXPECT_EQ(lines_after(done.out, "copied ").size(), 1u) << done.out;
}

TEST_F(Models, a_changed_buffer_runs_its_model_alone) {
  write("assets/models/chair.bin", grid_model("chair", "wood.png", 8, 0.3f).bin);
  const auto lines = explained();
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0], "models/chair.gltf (mesh): input changed: models/chair.bin");
}

TEST_F(Models, a_changed_image_runs_textures_and_no_mesh) {
  write("assets/models/wood.png", png(32, 32, 2));
  const Finished done = build("--explain");
  for (const std::string& line : lines_after(done.out, "built "))
    EXPECT_THAT(line, HasSubstr("(texture): input changed: models/wood.png"));
  EXPECT_THAT(explained(), IsEmpty());
}

TEST_F(Models, nothing_changed_runs_nothing) { EXPECT_THAT(explained(), IsEmpty()); }

TEST_F(Models, a_missing_texture_output_is_made_again) {
  remove("runtime/models/table/tex_0.ktx2");
  build();
  EXPECT_THAT(build("check").out, HasSubstr("no problem"));
}

TEST_F(Models, two_models_of_one_output_are_named_both) {
  write("assets/models/chair.glb", "x");
  const Finished done = run();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, testing::AllOf(HasSubstr("models/chair.gltf"), HasSubstr("models/chair.glb")));
}

TEST_F(Models, a_broken_model_is_located) {
  replace("assets/models/chair.gltf", R"("count":81,"type":"VEC2")", R"("count":81000,"type":"VEC2")");
  const Finished done = run();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("error: models/chair.gltf: /accessors/2"));
  EXPECT_THAT(build("check").out, HasSubstr("no problem"));
}

TEST_F(Models, a_vrm_is_a_glb_for_every_command) {
  fs::copy_file(fs::path(places::kSource) / "tests/data/corpus/models/box.glb", root_ / "assets/hero.VRM");
  write("assets/wave.gif", "GIF89a");
  EXPECT_THAT(build().out, HasSubstr("no importer: .gif 1 (.gif: save its frames as .png)"));
  EXPECT_TRUE(exists("runtime/hero.hmesh"));
  build("optimize assets/hero.VRM small.glb");
  build("convert assets/hero.VRM hero.hmesh");
  build("render assets/hero.VRM hero.png");
  EXPECT_THAT(build("optimize assets small").out, HasSubstr("3 built"));
}

TEST_F(Models, info_and_check_know_every_container) {
  for (const char* container : {"hmesh-v1", "galileo"}) {
    write("assetc.yml", std::string("ignore: [\"models/*.png\"]\ndefault: {mesh: {container: ") + container + "}}\n");
    build("-q");
    EXPECT_THAT(build("check").out, HasSubstr("no problem")) << container;
    EXPECT_THAT(build("info").out, HasSubstr(container == std::string("galileo") ? "galileo: " : "hmesh 1: "));
    const std::string mesh =
        container == std::string("galileo") ? "runtime/models/chair.gali" : "runtime/models/chair.hmesh";
    const std::string bytes = read(mesh);
    write(mesh, bytes.substr(0, bytes.size() - 1));
    EXPECT_EQ(run("check").exit_code, 1) << container;
    write(mesh, bytes);
  }
}

class Damaged : public Models {
 protected:
  std::string problems() {
    const Finished done = run("check");
    EXPECT_EQ(done.exit_code, 1) << done.out;
    return done.err;
  }
};

TEST_F(Damaged, a_missing_texture) {
  remove("runtime/models/chair/tex_0.ktx2");
  EXPECT_THAT(problems(), HasSubstr("models/chair/tex_0.ktx2 is not in the output folder"));
}

TEST_F(Damaged, a_missing_manifest) {
  remove("runtime/assets.hman");
  EXPECT_THAT(problems(), HasSubstr("assets.hman: there is no manifest"));
}

TEST_F(Damaged, a_truncated_file_of_each_kind) {
  for (const auto& [path, bytes] : tree()) {
    write("runtime/" + path, bytes.substr(0, bytes.size() - 1));
    EXPECT_THAT(problems(), HasSubstr("error: " + path + ": ")) << path;
    write("runtime/" + path, bytes);
  }
  EXPECT_EQ(run("check").exit_code, 0);
}

TEST_F(Damaged, material_rows_that_do_not_match_the_mesh) {
  const hmat::GpuMaterial rows[2] = {};
  const auto table = hmat::write(rows);
  ASSERT_TRUE(table);
  write("runtime/models/chair.hmat", as_text(*table));
  EXPECT_THAT(problems(), HasSubstr("models/chair.hmesh: MTRL: has 1 material, but models/chair.hmat has 2 rows"));
}

TEST_F(Damaged, a_reference_that_nobody_answers) {
  hmat::GpuMaterial row;
  row.normal_texture = 0x1234;
  const auto table = hmat::write({&row, 1});
  ASSERT_TRUE(table);
  write("runtime/models/chair.hmat", as_text(*table));
  EXPECT_THAT(problems(), HasSubstr("models/chair.hmat: row 0: normal texture 0000000000001234 is not in assets.hman"));
}

TEST_F(Damaged, a_texture_in_the_wrong_color_space) {
  write("assetc.yml", "default: {texture: {mips: false}}\n");
  remove("assets/models");
  write("assets/a.png", png(32, 32, 1));
  write("assets/a2.n.png", png(32, 32, 1));
  build("-q -o other");
  write("runtime/models/chair/tex_0.ktx2", read("other/a2.n.ktx2"));
  EXPECT_THAT(problems(), HasSubstr("says that models/chair/tex_0.ktx2 is sRGB, but the file is linear"));
}

TEST_F(Damaged, a_level_that_does_not_inflate) {
  write("assetc.yml", "default: {texture: {compress: false}}\n");
  build("-q");
  std::string bytes = read("runtime/models/chair/tex_0.ktx2");
  const std::size_t frame = bytes.rfind("\x28\xb5\x2f\xfd");  // of level 0, which is last in the file
  ASSERT_NE(frame, std::string::npos);
  bytes[frame + 1] = 0;
  write("runtime/models/chair/tex_0.ktx2", bytes);
  const std::string found = problems();
  EXPECT_THAT(found, HasSubstr("models/chair/tex_0.ktx2: level 0: "));
}

}  // namespace
}  // namespace assetc::e2e
