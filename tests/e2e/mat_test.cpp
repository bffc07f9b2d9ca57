// assetc mat: materials from the names of pictures.
#include <gmock/gmock.h>

#include "e2e/project.hpp"

namespace assetc::e2e {
namespace {

using testing::HasSubstr;
using testing::Not;

class Mat : public Project {
 protected:
  void pictures(std::initializer_list<std::string> paths) const {
    std::uint32_t seed = 0;
    for (const std::string& path : paths) write("assets/" + path, png(4, 4, ++seed));
  }
};

TEST_F(Mat, a_set_becomes_a_material_that_builds) {
  pictures({"walls/T_Wall_BC.png", "walls/T_Wall_N.png", "walls/T_Wall_ORM.png", "walls/T_Wall_Specular.png"});
  const Finished done = run("mat assets/walls");
  EXPECT_EQ(done.exit_code, 0);
  EXPECT_EQ(done.err, "");
  EXPECT_EQ(done.out,
            "wrote assets/walls/T_Wall.mat: T_Wall_BC.png, T_Wall_ORM.png, T_Wall_N.png\n"
            "  not used, because no key of a .mat takes it: T_Wall_Specular.png\n");
  EXPECT_EQ(read("assets/walls/T_Wall.mat"),
            "name: T_Wall\nbase_color_texture: T_Wall_BC.png\nmetallic_roughness_texture: T_Wall_ORM.png\n"
            "normal_texture: T_Wall_N.png\nocclusion_texture: T_Wall_ORM.png\n");
  const Finished built = build();
  EXPECT_EQ(built.exit_code, 0);
  EXPECT_EQ(built.err, "");
  EXPECT_EQ(run("check").exit_code, 0);
  // The material uses the textures of the pictures; none is compiled again for it.
  EXPECT_FALSE(exists("runtime/walls/T_Wall"));
}

TEST_F(Mat, a_dry_run_writes_nothing) {
  pictures({"a_albedo.png", "a_normal.png"});
  EXPECT_EQ(run("mat assets --dry-run").out, "would write assets/a.mat: a_albedo.png, a_normal.png\n");
  EXPECT_FALSE(exists("assets/a.mat"));
  EXPECT_THAT(run("mat assets -n --json").out,
              HasSubstr(R"("event":"material","path":"assets/a.mat","written":false,"pictures":["a_albedo.png")"));
  EXPECT_FALSE(exists("assets/a.mat"));
}

TEST_F(Mat, subfolders_and_other_conventions) {
  pictures({"bricks.png", "bricks.n.png", "rock/albedo.png", "rock/normal.png", "rock/ao.png", "rock/orm.png",
            "deep/er/Lamp_BaseColor.png", "deep/er/Lamp_Emissive.png", "alone_bc.png", "photo.png", "photo2.png",
            "gas.png", "gas_mask.png", "wall_bc.png", "wall_n+low.png"});
  const Finished done = run("mat assets");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.out,
            "wrote assets/bricks.mat: bricks.png, bricks.n.png\n"
            "wrote assets/deep/er/Lamp.mat: Lamp_BaseColor.png, Lamp_Emissive.png\n"
            "wrote assets/rock/rock.mat: albedo.png, orm.png, normal.png, ao.png\n");
  EXPECT_THAT(read("assets/deep/er/Lamp.mat"), HasSubstr("metallic: 0\nemissive_texture: Lamp_Emissive.png\nemissive: "
                                                         "[1, 1, 1]\n"));
  EXPECT_THAT(read("assets/rock/rock.mat"), HasSubstr("occlusion_texture: ao.png\n"));
  EXPECT_EQ(build().exit_code, 0);
}

TEST_F(Mat, the_pictures_of_the_input_folder_are_named_after_it) {
  pictures({"albedo.png", "normal.png"});
  EXPECT_EQ(run("mat assets").out, "wrote assets/assets.mat: albedo.png, normal.png\n");
}

TEST_F(Mat, a_file_that_exists_is_never_replaced) {
  pictures({"a_bc.png", "a_n.png", "B_bc.png", "B_n.png", "c_bc.png", "c_n.png"});
  write("assets/a.mat", "name: mine\n");
  write("assets/b.MAT", "name: mine too\n");
  EXPECT_EQ(run("mat assets").out,
            "wrote assets/c.mat: c_bc.png, c_n.png\nassets/b.MAT already exists and was not changed\n"
            "assets/a.mat already exists and was not changed\n");
  EXPECT_EQ(read("assets/a.mat"), "name: mine\n");
  EXPECT_FALSE(exists("assets/B.mat"));
  const Finished again = run("mat assets");
  EXPECT_EQ(again.exit_code, 0);
  EXPECT_THAT(again.out, Not(HasSubstr("wrote")));
}

TEST_F(Mat, two_pictures_with_one_role_are_named_and_not_chosen) {
  pictures({"T_Wall_BC.png", "T_Wall_D.png", "T_Wall_N.png", "ok_bc.png", "ok_n.png", "t_floor_n.png",
            "T_Floor_normal.png"});
  const Finished done = run("mat assets");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_EQ(done.out, "wrote assets/ok.mat: ok_bc.png, ok_n.png\n");
  EXPECT_THAT(done.err,
              HasSubstr("error: T_Wall_BC.png: is the base color of the same set as T_Wall_D.png; rename one of "
                        "them, or write the .mat by hand"));
  EXPECT_THAT(done.err, HasSubstr("error: T_Floor_normal.png: is the normal map of the same set as t_floor_n.png"));
  EXPECT_FALSE(exists("assets/T_Wall.mat"));
}

TEST_F(Mat, names_in_other_letter_case_are_one_set) {
  pictures({"T_Wall_BC.png", "t_wall_n.png", "x/x_bc.png", "x/x_n.png", "x/albedo.png", "x/normal.png"});
  const Finished done = run("mat assets");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out, HasSubstr("wrote assets/T_Wall.mat: T_Wall_BC.png, t_wall_n.png\n"));
  EXPECT_THAT(done.err,
              HasSubstr("its set would have the same file as that of x/albedo.png: x/x.mat; rename the pictures "
                        "of one of them"));
}

TEST_F(Mat, names_in_any_script_and_with_signs_of_yaml) {
  pictures({"W\xC3\xA4nde/\xE5\xA3\x81_bc.png", "W\xC3\xA4nde/\xE5\xA3\x81_n.png", "#1 \"old\" {wall}_bc.png",
            "#1 \"old\" {wall}_n.png", "null_bc.png", "null_n.png"});
  EXPECT_EQ(run("mat assets").exit_code, 0);
  EXPECT_EQ(read("assets/W\xC3\xA4nde/\xE5\xA3\x81.mat"),
            "name: \xE5\xA3\x81\nbase_color_texture: \xE5\xA3\x81_bc.png\nmetallic: 0\nnormal_texture: "
            "\xE5\xA3\x81_n.png\n");
  EXPECT_THAT(read("assets/#1 \"old\" {wall}.mat"), HasSubstr("name: \"#1 \\\"old\\\" {wall}\"\n"));
  const Finished built = build();
  EXPECT_EQ(built.exit_code, 0) << built.err;
  EXPECT_EQ(run("check").exit_code, 0);
}

TEST_F(Mat, suffixes_of_the_configuration_count) {
  write("assetc.yml", "suffixes: {normal: [nmap], orm: [pbr]}\n");
  pictures({"a_color.png", "a_nmap.png", "a_pbr.png"});
  EXPECT_EQ(run("mat assets").out, "wrote assets/a.mat: a_color.png, a_pbr.png, a_nmap.png\n");
}

TEST_F(Mat, channels_in_another_order_and_single_maps_fit_no_key) {
  pictures({"a_bc.png", "a_n.png", "a_rma.png", "a_roughness.png", "a_metallic.png"});
  EXPECT_EQ(run("mat assets").out,
            "wrote assets/a.mat: a_bc.png, a_n.png\n  not used, because no key of a .mat takes it: a_metallic.png, "
            "a_rma.png, a_roughness.png\n");
}

TEST_F(Mat, a_folder_without_sets_is_an_error) {
  pictures({"plain.png", "other.png", "empty/one_n.png", "skipped/a_bc.png", "skipped/a_n.png"});
  write("assetc.yml", "ignore: [\"skipped/*\"]\n");
  for (const char* folder : {"assets", "assets/empty", "assets/skipped"}) {
    const Finished done = run("mat " + std::string(folder));
    EXPECT_EQ(done.exit_code, 1) << folder;
    EXPECT_EQ(done.out, "");
    EXPECT_EQ(done.err,
              "error: " + std::string(folder) +
                  ": has no set of pictures; expected two or more that differ in the end of their names, such as "
                  "wall_bc.png and wall_n.png; rename the pictures, or write the .mat by hand\n");
  }
}

TEST_F(Mat, a_folder_elsewhere_is_refused) {
  pictures({"a/a_bc.png", "a/a_n.png"});
  write("other/b_bc.png", png(4, 4, 1));
  write("other/b_n.png", png(4, 4, 2));
  write("assetsX/b_bc.png", png(4, 4, 1));
  for (const char* folder : {"other", ".", "..", "assetsX", "/"}) {
    const Finished done = run("mat " + std::string(folder));
    EXPECT_EQ(done.exit_code, 2) << folder;
    EXPECT_THAT(done.err, HasSubstr("is not in the input folder of the build, assets; move the pictures there, or set "
                                    "input: in assetc.yml"))
        << folder;
  }
  EXPECT_THAT(run("mat nowhere").err, HasSubstr("error: nowhere: does not exist; give a folder below assets"));
  EXPECT_THAT(run("mat assets/a/a_bc.png").err, HasSubstr("is not a folder; give the folder of the pictures"));
  EXPECT_EQ(run("mat").exit_code, 2);
  // From a folder of the project, through a link, and with another spelling of the same folder.
  EXPECT_EQ(run("mat assets/../assets/./a/").out, "wrote assets/a/a.mat: a_bc.png, a_n.png\n");
}

TEST_F(Mat, a_file_that_cannot_be_written_is_named) {
  pictures({"a/a_bc.png", "a/a_n.png", "b_bc.png", "b_n.png"});
  fs::permissions(root_ / "assets/a", fs::perms::owner_read | fs::perms::owner_exec);
  const Finished done = run("mat assets");
  fs::permissions(root_ / "assets/a", fs::perms::owner_all);
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("assets/a/a.mat"));
  EXPECT_TRUE(exists("assets/b.mat"));
}

}  // namespace
}  // namespace assetc::e2e
