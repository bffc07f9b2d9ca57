#include "import/obj/obj.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "import/model/model.hpp"
#include "import/model/triangulate.hpp"
#include "import/tiny_gltf.hpp"

namespace assetc::importer {
namespace {

using scene::Vec2;
using scene::Vec3;
using scene::Vec4;
using testing::bytes_of;
using ::testing::ElementsAre;
using testing::files;
using testing::message;

Result<Imported> import_obj_text(const std::string& text, const FileReader& read = files()) {
  return import_obj("models/a.obj", bytes_of(text), read);
}
const std::string kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

const scene::Primitive& first(const Result<Imported>& imported) {
  return imported->scene.meshes.at(0).primitives.at(0);
}

TEST(Obj, reads_corners_of_every_form_and_negative_indices) {
  const auto imported =
      import_obj_text(kSquare + "vt 0.25 0.25\nvn 0 0 1\nf 1/1/1 2//1 3/1/1\nf -4/-1/-1 -2/-1/-1 -1/-1/-1\n");
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_THAT(first(imported).indices, ElementsAre(0, 1, 2, 0, 2, 3));
  EXPECT_EQ(first(imported).positions[3], (Vec3{0, 1, 0}));
  EXPECT_THAT(first(imported).texcoords[0], ElementsAre(Vec2{.25f, .75f}, Vec2{}, Vec2{.25f, .75f}, Vec2{.25f, .75f}));
  EXPECT_EQ(first(imported).normals.size(), 4u);
}

TEST(Obj, says_which_line_is_wrong) {
  EXPECT_EQ(message(import_obj_text("v 0 0 0\nv 1 nan 0\n")), "line 2: found \"nan\", expected a finite number");
  EXPECT_EQ(message(import_obj_text("v 0 0\n")), "line 1: found a vertex of 2 numbers, expected 3 or more");
  EXPECT_EQ(message(import_obj_text(kSquare + "\n# note\nf 1 2 9\n")),
            "line 7: the face names vertex 9, but the file has 4; the file was cut short or its indices are wrong; "
            "export it again");
  EXPECT_EQ(message(import_obj_text(kSquare + "f 1 2 0\n")),
            "line 5: found the corner \"0\", expected v, v/vt, v//vn or v/vt/vn with numbers from 1, or from -1 back "
            "to 4; indices of OBJ start at 1; -1 is the last one defined");
  EXPECT_EQ(message(import_obj_text(kSquare + "f 1 2 -5\n")).substr(0, 8), "line 5: ");
  EXPECT_EQ(message(import_obj_text("v 1e999 0 0\n")), "line 1: found \"1e999\", expected a finite number");
}

TEST(Obj, joins_continued_lines_and_counts_them) {
  const auto imported = import_obj_text("v 0 \\\n 0 0\r\nv 1 0 0\nv 0 1 0\nf 1 2 \\\n3\nv x\n");
  EXPECT_EQ(message(imported), "line 7: found \"x\", expected a finite number");
}

TEST(Obj, splits_by_group_and_material_in_order_of_use) {
  const auto imported =
      import_obj_text(kSquare + "o a\nusemtl x\nf 1 2 3\nusemtl y\nf 1 3 4\no b\nf 1 2 3\no a\nusemtl x\nf 1 3 4\n");
  ASSERT_TRUE(imported) << message(imported);
  ASSERT_EQ(imported->scene.meshes.size(), 2u);
  EXPECT_EQ(imported->scene.meshes[0].name, "a");
  ASSERT_EQ(imported->scene.meshes[0].primitives.size(), 2u);
  EXPECT_EQ(imported->scene.meshes[0].primitives[0].indices.size(), 6u);
  EXPECT_EQ(imported->scene.meshes[1].primitives.at(0).material, 1u);
  EXPECT_EQ(imported->scene.nodes.size(), 2u);
}

TEST(Obj, keeps_smoothing_groups_where_normals_are_missing) {
  const auto imported = import_obj_text(kSquare + "s 3\nf 1 2 3 4\ns off\nf 1 3 4\n");
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_THAT(first(imported).smoothing_groups, ElementsAre(3, 3, 0));
}

TEST(Obj, reads_vertex_colors) {
  const auto imported = import_obj_text("v 0 0 0 1 0 0.5\nv 1 0 0 0 1 0\nv 0 1 0 1 0 0 0.25\nf 1 2 3\n");
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_THAT(first(imported).colors.at(0), ElementsAre(Vec4{1, 0, .5f, 1}, Vec4{0, 1, 0, 1}, Vec4{1, 0, 0, .25f}));
}

TEST(Obj, reads_colors_of_0_to_255) {
  const auto bytes =
      import_obj_text("v 0 0 0 255 0 51\nv 1 0 0 0 255 0 51\nv 0 1 0\nv 1 1 0 255 255 255\nf 1 2 3\nf 4 3 2\n");
  ASSERT_TRUE(bytes) << message(bytes);
  EXPECT_THAT(first(bytes).colors.at(0),
              ElementsAre(Vec4{1, 0, .2f, 1}, Vec4{0, 1, 0, .2f}, Vec4{1, 1, 1, 1}, Vec4{1, 1, 1, 1}));
  const auto bright = import_obj_text("v 0 0 0 1.5 0 0\nv 1 0 0 2 0 0\nv 0 1 0 0 0 0\nf 1 2 3\n");
  ASSERT_TRUE(bright) << message(bright);
  EXPECT_EQ(first(bright).colors.at(0)[1], (Vec4{2, 0, 0, 1})) << "values above 1 that are not whole are kept";
}

TEST(Obj, reads_files_of_zbrush) {
  const auto imported = import_obj_text(
      kSquare + "#Vertex Count 4\n#MRGB ff330000ff00ff00\n#MRGB ffffffff\nf 1 2 3 4\n\n" + std::string(2, '\0'));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_THAT(first(imported).colors.at(0),
              ElementsAre(Vec4{.2f, 0, 0, 1}, Vec4{0, 1, 0, 1}, Vec4{1, 1, 1, 1}, Vec4{1, 1, 1, 1}));
  EXPECT_TRUE(imported->warnings.empty());
  for (const std::string_view end : {std::string_view("\n\n\0\n", 4), std::string_view("\0\r\n\0", 4)})
    EXPECT_TRUE(import_obj_text(kSquare + "f 1 2 3 4" + std::string(end)));
  const auto broken = import_obj_text(kSquare + "#MRGB ff0000ffzz\nf 1 2 3\n");
  ASSERT_TRUE(broken) << message(broken);
  ASSERT_EQ(broken->warnings.size(), 1u);
  EXPECT_EQ(broken->warnings[0].to_string(),
            "line 5: found \"zz\" in a comment #MRGB, expected 8 hexadecimal digits for each vertex; the rest of the "
            "line is ignored");
  EXPECT_EQ(
      message(import_obj_text(std::string("v 0 0 0\n\0v 1 0 0\n", 17))),
      "line 2: found a NUL byte, expected OBJ text; object files of a compiler and binary models are not Wavefront "
      "OBJ");
}

TEST(Obj, a_file_that_draws_nothing_is_an_error) {
  EXPECT_EQ(message(import_obj_text(kSquare)),
            "line 4: found 4 vertices, but no face, line or point that uses one; export the faces too; write a point "
            "cloud with "
            "statements p");
}

TEST(Obj, lines_and_points_are_primitives_of_their_own) {
  const auto imported = import_obj_text(kSquare + "f 1 2 3\nl 1 2 3\np 4 1\nf 1 3 4\nl 3 4\n");
  ASSERT_TRUE(imported) << message(imported);
  ASSERT_EQ(imported->scene.meshes.size(), 1u);
  const auto& primitives = imported->scene.meshes[0].primitives;
  ASSERT_EQ(primitives.size(), 3u);
  EXPECT_EQ(primitives[0].topology, scene::Topology::kTriangles);
  EXPECT_EQ(primitives[0].indices.size(), 6u);
  EXPECT_EQ(primitives[1].topology, scene::Topology::kLines);
  EXPECT_THAT(primitives[1].indices, ElementsAre(0, 1, 1, 2, 2, 3));
  EXPECT_EQ(primitives[1].positions.size(), 4u);
  EXPECT_EQ(primitives[2].topology, scene::Topology::kPoints);
  EXPECT_THAT(primitives[2].indices, ElementsAre(0, 1));
  EXPECT_THAT(imported->scene.dropped, ::testing::IsEmpty());
}

TEST(Obj, drops_short_elements_with_a_place) {
  const auto imported = import_obj_text(kSquare + "l 1\nl 2\np\nf 1 2\nf 1 2 3\n");
  ASSERT_TRUE(imported) << message(imported);
  std::vector<std::string> lines;
  for (const auto& d : imported->scene.dropped) lines.push_back(describe(d));
  EXPECT_THAT(lines, ElementsAre("dropped: 2 lines of fewer than two corners (line 5, ...)",
                                 "dropped: 1 point without a corner (line 7)",
                                 "dropped: 1 face of fewer than three corners (line 8)"));
}

TEST(Obj, warns_once_of_a_missing_library_and_keeps_material_names) {
  const auto imported = import_obj_text("mtllib gone.mtl\n" + kSquare + "usemtl red\nf 1 2 3\nusemtl blue\nf 1 3 4\n");
  ASSERT_TRUE(imported) << message(imported);
  ASSERT_EQ(imported->warnings.size(), 1u);
  EXPECT_EQ(imported->warnings[0].to_string(),
            "line 1: the material library \"gone.mtl\" is not there; its materials get defaults; export the .mtl "
            "beside the model");
  ASSERT_EQ(imported->scene.materials.size(), 2u);
  EXPECT_EQ(imported->scene.materials[1].name, "blue");
}

TEST(Obj, maps_mtl_to_pbr) {
  const std::string mtl =
      "newmtl one\nKd 0.5 0.25 0.125\nNs 0\nKe 1 2 3\nd 0.5\nmap_Kd -clamp on tex\\wood.png\nnorm -bm 0.5 "
      "wood_n.png\nmap_d tex/wood.png\n"
      "newmtl two\nKd 1 1 1\nKs 0 0 0\nNs 900\nTr 0\nPr 0.3\nPm 0.9\nmap_Pr orm.png\nmap_Pm orm.png\nmap_Ks spec.png\n"
      "newmtl three\nmap_Pm metal.png\nwhat 1\n";
  const auto imported =
      import_obj_text("mtllib my lib.mtl\n" + kSquare + "usemtl two\nf 1 2 3\n", files({{"models/my lib.mtl", mtl}}));
  ASSERT_TRUE(imported) << message(imported);
  ASSERT_EQ(imported->scene.materials.size(), 3u);
  const auto& one = imported->scene.materials[0];
  EXPECT_EQ(one.base_color, (Vec4{.5f, .25f, .125f, .5f}));
  EXPECT_EQ(one.roughness, 1);
  EXPECT_EQ(one.metallic, 0);
  EXPECT_EQ(one.emissive, (Vec3{1, 2, 3}));
  EXPECT_EQ(one.alpha_mode, scene::AlphaMode::kBlend);
  EXPECT_EQ(one.normal_scale, .5f);
  EXPECT_EQ(one.base_color_texture.sampler, (scene::Sampler{scene::Wrap::kClamp, scene::Wrap::kClamp}));
  EXPECT_EQ(imported->scene.images.at(one.base_color_texture.image).path, "models/tex/wood.png");
  EXPECT_EQ(imported->scene.images.at(one.normal_texture.image).path, "models/wood_n.png");
  const auto& two = imported->scene.materials[1];
  EXPECT_EQ(two.roughness, .3f);
  EXPECT_EQ(two.metallic, .9f);
  EXPECT_EQ(imported->scene.images.at(two.metallic_roughness_texture.image).path, "models/orm.png");
  EXPECT_EQ(first(imported).material, 1u);
  std::vector<std::string> lines;
  for (const auto& d : imported->scene.dropped) lines.push_back(describe(d));
  EXPECT_THAT(
      lines,
      ElementsAre("dropped: 1 MTL statement map_ks (my lib.mtl line 18, map_ks)",
                  "dropped: 1 metalness map unlike their material's roughness map (my lib.mtl line 20, map_Pm)"));
  ASSERT_EQ(imported->warnings.size(), 1u);
  EXPECT_EQ(imported->warnings[0].to_string(),
            "models/my lib.mtl: line 21: found the unknown statement \"what\"; it is ignored");
}

double area_of(std::span<const Vec3> corners, const std::vector<std::uint32_t>& triangles) {
  double area = 0;
  for (std::size_t i = 0; i < triangles.size(); i += 3) {
    const Vec3 n =
        cross(corners[triangles[i + 1]] - corners[triangles[i]], corners[triangles[i + 2]] - corners[triangles[i]]);
    EXPECT_GE(n.z, 0) << "triangle " << i / 3 << " is turned around";
    area += n.z / 2;
  }
  return area;
}

TEST(Obj, keeps_hashes_inside_names_and_cuts_comments_after_numbers) {
  const std::string mtl = "newmtl Material #25\nKd 1 0 0 # red\nnewmtl Material #26\nKd 0 1 0\nmap_Kd wood#2.png\n";
  const auto imported =
      import_obj_text("mtllib a.mtl\n" + kSquare + "usemtl Material #26 \nf 1 2 3 # one\n #f 1 2 9\n#\nf 1 3 4\n",
                      files({{"models/a.mtl", mtl}}));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_TRUE(imported->warnings.empty());
  ASSERT_EQ(imported->scene.materials.size(), 2u);
  EXPECT_EQ(imported->scene.materials[0].base_color, (Vec4{1, 0, 0, 1}));
  EXPECT_EQ(imported->scene.images.at(0).path, "models/wood#2.png");
  EXPECT_EQ(first(imported).material, 1u);
  EXPECT_EQ(first(imported).indices.size(), 6u);
}

TEST(Obj, does_not_join_a_comment_that_ends_in_a_backslash) {
  const auto imported = import_obj_text("# C:\\models\\\nv 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_EQ(first(imported).positions.size(), 3u);
}

TEST(Obj, reads_lines_that_end_in_cr_alone) {
  const auto imported = import_obj_text("v 0 0 0\rv 1 0 0\r# note\rv 1 1 0\rf 1 2 3\rf 1 2 4\r");
  EXPECT_EQ(message(imported).substr(0, 8), "line 6: ");
}

TEST(Obj, finds_the_library_that_comes_after_its_first_use) {
  const auto imported = import_obj_text(kSquare + "usemtl red\nf 1 2 3\nmtllib a.mtl\nusemtl blue\nf 1 3 4\n",
                                        files({{"models/a.mtl", "newmtl blue\nnewmtl red\nKd 1 0 0\n"}}));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_TRUE(imported->warnings.empty());
  ASSERT_EQ(imported->scene.materials.size(), 2u);
  EXPECT_EQ(first(imported).material, 1u);
  EXPECT_EQ(imported->scene.materials[1].base_color, (Vec4{1, 0, 0, 1}));
}

TEST(Obj, reads_several_libraries_with_blanks_in_their_names) {
  const auto imported =
      import_obj_text("mtllib my red.mtl gone.mtl my  blue.MTL other\n" + kSquare + "usemtl blue\nf 1 2 3\n",
                      files({{"models/my red.mtl", "newmtl red\n"},
                             {"models/my  blue.MTL", "newmtl blue\n"},
                             {"models/other", "newmtl x\n"}}));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_EQ(imported->scene.materials.size(), 3u);
  ASSERT_EQ(imported->warnings.size(), 1u);
  EXPECT_EQ(imported->warnings[0].to_string(),
            "line 1: the material library \"gone.mtl\" is not there; its materials get defaults; export the .mtl "
            "beside the model");
}

TEST(Obj, reads_names_in_latin1_and_texts_in_utf16) {
  const auto imported = import_obj_text("mtllib a.mtl\n" + kSquare + "o K\xF6rper\nusemtl gr\xFCn\nf 1 2 3\n",
                                        files({{"models/a.mtl", "newmtl gr\xC3\xBCn\n"}}));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_EQ(imported->scene.meshes[0].name, "K\xC3\xB6rper");
  EXPECT_EQ(imported->scene.materials.size(), 1u);
  ASSERT_EQ(imported->warnings.size(), 1u);
  EXPECT_EQ(imported->warnings[0].to_string(),
            "the text is not UTF-8 and was read as Latin-1; names and paths in another encoding come out wrong; save "
            "it as UTF-8");

  for (const bool big_endian : {false, true}) {
    std::string wide = big_endian ? "\xFE\xFF" : "\xFF\xFE";
    const auto put = [&](unsigned unit) {
      wide += static_cast<char>(big_endian ? unit >> 8 : unit & 255);
      wide += static_cast<char>(big_endian ? unit & 255 : unit >> 8);
    };
    for (const char c : kSquare) put(static_cast<unsigned char>(c));
    for (const unsigned unit : {unsigned{'o'}, unsigned{' '}, 0x20ACu, 0xD83Du, 0xDE00u, 0xDC00u, unsigned{'\n'}})
      put(unit);
    for (const char c : std::string("f 1 2 3\n")) put(static_cast<unsigned char>(c));
    const auto read = import_obj_text(wide);
    ASSERT_TRUE(read) << message(read);
    EXPECT_EQ(read->scene.meshes[0].name, "\xE2\x82\xAC\xF0\x9F\x98\x80\xEF\xBF\xBD");
    EXPECT_TRUE(read->warnings.empty());
  }
}

TEST(Obj, counts_broken_normals_and_colors_as_zero_with_one_warning) {
  const auto imported =
      import_obj_text("v 0 0 0 nan nan nan\nv 1 0 0\nv 1 1 0\nvn nan -1.#IND00 0\nvt inf 0\nf 1/1/1 2/1/1 3/1/1\n");
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_EQ(first(imported).normals[0], (Vec3{}));
  ASSERT_EQ(imported->warnings.size(), 1u);
  EXPECT_EQ(imported->warnings[0].to_string(),
            "line 1: found \"nan\", expected a finite number; it and others like it count as 0");
}

TEST(Obj, looks_beside_the_library_for_pictures_of_the_exporters_machine) {
  const std::string mtl = "newmtl a\nmap_Kd -colorspace sRGB C:\\art\\wood.png\nnorm /home/me/wood_n.png\n";
  const auto imported =
      import_obj_text("mtllib a.mtl\n" + kSquare + "usemtl a\nf 1 2 3\n", files({{"models/a.mtl", mtl}}));
  ASSERT_TRUE(imported) << message(imported);
  ASSERT_EQ(imported->scene.images.size(), 2u);
  EXPECT_EQ(imported->scene.images[0].path, "models/wood.png");
  EXPECT_EQ(imported->scene.images[1].path, "models/wood_n.png");
  ASSERT_EQ(imported->warnings.size(), 2u);
  EXPECT_EQ(imported->warnings[0].to_string(),
            "models/a.mtl: line 2: found the reference \"C:\\art\\wood.png\", expected a relative path without a "
            "scheme or drive; "
            "a file of that name is looked for instead; write the path relative to this file");
}

TEST(Triangulate, cuts_concave_polygons_without_overlap) {
  // A comb: area 4 + 3 * 1, seen from +z.
  const std::vector<Vec3> comb{{0, 0, 0}, {5, 0, 0}, {5, 2, 0}, {4, 2, 0}, {4, 1, 0}, {3, 1, 0},
                               {3, 2, 0}, {2, 2, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
  std::vector<std::uint32_t> triangles;
  triangulate(comb, triangles);
  EXPECT_EQ(triangles.size(), (comb.size() - 2) * 3);
  EXPECT_NEAR(area_of(comb, triangles), 8, 1e-5);
  // The reversed polygon keeps its winding.
  std::vector<Vec3> turned(comb.rbegin(), comb.rend());
  triangulate(turned, triangles);
  double area = 0;
  for (std::size_t i = 0; i < triangles.size(); i += 3) {
    area +=
        cross(turned[triangles[i + 1]] - turned[triangles[i]], turned[triangles[i + 2]] - turned[triangles[i]]).z / 2;
  }
  EXPECT_NEAR(area, -8, 1e-5);
}

TEST(Triangulate, cuts_a_concave_quad_inside) {
  const std::vector<Vec3> dart{{0, 0, 0}, {2, 2, 0}, {0, 4, 0}, {1, 2, 0}};
  std::vector<std::uint32_t> triangles;
  triangulate(dart, triangles);
  EXPECT_NEAR(area_of(dart, triangles), 2, 1e-6);
}

TEST(Triangulate, a_polygon_made_to_be_slow_ends_as_a_fan) {
  std::vector<Vec3> tangle;
  std::uint32_t state = 1;
  const auto random = [&] { return static_cast<float>((state = state * 1664525u + 1013904223u) >> 8); };
  constexpr std::size_t kCorners = 4096;
  tangle.reserve(kCorners);
  for (std::size_t i = 0; i < kCorners; ++i) tangle.push_back({random(), random(), 0});
  std::vector<std::uint32_t> triangles;
  EXPECT_FALSE(triangulate(tangle, triangles));
  EXPECT_EQ(triangles.size(), (tangle.size() - 2) * 3);

  // The work for a convex polygon is bounded too, and the bound suffices.
  std::vector<Vec3> round;
  for (std::size_t i = 0; i < kCorners; ++i) {
    const float angle = static_cast<float>(i) * 6.2831853f / kCorners;
    round.push_back({std::cos(angle), std::sin(angle), 0});
  }
  EXPECT_TRUE(triangulate(round, triangles));
  EXPECT_NEAR(area_of(round, triangles), 3.14159, 1e-4);
}

TEST(Triangulate, cuts_a_concave_polygon_of_very_many_corners) {
  // A comb: a long back, and teeth of triangles on one side.
  constexpr std::size_t kTeeth = 30000;
  std::vector<Vec3> comb;
  for (std::size_t i = 0; i < kTeeth; ++i) {
    const auto x = static_cast<float>(i);
    comb.push_back({x, 1, 0});
    comb.push_back({x + 0.5f, 100, 0});
  }
  comb.push_back({static_cast<float>(kTeeth), 1, 0});
  comb.push_back({static_cast<float>(kTeeth), 0, 0});
  comb.push_back({0, 0, 0});
  std::ranges::reverse(comb);
  std::vector<std::uint32_t> triangles;
  EXPECT_TRUE(triangulate(comb, triangles));
  EXPECT_EQ(triangles.size(), (comb.size() - 2) * 3);
  // The back, and a triangle of height 99 and width 1 for each tooth: overlaps would add to it.
  EXPECT_NEAR(area_of(comb, triangles), kTeeth * (1 + 49.5), kTeeth * 1e-3);
}

TEST(Triangulate, gives_every_degenerate_polygon_its_count_of_triangles) {
  std::vector<std::uint32_t> triangles;
  for (const std::size_t n : {3u, 4u, 5u, 9u, 5000u}) {
    const std::vector<Vec3> point(n);
    triangulate(point, triangles);
    EXPECT_EQ(triangles.size(), (n - 2) * 3);
  }
}

}  // namespace
}  // namespace assetc::importer
