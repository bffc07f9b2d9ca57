// An optimized .glb holds what its source holds, within the errors that docs/guide/optimize.md states.
#include "optimize/optimize.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "assetc/formats/ktx2.hpp"
#include "export/glb.hpp"
#include "export/png.hpp"
#include "import/tiny_gltf.hpp"
#include "optimize/support.hpp"
#include "scene/pose.hpp"

namespace assetc::optimize {
namespace {

using namespace testing;
using scene::Node;
using scene::Vec3;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Optimize, models_of_the_corpus_keep_names_clips_and_surfaces) { EXPECT_GT(for_corpus(usual(), expect_same), 2u); }

TEST(Optimize, attributes_stay_within_their_steps) {
  const Pair pair = pair_of(sheet(12, 1, true));
  expect_same(pair);
  const scene::Primitive &a = pair.source.meshes[0].primitives[0], &b = pair.made.meshes[0].primitives[0];
  const scene::Mat4 scale = pair.made.nodes[0].local_matrix();
  ASSERT_EQ(b.texcoords.size(), 2u);
  ASSERT_EQ(b.positions.size(), a.positions.size());
  for (std::size_t v = 0; v < a.positions.size(); ++v) {
    std::size_t w = 0;
    for (std::size_t i = 0; i < b.positions.size(); ++i) {
      const auto gap = [&](std::size_t k) {
        return scene::length(scene::transform_point(scale, b.positions[k]) - a.positions[v]);
      };
      if (gap(i) < gap(w)) w = i;
    }
    const Vec3 p = scene::transform_point(scale, b.positions[w]);
    EXPECT_LE(std::fabs(p.x - a.positions[v].x), 3.7f / 16384);
    EXPECT_LE(std::fabs(p.y - a.positions[v].y), 3.7f / 16384);
    EXPECT_GT(scene::dot(a.normals[v], b.normals[w]), std::cos(1.0f * 0.01745f));
    EXPECT_EQ(a.tangents[v].w, b.tangents[w].w);
    for (std::size_t s = 0; s < 2; ++s) {
      EXPECT_NEAR(a.texcoords[s][v].x, b.texcoords[s][w].x, 0.5f / 4096 + 2e-5f);
      EXPECT_NEAR(a.texcoords[s][v].y, b.texcoords[s][w].y, 0.5f / 4096 + 2e-5f);
    }
    EXPECT_NEAR(a.colors[0][v].x, b.colors[0][w].x, 0.5f / 255 + 1e-6f);
    EXPECT_NEAR(a.colors[0][v].w, b.colors[0][w].w, 0.5f / 255 + 1e-6f);
  }
  EXPECT_THAT(pair.text, HasSubstr("KHR_mesh_quantization"));
  EXPECT_THAT(pair.text, HasSubstr("EXT_meshopt_compression"));
}

TEST(Optimize, texture_coordinates_beyond_one_are_floats_with_the_same_step) {
  const Pair pair = pair_of(sheet(8, 5, false));
  const scene::Primitive &a = pair.source.meshes[0].primitives[0], &b = pair.made.meshes[0].primitives[0];
  const auto sorted = [](const std::vector<scene::Vec2>& set) {
    std::vector<float> x;
    x.reserve(set.size());
    for (const scene::Vec2& uv : set) x.push_back(uv.x);
    std::ranges::sort(x);
    return x;
  };
  EXPECT_THAT(sorted(b.texcoords[0]), ::testing::Pointwise(::testing::FloatNear(1.0f / 4096), sorted(a.texcoords[0])));
}

TEST(Optimize, without_quantization_every_float_is_exact) {
  OptimizeOptions options = usual();
  options.settings.mesh = {};
  options.settings.mesh.compress = recipes::MeshCompression::kMeshopt;
  const Pair pair = pair_of(sheet(6, 3, true), options);
  const auto sorted = [](const scene::Primitive& p) {
    std::vector<std::array<float, 9>> rows;
    rows.reserve(p.positions.size());
    for (std::size_t v = 0; v < p.positions.size(); ++v) {
      rows.push_back({p.positions[v].x, p.positions[v].y, p.positions[v].z, p.normals[v].x, p.normals[v].y,
                      p.texcoords[0][v].x, p.texcoords[1][v].y, p.colors[0][v].z, p.tangents[v].w});
    }
    std::ranges::sort(rows);
    return rows;
  };
  EXPECT_EQ(sorted(pair.source.meshes[0].primitives[0]), sorted(pair.made.meshes[0].primitives[0]));
  EXPECT_EQ(pair.source.nodes[0].transform, pair.made.nodes[0].transform);
  EXPECT_THAT(pair.text, Not(HasSubstr("KHR_mesh_quantization")));
}

TEST(Optimize, without_compression_any_reader_of_quantized_files_reads_it) {
  OptimizeOptions options = usual();
  options.settings.mesh.compress = recipes::MeshCompression::kNone;
  const Pair pair = pair_of(sheet(6, 1, true), options);
  expect_same(pair);
  EXPECT_THAT(pair.text, Not(HasSubstr("EXT_meshopt_compression")));
  EXPECT_THAT(pair.text, HasSubstr("KHR_mesh_quantization"));
}

TEST(Optimize, khr_meshopt_compression_holds_the_same_in_fewer_bytes) {
  OptimizeOptions options = usual();
  const Pair usual_pair = pair_of(sheet(40, 1, true), options);
  options.coding = Coding::kMeshoptKhr;
  const Pair pair = pair_of(sheet(40, 1, true), options);
  expect_same(pair);
  EXPECT_TRUE(pair.text.contains("\"KHR_meshopt_compression\""));
  EXPECT_FALSE(pair.text.contains("EXT_meshopt_compression"));
  EXPECT_LT(pair.text.size(), usual_pair.text.size());
}

TEST(Optimize, a_node_that_others_depend_on_gets_a_child_that_draws_its_mesh) {
  scene::Scene scene = sheet(4, 1, false);
  scene.nodes[0].transform = {{1, 2, 3}, {0, 0.6f, 0, 0.8f}, {2, 1, 1}};
  Node child = scene.nodes[0];
  child.name = "Child";
  child.parent = 0;
  scene.nodes.push_back(child);
  const Pair pair = pair_of(scene);
  expect_same(pair);
  ASSERT_EQ(pair.made.nodes.size(), 3u);
  EXPECT_EQ(pair.made.nodes[0].transform, scene.nodes[0].transform);
  EXPECT_EQ(pair.made.nodes[1].transform.translation, child.transform.translation);  // only its scale changed
  EXPECT_EQ(pair.made.nodes[2].parent, 0u);
}

TEST(Optimize, a_mesh_far_from_its_origin_keeps_its_precision) {
  scene::Scene scene = sheet(4, 1, false);
  for (Vec3& p : scene.meshes[0].primitives[0].positions) p = p + Vec3{1000, 0, 0};
  expect_same(pair_of(scene));
}

TEST(Optimize, a_volume_keeps_its_thickness) {
  scene::Scene scene = sheet(4, 1, false);
  scene.materials[0].scalars.push_back({"Thickness", 0.5f});
  scene.meshes.push_back(scene.meshes[0]);
  for (Vec3& p : scene.meshes[1].primitives[0].positions) p = p * 100;
  scene.nodes.push_back(scene.nodes[0]);
  scene.nodes[1].mesh = 1;
  const Pair pair = pair_of(scene);
  for (const Node& node : pair.made.nodes) {
    const std::uint32_t material = pair.made.meshes.at(node.mesh).primitives[0].material;
    EXPECT_FLOAT_EQ(pair.made.materials.at(material).scalars.at(0).value * node.transform.scale.x, 0.5f);
  }
  EXPECT_EQ(pair.made.materials.size(), 2u);
}

TEST(Optimize, vertices_that_round_to_the_same_values_are_merged) {
  // Two halves of a sheet whose seam differs by less than a step.
  scene::Scene scene = sheet(8, 1, true);
  scene::Primitive& p = scene.meshes[0].primitives[0];
  const std::size_t before = p.positions.size();
  for (std::size_t i = p.indices.size() / 2; i < p.indices.size(); ++i) {
    const std::uint32_t v = p.indices[i];
    p.indices[i] = static_cast<std::uint32_t>(p.positions.size());
    p.positions.push_back(p.positions[v]);
    p.normals.push_back(scene::normalize_or(p.normals[v] + Vec3{1e-6f, 0, 0}, {0, 1, 0}));
    p.tangents.push_back(p.tangents[v]);
    for (std::vector<scene::Vec2>& set : p.texcoords) set.push_back({set[v].x * 0.9999999f, set[v].y});
    p.colors[0].push_back(p.colors[0][v]);
  }
  const Pair pair = pair_of(scene);
  EXPECT_EQ(pair.made.meshes[0].primitives[0].positions.size(), before);
  expect_same(pair);
}

TEST(Optimize, equal_meshes_and_materials_are_stored_once) {
  scene::Scene scene = sheet(16, 1, false);
  const Pair one = pair_of(scene);
  scene.meshes.push_back(scene.meshes[0]);
  scene.materials.push_back(scene.materials[0]);
  scene.meshes[1].primitives[0].material = 1;
  scene.nodes.push_back(scene.nodes[0]);
  scene.nodes[1].name = "Other";
  scene.nodes[1].mesh = 1;
  const Pair two = pair_of(scene);
  EXPECT_EQ(two.made.meshes.size(), 1u);
  EXPECT_EQ(two.made.materials.size(), 1u);
  EXPECT_LT(two.text.size(), one.text.size() + 200);
}

TEST(Optimize, unused_parts_are_left_out_and_told) {
  scene::Scene scene = sheet(4, 1, false);
  scene.materials.push_back({});
  scene.materials[1].name = "Unused";
  Files files;
  files.put("in.glb", glb_of(scene));
  const Converted made = optimized(files, "in.glb");
  ASSERT_EQ(made.diagnostics.size(), 2u);
  EXPECT_EQ(made.diagnostics[0].what.what, "left out 1 material that nothing uses");
  EXPECT_THAT(made.diagnostics[1].what.what, ::testing::StartsWith("becomes larger: "));
  EXPECT_THAT(std::string(as_text(made.files[0].bytes)), Not(HasSubstr("Unused")));
}

TEST(Optimize, channels_that_do_not_move_are_left_out) {
  scene::Scene scene = sheet(4, 1, false);
  scene.clips.push_back({"Turn", {}});
  const auto add = [&](scene::ChannelPath path, std::vector<float> values) {
    scene::Channel c;
    c.node = 0;
    c.path = path;
    c.times_seconds = {0, 1};
    c.values = std::move(values);
    scene.clips[0].channels.push_back(std::move(c));
  };
  add(scene::ChannelPath::kRotation, {0, 0, 0, 1, 0, 0.6f, 0, 0.8f});
  add(scene::ChannelPath::kTranslation, {0, 0, 0, 0, 0, 0});
  add(scene::ChannelPath::kScale, {1, 1, 1, 1, 1.0000005f, 1});
  const Pair pair = pair_of(scene);
  ASSERT_EQ(pair.made.clips.size(), 1u);
  EXPECT_EQ(pair.made.clips[0].channels.size(), 1u);
  expect_same(pair);
}

TEST(Optimize, simplify_keeps_about_its_share_of_triangles) {
  OptimizeOptions options = usual();
  options.ratio = 0.5f;
  scene::Scene scene = sheet(32, 1, false);
  for (scene::Primitive& p : scene.meshes[0].primitives) {
    for (Vec3& v : p.positions) v.y = 0;
    std::ranges::fill(p.normals, Vec3{0, 1, 0});
  }
  const Pair pair = pair_of(scene, options);
  const std::size_t before = pair.source.meshes[0].primitives[0].indices.size();
  EXPECT_LE(pair.made.meshes[0].primitives[0].indices.size(), before * 11 / 20);
  EXPECT_GT(pair.made.meshes[0].primitives[0].indices.size(), 0u);
}

TEST(Optimize, a_picture_becomes_a_texture_of_whole_blocks_for_each_of_its_uses) {
  scene::Scene scene = sheet(4, 1, true);
  scene::Image picture{.width_texels = 50, .height_texels = 30, .pixels = ByteVector(50 * 30 * 4, std::byte{200})};
  scene.images.push_back({"wood.png", {}, Bytes(*exporter::write_png(picture))});
  scene::Material& material = scene.materials[0];
  for (scene::TextureUse* use :
       {&material.base_color_texture, &material.metallic_roughness_texture, &material.occlusion_texture})
    use->image = 0;
  const Pair pair = pair_of(scene);
  ASSERT_EQ(pair.made.images.size(), 2u);
  const scene::Material& made = pair.made.materials[0];
  EXPECT_NE(made.base_color_texture.image, made.occlusion_texture.image);
  EXPECT_EQ(made.metallic_roughness_texture.image, made.occlusion_texture.image);
  for (const scene::ImageSource& image : pair.made.images) {
    const auto view = ktx2::View::open(image.inline_bytes);
    ASSERT_TRUE(view);
    EXPECT_EQ(view->width_texels(), 48u);
    EXPECT_EQ(view->height_texels(), 28u);
    EXPECT_EQ(view->format(), TexelFormat::kUastc);
    const bool is_color = &image == &pair.made.images[made.base_color_texture.image];
    EXPECT_EQ(view->is_srgb(), is_color);
  }
}

TEST(Optimize, instances_stay_instances) {
  importer::testing::TinyGltf g;
  const std::string p = std::to_string(g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0}));
  const std::string t = std::to_string(g.vec3({5, 0, 0, 0, 7, 0, 0, 0, 9}));
  const std::string json = g.json(
      R"("extensionsUsed":["EXT_mesh_gpu_instancing"],"meshes":[{"primitives":[{"attributes":{"POSITION":)" + p +
      R"(}}]}],"nodes":[{"name":"Grass","mesh":0,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":)" +
      t +
      R"(}}}},{"name":"Camera"}],"animations":[{"name":"Turn","channels":[{"sampler":0,"target":{"node":1,"path":"translation"}}],"samplers":[{"input":)" +
      std::to_string(g.scalar({0, 1, 2})) + R"(,"output":)" + t + "}]}]");
  Files files;
  const ByteSpan bytes = as_bytes(json);
  files.put("in.gltf", Bytes(ByteVector(bytes.begin(), bytes.end())));
  const Pair pair = pair_of(std::move(files), "in.gltf");
  expect_same(pair);
  EXPECT_EQ(pair.made.nodes.size(), 5u);
  EXPECT_EQ(pair.made.clips.at(0).channels.at(0).node, 1u);
  EXPECT_THAT(pair.text, HasSubstr("\"EXT_mesh_gpu_instancing\":{\"attributes\":{\"SCALE\""));
}

TEST(Optimize, the_same_source_gives_the_same_bytes) {
  const scene::Scene scene = sheet(12, 1, true);
  EXPECT_EQ(pair_of(scene).text, pair_of(scene).text);
}

TEST(Optimize, a_broken_file_is_an_error_with_its_name) {
  const Bytes whole = glb_of(sheet(3, 1, true));
  for (std::size_t size = 0; size < whole.size(); size += 7) {
    Files files;
    files.put("in.glb", whole.slice(0, size));
    FilesInputs inputs(files);
    const auto made = optimize_file("in.glb", "out.glb", inputs, usual());
    ASSERT_FALSE(made) << size;
    EXPECT_EQ(made.error().file, "in.glb");
  }
}

}  // namespace
}  // namespace assetc::optimize
