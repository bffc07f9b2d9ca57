// Meshes in .hcluster: the source comes back within the errors that the file states.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <numbers>

#include "assetc/formats/hcluster_view.hpp"
#include "import/compiled/aligned_bytes.hpp"
#include "mesh/build.hpp"
#include "mesh/joints.hpp"
#include "mesh/shapes.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/mesh/compiled_mesh.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::recipes {
namespace {

using hcluster::Semantic;
using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

// A wavy grid in two materials with two texture coordinate sets, colors and tangents.
struct Rich {
  mesh::Shape shape = mesh::wavy_grid(60, 50);
  std::vector<Vec2> second;
  std::vector<Vec4> colors, tangents;

  explicit Rich(float scale = 1, Vec3 offset = {}) {
    for (std::size_t v = 0; v < shape.positions.size(); ++v) {
      shape.positions[v] = shape.positions[v] * scale + offset;
      const Vec2 uv = shape.texcoords[v];
      second.push_back({uv.y * 7 - 3, uv.x * 0.01f});
      colors.push_back({uv.x, uv.y * 0.5f, 0.25f, 1 - uv.x * uv.y});
      const Vec3 n = shape.normals[v];
      const auto turn = static_cast<float>(v % 97);
      const Vec3 t = scene::normalize_or(scene::cross(n, {std::cos(turn), 0.1f, std::sin(turn)}), {1, 0, 0});
      tangents.push_back({t.x, t.y, t.z, v % 3 == 0 ? -1.0f : 1.0f});
    }
  }
  mesh::SubmeshInput part(std::size_t first, std::size_t count, std::uint32_t slot) const {
    mesh::SubmeshInput in;
    in.material_slot = slot;
    in.indices = std::span(shape.indices).subspan(first, count);
    in.positions = shape.positions;
    in.normals = shape.normals;
    in.tangents = tangents;
    in.texcoords = shape.texcoords;
    in.texcoord_sets = {shape.texcoords, second};
    in.color_sets = {colors};
    return in;
  }
};

CompiledMesh compiled(std::span<const mesh::SubmeshInput> inputs, std::vector<std::uint64_t> materials = {}) {
  mesh::MeshOptions options;
  options.lods = 0;
  auto built = mesh::build_mesh(inputs, options);
  EXPECT_TRUE(built) << built.error().to_string();
  CompiledMesh out{.mesh = std::move(built->mesh), .stem = "models/field"};
  out.mesh.materials = std::move(materials);
  out.source_materials = out.mesh.materials;
  out.source_material_names.resize(out.mesh.materials.size());
  return out;
}

CompiledMesh rich_mesh(float scale = 1, Vec3 offset = {}) {
  const Rich rich(scale, offset);
  const std::size_t half = rich.shape.indices.size() / 6 * 3;
  const std::vector inputs{rich.part(0, half, 1), rich.part(half, rich.shape.indices.size() - half, 0)};
  return compiled(inputs, {17, 18});
}

Result<Bytes> write(CompiledMesh mesh, MeshReport* report = nullptr) {
  MeshReport unread;
  return kHcluster.write(mesh, report != nullptr ? *report : unread);
}

// Angles of a direction in the basis that docs/formats/hcluster.md defines.
double angle_around(Vec3 n, Vec3 direction) {
  const double s = n.z >= 0 ? 1 : -1, k = -1 / (s + static_cast<double>(n.z));
  const double x[3] = {1 + s * n.x * n.x * k, s * n.x * n.y * k, -s * n.x};
  const double y[3] = {static_cast<double>(n.x) * n.y * k, s + static_cast<double>(n.y) * n.y * k, -n.y};
  return std::atan2(direction.x * y[0] + direction.y * y[1] + direction.z * y[2],
                    direction.x * x[0] + direction.y * x[1] + direction.z * x[2]);
}
Vec3 from_octahedral(float u, float v) {
  Vec3 n{u, v, 1 - std::fabs(u) - std::fabs(v)};
  if (n.z < 0) n.x = std::copysign(1 - std::fabs(v), u), n.y = std::copysign(1 - std::fabs(u), v);
  return scene::normalize_or(n, {0, 0, 1});
}
std::array<float, 2> octahedral(Vec3 n) {
  const float length = std::fabs(n.x) + std::fabs(n.y) + std::fabs(n.z);
  const float u = n.x / length, v = n.y / length;
  if (n.z >= 0) return {u, v};
  return {std::copysign(1 - std::fabs(v), u), std::copysign(1 - std::fabs(u), v)};
}

// Compares a file with the mesh that it was written from.
class Comparison {
 public:
  Comparison(const mesh::Mesh& mesh, const hcluster::View& view) : mesh_(mesh), view_(view) {}

  // Every triangle of the source once, in its material.
  void run() {
    for (const hmesh::SubMesh& s : mesh_.submeshes) {
      for (std::uint32_t i = s.first_index; i < s.first_index + s.index_count; i += 3) {
        std::array<std::uint32_t, 3> t{mesh_.indices[i], mesh_.indices[i + 1], mesh_.indices[i + 2]};
        triangles_.emplace(key(s.material_slot, {grid(t[0]), grid(t[1]), grid(t[2])}), t);
      }
    }
    hcluster::PageDecoder decoder(view_);
    const auto c = std::make_unique<hcluster::DecodedCluster>();
    std::size_t found = 0;
    for (std::uint32_t page = 0; page < view_.pages().size(); ++page) {
      ASSERT_TRUE(decoder.open(page, view_.page(page)));
      while (*decoder.next(*c)) {
        if (c->refined != hcluster::kNone) continue;
        std::uint32_t range = 0;
        for (std::uint32_t t = 0; t < c->triangle_count; ++t) {
          if (t == c->materials[range].end) ++range;
          ASSERT_TRUE(take(*c, c->materials[range].material, c->triangles[t])) << "cluster triangle " << t;
          ++found;
        }
      }
    }
    EXPECT_EQ(found, mesh_.indices.size() / 3);
    EXPECT_TRUE(triangles_.empty());
  }

 private:
  using Point = std::array<std::int64_t, 3>;
  using Key = std::pair<std::uint32_t, std::array<Point, 3>>;

  static Key key(std::uint32_t material, std::array<Point, 3> corners) {
    std::array<Point, 3> least = corners;
    for (int turn = 0; turn < 2; ++turn) {
      std::ranges::rotate(corners, corners.begin() + 1);
      least = std::min(least, corners);
    }
    return {material, least};
  }
  Point grid(std::uint32_t v) const {
    const hcluster::Channel& c = view_.channels()[0];
    const Vec3 p = mesh_.positions[v];
    const auto steps = [&](float value, std::size_t k) {
      return static_cast<std::int64_t>(std::floor((static_cast<double>(value) - c.minimum[k]) / c.step + 0.5));
    };
    return {steps(p.x, 0), steps(p.y, 1), steps(p.z, 2)};
  }

  bool take(const hcluster::DecodedCluster& c, std::uint32_t material, std::array<std::uint8_t, 3> corners) {
    const auto point = [&](std::uint8_t v) {
      return Point{c.vertices.at(0, v), c.vertices.at(1, v), c.vertices.at(2, v)};
    };
    const auto [begin, end] =
        triangles_.equal_range(key(material, {point(corners[0]), point(corners[1]), point(corners[2])}));
    for (auto at = begin; at != end; ++at) {
      auto source = at->second;
      for (int turn = 0; turn < 3; ++turn) {
        if (equal(c, corners[0], source[0]) && equal(c, corners[1], source[1]) && equal(c, corners[2], source[2])) {
          triangles_.erase(at);
          return true;
        }
        std::ranges::rotate(source, source.begin() + 1);
      }
    }
    return false;
  }

  // Within the errors of all channels.
  bool equal(const hcluster::DecodedCluster& c, std::uint8_t v, std::uint32_t source) const {
    std::uint32_t component = 0;
    Vec3 normal;
    for (const hcluster::Channel& channel : view_.channels()) {
      const auto value = [&](std::size_t k) {
        return channel.value(k, c.vertices.at(component + static_cast<std::uint32_t>(k), v));
      };
      std::vector<float> expected;
      switch (channel.semantic) {
        case Semantic::kPosition:
          expected = {mesh_.positions[source].x, mesh_.positions[source].y, mesh_.positions[source].z};
          break;
        case Semantic::kNormal: {
          normal = from_octahedral(value(0), value(1));
          const auto uv = octahedral(scene::normalize_or(mesh_.normals[source], {0, 0, 1}));
          expected = {uv[0], uv[1]};
          break;
        }
        case Semantic::kTexcoord:
          expected = {mesh_.texcoords[channel.set][source].x, mesh_.texcoords[channel.set][source].y};
          break;
        case Semantic::kColor: {
          const Vec4 color = mesh_.colors[channel.set][source];
          expected = {color.x, color.y, color.z, color.w};
          break;
        }
        case Semantic::kTangent: {
          const Vec4 t = mesh_.tangents[source];
          const std::uint32_t stored = c.vertices.at(component, v);
          const double turn = 2 * std::numbers::pi * (stored >> 1) / (1u << (channel.bits - 1));
          const double difference = std::remainder(turn - angle_around(normal, {t.x, t.y, t.z}), 2 * std::numbers::pi);
          if (std::fabs(difference) > channel.error + 1e-6 || ((stored & 1) != 0) != (t.w < 0)) return false;
          break;
        }
        case Semantic::kJoints: {
          const hcluster::Channel& weights = *view_.find(Semantic::kWeights, channel.set);
          for (std::size_t k = 0; k < 4; ++k) {
            const std::uint32_t joint = c.vertices.at(component + static_cast<std::uint32_t>(k), v),
                                weight = c.vertices.at(component + 4 + static_cast<std::uint32_t>(k), v);
            if (weight > 0 &&
                !(std::fabs(weights.value(k, weight) - weight_of(channel.set, source, joint)) <= weights.error + 1e-7f))
              return false;
          }
          break;
        }
        case Semantic::kWeights: {
          const float sum = value(0) + value(1) + value(2) + value(3);
          if (channel.set == 0 && std::fabs(sum - 1) > 1e-6f) return false;
          break;
        }
        default:
          return false;
      }
      for (std::size_t k = 0; k < expected.size(); ++k) {
        if (!(std::fabs(static_cast<double>(value(k)) - expected[k]) <= channel.error)) return false;
      }
      component += channel.components;
    }
    return true;
  }

  float weight_of(std::uint16_t set, std::uint32_t v, std::uint32_t joint) const {
    const hmesh::GpuSkinVertex& s = (set == 0 ? mesh_.skin : mesh_.further_skin)[v];
    float sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += s.joints[i] == joint ? s.weights[i] : 0;
    return sum;
  }

  const mesh::Mesh& mesh_;
  const hcluster::View& view_;
  std::multimap<Key, std::array<std::uint32_t, 3>> triangles_;
};

void expect_holds(const CompiledMesh& mesh) {
  const auto file = write(mesh);
  ASSERT_TRUE(file) << file.error().to_string();
  const importer::AlignedBytes bytes(*file);
  const auto view = hcluster::View::open(bytes.span());
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_EQ(view->desc().source_triangle_count, mesh.mesh.indices.size() / 3);
  Comparison(mesh.mesh, *view).run();
}

TEST(HclusterContainer, holds_every_attribute_within_the_errors_that_it_states) {
  const CompiledMesh mesh = rich_mesh();
  const auto file = write(mesh);
  ASSERT_TRUE(file) << file.error().to_string();
  const auto view = hcluster::View::open(*file);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_EQ(view->materials().size(), 2u);
  EXPECT_EQ(view->materials()[1], 18u);
  EXPECT_GT(view->desc().level_count, 3u);
  ASSERT_NE(view->find(Semantic::kTangent), nullptr);
  EXPECT_FLOAT_EQ(view->find(Semantic::kTangent)->error, std::numbers::pi_v<float> / 256);
  ASSERT_NE(view->find(Semantic::kTexcoord, 1), nullptr);
  ASSERT_NE(view->find(Semantic::kColor), nullptr);
  // Half a step, and how a reader rounds.
  for (const hcluster::Channel& c : view->channels()) {
    if (c.semantic != Semantic::kTangent) {
      EXPECT_LE(c.error, c.step * 0.51f);
    }
  }
  expect_holds(mesh);
}

// Eight influences of random weights; joints in any order.
CompiledMesh skinned_mesh(std::uint32_t joints) {
  CompiledMesh mesh = rich_mesh();
  for (std::uint32_t j = 0; j < joints; ++j)
    mesh.mesh.joints.push_back(mesh::joint_of({}, {}, static_cast<std::int32_t>(j) - 1));
  std::uint32_t random = 1;
  const auto below = [&](std::uint32_t limit) { return (random = random * 1664525 + 1013904223) / 65536 % limit; };
  for (std::size_t v = 0; v < mesh.mesh.positions.size(); ++v) {
    hmesh::GpuSkinVertex first, further;
    float sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      first.joints[i] = static_cast<std::uint16_t>((below(joints / 8) * 8 + i) % joints);
      first.weights[i] = static_cast<float>(1 + below(1000) * below(2));
      sum += first.weights[i];
      further.joints[i] = static_cast<std::uint16_t>((below(joints / 8) * 8 + 4 + i) % joints);
    }
    for (float& weight : first.weights) weight /= sum;
    const float least = *std::ranges::min_element(first.weights);
    for (float& weight : further.weights) weight = least * static_cast<float>(below(100)) / 100;
    mesh.mesh.skin.push_back(first);
    mesh.mesh.further_skin.push_back(further);
  }
  return mesh;
}

TEST(HclusterContainer, holds_joints_exactly_and_weights_within_the_error_that_it_states) {
  const CompiledMesh mesh = skinned_mesh(72);
  const auto file = write(mesh);
  ASSERT_TRUE(file) << file.error().to_string();
  const auto view = hcluster::View::open(*file);
  ASSERT_TRUE(view) << view.error().to_string();
  ASSERT_EQ(view->joints().size(), 72u);
  EXPECT_EQ(view->joints()[3].parent, 2);
  EXPECT_GT(view->desc().skin_weight, 0);
  for (const std::uint16_t set : {std::uint16_t{0}, std::uint16_t{1}}) {
    ASSERT_NE(view->find(Semantic::kWeights, set), nullptr);
    EXPECT_LE(view->find(Semantic::kWeights, set)->error, 1.0f / 255);
    EXPECT_EQ(view->find(Semantic::kJoints, set)->bits, 7);
    EXPECT_EQ(view->find(Semantic::kJoints, set)->error, 0);
  }
  expect_holds(mesh);
}

TEST(HclusterContainer, refuses_more_components_than_a_vertex_can_have) {
  CompiledMesh mesh = skinned_mesh(72);
  mesh.mesh.texcoords.resize(7, mesh.mesh.texcoords[0]);
  const auto file = write(mesh);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().to_string(),
            "a vertex has more than 32 components in all; remove texture coordinate or color sets, or use "
            "mesh.container: hmesh");
}

// Where a float has fewer digits than a step, the stated errors are larger, and still hold.
TEST(HclusterContainer, holds_meshes_far_from_the_origin_and_of_all_sizes) {
  const std::pair<float, Vec3> cases[] = {
      {1.0f, {1000, -2000, 500}}, {1.0f, {100000, 0, 0}}, {1e-6f, {1, 1, 1}}, {1e-12f, {}}, {1e9f, {}},
      {3e16f, {1e17f, 0, 0}}};
  for (const auto& [scale, offset] : cases) {
    SCOPED_TRACE(scale);
    SCOPED_TRACE(offset.x);
    expect_holds(rich_mesh(scale, offset));
  }
}

TEST(HclusterContainer, one_vertex_far_away_makes_the_steps_larger_only) {
  Rich rich;
  rich.shape.positions.back() = {1e17f, -1e17f, 1e17f};
  const std::vector inputs{rich.part(0, rich.shape.indices.size(), hmesh::kNoMaterial)};
  const CompiledMesh mesh = compiled(inputs);
  const auto file = write(mesh);
  ASSERT_TRUE(file) << file.error().to_string();
  const auto view = hcluster::View::open(*file);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_EQ(view->desc().source_triangle_count, mesh.mesh.indices.size() / 3);
  EXPECT_GT(view->desc().position_error, 1e11f);
  EXPECT_LT(view->desc().position_error, 1e13f);
}

TEST(HclusterContainer, holds_a_mesh_without_materials_and_texture_coordinates) {
  const mesh::Shape shape = mesh::sphere(40, 20);
  mesh::SubmeshInput in;
  in.indices = shape.indices;
  in.positions = shape.positions;
  in.normals = shape.normals;
  const CompiledMesh mesh = compiled(std::span(&in, 1));
  const auto file = write(mesh);
  ASSERT_TRUE(file) << file.error().to_string();
  const auto view = hcluster::View::open(*file);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->channels().size(), 2u);
  EXPECT_TRUE(view->materials().empty());
  expect_holds(mesh);
}

TEST(HclusterContainer, holds_one_triangle) {
  const std::vector<Vec3> positions{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  const std::vector<std::uint32_t> indices{0, 1, 2};
  mesh::SubmeshInput in;
  in.indices = indices;
  in.positions = positions;
  const CompiledMesh mesh = compiled(std::span(&in, 1));
  const auto file = write(mesh);
  ASSERT_TRUE(file) << file.error().to_string();
  const auto view = hcluster::View::open(*file);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->desc().cluster_count, 1u);
  EXPECT_EQ(view->groups().size(), 1u);
  EXPECT_TRUE(std::isinf(view->groups()[0].error));
  expect_holds(mesh);
}

// The recipe never hands such a mesh over, but a file that is read may hold one.
TEST(HclusterContainer, holds_triangles_without_area) {
  CompiledMesh mesh = rich_mesh();
  for (Vec3& p : mesh.mesh.positions) p = {1, 2, 3};
  const auto file = write(mesh);
  ASSERT_TRUE(file) << file.error().to_string();
  const auto view = hcluster::View::open(*file);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_EQ(view->desc().source_triangle_count, mesh.mesh.indices.size() / 3);
  // On a line.
  for (std::size_t v = 0; v < mesh.mesh.positions.size(); ++v) {
    const auto at = static_cast<float>(v % 50);
    mesh.mesh.positions[v] = {at, at, at};
  }
  EXPECT_TRUE(write(mesh));
}

TEST(HclusterContainer, refuses_a_mesh_of_points_alone) {
  CompiledMesh mesh = rich_mesh();
  mesh.mesh.indices.clear();
  mesh.mesh.submeshes.clear();
  mesh.places = {"/meshes/0/primitives/0"};
  const auto file = write(mesh);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().to_string(),
            "/meshes/0/primitives/0: the mesh has points and lines alone, but hcluster holds triangles only; use "
            "mesh.container: hmesh");
}

TEST(HclusterContainer, refuses_texture_coordinates_that_no_step_can_reach) {
  CompiledMesh mesh = rich_mesh();
  mesh.mesh.texcoords[1][0].x = 3e38f;
  mesh.mesh.texcoords[1][1].x = -3e38f;
  const auto file = write(mesh);
  ASSERT_FALSE(file);
  EXPECT_EQ(file.error().to_string(),
            "texture coordinates or colors span more than a float can hold; correct these values in the source");
}

TEST(HclusterContainer, same_bytes_each_time) {
  const auto a = write(rich_mesh()), b = write(rich_mesh());
  EXPECT_TRUE(std::ranges::equal(a->span(), b->span()));
}

}  // namespace
}  // namespace assetc::recipes
