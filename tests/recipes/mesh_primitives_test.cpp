// Points and lines, from a source into every container and back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/galileo.hpp"
#include "assetc/formats/hscene_view.hpp"
#include "import/compiled/hmesh.hpp"
#include "import/tiny_gltf.hpp"
#include "recipes/compile_mesh.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/container/hmesh_values.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::recipes {
namespace {

using importer::testing::TinyGltf;
using scene::Topology;
using scene::Vec3;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// Points with colors, a triangle with texture coordinates, and a strip of lines with normals; one morph target moves
// them all. The node that shows them mirrors them.
std::string drawing(const std::string& more = "") {
  TinyGltf g;
  const std::string p = std::to_string(g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0, 7, 7, 7}));
  const std::string color = std::to_string(g.vec4({1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 1, 1, 0.5f}));
  const std::string uv = std::to_string(g.vec2({0, 0, 1, 0, 0, 1, 1, 1}));
  const std::string n = std::to_string(g.vec3({0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0}));
  const std::string move = std::to_string(g.vec3({0, 0, 2, 0, 0, 2, 0, 0, 2, 0, 0, 2}));
  const std::string dots = std::to_string(g.indices({2, 0, 2})), corners = std::to_string(g.indices({0, 1, 2}));
  const std::string strip = std::to_string(g.indices({1, 0, 2}));
  const std::string targets = R"(,"targets":[{"POSITION":)" + move + "}]";
  const std::string variants =
      R"(,"extensions":{"KHR_materials_variants":{"mappings":[{"material":1,"variants":[0]}]}})";
  return g.json(R"("extensions":{"KHR_materials_variants":{"variants":[{"name":"red"}]}},
    "materials":[{"name":"paper"},{"name":"ink"}],"nodes":[{"name":"sheet","mesh":0,"scale":[-1,1,1])" +
                more + R"(}],"meshes":[{"name":"drawing","weights":[0.5],"primitives":[
    {"mode":0,"material":1,"attributes":{"POSITION":)" +
                p + R"(,"COLOR_0":)" + color + R"(},"indices":)" + dots + targets + R"(},
    {"material":0,"attributes":{"POSITION":)" +
                p + R"(,"TEXCOORD_0":)" + uv + R"(},"indices":)" + corners + targets + R"(},
    {"mode":3,"material":0,"attributes":{"POSITION":)" +
                p + R"(,"NORMAL":)" + n + R"(},"indices":)" + strip + targets + variants + "}]}]");
}

std::string dots_alone() {
  TinyGltf g;
  const std::string p = std::to_string(g.vec3({0, 0, 0, 1, 0, 0, 0, 3, 0}));
  return g.json(R"("nodes":[{"mesh":0}],"meshes":[{"name":"dots","primitives":[{"mode":0,"attributes":{"POSITION":)" +
                p + "}}]}]");
}

std::vector<Vec3> corners_of(const hmesh::View& mesh, const hmesh::GpuPrimitive& primitive) {
  std::vector<Vec3> out;
  for (const std::uint32_t i : mesh.primitives()->indices_of(primitive)) {
    const auto& p = mesh.vertices()[i].position;
    out.push_back({p[0], p[1], p[2]});
  }
  return out;
}

TEST(MeshPrimitives, points_and_lines_are_kept_with_their_attributes) {
  const CompiledFiles c = compile_mesh(drawing());
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  for (const std::string& warning : c.warnings()) EXPECT_THAT(warning, Not(HasSubstr("primitive")));
  const hmesh::View mesh = c.mesh();
  ASSERT_EQ(mesh.submeshes().size(), 1u);
  ASSERT_TRUE(mesh.primitives());
  const auto items = mesh.primitives()->items();
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].topology, hmesh::Topology::kPoints);
  EXPECT_EQ(items[0].flags, 0u);
  EXPECT_EQ(items[0].submeshes_before, 0u);
  EXPECT_EQ(items[1].topology, hmesh::Topology::kLines);
  EXPECT_EQ(items[1].flags, hmesh::GpuPrimitive::kHasNormals);
  EXPECT_EQ(items[1].submeshes_before, 1u);
  EXPECT_EQ(mesh.primitives()->name(0), "drawing");
  EXPECT_EQ(items[0].node, 0u);
  EXPECT_THAT(corners_of(mesh, items[0]), ElementsAre(Vec3{0, 1, 0}, Vec3{0, 0, 0}, Vec3{0, 1, 0}));
  EXPECT_THAT(corners_of(mesh, items[1]), ElementsAre(Vec3{-1, 0, 0}, Vec3{0, 0, 0}, Vec3{0, 0, 0}, Vec3{0, 1, 0}))
      << "mirroring turns triangles, not lines";
  EXPECT_EQ(mesh.materials()[items[0].material_slot], mesh.materials()[0]);
  EXPECT_NE(items[0].material_slot, items[1].material_slot);
  const auto& further = *mesh.further_attributes();
  EXPECT_THAT(further.value(*further.find(hmesh::FurtherSemantic::kColor, 0), mesh.primitives()->indices()[0]),
              ElementsAre(0, 0, 1, 1));
  EXPECT_GE(items[0].bounds.aabb_max[2], 2.0f) << "the morph target moves the points";
  EXPECT_GE(mesh.bounds().aabb_max[2], 2.0f);
}

TEST(MeshPrimitives, the_way_back_has_the_order_of_the_source_at_every_level) {
  const CompiledFiles c = compile_mesh(drawing());
  const auto scene = importer::import_hmesh({c.output(".hmesh")});
  ASSERT_TRUE(scene) << scene.error().to_string();
  const auto& primitives = scene->meshes[0].primitives;
  ASSERT_THAT(primitives, SizeIs(3));
  EXPECT_EQ(primitives[0].topology, Topology::kPoints);
  EXPECT_EQ(primitives[1].topology, Topology::kTriangles);
  EXPECT_EQ(primitives[2].topology, Topology::kLines);
  EXPECT_THAT(primitives[0].indices, ElementsAre(0, 1, 0));
  EXPECT_THAT(primitives[0].normals, IsEmpty());
  EXPECT_THAT(primitives[0].texcoords, IsEmpty());
  EXPECT_THAT(primitives[2].normals, SizeIs(3));
  ASSERT_THAT(primitives[2].morphs, SizeIs(1));
  EXPECT_THAT(primitives[2].morphs[0].positions, SizeIs(3));

  hmesh::Model leveled = c.mesh().to_model();
  leveled.lod_count = 1;
  leveled.lods = {{0, 3}};
  leveled.lod_indices = leveled.indices;
  const auto levels = importer::import_hmesh({Bytes(*hmesh::write(leveled))});
  ASSERT_TRUE(levels) << levels.error().to_string();
  ASSERT_THAT(levels->meshes, SizeIs(2));
  ASSERT_THAT(levels->meshes[1].primitives, SizeIs(3));
  EXPECT_EQ(levels->meshes[1].primitives[0].topology, Topology::kPoints);
  EXPECT_EQ(levels->meshes[1].primitives[2].indices, primitives[2].indices);
}

TEST(MeshPrimitives, a_mesh_of_points_alone_is_compiled) {
  const CompiledFiles c = compile_mesh(dots_alone());
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_THAT(c.warnings(), IsEmpty());
  const hmesh::View mesh = c.mesh();
  EXPECT_EQ(mesh.triangle_count(), 0u);
  EXPECT_EQ(mesh.submeshes().size(), 0u);
  EXPECT_EQ(mesh.vertices().size(), 3u);
  EXPECT_EQ(mesh.primitives()->indices().size(), 3u);
  EXPECT_EQ(mesh.bounds().aabb_max[1], 3.0f);
}

TEST(MeshPrimitives, a_compiled_value_gives_the_same_file_again) {
  for (const std::string& source : {drawing(), dots_alone()}) {
    const Bytes file = compile_mesh(source).output(".hmesh");
    CompiledMesh value = read_hmesh(*hmesh::View::open(file));
    MeshReport report;
    const auto again = kHmesh.write(value, report);
    ASSERT_TRUE(again) << again.error().to_string();
    EXPECT_TRUE(std::ranges::equal(ByteSpan(*again), ByteSpan(file)));
  }
}

TEST(MeshPrimitives, galileo_keeps_them_as_groups_in_the_order_of_the_source) {
  for (const bool carried : {false, true}) {
    Bytes file;
    if (carried) {
      const Bytes hmesh = compile_mesh(drawing()).output(".hmesh");
      CompiledMesh value = read_hmesh(*hmesh::View::open(hmesh));
      MeshReport report;
      file = *kGalileo.write(value, report);
    } else {
      MeshSettings settings = kNoScene;
      settings.container = MeshFormat::kGalileo;
      const CompiledFiles c = compile_mesh(drawing(), settings);
      ASSERT_TRUE(c.product) << c.product.error().to_string();
      file = c.output(".gali");
    }
    const auto view = galileo::View::open(file);
    ASSERT_TRUE(view) << view.error().to_string();
    ASSERT_EQ(view->groups().size(), 3u);
    EXPECT_EQ(view->groups()[0].topology, hmesh::Topology::kPoints);
    EXPECT_THAT(view->groups()[0].indices, ElementsAre(0, 1, 0));
    EXPECT_EQ(view->groups()[2].topology, hmesh::Topology::kLines);
    EXPECT_EQ(view->groups()[2].flags, hmesh::GpuPrimitive::kHasNormals);
    EXPECT_EQ(view->names()->submesh(2), "drawing");
    EXPECT_EQ(galileo::View::open(*galileo::write(view->to_model()))->to_model(), view->to_model());
    const auto imported = importer::import_model(
        "a.gali", file, [](std::string_view) -> Result<Bytes> { return fail(ErrorCode::kNotFound, ""); },
        [](std::string_view) { return false; });
    ASSERT_TRUE(imported) << imported.error().to_string();
    EXPECT_THAT(imported->scene.dropped, IsEmpty());
    const scene::Primitive& points = imported->scene.meshes[0].primitives[0];
    EXPECT_EQ(points.topology, Topology::kPoints);
    EXPECT_THAT(points.normals, IsEmpty());
    EXPECT_THAT(points.positions, ElementsAre(Vec3{0, 1, 0}, Vec3{0, 0, 0}));
    EXPECT_EQ(points.colors.at(0)[0], (scene::Vec4{0, 0, 1, 1}));
    EXPECT_THAT(points.morphs.at(0).positions, SizeIs(2));
  }
}

// A reader of the format alone sees one triangle without area in each group that is not of triangles.
TEST(MeshPrimitives, galileo_readers_that_skip_the_extension_see_the_triangles) {
  MeshSettings settings = kNoScene;
  settings.container = MeshFormat::kGalileo;
  const Bytes file = compile_mesh(drawing(), settings).output(".gali");
  galileo::Model model = galileo::View::open(file)->to_model();
  for (galileo::VertexGroup& group : model.groups) {
    if (group.topology == hmesh::Topology::kTriangles) continue;
    group.topology = hmesh::Topology::kTriangles;
    group.flags = 0;
    group.indices = {0, 0, 0};
  }
  const auto plain = galileo::write(model);
  ASSERT_TRUE(plain) << plain.error().to_string();
  EXPECT_EQ(galileo::View::open(*plain)->find_extension(galileo::kTopologyExtension), nullptr);
  // The slices, up to the extensions of the mesh, are the same bytes.
  const auto* names = galileo::View::open(*plain)->find_extension(galileo::kNamesExtension);
  ASSERT_NE(names, nullptr);
  const auto view = galileo::View::open(file);
  for (std::size_t g = 0; g < 3; ++g) {
    const galileo::View old = *galileo::View::open(*plain);
    EXPECT_TRUE(std::ranges::equal(view->groups()[g].positions, old.groups()[g].positions));
  }
}

TEST(MeshPrimitives, aas1_keeps_them_and_fills_an_empty_mesh) {
  for (const bool alone : {false, true}) {
    const Bytes file = compile_mesh(alone ? dots_alone() : drawing()).output(".hmesh");
    CompiledMesh value = read_hmesh(*hmesh::View::open(file));
    value.mesh.names.materials.clear();  // the value names none of them
    MeshReport report;
    const auto written = kAas1Mesh.write(value, report);
    ASSERT_TRUE(written) << written.error().to_string();
    EXPECT_THAT(std::move(report).take(), IsEmpty());
    const auto view = aas1::MeshView::open(*written);
    ASSERT_TRUE(view) << view.error().to_string();
    ASSERT_TRUE(view->primitives());
    EXPECT_EQ(view->has_triangles(), !alone);
    EXPECT_EQ(view->levels()[0].submeshes.size(), 1u);
    EXPECT_EQ(view->levels()[0].index_count, 3u);
    EXPECT_EQ(view->primitives()->items().size(), alone ? 1u : 2u);
    EXPECT_EQ(view->primitives()->items()[0].topology, hmesh::Topology::kPoints);
  }
}

TEST(MeshPrimitives, version_1_reports_the_loss) {
  MeshSettings settings = kNoScene;
  settings.container = MeshFormat::kHmeshV1;
  const CompiledFiles c = compile_mesh(drawing(), settings);
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_THAT(c.warnings(), Contains("dropped: 2 point and line primitives, which hmesh-v1 cannot hold "
                                     "(/meshes/0/primitives/0, ...)"));
  const CompiledFiles alone = compile_mesh(dots_alone(), settings);
  ASSERT_FALSE(alone.product);
  EXPECT_EQ(alone.product.error().to_string(),
            "/meshes/0/primitives/0: the mesh has points and lines alone, but hmesh-v1 holds triangles only; use "
            "mesh.container: hmesh");
}

TEST(MeshPrimitives, a_scene_numbers_them_after_the_submeshes) {
  MeshSettings settings;
  settings.scene = SceneMode::kAlways;
  const CompiledFiles c = compile_mesh(drawing(), settings);
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  const Bytes file = c.output(".hscene");
  const auto scene = hscene::View::open(file);
  ASSERT_TRUE(scene) << scene.error().to_string();
  EXPECT_EQ(scene->meshes()[0].submesh_count, 3u);
  ASSERT_EQ(scene->variant_materials().size(), 1u);
  EXPECT_EQ(scene->variant_materials()[0].submesh, 2u) << "one submesh, the points, the lines";
}

TEST(MeshPrimitives, levels_of_the_source_reduce_the_triangles_alone) {
  TinyGltf g;
  const std::string p = std::to_string(g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0}));
  const std::string triangle = R"({"attributes":{"POSITION":)" + p + "}}";
  const std::string dots = R"({"mode":0,"attributes":{"POSITION":)" + p + "}}";
  const CompiledFiles c = compile_mesh(g.json(
      R"("extensionsUsed":["MSFT_lod"],"scenes":[{"nodes":[0]}],"scene":0,"nodes":[{"mesh":0,"extensions":{"MSFT_lod":{"ids":[1]}}},{"mesh":1}],
      "meshes":[{"primitives":[)" +
      dots + "," + triangle + R"(]},{"primitives":[)" + dots + "," + triangle + "," + dots + "]}]"));
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_THAT(c.warnings(), Contains("dropped: 1 point and line primitive that only a level of detail has (/nodes/1)"));
  EXPECT_EQ(c.mesh().primitives()->items().size(), 1u);
}

}  // namespace
}  // namespace assetc::recipes
