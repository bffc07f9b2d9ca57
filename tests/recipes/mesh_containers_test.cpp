// One mesh in each container: the file holds the value, and a file that is read back is written the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assetc/formats/galileo.hpp"
#include "assetc/formats/hmesh_v1.hpp"
#include "mesh/build.hpp"
#include "mesh/joints.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/container/hmesh_values.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::recipes {
namespace {

using scene::Vec2;
using scene::Vec3;
using scene::Vec4;
using ::testing::ElementsAre;

// A height field of side x side vertices that faces up.
struct Field {
  std::vector<Vec3> positions, normals;
  std::vector<Vec2> texcoords;
  std::vector<hmesh::GpuSkinVertex> skin;
  std::vector<std::uint32_t> indices;

  explicit Field(std::uint32_t side) {
    for (std::uint32_t y = 0; y < side; ++y) {
      for (std::uint32_t x = 0; x < side; ++x) {
        const auto u = static_cast<float>(x), v = static_cast<float>(y);
        positions.push_back({u, static_cast<float>((x * 7 + y * 13) % 5) * 0.1f, v});
        normals.push_back({0.1f * static_cast<float>(x % 3), 2, 0.1f * static_cast<float>(y % 4)});
        texcoords.push_back({u / static_cast<float>(side), v / static_cast<float>(side)});
        skin.push_back({{0, 1, 0, 0}, {0.75f, 0.25f, 0, 0}});
      }
    }
    for (std::uint32_t y = 0; y + 1 < side; ++y) {
      for (std::uint32_t x = 0; x + 1 < side; ++x) {
        const std::uint32_t a = y * side + x;
        indices.insert(indices.end(), {a, a + side, a + 1, a + 1, a + side, a + side + 1});
      }
    }
  }
  mesh::SubmeshInput input(const std::string& name) const {
    mesh::SubmeshInput in;
    in.name = name;
    in.material_slot = 0;
    in.indices = indices;
    in.positions = positions;
    in.normals = normals;
    in.texcoords = texcoords;
    in.skin = skin;
    return in;
  }
};

// Two submeshes with a skin, levels of detail, names and pose bounds.
CompiledMesh skinned_mesh() {
  const Field a(40), b(12);
  const std::vector inputs{a.input("ground"), b.input("stone")};
  auto built = mesh::build_mesh(inputs);
  EXPECT_TRUE(built) << built.error().to_string();
  CompiledMesh out{.mesh = std::move(built->mesh), .stem = "models/field"};
  out.source_materials = {17};
  out.source_material_names = {"grass"};
  mesh::Mesh& m = out.mesh;
  m.materials = {17};
  m.joints = {mesh::joint_of({}, {}, hmesh::kNoParent), mesh::joint_of({}, {{0, 1, 0}, {}, {1, 1, 1}}, 0)};
  m.pose_bounds = {m.bounds};
  m.names.materials = {"grass"};
  m.names.joints = {"root", "tip"};
  return out;
}

Bytes written(const MeshContainer& container, CompiledMesh mesh) {
  MeshReport report;
  auto file = container.write(mesh, report);
  EXPECT_TRUE(file) << file.error().to_string();
  return file ? std::move(*file) : Bytes();
}
bool same(const Bytes& a, const Bytes& b) { return std::ranges::equal(a.span(), b.span()); }

TEST(MeshContainers, hmesh_that_is_read_is_written_alike) {
  const Bytes file = written(kHmesh, skinned_mesh());
  const auto view = hmesh::View::open(file);
  ASSERT_TRUE(view) << view.error().to_string();
  EXPECT_GT(view->lod_count(), 0u);
  EXPECT_TRUE(view->is_skinned());
  EXPECT_EQ(view->pose_bounds().size(), 1u);
  EXPECT_TRUE(same(written(kHmesh, read_hmesh(*view)), file));
}

TEST(MeshContainers, version_1_of_a_file_is_that_of_the_value) {
  const CompiledMesh mesh = skinned_mesh();
  const Bytes file = written(kHmesh, mesh);
  const auto view = hmesh::View::open(file);
  ASSERT_TRUE(view);
  const Bytes first = written(kHmeshV1, mesh);
  EXPECT_TRUE(same(written(kHmeshV1, read_hmesh(*view)), first));
  EXPECT_EQ(hmesh_v1::View::open(first)->to_model().material_names, std::vector<std::string>{"grass"});
}

TEST(MeshContainers, hmesh_without_texture_coordinates_and_tangents_has_zeros) {
  CompiledMesh mesh = skinned_mesh();
  mesh.mesh.texcoords.clear();
  mesh.mesh.tangents.clear();
  mesh.mesh.has_tangents = false;
  const Bytes file = written(kHmesh, mesh);
  const auto view = hmesh::View::open(file);
  ASSERT_TRUE(view);
  EXPECT_FALSE(view->has_tangents());
  for (const hmesh::GpuVertex& v : view->vertices()) {
    EXPECT_THAT(v.tangent, ElementsAre(0, 0));
    EXPECT_THAT(v.uv, ElementsAre(0, 0));
  }
}

TEST(MeshContainers, galileo_has_unit_normals_and_the_sets_of_each_submesh) {
  const Field a(9), b(5);
  std::vector inputs{a.input("a"), b.input("b")};
  const std::vector<Vec4> colors(b.positions.size(), Vec4{1, 0.5f, 0, 1});
  inputs[1].texcoord_sets = {b.texcoords, b.texcoords};
  inputs[1].color_sets = {colors};
  mesh::MeshOptions options;
  options.lods = 0;
  options.exact_frames = true;
  auto built = mesh::build_mesh(inputs, options);
  ASSERT_TRUE(built);
  built->mesh.materials = {17};
  const Bytes file = written(kGalileo, {.mesh = std::move(built->mesh), .stem = "x", .places = {"a", "b"}});
  const auto view = galileo::View::open(file);
  ASSERT_TRUE(view) << view.error().to_string();
  ASSERT_EQ(view->groups().size(), 2u);
  EXPECT_EQ(view->groups()[0].texcoords.size(), 1u);
  EXPECT_EQ(view->groups()[0].colors.size(), 0u);
  EXPECT_EQ(view->groups()[1].texcoords.size(), 2u);
  EXPECT_EQ(view->groups()[1].colors.size(), 1u);
  for (const galileo::Float3& n : view->groups()[0].normals)
    EXPECT_NEAR(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-5);
}

// In files of other compilers submeshes may share vertices: each group gets the ones that it uses.
TEST(MeshContainers, galileo_takes_apart_submeshes_that_share_vertices) {
  CompiledMesh mesh{.stem = "x"};
  mesh::Mesh& m = mesh.mesh;
  m.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 5, 5}};
  m.normals.resize(4, {0, 0, 1});
  m.texcoords = {{{0, 0}, {1, 0}, {0, 1}, {2, 0}}};
  m.indices = {2, 0, 1, 3, 0, 2};
  m.submeshes.resize(2);
  m.submesh_vertices.resize(2);
  for (std::uint32_t s = 0; s < 2; ++s) {
    m.submeshes[s].first_index = 3 * s;
    m.submeshes[s].index_count = 3;
    m.submeshes[s].material_slot = hmesh::kNoMaterial;
    m.submesh_vertices[s].texcoord_sets = {true};
  }
  MeshReport report;
  const auto file = kGalileo.write(mesh, report);
  ASSERT_TRUE(file) << file.error().to_string();
  const galileo::Model model = galileo::View::open(*file)->to_model();
  ASSERT_EQ(model.groups.size(), 2u);
  EXPECT_THAT(model.groups[0].indices, ElementsAre(0, 1, 2));
  EXPECT_THAT(model.groups[0].positions,
              ElementsAre(galileo::Float3{0, 1, 0}, galileo::Float3{0, 0, 0}, galileo::Float3{1, 0, 0}));
  EXPECT_THAT(model.groups[1].positions,
              ElementsAre(galileo::Float3{5, 5, 5}, galileo::Float3{0, 0, 0}, galileo::Float3{0, 1, 0}));
  EXPECT_EQ(model.groups[1].texcoords[0][0], (galileo::Float2{2, 0}));
  EXPECT_EQ(model.groups[0].tangents[0], (galileo::Float4{1, 0, 0, 1})) << "there are none";
  EXPECT_EQ(std::move(report).take().size(), 1u) << "texture coordinates leave [0, 1], reported once for the file";
}

TEST(MeshSource, is_flattened_with_its_channels_where_the_output_keeps_them) {
  const Field field(3);
  scene::Primitive p;
  p.indices = field.indices;
  p.positions = field.positions;
  p.texcoords = {field.texcoords, {}, field.texcoords};
  p.colors = {std::vector<Vec4>(field.positions.size())};
  p.material = 0;
  scene::Scene scene;
  scene.meshes = {{.name = "", .primitives = {p}}};
  scene.materials.resize(1);
  const auto sets_of = [&](bool keeps_channels) {
    MeshReport report;
    const auto flat = flatten({scene, importer::ModelKind::kGltf, keeps_channels}, true, report);
    std::vector<const Vec2*> sets;
    for (const auto& set : flat->submeshes.at(0).texcoord_sets) sets.push_back(set.data());
    EXPECT_EQ(flat->submeshes[0].color_sets.size(), keeps_channels ? 1u : 0u);
    return sets;
  };
  const std::vector<std::vector<Vec2>>& sets = scene.meshes[0].primitives[0].texcoords;
  EXPECT_THAT(sets_of(false), ElementsAre());
  EXPECT_THAT(sets_of(true), ElementsAre(sets[0].data(), sets[2].data()));
  scene.materials[0].base_color_texture.image = 0;
  scene.materials[0].base_color_texture.texcoord = 2;
  EXPECT_THAT(sets_of(true), ElementsAre(sets[2].data(), sets[0].data(), sets[2].data())) << "the material's set first";
}

TEST(MeshSource, names_parts_as_the_file_does) {
  using importer::ModelKind;
  scene::Scene scene;
  scene.meshes = {{.name = "seat", .primitives = {}}, {.name = "", .primitives = {}}};
  scene.materials.resize(2);
  scene.materials[0].name = "Oak";
  const auto places = [&](ModelKind kind) {
    const MeshSource source{scene, kind, false};
    return std::vector{source.primitive_place(0, 2), source.primitive_place(1, 2), source.material_place(0),
                       source.material_place(1)};
  };
  EXPECT_THAT(places(ModelKind::kGltf),
              ElementsAre("/meshes/0/primitives/2", "/meshes/1/primitives/2", "/materials/0", "/materials/1"));
  EXPECT_THAT(places(ModelKind::kObj), ElementsAre("\"seat\"", "the mesh", "material \"Oak\"", "material \"\""));
  EXPECT_THAT(places(ModelKind::kFbx), ElementsAre("\"seat\"", "the mesh", "material \"Oak\"", "material \"\""));
  EXPECT_THAT(places(ModelKind::kGalileo),
              ElementsAre("/vertex_groups/2", "/vertex_groups/2", "material \"Oak\"", "material 1"));
  EXPECT_THAT(places(ModelKind::kHmesh),
              ElementsAre("submesh 2", "submesh 2 of level 1", "material \"Oak\"", "material 1"));
}

}  // namespace
}  // namespace assetc::recipes
