// Morph targets of meshes that become .hcluster: the offsets come back within the errors that the file states.
#include "recipes/container/hcluster_morphs.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>

#include "assetc/formats/hcluster_view.hpp"
#include "assetc/runtime/morph.hpp"
#include "mesh/build.hpp"
#include "mesh/morph_bounds.hpp"
#include "mesh/shapes.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/mesh/compiled_mesh.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::recipes {
namespace {

using scene::Vec3;

// A wavy grid whose targets move positions and normals of parts of it.
CompiledMesh face_mesh(std::uint32_t target_count, float scale = 0.1f, std::uint32_t columns = 60) {
  const mesh::Shape shape = mesh::wavy_grid(columns, 50);
  std::vector<scene::MorphTarget> targets(target_count);
  std::mt19937 random(4);
  std::uniform_real_distribution<float> unit(-1, 1);
  for (std::uint32_t t = 0; t < target_count; ++t) {
    const float x = 0.01f * static_cast<float>(columns) * (0.5f + 0.5f * unit(random)), z = 0.25f * (1 + unit(random));
    const Vec3 direction{unit(random), unit(random), unit(random)};
    for (std::uint32_t v = 0; v < shape.positions.size(); ++v) {
      const float dx = shape.positions[v].x - x, dz = shape.positions[v].z - z, near = 0.04f - dx * dx - dz * dz;
      if (near <= 0) continue;
      targets[t].vertices.push_back(v);
      targets[t].positions.push_back(direction * (scale * near / 0.04f));
      targets[t].normals.push_back({near, 2 * dx, near});
    }
  }
  mesh::SubmeshInput in;
  in.indices = shape.indices;
  in.positions = shape.positions;
  in.normals = shape.normals;
  in.morphs = targets;
  mesh::MeshOptions options;
  options.lods = 0;
  auto built = mesh::build_mesh(std::span(&in, 1), options);
  EXPECT_TRUE(built) << built.error().to_string();
  CompiledMesh out{.mesh = std::move(built->mesh), .stem = "models/face"};
  for (std::uint32_t t = 0; t < target_count; ++t) {
    out.mesh.targets[t].name = "target " + std::to_string(t);
    out.mesh.targets[t].weight = 0.5f;
    out.mesh.targets[t].low = t == 0 ? -0.5f : 0.0f;
  }
  out.mesh.morphs.groups = {{target_count, hmesh::kNoNode}};
  mesh::widen_bounds(out.mesh);
  return out;
}

Result<Bytes> write_clusters_of(CompiledMesh mesh) {
  MeshReport unread;
  return kHcluster.write(mesh, unread);
}

// Compares all vertices of all levels at the weights. Returns how far any moved.
float expect_offsets_hold(const CompiledMesh& mesh, const hcluster::View& view, std::span<const float> weights) {
  const hcluster::Channel& grid = view.channels()[0];
  const auto cell = [&](Vec3 p) {
    const auto steps = [&](float value, std::size_t k) {
      return static_cast<std::int64_t>(std::floor((static_cast<double>(value) - grid.minimum[k]) / grid.step + 0.5));
    };
    return std::array{steps(p.x, 0), steps(p.y, 1), steps(p.z, 2)};
  };
  std::vector<Vec3> moved = mesh.mesh.positions;
  float allowed = view.desc().position_error;
  for (std::size_t t = 0; t < weights.size(); ++t) {
    const scene::MorphTarget& target = mesh.mesh.targets[t].offsets;
    for (std::size_t i = 0; i < target.vertices.size(); ++i)
      moved[target.vertices[i]] = moved[target.vertices[i]] + target.positions[i] * weights[t];
    allowed += std::fabs(weights[t]) * view.morphs()->targets()[t].position_step / 2 * std::sqrt(3.0f);
  }
  std::map<std::array<std::int64_t, 3>, Vec3> by_cell;
  for (std::size_t v = 0; v < moved.size(); ++v) by_cell[cell(mesh.mesh.positions[v])] = moved[v];

  const float reach = runtime::morph_reach(view, weights);
  const auto& bounds = view.bounds();
  float farthest = 0;
  hcluster::PageDecoder decoder(view);
  const auto cluster = std::make_unique<hcluster::DecodedCluster>();
  hcluster::ClusterOffsets offsets;
  for (std::uint32_t page = 0; page < view.pages().size(); ++page) {
    EXPECT_TRUE(decoder.open(page, view.page(page)));
    while (*decoder.next(*cluster)) {
      EXPECT_TRUE(decoder.offsets(offsets));
      std::vector<std::array<float, 3>> positions(cluster->vertex_count);
      for (std::uint32_t v = 0; v < cluster->vertex_count; ++v) {
        for (std::uint32_t k = 0; k < 3; ++k) positions[v][k] = grid.value(k, cluster->vertices.at(k, v));
      }
      const std::vector<std::array<float, 3>> rest = positions;
      runtime::add_offsets(view, offsets, weights, {.positions = positions, .normals = {}, .tangents = {}});
      for (std::uint32_t v = 0; v < cluster->vertex_count; ++v) {
        const Vec3 from{rest[v][0], rest[v][1], rest[v][2]}, to{positions[v][0], positions[v][1], positions[v][2]};
        const auto found = by_cell.find(cell(from));
        EXPECT_NE(found, by_cell.end());
        if (found == by_cell.end()) return 0;
        EXPECT_LE(scene::length(found->second - to), allowed + 1e-6f);
        EXPECT_LE(scene::length(to - from), reach);
        farthest = std::max(farthest, scene::length(to - from));
        for (std::size_t k = 0; k < 3; ++k) {
          EXPECT_GE(positions[v][k], bounds.aabb_min[k] - allowed);
          EXPECT_LE(positions[v][k], bounds.aabb_max[k] + allowed);
        }
      }
    }
  }
  return farthest;
}

TEST(HclusterMorphs, offsets_stay_within_the_errors_and_bounds_that_the_file_states) {
  const CompiledMesh mesh = face_mesh(9);
  const auto file = write_clusters_of(mesh);
  ASSERT_TRUE(file) << file.error().to_string();
  const auto view = hcluster::View::open(*file);
  ASSERT_TRUE(view) << view.error().to_string();
  ASSERT_TRUE(view->morphs());
  ASSERT_EQ(view->morphs()->targets().size(), 9u);
  EXPECT_EQ(view->morphs()->name(3), "target 3");
  EXPECT_EQ(view->morphs()->targets()[3].weight, 0.5f);
  EXPECT_EQ(view->morphs()->targets()[0].low, -0.5f);
  EXPECT_EQ(view->morphs()->targets()[3].move_count, 0u) << "moves are in pages";
  EXPECT_LE(view->morphs()->targets()[3].position_step, view->channels()[0].step / 2 * 1.001f);
  EXPECT_GT(view->desc().level_count, 3u);
  std::mt19937 random(2);
  std::uniform_real_distribution<float> unit(0, 1);
  for (int i = 0; i < 4; ++i) {
    std::vector<float> weights(9);
    for (float& weight : weights) weight = i == 0 ? 1 : unit(random);
    if (i == 1) weights[0] = -0.5f;
    EXPECT_GT(expect_offsets_hold(mesh, *view, weights), 0.05f);
  }
  std::vector<float> none(9);
  EXPECT_EQ(expect_offsets_hold(mesh, *view, none), 0);
  EXPECT_EQ(runtime::morph_reach(*view, none), 0);
  // One target alone: no offset is longer than its radius, and one is as long.
  none[4] = 1;
  EXPECT_NEAR(expect_offsets_hold(mesh, *view, none), view->morph_radii()[4], 1e-5);
}

// A step then is larger than usual, because an integer has 16 bits.
TEST(HclusterMorphs, offsets_far_larger_than_the_mesh_are_held) {
  const CompiledMesh mesh = face_mesh(2, 1000);
  const auto file = write_clusters_of(mesh);
  ASSERT_TRUE(file) << file.error().to_string();
  const auto view = hcluster::View::open(*file);
  EXPECT_GT(view->morphs()->targets()[0].position_step, view->channels()[0].step);
  expect_offsets_hold(mesh, *view, std::array{1.0f, 1.0f});
}

TEST(HclusterMorphs, many_targets_fit_smaller_groups_and_larger_pages) {
  const CompiledMesh mesh = face_mesh(300, 0.1f, 30);
  const auto file = write_clusters_of(mesh);
  ASSERT_TRUE(file) << file.error().to_string();
  const auto view = hcluster::View::open(*file);
  ASSERT_TRUE(view) << view.error().to_string();
  std::uint32_t largest = 0;
  for (const hcluster::Page& page : view->pages()) largest = std::max(largest, page.size_bytes);
  EXPECT_GT(largest, hcluster::kMaxPageBytes);
  EXPECT_LE(largest, hcluster::kMaxMorphPageBytes);
  expect_offsets_hold(mesh, *view, std::vector<float>(300, 0.01f));
}

TEST(HclusterMorphs, same_bytes_each_time) {
  const auto a = write_clusters_of(face_mesh(20)), b = write_clusters_of(face_mesh(20));
  EXPECT_TRUE(std::ranges::equal(a->span(), b->span()));
}

// The bytes are those of a mesh without targets, if no target moves anything.
TEST(HclusterMorphs, pages_of_still_targets_hold_the_same_clusters) {
  CompiledMesh still = face_mesh(2), plain = face_mesh(2);
  for (mesh::Morph& morph : still.mesh.targets) morph.offsets = {};
  plain.mesh.targets.clear(), plain.mesh.morphs.groups.clear();
  const auto a = write_clusters_of(std::move(still)), b = write_clusters_of(std::move(plain));
  const auto with = hcluster::View::open(*a), without = hcluster::View::open(*b);
  ASSERT_TRUE(with && without);
  EXPECT_TRUE(with->morphs());
  EXPECT_FALSE(without->morphs());
  EXPECT_EQ(with->desc().triangle_count, without->desc().triangle_count);
  EXPECT_EQ(with->groups().size(), without->groups().size());
}

TEST(FitsPage, counts_the_numbers_of_the_most_moved_vertices) {
  EXPECT_TRUE(fits_page({}));
  EXPECT_TRUE(fits_page(std::vector<std::uint32_t>(100000, 600)));
  EXPECT_TRUE(fits_page(std::vector<std::uint32_t>(100, 3000)));
  EXPECT_FALSE(fits_page(std::vector<std::uint32_t>(100000, 2000)));
}

}  // namespace
}  // namespace assetc::recipes
