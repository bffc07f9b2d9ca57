#include "import/obj.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "import/tiny_gltf.hpp"
#include "import/triangulate.hpp"

namespace assetc::importer {
namespace {

using testing::bytes_of;
using testing::files;
using testing::message;
using ::testing::ElementsAre;
using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

Result<Imported> import_text(const std::string& text, const FileReader& read = files()) {
  return import_obj("models/a.obj", bytes_of(text), read);
}
const std::string kSquare = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";

const scene::Primitive& first(const Result<Imported>& imported) { return imported->scene.meshes.at(0).primitives.at(0); }

TEST(Obj, reads_corners_of_every_form_and_negative_indices) {
  const auto imported = import_text(kSquare + "vt 0.25 0.25\nvn 0 0 1\nf 1/1/1 2//1 3/1/1\nf -4/-1/-1 -2/-1/-1 -1/-1/-1\n");
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_THAT(first(imported).indices, ElementsAre(0, 1, 2, 0, 2, 3));
  EXPECT_EQ(first(imported).positions[3], (Vec3{0, 1, 0}));
  EXPECT_THAT(first(imported).texcoords[0], ElementsAre(Vec2{.25f, .75f}, Vec2{}, Vec2{.25f, .75f}, Vec2{.25f, .75f}));
  EXPECT_EQ(first(imported).normals.size(), 4u);
}

TEST(Obj, says_which_line_is_wrong) {
  EXPECT_EQ(message(import_text("v 0 0 0\nv 1 nan 0\n")), "line 2: found \"nan\", expected a finite number");
  EXPECT_EQ(message(import_text("v 0 0\n")), "line 1: found a vertex of 2 numbers, expected 3 or more");
  EXPECT_EQ(message(import_text(kSquare + "\n# note\nf 1 2 9\n")),
            "line 7: the face names vertex 9, but the file has 4; the file was cut short or its indices are wrong; export it again");
  EXPECT_EQ(message(import_text(kSquare + "f 1 2 0\n")),
            "line 5: found the corner \"0\", expected v, v/vt, v//vn or v/vt/vn with numbers from 1, or from -1 back to 4; indices of OBJ start at 1; -1 is the last one defined");
  EXPECT_EQ(message(import_text(kSquare + "f 1 2 -5\n")).substr(0, 8), "line 5: ");
  EXPECT_EQ(message(import_text("v 1e999 0 0\n")), "line 1: found \"1e999\", expected a finite number");
}

TEST(Obj, joins_continued_lines_and_counts_them) {
  const auto imported = import_text("v 0 \\\n 0 0\r\nv 1 0 0\nv 0 1 0\nf 1 2 \\\n3\nv x\n");
  EXPECT_EQ(message(imported), "line 7: found \"x\", expected a finite number");
}

TEST(Obj, splits_by_group_and_material_in_order_of_use) {
  const auto imported = import_text(kSquare + "o a\nusemtl x\nf 1 2 3\nusemtl y\nf 1 3 4\no b\nf 1 2 3\no a\nusemtl x\nf 1 3 4\n");
  ASSERT_TRUE(imported) << message(imported);
  ASSERT_EQ(imported->scene.meshes.size(), 2u);
  EXPECT_EQ(imported->scene.meshes[0].name, "a");
  ASSERT_EQ(imported->scene.meshes[0].primitives.size(), 2u);
  EXPECT_EQ(imported->scene.meshes[0].primitives[0].indices.size(), 6u);
  EXPECT_EQ(imported->scene.meshes[1].primitives.at(0).material, 1u);
  EXPECT_EQ(imported->scene.nodes.size(), 2u);
}

TEST(Obj, keeps_smoothing_groups_where_normals_are_missing) {
  const auto imported = import_text(kSquare + "s 3\nf 1 2 3 4\ns off\nf 1 3 4\n");
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_THAT(first(imported).smoothing_groups, ElementsAre(3, 3, 0));
}

TEST(Obj, reads_vertex_colours) {
  const auto imported = import_text("v 0 0 0 1 0 0.5\nv 1 0 0 0 1 0\nv 0 1 0 1 0 0 1\nf 1 2 3\n");
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_THAT(first(imported).colors.at(0), ElementsAre(Vec4{1, 0, .5f, 1}, Vec4{0, 1, 0, 1}, Vec4{0, 0, 1, 1}));
}

TEST(Obj, drops_lines_points_and_short_faces_with_a_place) {
  const auto imported = import_text(kSquare + "l 1 2\nl 2 3\np 1\nf 1 2\nf 1 2 3\n");
  ASSERT_TRUE(imported) << message(imported);
  std::vector<std::string> lines;
  for (const auto& d : imported->scene.dropped) lines.push_back(describe(d));
  EXPECT_THAT(lines, ElementsAre("dropped: 2 line elements (line 5, ...)", "dropped: 1 point elements (line 7)",
                                 "dropped: 1 faces of fewer than three corners (line 8)"));
}

TEST(Obj, warns_once_of_a_missing_library_and_keeps_material_names) {
  const auto imported = import_text("mtllib gone.mtl\n" + kSquare + "usemtl red\nf 1 2 3\nusemtl blue\nf 1 3 4\n");
  ASSERT_TRUE(imported) << message(imported);
  ASSERT_EQ(imported->warnings.size(), 1u);
  EXPECT_EQ(imported->warnings[0].to_string(),
            "line 1: the material library \"gone.mtl\" is not there; its materials get defaults; export the .mtl beside the model");
  ASSERT_EQ(imported->scene.materials.size(), 2u);
  EXPECT_EQ(imported->scene.materials[1].name, "blue");
}

TEST(Obj, maps_mtl_to_pbr) {
  const std::string mtl =
      "newmtl one\nKd 0.5 0.25 0.125\nNs 0\nKe 1 2 3\nd 0.5\nmap_Kd -clamp on tex\\wood.png\nnorm -bm 0.5 wood_n.png\nmap_d tex/wood.png\n"
      "newmtl two\nKd 1 1 1\nKs 0 0 0\nNs 900\nTr 0\nPr 0.3\nPm 0.9\nmap_Pr orm.png\nmap_Pm orm.png\nmap_Ks spec.png\n"
      "newmtl three\nmap_Pm metal.png\nwhat 1\n";
  const auto imported = import_text("mtllib my lib.mtl\n" + kSquare + "usemtl two\nf 1 2 3\n", files({{"models/my lib.mtl", mtl}}));
  ASSERT_TRUE(imported) << message(imported);
  ASSERT_EQ(imported->scene.materials.size(), 3u);
  const auto& one = imported->scene.materials[0];
  EXPECT_EQ(one.base_color, (Vec4{.5f, .25f, .125f, .5f}));
  EXPECT_EQ(one.roughness, 1);
  EXPECT_EQ(one.metallic, 0);
  EXPECT_EQ(one.emissive, (Vec3{1, 2, 3}));
  EXPECT_EQ(one.alpha_mode, scene::AlphaMode::kBlend);
  EXPECT_EQ(one.normal_scale, .5f);
  EXPECT_EQ(one.base_color_texture.wrap_u, scene::Wrap::kClamp);
  EXPECT_EQ(imported->scene.images.at(one.base_color_texture.image).path, "models/tex/wood.png");
  EXPECT_EQ(imported->scene.images.at(one.normal_texture.image).path, "models/wood_n.png");
  const auto& two = imported->scene.materials[1];
  EXPECT_EQ(two.roughness, .3f);
  EXPECT_EQ(two.metallic, .9f);
  EXPECT_EQ(imported->scene.images.at(two.metallic_roughness_texture.image).path, "models/orm.png");
  EXPECT_EQ(first(imported).material, 1u);
  std::vector<std::string> lines;
  for (const auto& d : imported->scene.dropped) lines.push_back(describe(d));
  EXPECT_THAT(lines, ElementsAre("dropped: 1 MTL statements map_ks (my lib.mtl line 18, map_ks)",
                                 "dropped: 1 metalness maps that are not their material's roughness map (my lib.mtl line 20, map_Pm)"));
  ASSERT_EQ(imported->warnings.size(), 1u);
  EXPECT_EQ(imported->warnings[0].to_string(), "models/my lib.mtl: line 21: found the unknown statement \"what\"; it is ignored");
}

double area_of(std::span<const Vec3> corners, const std::vector<std::uint32_t>& triangles) {
  double area = 0;
  for (std::size_t i = 0; i < triangles.size(); i += 3) {
    const Vec3 n = cross(corners[triangles[i + 1]] - corners[triangles[i]], corners[triangles[i + 2]] - corners[triangles[i]]);
    EXPECT_GE(n.z, 0) << "triangle " << i / 3 << " is turned around";
    area += n.z / 2;
  }
  return area;
}

TEST(Triangulate, cuts_concave_polygons_without_overlap) {
  // A comb: area 4 + 3 * 1, seen from +z.
  const std::vector<Vec3> comb{{0, 0, 0}, {5, 0, 0}, {5, 2, 0}, {4, 2, 0}, {4, 1, 0}, {3, 1, 0}, {3, 2, 0}, {2, 2, 0}, {2, 1, 0}, {1, 1, 0}, {1, 2, 0}, {0, 2, 0}};
  std::vector<std::uint32_t> triangles;
  triangulate(comb, triangles);
  EXPECT_EQ(triangles.size(), (comb.size() - 2) * 3);
  EXPECT_NEAR(area_of(comb, triangles), 8, 1e-5);
  // The other winding keeps its winding.
  std::vector<Vec3> turned(comb.rbegin(), comb.rend());
  triangulate(turned, triangles);
  double area = 0;
  for (std::size_t i = 0; i < triangles.size(); i += 3) {
    area += cross(turned[triangles[i + 1]] - turned[triangles[i]], turned[triangles[i + 2]] - turned[triangles[i]]).z / 2;
  }
  EXPECT_NEAR(area, -8, 1e-5);
}

TEST(Triangulate, cuts_a_concave_quad_inside) {
  const std::vector<Vec3> dart{{0, 0, 0}, {2, 2, 0}, {0, 4, 0}, {1, 2, 0}};
  std::vector<std::uint32_t> triangles;
  triangulate(dart, triangles);
  EXPECT_NEAR(area_of(dart, triangles), 2, 1e-6);
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
