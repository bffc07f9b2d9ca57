// How names, settings and slots decide the usage of pictures, and the warnings if they disagree.
#include <gmock/gmock.h>

#include "e2e/project.hpp"

namespace assetc::e2e {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class PictureUsage : public Project {};

TEST_F(PictureUsage, the_end_of_a_name_says_what_a_picture_is) {
  for (const char* name : {"T_Rock_N", "T_Rock_ORM", "T_Rock_BaseColor", "rock-roughness"})
    write(std::string("assets/") + name + ".png", png(16, 16, 1));
  const Finished done = build("-v");
  EXPECT_THAT(done.err, HasSubstr("built T_Rock_N.png (texture, normal)"));
  EXPECT_THAT(done.err, HasSubstr("built T_Rock_ORM.png (texture, orm)"));
  EXPECT_THAT(done.err, HasSubstr("built T_Rock_BaseColor.png (texture)"));
  EXPECT_THAT(done.err, HasSubstr("built rock-roughness.png (texture, gray)"));
  // The test picture is in color and is not a normal map.
  EXPECT_THAT(done.err, HasSubstr("warning: T_Rock_N.png: compiled as a normal map, but only "));
  EXPECT_THAT(done.err, HasSubstr("warning: rock-roughness.png: a grayscale map with colors"));
  EXPECT_EQ(ktx2_transfer(read("runtime/T_Rock_N.ktx2")), kLinear);
  EXPECT_EQ(ktx2_transfer(read("runtime/T_Rock_BaseColor.ktx2")), kSrgb);
}

TEST_F(PictureUsage, settings_and_suffixes_overrule_names_and_run_what_they_change_alone) {
  write("assets/arrow_n.png", png(16, 16, 1));
  write("assets/rock_nmap.png", png(16, 16, 2));
  build();
  write("assetc.yml",
        "suffixes: {normal: nmap}\ndefault:\n  rules:\n    - match: arrow*\n      texture: {usage: color}\n");
  const auto lines = lines_after(build("--explain").out, "built ");
  EXPECT_THAT(lines, ElementsAre("arrow_n.png (texture): parameter changed: mode normal -> color",
                                 "rock_nmap.png (texture, normal): parameter changed: mode color -> normal"));
  const auto incremental = tree();
  build("--no-cache -q -o clean");
  EXPECT_EQ(incremental, tree("clean"));
}

TEST_F(PictureUsage, suffixes_that_mean_nothing_are_refused) {
  write("assets/a.png", png(4, 4, 1));
  const auto refused = [&](const std::string& yaml) {
    write("assetc.yml", yaml);
    const Finished done = run();
    EXPECT_EQ(done.exit_code, 2) << yaml;
    return done.err;
  };
  EXPECT_THAT(refused("suffixes: {bumpy: b}\n"), HasSubstr("expected color, linear, normal, gray, orm, hdr or lut"));
  EXPECT_THAT(refused("suffixes: {normal: [b, _B]}\n"), HasSubstr("each suffix once: this one says normal"));
  EXPECT_THAT(refused("suffixes: {normal: \"_\"}\n"), HasSubstr("expected the last word of a name"));
  EXPECT_THAT(refused("suffixes: b\n"), HasSubstr("expected usages and their suffixes"));
}

TEST_F(PictureUsage, a_mat_gets_what_its_slot_needs_whatever_says_it) {
  write("assets/rock_n.png", png(16, 16, 1));
  write("assets/rock.mat", "normal_texture: rock_n.png\n");
  build("-q");
  EXPECT_TRUE(exists("runtime/rock_n.ktx2"));
  EXPECT_FALSE(exists("runtime/rock/normal_rock_n.ktx2"));
  write("assetc.yml", "default:\n  texture: {usage: color}\n");
  build("-q");
  EXPECT_TRUE(exists("runtime/rock/normal_rock_n.ktx2"));
  EXPECT_FALSE(exists("runtime/rock_n.ktx2"));
  EXPECT_THAT(build("check").out, HasSubstr("no problem"));
}

TEST_F(PictureUsage, a_usage_that_a_slot_overrules_is_told) {
  write("assets/m.obj", "mtllib m.mtl\nusemtl w\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  write("assets/m.mtl", "newmtl w\nmap_Kd wood.png\n");
  write("assets/wood.png", png(16, 16, 1));
  EXPECT_THAT(build().err, Not(HasSubstr("settings")));
  write("assetc.yml", "default:\n  rules:\n    - match: wood.png\n      texture: {usage: linear}\n");
  const std::string said =
      "warning: wood.png: has texture.usage linear in its settings, but m.obj uses it as color, which takes "
      "precedence; remove texture.usage from the rule, or assign the picture to the matching slot [overruled-usage]\n";
  EXPECT_THAT(build().err, HasSubstr(said));
  EXPECT_EQ(ktx2_transfer(read("runtime/m/tex_0.ktx2")), kSrgb);
  EXPECT_THAT(build("--warnings").err, HasSubstr(said));
  write("assetc.yml", "default:\n  rules:\n    - match: wood.png\n      texture: {usage: color}\n");
  EXPECT_THAT(build().err, Not(HasSubstr("settings")));
}

TEST_F(PictureUsage, a_mat_with_the_ref_of_a_models_material_is_told) {
  write("assets/m.obj", "mtllib m.mtl\nusemtl Wood\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  write("assets/m.mtl", "newmtl Wood\nKd 1 0 0\n");
  EXPECT_THAT(build().err, Not(HasSubstr("same ref")));
  for (const std::string name : {"assets/m/Wood.mat", "assets/m/wood.mat"}) {
    write(name, "base_color: [1, 1, 1]\n");
    EXPECT_THAT(build().err,
                HasSubstr("it has the same ref as " + name.substr(7) + ", m/wood; rename the material or the file"));
    remove(name);
    EXPECT_THAT(build().err, Not(HasSubstr("same ref")));
  }
}

TEST_F(PictureUsage, convert_takes_the_same_setting) {
  write("rock_n.png", png(16, 16, 1));
  build("convert rock_n.png named.ktx2");
  build("convert rock_n.png said.ktx2 --texture.usage color");
  EXPECT_EQ(ktx2_transfer(read("named.ktx2")), kLinear);
  EXPECT_EQ(ktx2_transfer(read("said.ktx2")), kSrgb);
}

TEST_F(PictureUsage, pictures_below_an_array_are_told) {
  write("assets/ground.array/0.png", png(8, 8, 1));
  write("assets/ground.array/more/1.png", png(8, 8, 2));
  const std::string said = "warning: ground.array: 1 file in its subfolders is left out: ground.array/more/1.png";
  EXPECT_THAT(build().err, HasSubstr(said));
  EXPECT_THAT(build("--warnings").err, HasSubstr(said));
  remove("assets/ground.array/more");
  EXPECT_THAT(build().err, Not(HasSubstr("left out")));
}

}  // namespace
}  // namespace assetc::e2e
