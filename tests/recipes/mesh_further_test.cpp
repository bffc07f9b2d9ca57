// Vertex attributes beyond those of every mesh, and morph targets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/octahedral.hpp"
#include "assetc/runtime/morph.hpp"
#include "import/tiny_gltf.hpp"
#include "recipes/compile_mesh.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/container/hmesh_values.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::recipes {
namespace {

using hmesh::FurtherFormat;
using hmesh::FurtherSemantic;
using importer::testing::TinyGltf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const std::vector<float> kCorners{0, 0, 0, 1, 0, 0, 0, 1, 0};
const std::string kOneNode = R"(,"nodes":[{"mesh":0}])";

std::string attribute(const char* name, int accessor) {
  return std::string(",\"") + name + "\":" + std::to_string(accessor);
}

// A triangle with three texture coordinate sets, a color and two custom attributes. Its material has a texture on set
// 1; further textures may follow.
std::string many_attributes(const std::string& more_textures = "") {
  TinyGltf g;
  const int p = g.vec3(kCorners), uv0 = g.vec2({0, 0, 1, 0, 0, 1}), uv1 = g.vec2({2, 2, 3, 2, 2, 3});
  const int uv2 = g.vec2({4, 4, 5, 4, 4, 5});
  const int color =
      g.accessor<std::uint8_t>(5121, "VEC4", {255, 0, 51, 255, 0, 255, 51, 0, 1, 2, 3, 4}, 3, ",\"normalized\":true");
  const int heat = g.scalar({0.25f, 1e6f, -3});
  const int ids = g.accessor<std::uint16_t>(5123, "SCALAR", {1, 65535, 7}, 3);
  return g.json(R"("meshes":[{"primitives":[{"material":0,"attributes":{"POSITION":)" + std::to_string(p) +
                attribute("TEXCOORD_0", uv0) + attribute("TEXCOORD_1", uv1) + attribute("TEXCOORD_2", uv2) +
                attribute("COLOR_0", color) + attribute("_HEAT", heat) + attribute("_ID", ids) + "}}]}]" + kOneNode +
                R"(,"images":[{"uri":"t.png"}],"textures":[{"source":0}],"materials":[{"pbrMetallicRoughness":)" +
                R"({"baseColorTexture":{"index":0}})" + more_textures + "}]");
}

CompiledFiles compile_with(const std::string& source, const std::string& attributes = "auto") {
  Settings settings;
  EXPECT_TRUE(find_setting("mesh.attributes")->set(settings, attributes)) << attributes;
  return compile_mesh(source, settings.mesh, "models/a.gltf", {"models/t.png"});
}

std::vector<std::string> names_of(const hmesh::View& mesh) {
  std::vector<std::string> names;
  if (!mesh.further_attributes()) return names;
  const auto& further = *mesh.further_attributes();
  for (std::size_t i = 0; i < further.attributes().size(); ++i) {
    const hmesh::GpuAttribute& a = further.attributes()[i];
    names.push_back(a.semantic == FurtherSemantic::kCustom     ? std::string(further.name(i))
                    : a.semantic == FurtherSemantic::kTexcoord ? "uv" + std::to_string(a.set)
                                                               : "color" + std::to_string(a.set));
  }
  return names;
}

TEST(MeshAttributes, auto_keeps_what_materials_use_and_warns_once_about_the_rest) {
  const CompiledFiles c = compile_with(many_attributes(R"(,"emissiveTexture":{"index":0,"texCoord":1})"));
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_THAT(names_of(c.mesh()), ElementsAre("uv1", "color0"));
  EXPECT_THAT(c.warnings(),
              ::testing::Contains("/meshes/0/primitives/0/attributes/TEXCOORD_2: 3 vertex attributes are left out, "
                                  "because no material uses them; the first is TEXCOORD_2; to keep attributes, set "
                                  "mesh.attributes to all or to a list of names"));
  // The set that all textures use is in every vertex.
  EXPECT_THAT(names_of(compile_with(many_attributes()).mesh()), ElementsAre("color0"));
}

TEST(MeshAttributes, all_none_or_a_list_are_kept_without_a_warning) {
  const auto kept = [&](const std::string& attributes) {
    const CompiledFiles c = compile_with(many_attributes(), attributes);
    for (const std::string& warning : c.warnings()) EXPECT_THAT(warning, ::testing::Not(HasSubstr("left out")));
    return names_of(c.mesh());
  };
  EXPECT_THAT(kept("all"), ElementsAre("uv1", "uv2", "color0", "_HEAT", "_ID"));
  EXPECT_THAT(kept("none"), ElementsAre());
  EXPECT_THAT(kept("TEXCOORD_2, _HEAT"), ElementsAre("uv2", "_HEAT"));
}

TEST(MeshAttributes, values_are_those_of_the_source) {
  const CompiledFiles c = compile_with(many_attributes(), "all");
  const hmesh::View mesh = c.mesh();
  const hmesh::FurtherAttributesView& further = *mesh.further_attributes();
  const hmesh::GpuAttribute &uv = *further.find(FurtherSemantic::kTexcoord, 2),
                            &color = *further.find(FurtherSemantic::kColor, 0), &heat = *further.find("_HEAT"),
                            &id = *further.find("_ID");
  EXPECT_EQ(color.format, FurtherFormat::kRgba8Unorm);
  EXPECT_EQ(heat.format, FurtherFormat::kR32F);
  ASSERT_EQ(mesh.vertices().size(), 3u);
  for (std::size_t v = 0; v < 3; ++v) {
    const auto& at = mesh.vertices()[v].position;
    const std::size_t source = at[0] == 1 ? 1 : at[1] == 1 ? 2 : 0;
    EXPECT_THAT(further.value(uv, v), ElementsAre(4 + at[0], 4 + at[1], 0, 1));
    EXPECT_EQ(further.value(heat, v)[0], (std::array{0.25f, 1e6f, -3.0f}[source]));
    EXPECT_EQ(further.value(id, v)[0], (std::array{1.0f, 65535.0f, 7.0f}[source]));
    EXPECT_EQ(further.value(color, v)[2], (std::array{51 / 255.0f, 51 / 255.0f, 3 / 255.0f}[source]));
  }
}

TEST(MeshAttributes, old_chunks_do_not_change) {
  const CompiledFiles with = compile_with(many_attributes(), "all"), without = compile_with(many_attributes(), "none");
  const Bytes a = with.output(".hmesh"), b = without.output(".hmesh");
  const hmesh::View old = *hmesh::View::open(b), now = *hmesh::View::open(a);
  ASSERT_EQ(now.chunk_table().size(), old.chunk_table().size() + 2);
  for (std::size_t i = 0; i < old.chunk_table().size(); ++i) {
    const auto &was = old.chunk_table()[i], &is = now.chunk_table()[i];
    ASSERT_EQ(is.id, was.id);
    EXPECT_TRUE(std::ranges::equal(a.span().subspan(is.offset_bytes, is.size_bytes),
                                   b.span().subspan(was.offset_bytes, was.size_bytes)))
        << fourcc_text(is.id);
  }
}

TEST(MeshAttributes, a_name_with_two_types_keeps_the_first) {
  TinyGltf g;
  const int p = g.vec3(kCorners), scalar = g.scalar({1, 2, 3}), pair = g.vec2({1, 2, 3, 4, 5, 6});
  const auto primitive = [&](int value) {
    return R"({"attributes":{"POSITION":)" + std::to_string(p) + attribute("_A", value) + "}}";
  };
  const CompiledFiles c = compile_with(
      g.json(R"("meshes":[{"primitives":[)" + primitive(scalar) + "," + primitive(pair) + "]}]" + kOneNode), "all");
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_THAT(c.warnings(), ElementsAre("dropped: 1 attribute _A of another type than in an earlier primitive "
                                        "(/meshes/0/primitives/1)"));
}

// A flat grid of kSide x kSide cells with normals, and three targets: a dense wave, a sparse bump with sorted and
// unsorted indices, and one that moves nothing.
constexpr int kSide = 12;
struct Grid {
  std::vector<float> positions, normals, wave, wave_normals, bump_values;
  std::vector<std::uint16_t> bump_vertices, indices;
};
Grid grid() {
  Grid out;
  constexpr int n = kSide + 1;
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      const auto fx = static_cast<float>(x) / kSide, fy = static_cast<float>(y) / kSide;
      out.positions.insert(out.positions.end(), {fx, fy, 0});
      out.normals.insert(out.normals.end(), {0, 0, 1});
      out.wave.insert(out.wave.end(), {0.01f * fy, 0, 0.2f * std::sin(6 * fx)});
      out.wave_normals.insert(out.wave_normals.end(), {-0.5f * std::cos(6 * fx), 0, 0});
      if (x > 4 && x < 8 && y > 4 && y < 8) {
        out.bump_vertices.push_back(static_cast<std::uint16_t>(y * n + x));
        out.bump_values.insert(out.bump_values.end(), {0, 0, 0.5f + 0.1f * fx});
      }
      if (x == kSide || y == kSide) continue;
      const auto v = static_cast<std::uint16_t>(y * n + x);
      for (const int i : {0, 1, n, 1, n + 1, n}) out.indices.push_back(static_cast<std::uint16_t>(v + i));
    }
  }
  std::swap(out.bump_vertices[0], out.bump_vertices[1]);
  std::swap_ranges(out.bump_values.begin(), out.bump_values.begin() + 3, out.bump_values.begin() + 3);
  return out;
}

std::string morph_model(const std::string& node = R"({"mesh":0})", const std::string& more = "") {
  const Grid from = grid();
  TinyGltf g;
  const int p = g.vec3(from.positions), n = g.vec3(from.normals), wave = g.vec3(from.wave),
            wave_normals = g.vec3(from.wave_normals), i = g.indices(from.indices);
  const int vertices = g.view(from.bump_vertices), values = g.view(from.bump_values);
  const std::string count = std::to_string(from.positions.size() / 3);
  const int bump =
      g.raw_accessor(R"("componentType":5126,"type":"VEC3","count":)" + count + R"(,"sparse":{"count":)" +
                     std::to_string(from.bump_vertices.size()) + R"(,"indices":{"componentType":5123,"bufferView":)" +
                     std::to_string(vertices) + R"(},"values":{"bufferView":)" + std::to_string(values) + "}}");
  const int zero = g.raw_accessor(R"("componentType":5126,"type":"VEC3","count":)" + count);
  const int times = g.scalar({0, 1}), weights = g.scalar({0, 0, 0, 1, 2.5f, -1});
  std::string text = more;
  for (const auto& [name, index] : {std::pair{"$T", times}, std::pair{"$W", weights}}) {
    for (std::size_t at = text.find(name); at != text.npos; at = text.find(name))
      text.replace(at, 2, std::to_string(index));
  }
  return g.json(
      R"("meshes":[{"weights":[0.25,0,1],"extras":{"targetNames":["wave","bump"]},"primitives":[{"indices":)" +
      std::to_string(i) + R"(,"attributes":{"POSITION":)" + std::to_string(p) + attribute("NORMAL", n) +
      R"(},"targets":[{"POSITION":)" + std::to_string(wave) + attribute("NORMAL", wave_normals) + R"(},{"POSITION":)" +
      std::to_string(bump) + R"(},{"POSITION":)" + std::to_string(zero) + R"(}]}]}],"nodes":[)" + node + "]" + text);
}

// The source's vertices with all targets applied, by their base position.
std::map<std::pair<float, float>, std::array<float, 3>> expected_positions(const std::array<float, 2>& weights) {
  const Grid from = grid();
  std::map<std::pair<float, float>, std::array<float, 3>> out;
  for (std::size_t v = 0; v < from.positions.size() / 3; ++v) {
    std::array<float, 3> at{};
    for (std::size_t k = 0; k < 3; ++k) at[k] = from.positions[v * 3 + k] + weights[0] * from.wave[v * 3 + k];
    for (std::size_t b = 0; b < from.bump_vertices.size(); ++b) {
      for (std::size_t k = 0; k < 3 && from.bump_vertices[b] == v; ++k)
        at[k] += weights[1] * from.bump_values[b * 3 + k];
    }
    out[{from.positions[v * 3], from.positions[v * 3 + 1]}] = at;
  }
  return out;
}

TEST(MeshMorphs, every_vertex_is_where_the_source_puts_it) {
  const CompiledFiles c = compile_mesh(morph_model());
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  EXPECT_THAT(c.warnings(), ElementsAre());
  const hmesh::View mesh = c.mesh();
  ASSERT_TRUE(mesh.morphs());
  const hmesh::MorphsView& morphs = *mesh.morphs();
  ASSERT_EQ(morphs.targets().size(), 3u);
  EXPECT_EQ(morphs.name(0), "wave");
  EXPECT_EQ(morphs.name(1), "bump");
  EXPECT_EQ(morphs.name(2), "");
  EXPECT_EQ(morphs.targets()[1].move_count, 9u) << "only moved vertices are stored";
  EXPECT_EQ(morphs.targets()[2].move_count, 0u);
  EXPECT_EQ(morphs.move_stride_bytes(), 16u);
  std::vector<float> weights(3);
  runtime::default_weights(morphs, weights);
  EXPECT_THAT(weights, ElementsAre(0.25f, 0, 1));

  weights = {0.75f, -0.5f, 1};
  std::vector<std::array<float, 3>> positions(mesh.vertices().size()), normals(mesh.vertices().size());
  runtime::morph_vertices(mesh, weights, {.positions = positions, .normals = normals, .tangents = {}});
  const auto expected = expected_positions({0.75f, -0.5f});
  // Half a step of each target, times its weight, and the rounding of floats.
  const float error =
      0.75f * morphs.targets()[0].position_step / 2 + 0.5f * morphs.targets()[1].position_step / 2 + 2e-7f;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const auto& base = mesh.vertices()[v].position;
    const auto& want = expected.at({base[0], base[1]});
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(positions[v][k], want[k], error);
    const float slope = -0.5f * std::cos(6 * base[0]) * 0.75f, length = std::sqrt(1 + slope * slope);
    EXPECT_NEAR(normals[v][0], slope / length, 1e-4);
    EXPECT_NEAR(normals[v][2], 1 / length, 1e-4);
  }
  EXPECT_LT(morphs.targets()[0].position_step, 0.2f / 32000);
}

TEST(MeshMorphs, flattening_moves_offsets_with_their_node) {
  // Rotated by 90 degrees around z, mirrored and scaled.
  const CompiledFiles c = compile_mesh(morph_model(
      R"({"mesh":0,"name":"a","scale":[-2,2,2]},{"mesh":0,"name":"b","translation":[5,0,0],"weights":[1,0,0]})"));
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  const hmesh::View mesh = c.mesh();
  ASSERT_EQ(mesh.morphs()->targets().size(), 6u) << "each node has its own weights";
  ASSERT_EQ(mesh.morphs()->groups().size(), 2u);
  EXPECT_EQ(mesh.morphs()->groups()[1].first_target, 3u);
  EXPECT_EQ(mesh.names()->node(mesh.morphs()->groups()[1].node), "b");
  EXPECT_EQ(mesh.morphs()->targets()[3].weight, 1) << "the node's, not the mesh's";
  std::vector<std::array<float, 3>> positions(mesh.vertices().size()), normals(mesh.vertices().size());
  runtime::morph_vertices(mesh, std::array<float, 6>{1, 0, 0, 0, 0, 0},
                          {.positions = positions, .normals = normals, .tangents = {}});
  const auto expected = expected_positions({1, 0});
  std::size_t moved = 0;
  for (std::size_t v = 0; v < positions.size(); ++v) {
    const auto& base = mesh.vertices()[v].position;
    if (base[0] > 3) {
      EXPECT_EQ(positions[v][2], base[2]) << "of the other node";
      continue;
    }
    const auto at = expected.find({base[0] / -2, base[1] / 2});
    ASSERT_NE(at, expected.end());
    EXPECT_NEAR(positions[v][0], at->second[0] * -2, 1e-5);
    EXPECT_NEAR(positions[v][2], at->second[2] * 2, 1e-5);
    const float slope = 0.5f * std::cos(3 * -base[0]), length = std::sqrt(1 + slope * slope);
    EXPECT_NEAR(normals[v][0], slope / length, 1e-4) << "mirrored";
    ++moved;
  }
  EXPECT_EQ(moved, static_cast<std::size_t>((kSide + 1) * (kSide + 1)));
}

TEST(MeshMorphs, bounds_contain_all_weights_of_the_range_and_of_clips) {
  const std::string clip = R"(,"animations":[{"samplers":[{"input":$T,"output":$W}],"channels":)" +
                           std::string(R"([{"sampler":0,"target":{"node":0,"path":"weights"}}]}])");
  const CompiledFiles c = compile_mesh(morph_model(R"({"mesh":0})", clip));
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  const hmesh::View mesh = c.mesh();
  const auto targets = mesh.morphs()->targets();
  EXPECT_EQ(targets[0].low, 0);
  EXPECT_EQ(targets[0].high, 1);
  EXPECT_EQ(targets[1].high, 2.5f);
  EXPECT_EQ(targets[2].low, -1);
  std::vector<std::array<float, 3>> positions(mesh.vertices().size());
  for (const float a : {0.0f, 1.0f}) {
    for (const float b : {0.0f, 1.0f, 2.5f}) {
      runtime::morph_vertices(mesh, std::array{a, b, 0.0f}, {.positions = positions, .normals = {}, .tangents = {}});
      for (const auto& at : positions) {
        float distance = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          EXPECT_GE(at[k], mesh.bounds().aabb_min[k]);
          EXPECT_LE(at[k], mesh.bounds().aabb_max[k]);
          distance += (at[k] - mesh.bounds().sphere_center[k]) * (at[k] - mesh.bounds().sphere_center[k]);
        }
        EXPECT_LE(std::sqrt(distance), mesh.bounds().sphere_radius);
      }
    }
  }
  EXPECT_GT(mesh.bounds().aabb_max[2], 1.25f) << "the bump at 2.5 is inside";
  for (const hmesh::MeshletBounds& meshlet : mesh.meshlet_bounds()) EXPECT_EQ(meshlet.cone_cutoff, 1);
}

TEST(MeshMorphs, old_chunks_do_not_change_but_for_bounds) {
  std::string without = morph_model();
  const std::size_t begin = without.find(R"("targets")");
  without.replace(begin, without.find("]}]", begin) + 1 - begin, R"("extras":0)");
  const CompiledFiles a = compile_mesh(morph_model()), b = compile_mesh(without);
  ASSERT_TRUE(b.product) << b.product.error().to_string();
  const hmesh::View now = a.mesh(), old = b.mesh();
  EXPECT_FALSE(old.morphs());
  EXPECT_TRUE(std::ranges::equal(now.vertices(), old.vertices()));
  EXPECT_TRUE(std::ranges::equal(now.index_bytes(), old.index_bytes()));
}

TEST(MeshMorphs, vertices_that_only_a_target_tells_apart_stay_apart) {
  // Two triangles share an edge by position. A target opens it.
  TinyGltf g;
  const int p = g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0});
  const int open = g.vec3({0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, -1});
  const std::string primitive = R"("meshes":[{"primitives":[{"attributes":{"POSITION":)" + std::to_string(p) + "}";
  const auto vertices = [&](const std::string& targets) {
    return compile_mesh(g.json(primitive + targets + "}]}]" + kOneNode)).mesh().vertices().size();
  };
  EXPECT_EQ(vertices(""), 4u);
  EXPECT_EQ(vertices(R"(,"targets":[{"POSITION":)" + std::to_string(open) + "}]"), 6u);
}

TEST(MeshMorphs, levels_of_detail_fit_all_shapes) {
  FakeInputs inputs;
  inputs.files["a.gltf"] = morph_model();
  Step step;
  step.recipe = find_recipe("mesh");
  step.source = step.input_path = "a.gltf";
  step.stem = "a";
  step.settings.mesh.lods = 1;
  step.settings.mesh.lod_ratio = 0.3;
  const CompiledFiles c{step.recipe->cook(step, inputs)};
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  const hmesh::View mesh = c.mesh();
  ASSERT_EQ(mesh.lod_count(), 1u);
  // The plain grid is flat: without targets its level has a few triangles.
  EXPECT_LT(mesh.lod_indices().size(), mesh.desc().index_count);
  std::vector<std::array<float, 3>> positions(mesh.vertices().size());
  runtime::morph_vertices(mesh, std::array{0.0f, 1.0f, 0.0f}, {.positions = positions, .normals = {}, .tangents = {}});
  float highest = 0;
  for (const std::uint32_t i : mesh.lod_indices()) highest = std::max(highest, positions[i][2]);
  EXPECT_GT(highest, 0.5f) << "the level has lost the bump";
  // Every moved vertex is within the error limit of the level's surface. The bump is steep, so a vertex of it must be a
  // corner, or lie near one of the same height.
  for (std::size_t v = 0; v < positions.size(); ++v) {
    float nearest = 1e9f;
    for (std::size_t t = 0; t < mesh.lod_indices().size(); t += 3) {
      // The triangles are graphs over x and y: the height of the level at the vertex, if a triangle covers it.
      const auto &a = positions[mesh.lod_indices()[t]], &b = positions[mesh.lod_indices()[t + 1]],
                 &d = positions[mesh.lod_indices()[t + 2]];
      const float area = (b[0] - a[0]) * (d[1] - a[1]) - (d[0] - a[0]) * (b[1] - a[1]);
      if (area == 0) continue;
      const auto& q = positions[v];
      const float s = ((q[0] - a[0]) * (d[1] - a[1]) - (d[0] - a[0]) * (q[1] - a[1])) / area;
      const float u = ((b[0] - a[0]) * (q[1] - a[1]) - (q[0] - a[0]) * (b[1] - a[1])) / area;
      if (s < -1e-4f || u < -1e-4f || s + u > 1 + 1e-4f) continue;
      nearest = std::min(nearest, std::fabs(a[2] + s * (b[2] - a[2]) + u * (d[2] - a[2]) - q[2]));
    }
    EXPECT_LT(nearest, 0.25f) << "vertex " << v;
  }
}

TEST(MeshMorphs, texture_coordinates_and_colors_move) {
  TinyGltf g;
  const int p = g.vec3(kCorners), uv = g.vec2({0, 0, 1, 0, 0, 1}), move_uv = g.vec2({0, 0, 0.5f, 0, 0, -0.25f});
  const int color = g.vec4({1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}), move_color = g.vec3({0, 0, 0, 0, 0, 0, -0.5f, 0, 0});
  const CompiledFiles c =
      compile_mesh(g.json(R"("meshes":[{"primitives":[{"attributes":{"POSITION":)" + std::to_string(p) +
                          attribute("TEXCOORD_0", uv) + attribute("COLOR_0", color) + R"(},"targets":[{"TEXCOORD_0":)" +
                          std::to_string(move_uv) + attribute("COLOR_0", move_color) + "}]}]}]" + kOneNode));
  ASSERT_TRUE(c.product) << c.product.error().to_string();
  const hmesh::View mesh = c.mesh();
  const hmesh::MorphsView& morphs = *mesh.morphs();
  ASSERT_EQ(morphs.channels().size(), 2u);
  std::vector<std::array<float, 4>> values(3);
  runtime::add_channel_offsets(morphs, std::array{2.0f}, FurtherSemantic::kTexcoord, 0, values);
  runtime::add_channel_offsets(morphs, std::array{1.0f}, FurtherSemantic::kColor, 0, values);
  for (std::size_t v = 0; v < 3; ++v) {
    const auto& at = mesh.vertices()[v].position;
    EXPECT_NEAR(values[v][0], at[0] * 1 - at[1] * 0.5f, 1e-4);
    EXPECT_NEAR(values[v][1], at[1] * -0.5f, 1e-4);
  }
}

// A skinned triangle of six influences with a custom attribute, a color and a morph target, as a compiled value.
CompiledMesh rich_value(Bytes& file) {
  TinyGltf g;
  const int p = g.vec3(kCorners), heat = g.scalar({0.5f, 2, -3}), move = g.vec3({0, 0, 1, 0, 0, 0, 0, 0, -2});
  const int joints0 = g.accessor<std::uint8_t>(5121, "VEC4", {0, 1, 2, 3, 0, 1, 2, 3, 0, 0, 0, 0}, 3);
  const int joints1 = g.accessor<std::uint8_t>(5121, "VEC4", {4, 5, 0, 0, 4, 5, 0, 0, 0, 0, 0, 0}, 3);
  const int weights0 = g.vec4({.3f, .2f, .2f, .1f, .3f, .2f, .2f, .1f, 1, 0, 0, 0});
  const int weights1 = g.vec4({.1f, .1f, 0, 0, .1f, .1f, 0, 0, 0, 0, 0, 0});
  const CompiledFiles c = compile_with(
      g.json(R"("meshes":[{"primitives":[{"attributes":{"POSITION":)" + std::to_string(p) + attribute("_HEAT", heat) +
             attribute("JOINTS_0", joints0) + attribute("JOINTS_1", joints1) + attribute("WEIGHTS_0", weights0) +
             attribute("WEIGHTS_1", weights1) + R"(},"targets":[{"POSITION":)" + std::to_string(move) +
             R"(}]}]}],"nodes":[{"mesh":0,"skin":0},{},{},{},{},{},{}],"skins":[{"joints":[1,2,3,4,5,6]}])"),
      "all");
  EXPECT_TRUE(c.product) << c.product.error().to_string();
  file = c.output(".hmesh");
  return read_hmesh(*hmesh::View::open(file));
}

// The number of the source's vertex at a position.
std::size_t corner_of(const std::array<float, 3>& at) { return at[0] == 1 ? 1 : at[1] == 1 ? 2 : 0; }

TEST(MeshContainers, aas1_keeps_custom_attributes_eight_influences_and_targets) {
  Bytes file;
  CompiledMesh value = rich_value(file);
  value.mesh.names.joints.clear();  // the skeleton has them
  MeshReport report;
  const auto written = kAas1Mesh.write(value, report);
  ASSERT_TRUE(written) << written.error().to_string();
  EXPECT_TRUE(std::move(report).take().empty());
  const auto view = aas1::MeshView::open(*written);
  ASSERT_TRUE(view) << view.error().to_string();
  const auto* heat = view->find(aas1::Semantic::kCustom);
  ASSERT_NE(heat, nullptr);
  EXPECT_EQ(view->custom_name(0), "_HEAT");
  EXPECT_EQ(view->custom_name(1), "");
  const auto *weights = view->find(aas1::Semantic::kWeights, 1), *joints = view->find(aas1::Semantic::kJoints, 1);
  ASSERT_TRUE(weights != nullptr && joints != nullptr);
  ASSERT_TRUE(view->morphs());
  std::vector<std::array<float, 3>> offsets(3);
  runtime::add_offsets(*view->morphs(), std::array{1.0f}, {.positions = offsets, .normals = {}, .tangents = {}});
  for (std::size_t v = 0; v < 3; ++v) {
    const ByteSpan vertex = view->levels()[0].vertices.subspan(v * view->desc().vertex_stride_bytes);
    const std::size_t corner = corner_of(load<std::array<float, 3>>(vertex));
    EXPECT_EQ(load<float>(vertex, heat->offset_bytes), (std::array{0.5f, 2.0f, -3.0f}[corner]));
    const auto further = load<std::array<float, 4>>(vertex, weights->offset_bytes);
    EXPECT_NEAR(further[0], corner == 2 ? 0 : .1f / .8f, 1e-6);
    EXPECT_EQ(load<std::uint16_t>(vertex, joints->offset_bytes), corner == 2 ? 0 : 4);
    EXPECT_NEAR(offsets[v][2], (std::array{1.0f, 0.0f, -2.0f}[corner]), 1e-4);
  }
}

TEST(MeshContainers, galileo_keeps_custom_attributes_eight_influences_and_targets) {
  Bytes file;
  CompiledMesh value = rich_value(file);
  MeshReport report;
  const auto written = kGalileo.write(value, report);
  ASSERT_TRUE(written) << written.error().to_string();
  const auto imported = importer::import_model(
      "a.gali", *written, [](std::string_view) -> Result<Bytes> { return fail(ErrorCode::kNotFound, ""); },
      [](std::string_view) { return false; });
  ASSERT_TRUE(imported) << imported.error().to_string();
  EXPECT_TRUE(imported->scene.dropped.empty());
  const scene::Primitive& p = imported->scene.meshes[0].primitives[0];
  ASSERT_EQ(p.custom.size(), 1u);
  EXPECT_EQ(p.custom[0].name, "_HEAT");
  ASSERT_EQ(p.influences.size(), 2u);
  ASSERT_EQ(p.morphs.size(), 1u);
  for (std::size_t v = 0; v < 3; ++v) {
    const std::size_t corner = corner_of({p.positions[v].x, p.positions[v].y, p.positions[v].z});
    EXPECT_EQ(load<float>(p.custom[0].values, v * 4), (std::array{0.5f, 2.0f, -3.0f}[corner]));
    EXPECT_NEAR(p.influences[0].weights[v].x, corner == 2 ? 1 : .3f, 2e-5);
    EXPECT_NEAR(p.influences[1].weights[v].x, corner == 2 ? 0 : .1f, 2e-5) << "all eight have a sum of 1";
  }
  EXPECT_EQ(p.morphs[0].vertices.size(), 2u);
}

TEST(MeshContainers, a_compiled_mesh_that_is_read_and_written_keeps_its_bytes) {
  Bytes rich;
  CompiledMesh value = rich_value(rich);
  MeshReport report;
  EXPECT_TRUE(std::ranges::equal(kHmesh.write(value, report)->span(), rich.span()));
  const Bytes morphs = compile_mesh(morph_model()).output(".hmesh");
  CompiledMesh again = read_hmesh(*hmesh::View::open(morphs));
  EXPECT_TRUE(std::ranges::equal(kHmesh.write(again, report)->span(), morphs.span()));
}

TEST(MeshAttributes, a_scene_has_sets_as_in_the_source_and_tangents_of_the_normal_map) {
  Settings settings;
  ASSERT_TRUE(find_setting("mesh.scene")->set(settings, "true"));
  const auto tangent_of = [&](const std::string& textures) {
    const CompiledFiles c = compile_mesh(many_attributes(textures), settings.mesh, "models/a.gltf", {"models/t.png"});
    EXPECT_TRUE(c.product) << c.product.error().to_string();
    const Bytes file = c.output("/mesh_0.hmesh");
    const hmesh::View mesh = *hmesh::View::open(file);
    EXPECT_EQ(mesh.vertices()[0].uv[0], mesh.vertices()[0].position[0]) << "set 0, though a transform is used";
    if (mesh.further_attributes()) {
      EXPECT_EQ(mesh.further_attributes()->find(FurtherSemantic::kTexcoord, 0), nullptr);
    }
    const auto t = decode_octahedral_tangent(mesh.vertices()[0].tangent[0], mesh.vertices()[0].tangent[1]);
    return std::pair(t, names_of(mesh));
  };
  const std::string quarter = R"("extensions":{"KHR_texture_transform":{"rotation":1.5707963}})";
  const auto plain = tangent_of(R"(,"normalTexture":{"index":0})");
  EXPECT_NEAR(plain.first[0], 1, 1e-3);
  EXPECT_THAT(plain.second, ElementsAre("color0"));
  const auto turned = tangent_of(R"(,"normalTexture":{"index":0,"texCoord":1,)" + quarter + "}");
  EXPECT_NEAR(std::fabs(turned.first[1]), 1, 1e-3) << "along the u axis of the normal map";
  EXPECT_THAT(turned.second, ElementsAre("uv1", "color0"));
}

TEST(MeshMorphs, are_reported_where_the_container_has_none) {
  MeshSettings settings;
  settings.container = MeshFormat::kHmeshV1;
  EXPECT_THAT(compile_mesh(morph_model(), settings).warnings(),
              ::testing::Contains("dropped: 3 morph targets (/meshes/0/primitives/0, ...)"));
}

}  // namespace
}  // namespace assetc::recipes
