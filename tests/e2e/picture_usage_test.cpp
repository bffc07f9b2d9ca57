// How names, settings and slots decide the usage of pictures, and the warnings if they disagree.
#include <gmock/gmock.h>

#include "e2e/project.hpp"

namespace assetc::e2e {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class PictureUsage : public Project {};

// A ramp of gray or of brown.
std::string tga(std::uint8_t side, bool is_gray) {
  std::string file(12, '\0');
  file[2] = is_gray ? '\3' : '\2';
  const std::uint8_t bits = is_gray ? 8 : 24, top_down = 0x20;
  for (const std::uint8_t byte : {side, std::uint8_t{0}, side, std::uint8_t{0}, bits, top_down})
    file += static_cast<char>(byte);
  for (int i = 0; i < side * side; ++i) {
    const int light = i % side * 8;
    file += static_cast<char>(light / 2);
    if (!is_gray) file += {static_cast<char>(light * 2 / 3), static_cast<char>(light)};
  }
  return file;
}

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

TEST_F(PictureUsage, a_picture_beside_a_noun_says_what_it_is) {
  write("assets/wood/planks_mask.png", png(16, 16, 1));
  write("assets/wood/ao.png", png(16, 16, 2));
  write("assets/flags/ao.png", png(16, 16, 3));
  EXPECT_THAT(build("-v").err,
              AllOf(HasSubstr("built flags/ao.png (texture) "), HasSubstr("built wood/ao.png (texture) "),
                    HasSubstr("built wood/planks_mask.png (texture) ")));
  write("assets/wood/albedo.png", png(16, 16, 4));
  write("assets/wood/Planks_Normal.png", png(16, 16, 5));
  EXPECT_THAT(
      lines_after(build("--explain").out, "built "),
      ElementsAre("wood/Planks_Normal.png (texture, normal): not built yet", "wood/albedo.png (texture): not built yet",
                  "wood/ao.png (texture, gray): parameter changed: mode color -> gray",
                  "wood/planks_mask.png (texture, linear): parameter changed: mode color -> linear"));
  EXPECT_EQ(ktx2_transfer(read("runtime/wood/planks_mask.ktx2")), kLinear);
  EXPECT_EQ(ktx2_transfer(read("runtime/flags/ao.ktx2")), kSrgb);
  const auto incremental = tree();
  build("--no-cache -q -o clean");
  EXPECT_EQ(incremental, tree("clean"));
}

TEST_F(PictureUsage, a_noun_that_looks_like_data_is_told) {
  write("assets/gas_mask.tga", tga(16, false));
  write("assets/rock_mask.tga", tga(16, true));
  write("assets/planks.tga", tga(20, true));
  const std::string said =
      "warning: rock_mask.tga: its name ends with \"mask\", and its texels look like data: all are gray; it is "
      "compiled as color, because no color or normal map of the same name is beside it; set texture.usage: linear (or "
      "gray) in a rule for it, or texture.usage: color if it is one [unlikely-usage]\n";
  const std::string err = build().err;
  EXPECT_THAT(err, HasSubstr(said));
  EXPECT_EQ(err.find("unlikely-usage"), err.rfind("unlikely-usage")) << "one warning";
  write("assetc.yml", "default:\n  rules:\n    - match: \"*_mask.tga\"\n      texture: {usage: color}\n");
  EXPECT_THAT(build().err, Not(HasSubstr("unlikely-usage")));
}

TEST_F(PictureUsage, the_slot_of_a_model_counts_more_than_a_noun) {
  write("assets/m.obj", "mtllib m.mtl\nusemtl w\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  write("assets/m.mtl", "newmtl w\nmap_Kd wood_mask.tga\n");
  write("assets/wood_mask.tga", tga(16, true));
  write("assets/wood_albedo.png", png(16, 16, 2));
  EXPECT_THAT(build().err, Not(HasSubstr("unlikely-usage")));
  EXPECT_EQ(ktx2_transfer(read("runtime/m/tex_0.ktx2")), kSrgb);
}

TEST_F(PictureUsage, normals_of_directx_are_turned_wherever_they_are_used) {
  for (const char* picture : {"up/rock_nor_gl.png", "down/rock_nor_dx.png"})
    write(std::string("assets/") + picture, png(16, 16, 1));
  write("assets/down/rock.mat", "normal_texture: rock_nor_dx.png\n");
  write("assetc.yml", "default:\n  texture: {format: rgba8, mips: false}\n");
  build("-q");
  const auto green = [&](const std::string& file) {
    build("convert runtime/" + file + " out.png");
    return read("out.png");
  };
  EXPECT_NE(green("up/rock_nor_gl.ktx2"), green("down/rock_nor_dx.ktx2"));
  write("assetc.yml", "default:\n  texture: {format: rgba8, mips: false, normal_y: opengl}\n");
  build("-q");
  EXPECT_EQ(green("up/rock_nor_gl.ktx2"), green("down/rock_nor_dx.ktx2"));
  write("assetc.yml", "default:\n  texture: {format: rgba8, mips: false, normal_y: directx}\n");
  build("-q");
  EXPECT_EQ(green("up/rock_nor_gl.ktx2"), green("down/rock_nor_dx.ktx2"));
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
