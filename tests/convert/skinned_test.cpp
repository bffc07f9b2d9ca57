// A skinned, animated model through .hmesh and .hanim and back.
#include <gtest/gtest.h>

#include "assetc/formats/hmesh.hpp"
#include "convert/support.hpp"
#include "import/compiled/aligned_bytes.hpp"
#include "import/gltf/gltf.hpp"
#include "scene/pose.hpp"

namespace assetc::convert {
namespace {

using testing::Files;

// Converts a file and adds the outputs to the files.
void convert_to(Files& files, const std::string& from, const std::string& to) {
  const auto converted = convert_file(from, to, files.reader(), {});
  ASSERT_TRUE(converted) << converted.error().to_string();
  files.put(*converted);
}

TEST(ConvertSkinned, clips_joints_and_names_survive_the_way_through_hmesh) {
  for (const auto& [folder, model] : testing::skinned_models()) {
    Files files(folder);
    convert_to(files, model, "there.hmesh");
    ASSERT_TRUE(files.has("there.hanim"));
    convert_to(files, "there.hmesh", "back.glb");

    const auto source = files.reader()(model), back = files.reader()("back.glb");
    ASSERT_TRUE(source && back);
    const auto before = importer::import_gltf(model, *source, files.reader());
    const auto after = importer::import_gltf("back.glb", *back, files.reader());
    ASSERT_TRUE(before && after);
    const scene::Scene &a = before->scene, &b = after->scene;
    ASSERT_EQ(a.skins.size(), 1u);
    ASSERT_EQ(b.skins.size(), 1u);
    ASSERT_EQ(b.skins[0].joints.size(), a.skins[0].joints.size());
    for (std::size_t j = 0; j < a.skins[0].joints.size(); ++j) {
      EXPECT_EQ(b.nodes[b.skins[0].joints[j]].name, a.nodes[a.skins[0].joints[j]].name);
      EXPECT_EQ(b.skins[0].inverse_bind[j], a.skins[0].inverse_bind[j]);
    }
    ASSERT_EQ(b.clips.size(), a.clips.size());
    for (std::size_t c = 0; c < a.clips.size(); ++c) {
      EXPECT_EQ(b.clips[c].name, a.clips[c].name);
      EXPECT_EQ(testing::clip_duration_seconds(b.clips[c]), testing::clip_duration_seconds(a.clips[c]));
      ASSERT_EQ(b.clips[c].channels.size(), a.clips[c].channels.size());
      for (std::size_t k = 0; k < a.clips[c].channels.size(); ++k) {
        const scene::Channel &was = a.clips[c].channels[k], &is = b.clips[c].channels[k];
        EXPECT_EQ(b.nodes[is.node].name, a.nodes[was.node].name);
        EXPECT_EQ(is.times_seconds, was.times_seconds);
        EXPECT_EQ(is.values.size(), was.values.size());
      }
    }
  }
}

// Another player of the clips computes the place of every vertex, at times between keys.
TEST(ConvertSkinned, bounds_of_poses_hold_every_vertex_in_every_clip) {
  for (const auto& [folder, model] : testing::skinned_models()) {
    Files files(folder);
    convert_to(files, model, "there.hmesh");
    const Bytes file = *files.reader()("there.hmesh");
    const importer::AlignedBytes aligned(file);
    const std::span<const hmesh::MeshBounds> bounds = hmesh::View::open(aligned.span())->pose_bounds();
    const auto loaded = load_model("there.hmesh", files.reader());
    ASSERT_TRUE(loaded);
    const scene::Scene& scene = loaded->scene;
    ASSERT_EQ(bounds.size(), 1 + scene.clips.size()) << model;
    const auto expect_inside = [&](const std::vector<scene::Node>& nodes, const hmesh::MeshBounds& box) {
      scene::Scene posed;
      posed.nodes = nodes;
      const std::vector<scene::Mat4> worlds = world_matrices(posed);
      const float slack = box.sphere_radius * 1e-4f;
      for (const scene::Primitive& p : scene.meshes[0].primitives) {
        std::vector<scene::Vec3> positions, normals;
        skin_vertices(p, scene.skins[0], worlds, positions, normals);
        for (const scene::Vec3 v : positions) {
          ASSERT_GE(v.x, box.aabb_min[0] - slack) << model;
          ASSERT_GE(v.y, box.aabb_min[1] - slack) << model;
          ASSERT_GE(v.z, box.aabb_min[2] - slack) << model;
          ASSERT_LE(v.x, box.aabb_max[0] + slack) << model;
          ASSERT_LE(v.y, box.aabb_max[1] + slack) << model;
          ASSERT_LE(v.z, box.aabb_max[2] + slack) << model;
          const scene::Vec3 center{box.sphere_center[0], box.sphere_center[1], box.sphere_center[2]};
          ASSERT_LE(length(v - center), box.sphere_radius + slack) << model;
        }
      }
    };
    expect_inside(scene.nodes, bounds[0]);
    for (std::size_t c = 0; c < scene.clips.size(); ++c) {
      const float duration = testing::clip_duration_seconds(scene.clips[c]);
      for (int i = 0; i <= 50; ++i)
        expect_inside(pose_nodes(scene, scene.clips[c], duration * static_cast<float>(i) / 50), bounds[1 + c]);
    }
  }
}

}  // namespace
}  // namespace assetc::convert
