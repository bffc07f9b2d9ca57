// Compares what the importer makes of an FBX file with ufbx's own evaluation of the file: a scene that ufbx loads
// without changes to transforms or geometry, evaluated at a time.
#pragma once

#include <gtest/gtest.h>
#include <ufbx.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "import/fbx/fbx.hpp"
#include "scene/pose.hpp"

namespace assetc::fbx_evaluation {

using scene::Vec3;
using Scene = std::unique_ptr<ufbx_scene, void (*)(ufbx_scene*)>;

inline Scene load(std::string_view text) {
  ufbx_load_opts options{};
  options.file_format = UFBX_FILE_FORMAT_FBX;
  options.target_axes = ufbx_axes_right_handed_y_up;
  options.target_unit_meters = 1;
  options.evaluate_skinning = true;
  return {ufbx_load_memory(text.data(), text.size(), &options, nullptr), ufbx_free_scene};
}

inline Scene at(const ufbx_scene& scene, const ufbx_anim* anim, double time) {
  ufbx_evaluate_opts options{};
  options.evaluate_skinning = true;
  return {ufbx_evaluate_scene(&scene, anim, time, &options, nullptr), ufbx_free_scene};
}

// The corners of the faces of all visible meshes, in world space.
inline std::vector<Vec3> points_of(const ufbx_scene& scene) {
  std::vector<Vec3> points;
  for (const ufbx_node* node : scene.nodes) {
    bool is_visible = true;
    for (const ufbx_node* up = node; up != nullptr; up = up->parent) is_visible = is_visible && up->visible;
    if (node->mesh == nullptr || !is_visible) continue;
    const ufbx_mesh& mesh = *node->mesh;
    for (std::size_t i = 0; i < mesh.num_indices; ++i) {
      ufbx_vec3 p = ufbx_get_vertex_vec3(&mesh.skinned_position, i);
      if (mesh.skinned_is_local) p = ufbx_transform_position(&node->geometry_to_world, p);
      points.push_back({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z)});
    }
  }
  return points;
}

inline std::vector<Vec3> points_of(const scene::Scene& scene) {
  std::vector<Vec3> points;
  const std::vector<scene::Mat4> world = world_matrices(scene);
  const std::vector<bool> hidden = hidden_nodes(scene.nodes);
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    const scene::Node& node = scene.nodes[n];
    if (node.mesh == scene::kNone || hidden[n]) continue;
    const scene::Mesh& mesh = scene.meshes[node.mesh];
    for (scene::Primitive p : mesh.primitives) {
      apply_morphs(node.morph_weights.empty() ? mesh.morph_weights : node.morph_weights, p);
      std::vector<Vec3> positions, normals;
      if (node.skin != scene::kNone) {
        skin_vertices(p, scene.skins[node.skin], world, positions, normals);
      } else {
        for (const Vec3 v : p.positions) positions.push_back(transform_point(world[n], v));
      }
      for (const std::uint32_t i : p.indices) points.push_back(positions[i]);
    }
  }
  return points;
}

// The largest distance of a point of one list to the nearest of the other.
inline float distance(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  float most = 0;
  for (const Vec3 p : a) {
    float least = 1e30f;
    for (const Vec3 q : b) least = std::min(least, length(p - q));
    most = std::max(most, least);
  }
  return most;
}

inline void expect_equal(const std::vector<Vec3>& found, const std::vector<Vec3>& expected, float tolerance,
                         const std::string& when) {
  EXPECT_EQ(found.empty(), expected.empty()) << when;
  EXPECT_LE(std::max(distance(found, expected), distance(expected, found)), tolerance) << when;
}

// Compares the scene at rest, and each clip at the given parts of its length. Times are compared between the keys of
// samples, so the tolerance is a distance in meters.
inline void expect_as_ufbx(std::string_view text, float tolerance = 1e-4f,
                           std::initializer_list<double> shares = {0, 0.25, 0.5, 0.75, 1}) {
  const auto imported = importer::read_fbx_here(as_bytes(text));
  ASSERT_TRUE(imported) << imported.error().to_string();
  const Scene plain = load(text);
  ASSERT_TRUE(plain);
  expect_equal(points_of(imported->scene), points_of(*plain), tolerance, "at rest");
  for (const ufbx_anim_stack* stack : plain->anim_stacks) {
    const std::string name(stack->name.data, stack->name.length);
    const auto clip = std::ranges::find(imported->scene.clips, name, &scene::Clip::name);
    for (const double share : shares) {
      const double time = (stack->time_end - stack->time_begin) * share;
      const Scene evaluated = at(*plain, stack->anim, stack->time_begin + time);
      ASSERT_TRUE(evaluated);
      scene::Scene posed = imported->scene;
      if (clip != imported->scene.clips.end())
        posed.nodes = pose_nodes(imported->scene, *clip, static_cast<float>(time));
      expect_equal(points_of(posed), points_of(*evaluated), tolerance,
                   "clip " + name + " at " + std::to_string(time) + " s");
    }
  }
}

}  // namespace assetc::fbx_evaluation
