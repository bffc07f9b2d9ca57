#include "import/compiled/hmesh.hpp"

#include <gtest/gtest.h>

#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hmat.hpp"
#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/hmesh_v1.hpp"

namespace assetc::importer {
namespace {

// Four vertices in two submeshes that share vertices, with one meshlet each.
hmesh::Model two_triangles() {
  hmesh::Model m;
  const float corners[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
  for (const auto& c : corners) {
    hmesh::GpuVertex v{};
    std::copy_n(c, 3, v.position);
    v.uv[0] = c[0] * 3;
    m.vertices.push_back(v);
  }
  m.indices = {0, 1, 2, 3, 0, 2};
  m.bounds = {{0, 0, 0}, {1, 1, 0}, {0.5f, 0.5f, 0}, 0.75f};
  m.materials = {11, 22};
  m.submeshes = {{0, 3, 0, 1, 1, 0, m.bounds}, {3, 3, 1, 1, 0, 0, m.bounds}};
  m.meshlets = {{0, 3, 0, 1}, {3, 3, 1, 1}};
  m.meshlet_vertices = {1, 2, 0, 0, 2, 3};
  m.meshlet_triangles = {{{2, 0, 1}}, {{2, 0, 1}}};
  m.meshlet_bounds.resize(2);
  for (auto& b : m.meshlet_bounds) b = {{0.5f, 0.5f, 0}, 0.75f, {0, 0, 1}, 1};
  return m;
}

Bytes bytes_of(Result<ByteVector> file) {
  EXPECT_TRUE(file) << file.error().to_string();
  return file ? Bytes(std::move(*file)) : Bytes();
}

TEST(ImportHmesh, each_submesh_becomes_a_primitive_of_the_vertices_it_uses) {
  const auto scene = import_hmesh({.mesh = bytes_of(hmesh::write(two_triangles()))});
  ASSERT_TRUE(scene) << scene.error().to_string();
  ASSERT_EQ(scene->meshes.size(), 1u);
  ASSERT_EQ(scene->meshes[0].primitives.size(), 2u);
  const auto& second = scene->meshes[0].primitives[1];
  EXPECT_EQ(second.indices, (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(second.positions, (std::vector<scene::Vec3>{{0, 1, 0}, {0, 0, 0}, {1, 1, 0}}));
  EXPECT_EQ(second.texcoords[0][2], (scene::Vec2{3, 0}));
  EXPECT_EQ(second.material, 0u);
  EXPECT_EQ(second.clusters, (std::vector<std::uint32_t>{1})) << "meshlets may start a triangle at another corner";
  EXPECT_EQ(scene->meshes[0].primitives[0].material, 1u);
  EXPECT_EQ(scene->materials.size(), 2u);
}

TEST(ImportHmesh, levels_of_detail_hang_on_the_mesh_node_and_a_stalled_one_repeats) {
  hmesh::Model m = two_triangles();
  m.lod_count = 3;  // no submesh has triangles at the second level
  m.lod_indices = {0, 2, 3, 0, 1, 2};
  m.lods = {{0, 3}, {0, 0}, {0, 0}, {0, 0}, {0, 0}, {3, 3}};
  const auto scene = import_hmesh({.mesh = bytes_of(hmesh::write(m))});
  ASSERT_TRUE(scene) << scene.error().to_string();
  EXPECT_EQ(scene->nodes[0].lods, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(scene->meshes[1].primitives[0].positions[2], (scene::Vec3{0, 1, 0}));
  EXPECT_EQ(scene->meshes[2].primitives[0].positions, scene->meshes[1].primitives[0].positions);
  EXPECT_EQ(scene->meshes[2].primitives[1].positions.size(), 3u);
  EXPECT_EQ(scene->meshes.size(), 3u);
}

TEST(ImportHmesh, a_texture_used_twice_is_one_image) {
  std::vector<hmat::GpuMaterial> rows(2);
  rows[0].base_color_texture = rows[1].emissive_texture = 77;
  const auto resolve = [](std::uint64_t ref) -> Result<scene::ImageSource> {
    return scene::ImageSource{std::to_string(ref), {}, {}};
  };
  const auto scene = import_hmesh(
      {.mesh = bytes_of(hmesh::write(two_triangles())), .materials = bytes_of(hmat::write(rows)), .textures = resolve});
  ASSERT_TRUE(scene) << scene.error().to_string();
  ASSERT_EQ(scene->images.size(), 1u);
  EXPECT_EQ(scene->images[0].name, "77");
  EXPECT_EQ(scene->materials[1].emissive_texture.image, 0u);
  EXPECT_EQ(scene->materials[1].base_color_texture.image, scene::kNone);
}

TEST(ImportHmesh, textures_are_sampled_as_their_row_says) {
  std::vector<hmat::GpuMaterial> rows(2);
  const sampling::Sampler pixels{.wrap_u = sampling::Wrap::kMirror, .mag = sampling::Filter::kNearest};
  rows[1].occlusion_texture = 77;
  rows[1].set_sampler(hmat::Slot::kOcclusion, pixels);
  const auto scene = import_hmesh({.mesh = bytes_of(hmesh::write(two_triangles())),
                                   .materials = bytes_of(hmat::write(rows)),
                                   .textures = [](std::uint64_t) { return scene::ImageSource{"a", {}, {}}; }});
  ASSERT_TRUE(scene) << scene.error().to_string();
  EXPECT_EQ(scene->materials[1].occlusion_texture.sampler, pixels);
  EXPECT_EQ(scene->materials[1].normal_texture.sampler, sampling::Sampler{});
  EXPECT_EQ(scene->materials[0].occlusion_texture.sampler, sampling::Sampler{});
}

TEST(ImportHmesh, version_1_is_one_primitive) {
  const Bytes file = bytes_of(hmesh_v1::write(hmesh_v1::from_hmesh(two_triangles(), {5, 6, 7})));
  const auto scene = import_hmesh({.mesh = file});
  ASSERT_TRUE(scene) << scene.error().to_string();
  ASSERT_EQ(scene->meshes[0].primitives.size(), 1u);
  EXPECT_EQ(scene->meshes[0].primitives[0].indices.size(), 6u);
  EXPECT_EQ(scene->meshes[0].primitives[0].clusters, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(scene->materials.size(), 3u);
}

TEST(ImportHmesh, refuses_a_material_table_of_another_build) {
  const std::vector<hmat::GpuMaterial> rows(3);
  const auto scene =
      import_hmesh({.mesh = bytes_of(hmesh::write(two_triangles())), .materials = bytes_of(hmat::write(rows))});
  ASSERT_FALSE(scene);
  EXPECT_EQ(scene.error().to_string(),
            "the material table has 3 rows, the mesh has 2 materials; compile the source again so that both come from "
            "one build");
}

TEST(ImportHmesh, a_skin_gives_joint_nodes_and_clips_that_drive_them) {
  hmesh::Model m = two_triangles();
  m.skin.resize(4);
  for (auto& s : m.skin) s = {{1, 0, 0, 0}, {1, 0, 0, 0}};
  m.joints.resize(2);
  for (auto& j : m.joints) {
    j.rotation[3] = 1;
    j.scale[0] = j.scale[1] = j.scale[2] = 1;
    j.parent = hmesh::kNoParent;
  }
  m.joints[1].parent = 0;
  m.names.joints = {"hip", "knee"};
  const std::vector<hanim::Clip> clips{
      {"walk",
       1,
       {{1, hanim::Path::kTranslation, hanim::Interpolation::kLinear, {0, 1, 1}, {0, 0, 0, 1, 2, 3, 4, 5, 6}}}}};
  const auto scene = import_hmesh({.mesh = bytes_of(hmesh::write(m)), .animation = bytes_of(hanim::write(clips))});
  ASSERT_TRUE(scene) << scene.error().to_string();
  ASSERT_EQ(scene->skins.size(), 1u);
  const std::uint32_t knee = scene->skins[0].joints[1];
  EXPECT_EQ(scene->nodes[knee].name, "knee");
  EXPECT_EQ(scene->nodes[knee].parent, scene->skins[0].joints[0]);
  EXPECT_EQ(scene->nodes[0].skin, 0u);
  ASSERT_EQ(scene->clips.size(), 1u);
  EXPECT_EQ(scene->clips[0].channels[0].node, knee);
  EXPECT_EQ(scene->clips[0].channels[0].values.size(), 9u);
  EXPECT_LT(scene->clips[0].channels[0].times_seconds[1],
            scene->clips[0].channels[0].times_seconds[2]);  // the same as in a glTF
}

}  // namespace
}  // namespace assetc::importer
