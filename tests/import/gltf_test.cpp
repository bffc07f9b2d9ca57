#include "import/gltf/gltf.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <limits>
#include <tuple>

#include "import/meshopt_v1_builder.hpp"
#include "import/tiny_gltf.hpp"

namespace assetc::importer {
namespace {

using namespace testing;
using scene::Vec2;
using scene::Vec3;
using scene::Vec4;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Gltf, numbers_vertices_where_there_are_no_indices) {
  TinyGltf g;
  const auto imported = import_mesh(g, attributes({{"POSITION", g.vec3(kTriangle)}}));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_THAT(first_primitive(imported).indices, ElementsAre(0, 1, 2));
  EXPECT_THAT(first_primitive(imported).positions, ElementsAre(Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}));
  EXPECT_TRUE(first_primitive(imported).normals.empty());
}

TEST(Gltf, turns_strips_and_fans_into_triangles_of_one_winding) {
  TinyGltf strip;
  const auto a = import_mesh(strip, attributes({{"POSITION", strip.vec3(kFourPoints)}}, ",\"mode\":5"));
  ASSERT_TRUE(a) << message(a);
  EXPECT_THAT(first_primitive(a).indices, ElementsAre(0, 1, 2, 1, 3, 2));
  TinyGltf fan;
  const auto b = import_mesh(fan, attributes({{"POSITION", fan.vec3(kFourPoints)}}, ",\"mode\":6"));
  ASSERT_TRUE(b) << message(b);
  EXPECT_THAT(first_primitive(b).indices, ElementsAre(1, 2, 0, 2, 3, 0));
}

TEST(Gltf, reads_points_and_lines_as_lists) {
  const auto of_mode = [](int mode, std::vector<std::uint16_t> indices) {
    TinyGltf g;
    const int p = g.vec3(kFourPoints);
    const std::string list = indices.empty() ? "" : ",\"indices\":" + std::to_string(g.indices(std::move(indices)));
    const auto imported =
        import_mesh(g, attributes({{"POSITION", p}, {"COLOR_0", p}}, list + ",\"mode\":" + std::to_string(mode)));
    EXPECT_TRUE(imported) << message(imported);
    EXPECT_THAT(dropped(imported), ::testing::IsEmpty());
    return *imported;
  };
  const Imported points = of_mode(0, {3, 1}), lines = of_mode(1, {}), loop = of_mode(2, {}),
                 strip = of_mode(3, {2, 0, 1});
  const auto first = [](const Imported& i) { return i.scene.meshes[0].primitives[0]; };
  EXPECT_EQ(first(points).topology, scene::Topology::kPoints);
  EXPECT_THAT(first(points).indices, ElementsAre(2, 0));  // of the vertices from 1 to 3
  EXPECT_EQ(first(points).colors.at(0).size(), 3u);
  EXPECT_EQ(first(lines).topology, scene::Topology::kLines);
  EXPECT_THAT(first(lines).indices, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(first(loop).topology, scene::Topology::kLines);
  EXPECT_THAT(first(loop).indices, ElementsAre(0, 1, 1, 2, 2, 3, 3, 0));
  EXPECT_THAT(first(strip).indices, ElementsAre(2, 0, 0, 1));
  const Imported odd = of_mode(1, {0, 1, 2});
  EXPECT_THAT(first(odd).indices, ElementsAre(0, 1));
  ASSERT_EQ(odd.warnings.size(), 1u);
  EXPECT_EQ(odd.warnings[0].to_string(),
            "/meshes/0/primitives/0/indices: found 3 indices of a line list, expected a multiple of 2; the incomplete "
            "line is left out");
}

TEST(Gltf, reads_interleaved_views) {
  TinyGltf g;
  // position, uv, position, uv …
  const int view = g.view<float>({0, 0, 0, .1f, .2f, 1, 0, 0, .3f, .4f, 0, 1, 0, .5f, .6f}, ",\"byteStride\":20");
  const auto over = [&](const char* type, int offset) {
    return g.raw_accessor("\"bufferView\":" + std::to_string(view) + ",\"byteOffset\":" + std::to_string(offset) +
                          ",\"componentType\":5126,\"count\":3,\"type\":\"" + type + "\"");
  };
  const int position = over("VEC3", 0), uv = over("VEC2", 12);
  const auto imported = import_mesh(g, attributes({{"POSITION", position}, {"TEXCOORD_0", uv}}));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_EQ(first_primitive(imported).positions[2], (Vec3{0, 1, 0}));
  EXPECT_THAT(first_primitive(imported).texcoords[0], ElementsAre(Vec2{.1f, .2f}, Vec2{.3f, .4f}, Vec2{.5f, .6f}));
}

TEST(Gltf, scales_normalized_integers) {
  TinyGltf g;
  const int position = g.vec3(kTriangle);
  const int uv = g.accessor<std::uint8_t>(5121, "VEC2", {0, 255, 51, 102, 255, 0}, 3, ",\"normalized\":true");
  const int color =
      g.accessor<std::uint16_t>(5123, "VEC3", {65535, 0, 0, 0, 65535, 0, 0, 0, 65535}, 3, ",\"normalized\":true");
  const auto imported = import_mesh(g, attributes({{"POSITION", position}, {"TEXCOORD_0", uv}, {"COLOR_0", color}}));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_THAT(first_primitive(imported).texcoords[0], ElementsAre(Vec2{0, 1}, Vec2{.2f, .4f}, Vec2{1, 0}));
  EXPECT_EQ(first_primitive(imported).colors[0][1], (Vec4{0, 1, 0, 1}));
}

TEST(Gltf, maps_the_most_negative_integers_to_minus_one) {
  TinyGltf g;
  const int position =
      g.accessor<std::int16_t>(5122, "VEC3", {-32768, 32767, 0, 0, 0, 0, 0, 0, 0}, 3, ",\"normalized\":true");
  const auto imported = import_mesh(g, attributes({{"POSITION", position}}));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_EQ(first_primitive(imported).positions[0], (Vec3{-1, 1, 0}));
}

TEST(Gltf, keeps_quantized_positions_as_integers_without_normalized) {
  TinyGltf g;
  const int position = g.accessor<std::uint16_t>(5123, "VEC3", {0, 0, 0, 1000, 0, 0, 0, 65535, 0}, 3);
  const auto imported = import_mesh(g, attributes({{"POSITION", position}}));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_EQ(first_primitive(imported).positions[2], (Vec3{0, 65535, 0}));
}

TEST(Gltf, lays_sparse_values_over_a_view_and_over_zeros) {
  TinyGltf g;
  const int view = g.view<float>(kTriangle);
  const int indices = g.view<std::uint16_t>({1});
  const int values = g.view<float>({7, 8, 9});
  const std::string sparse =
      ",\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":" +
      std::to_string(indices) + ",\"componentType\":5123},\"values\":{\"bufferView\":" + std::to_string(values) + "}}";
  const int over_view = g.raw_accessor("\"bufferView\":" + std::to_string(view) + sparse);
  const auto a = import_mesh(g, attributes({{"POSITION", over_view}}));
  ASSERT_TRUE(a) << message(a);
  EXPECT_THAT(first_primitive(a).positions, ElementsAre(Vec3{0, 0, 0}, Vec3{7, 8, 9}, Vec3{0, 1, 0}));
  const int over_zeros = g.raw_accessor(sparse.substr(1));
  const auto b = import_mesh(g, attributes({{"POSITION", over_zeros}}));
  ASSERT_TRUE(b) << message(b);
  EXPECT_THAT(first_primitive(b).positions, ElementsAre(Vec3{0, 0, 0}, Vec3{7, 8, 9}, Vec3{0, 0, 0}));
}

TEST(Gltf, refuses_a_sparse_index_past_the_end) {
  TinyGltf g;
  const int indices = g.view<std::uint16_t>({3});
  const int values = g.view<float>({7, 8, 9});
  const int a = g.raw_accessor(
      "\"componentType\":5126,\"count\":3,\"type\":\"VEC3\",\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":" +
      std::to_string(indices) + ",\"componentType\":5123},\"values\":{\"bufferView\":" + std::to_string(values) + "}}");
  EXPECT_EQ(message(import_mesh(g, attributes({{"POSITION", a}}))),
            "/accessors/0/sparse/indices: item 0 is 3, expected an index below 3");
}

TEST(Gltf, refuses_an_index_past_the_vertices) {
  TinyGltf g;
  const int p = g.vec3(kTriangle), i = g.indices({0, 1, 9});
  EXPECT_EQ(message(import_mesh(g, attributes({{"POSITION", p}}, ",\"indices\":" + std::to_string(i)))),
            "/meshes/0/primitives/0/indices: index 2 is 9, expected less than 3, the number of vertices");
}

TEST(Gltf, refuses_an_accessor_that_leaves_its_view) {
  TinyGltf g;
  const int view = g.view<float>(kTriangle);
  const int a = g.raw_accessor("\"bufferView\":" + std::to_string(view) +
                               ",\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"");
  EXPECT_EQ(message(import_mesh(g, attributes({{"POSITION", a}}))),
            "/accessors/0: 4 elements of VEC3 of float from byte 0 need 48 bytes, but buffer view 0 has 36 bytes");
}

TEST(Gltf, refuses_terabytes_of_zeros_before_allocating) {
  TinyGltf g;
  const int a = g.raw_accessor(R"("componentType":5126,"count":4000000000,"type":"VEC3")");
  EXPECT_EQ(
      message(import_mesh(g, attributes({{"POSITION", a}}))),
      "/accessors/0/count: found 4000000000 elements without a buffer view (all zero), expected at most 16777216");
}

TEST(Gltf, refuses_to_decode_more_than_its_budget) {
  TinyGltf g;
  ImportLimits limits;
  limits.scene_bytes = 40;  // room for the indices, but not for the positions
  EXPECT_EQ(message(import_text(g.mesh(attributes({{"POSITION", g.vec3(kTriangle)}})), files(), limits)),
            "/meshes/0/primitives/0/attributes/POSITION: the file would decode to more than 0 MiB (here: 3 elements of "
            "12 bytes); split the model into several files");
}

// Few bytes of JSON name an accessor without bytes any number of times.
TEST(Gltf, refuses_to_decode_much_more_than_its_bytes) {
  const auto refused = [](const std::string& text, const std::string& place) {
    const auto imported = import_text(text);
    ASSERT_FALSE(imported);
    EXPECT_EQ(imported.error().code, ErrorCode::kLimit);
    EXPECT_EQ(imported.error().place, place);
    EXPECT_TRUE(imported.error().what.starts_with("the file would decode to more than 64 MiB, the limit for " +
                                                  std::to_string(text.size()) + " bytes (here: "))
        << imported.error().what;
  };
  TinyGltf meshes;
  const std::string zeros =
      std::to_string(meshes.raw_accessor(R"("componentType":5126,"count":3000000,"type":"VEC3")"));
  const std::string primitive = R"({"attributes":{"POSITION":)" + zeros + "}}";
  refused(meshes.json(R"("meshes":[{"primitives":[)" + primitive + "," + primitive + "]}]"),
          "/meshes/0/primitives/1/attributes/POSITION");
  TinyGltf clips;
  const std::string times =
      std::to_string(clips.raw_accessor(R"("componentType":5126,"count":2000000,"type":"SCALAR")"));
  const std::string moves = std::to_string(clips.raw_accessor(R"("componentType":5126,"count":2000000,"type":"VEC3")"));
  const std::string channel = R"({"sampler":0,"target":{"node":0,"path":"translation"}})";
  refused(clips.json(R"("nodes":[{}],"animations":[{"samplers":[{"input":)" + times + R"(,"output":)" + moves +
                     R"(}],"channels":[)" + channel + "," + channel + "," + channel + "]}]"),
          "/animations/0/samplers/0/input");
}

TEST(Gltf, reads_only_the_part_of_a_shared_accessor_that_a_primitive_uses) {
  TinyGltf g;
  const int p = g.vec3({9, 9, 9, 9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0}), i = g.indices({2, 3, 4});
  const auto imported = import_mesh(g, attributes({{"POSITION", p}}, ",\"indices\":" + std::to_string(i)));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_THAT(first_primitive(imported).indices, ElementsAre(0, 1, 2));
  EXPECT_THAT(first_primitive(imported).positions, ElementsAre(Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}));
}

TEST(Gltf, refuses_positions_that_are_not_finite_and_forgets_such_normals) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  TinyGltf bad;
  EXPECT_EQ(message(import_mesh(bad, attributes({{"POSITION", bad.vec3({0, 0, 0, 0, nan, 0, 0, 0, 0})}}))),
            "/meshes/0/primitives/0/attributes/POSITION: the position of vertex 1 is not finite");
  TinyGltf g;
  const int p = g.vec3(kTriangle), n = g.vec3({0, 0, 1, nan, 0, 1, 0, 0, 1});
  const auto imported = import_mesh(g, attributes({{"POSITION", p}, {"NORMAL", n}}));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_TRUE(first_primitive(imported).normals.empty());
  ASSERT_EQ(imported->warnings.size(), 1u);
  EXPECT_EQ(imported->warnings[0].to_string(),
            "/meshes/0/primitives/0/attributes/NORMAL: some normals are not finite; all normals are generated");
}

TEST(Gltf, fills_sets_that_are_missing_before_others) {
  TinyGltf g;
  const int p = g.vec3(kTriangle), uv = g.vec2({0, 0, 1, 0, 0, 1}),
            color = g.vec4({1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1});
  const auto imported = import_mesh(g, attributes({{"POSITION", p}, {"TEXCOORD_1", uv}, {"COLOR_1", color}}));
  ASSERT_TRUE(imported) << message(imported);
  const scene::Primitive& primitive = first_primitive(imported);
  EXPECT_EQ(primitive.texcoords.at(0), (std::vector<Vec2>(3)));
  EXPECT_EQ(primitive.texcoords.at(1)[1], (Vec2{1, 0}));
  EXPECT_EQ(primitive.colors.at(0), (std::vector<Vec4>(3, Vec4{1, 1, 1, 1})));
  ASSERT_EQ(imported->warnings.size(), 2u);
  EXPECT_EQ(imported->warnings[0].to_string(),
            "/meshes/0/primitives/0/attributes: TEXCOORD_0 is missing, but there are later sets, expected sets without "
            "gaps; it is filled with 0");
}

TEST(Gltf, drops_an_extension_with_its_attributes) {
  TinyGltf g;
  const int p = g.vec3(kTriangle);
  const auto imported = import_mesh(
      g, attributes({{"POSITION", p}, {"EXT_a:SIZE", p}}, R"(,"extensions":{"EXT_a":{"b":1},"EXT_ab":{"c":2}})"));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_EQ(imported->scene.meshes.at(0).extra, R"({"primitives":[{"extensions":{"EXT_ab":{"c":2}}}]})");
  EXPECT_THAT(
      dropped(imported),
      ElementsAre("dropped: 1 attribute EXT_a:SIZE (/meshes/0/primitives/0/attributes/EXT_a:SIZE)",
                  "dropped: 1 extension EXT_a, which cannot do without a dropped attribute (/meshes/0/primitives/0)",
                  "dropped: 1 extension EXT_ab (/meshes/0/primitives/0)"));
}

TEST(Gltf, drops_primitives_that_draw_nothing) {
  TinyGltf g;
  const int p = g.vec3(kTriangle);
  const auto imported = import_mesh(
      g, attributes({{"POSITION", p}}, ",\"indices\":" + std::to_string(g.raw_accessor(
                                                             R"("componentType":5123,"count":0,"type":"SCALAR")"))));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_TRUE(first_primitive(imported).positions.empty());
  EXPECT_THAT(dropped(imported),
              ElementsAre("dropped: 1 primitive without a whole triangle, line or point (/meshes/0/primitives/0)"));
}

TEST(Gltf, resolves_percent_encoded_buffers_beside_the_file) {
  std::string data(36, '\0');
  const std::string json =
      R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":36,"uri":"my%20data/a%2Bb.bin"}],)"
      R"("bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],)"
      R"("meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]})";
  EXPECT_EQ(message(import_text(json, files({{"models/my data/a+b.bin", data}}))), "no error");
  EXPECT_EQ(message(import_text(json)),
            "/buffers/0/uri: the file \"models/my data/a+b.bin\" is not there; put it beside the model, or export "
            "again with its buffers");
  EXPECT_EQ(message(import_text(json, files({{"models/my data/a+b.bin", "short"}}))),
            "/buffers/0/byteLength: found 36 bytes, but \"models/my data/a+b.bin\" holds 5; the buffer was cut short; "
            "export the model again");
}

TEST(Gltf, reads_data_uris_of_every_form) {
  TinyGltf g;
  const std::string text = g.mesh(attributes({{"POSITION", g.vec3(kTriangle)}}));
  const std::string prefix = "data:application/octet-stream;base64,";
  const std::size_t at = text.find(prefix), end = text.find('"', at);
  const std::string data = text.substr(at + prefix.size(), end - at - prefix.size());
  std::string percents, escaped;
  for (const float value : kTriangle) {
    for (const auto byte : std::bit_cast<std::array<unsigned char, 4>>(value)) {
      constexpr std::string_view kDigits = "0123456789ABCDEF";
      percents += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  for (const char c : data) escaped += c == '=' ? "%3D" : c == '/' ? "%2f" : c == '+' ? "%2B" : std::string(1, c);
  for (const std::string& uri : {"data:application/octet-stream," + percents, "data:," + percents, prefix + escaped,
                                 "DATA:application/octet-stream;BASE64," + data}) {
    std::string other = text;
    other.replace(at, end - at, uri);
    const auto imported = import_text(other);
    ASSERT_TRUE(imported) << uri << ": " << message(imported);
    EXPECT_EQ(first_primitive(imported).positions[1], (scene::Vec3{1, 0, 0})) << uri;
  }
}

TEST(Gltf, refuses_uris_that_leave_the_input_folder) {
  for (const char* uri : {"../../secret.bin", "/etc/passwd", "%2e%2e/%2e%2e/secret.bin", "file:///etc/passwd",
                          "C:\\\\a.bin", "..\\\\..\\\\a.bin", "https://x/y.bin"}) {
    const std::string json =
        std::string(R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":36,"uri":")") + uri +
        R"("}],"bufferViews":[{"buffer":0,"byteLength":36}],"accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],)"
        R"("meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]})";
    bool asked = false;
    const auto imported = import_text(json, [&](std::string_view) -> Result<Bytes> { return asked = true, Bytes(); });
    EXPECT_FALSE(imported) << uri;
    EXPECT_FALSE(asked) << uri;
    EXPECT_EQ(imported.error().place, "/buffers/0/uri") << uri;
  }
}

TEST(Gltf, names_an_unknown_required_extension) {
  EXPECT_EQ(message(import_text(
                R"({"asset":{"version":"2.0"},"extensionsUsed":["ACME_magic"],"extensionsRequired":["ACME_magic"]})")),
            "/extensionsRequired/0: the file requires the extension ACME_magic, which assetc does not read; export "
            "without it, or as an optional extension");
}

TEST(Gltf, drops_required_extensions_that_do_not_touch_geometry) {
  TinyGltf g;
  const int p = g.vec3(kTriangle);
  const auto imported = import_text(g.json(
      R"("extensionsRequired":["KHR_materials_transmission","KHR_node_visibility","KHR_lights_punctual"],)" +
      std::string(
          R"("materials":[{"extensions":{"KHR_materials_transmission":{"transmissionFactor":1}}}],"meshes":[{"primitives":[{)") +
      attributes({{"POSITION", p}}) + R"(,"material":0}]}],"nodes":[{"mesh":0}])"));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_THAT(dropped(imported), ElementsAre("dropped: 1 extension KHR_materials_transmission (/materials/0)"));
}

TEST(Gltf, converts_specular_glossiness) {
  const auto imported =
      import_text(R"({"asset":{"version":"2.0"},"extensionsRequired":["KHR_materials_pbrSpecularGlossiness"],
    "images":[{"uri":"a.png"}],"textures":[{"source":0}],"materials":[
    {"extensions":{"KHR_materials_pbrSpecularGlossiness":{"diffuseFactor":[0.5,0.25,0.125,0.5],"specularFactor":[0,0,0],"glossinessFactor":0.25}}},
    {"extensions":{"KHR_materials_pbrSpecularGlossiness":{"diffuseFactor":[0,0,0,1],"specularFactor":[1,0.5,0.25]}}},
    {"extensions":{"KHR_materials_pbrSpecularGlossiness":{"diffuseTexture":{"index":0},"specularGlossinessTexture":{"index":0}}}},
    {"pbrMetallicRoughness":{"metallicFactor":0.5},"extensions":{"KHR_materials_pbrSpecularGlossiness":{"diffuseFactor":[0,0,0,1]}}}]})");
  ASSERT_TRUE(imported) << message(imported);
  const auto& m = imported->scene.materials;
  EXPECT_EQ(m[0].metallic, 0);
  EXPECT_EQ(m[0].roughness, .75f);
  EXPECT_NEAR(m[0].base_color.x, .5 / .96, 1e-6);
  EXPECT_EQ(m[0].base_color.w, .5f);
  EXPECT_NEAR(m[1].metallic, 1, 1e-6);
  EXPECT_EQ(m[1].roughness, 0);
  EXPECT_NEAR(m[1].base_color.x, 1, 1e-6);
  EXPECT_NEAR(m[1].base_color.y, .5, 1e-6);
  EXPECT_EQ(m[2].base_color_texture.image, 0u);
  EXPECT_EQ(m[2].base_color, (Vec4{1, 1, 1, 1}));
  EXPECT_EQ(m[2].metallic, 0);
  EXPECT_EQ(m[3].base_color, (Vec4{1, 1, 1, 1}));
  EXPECT_EQ(m[3].metallic, .5f);
  EXPECT_THAT(dropped(imported),
              ElementsAre("dropped: 1 specular-glossiness texture "
                          "(/materials/2/extensions/KHR_materials_pbrSpecularGlossiness/specularGlossinessTexture)",
                          "dropped: 1 extension KHR_materials_pbrSpecularGlossiness next to pbrMetallicRoughness "
                          "(/materials/3/extensions/KHR_materials_pbrSpecularGlossiness)"));
}

// The indices 0, 1, 2 as a version 1 index sequence: a header, one zigzag delta per index, four bytes of tail.
const std::vector<std::uint8_t> kMeshoptIndices{0xD1, 0, 4, 4, 0, 0, 0, 0};

std::string meshopt_triangle(const std::string& extension, std::vector<std::uint8_t> stream, const std::string& more) {
  TinyGltf g;
  const int p = g.vec3(kTriangle);
  const auto size = stream.size();
  g.view(std::move(stream));
  const int compressed = g.view(std::vector<std::uint8_t>(6), R"(,"extensions":{")" + extension +
                                                                  R"(":{"buffer":0,"byteOffset":36,"byteLength":)" +
                                                                  std::to_string(size) + more + "}}");
  const int i = g.raw_accessor(R"("bufferView":)" + std::to_string(compressed) +
                               R"(,"componentType":5123,"count":3,"type":"SCALAR")");
  return g.json(R"("extensionsRequired":[")" + extension + R"("],"meshes":[{"primitives":[{)" +
                attributes({{"POSITION", p}}) + R"(,"indices":)" + std::to_string(i) + R"(}]}],"nodes":[{"mesh":0}])");
}

TEST(Gltf, reads_meshopt_compression_under_both_names) {
  for (const char* name : {"EXT_meshopt_compression", "KHR_meshopt_compression"}) {
    const auto imported =
        import_text(meshopt_triangle(name, kMeshoptIndices, R"(,"byteStride":2,"mode":"INDICES","count":3)"));
    ASSERT_TRUE(imported) << name << ": " << message(imported);
    EXPECT_THAT(first_primitive(imported).indices, ElementsAre(0, 1, 2));
  }
}

// Positions in version 1's float encoding, and colors under COLOR, three elements each. The fourth number of a color is
// opaque at full precision.
std::string meshopt_v1_triangle(ByteVector positions, const ByteVector& colors) {
  TinyGltf g;
  const auto extended = [&](std::size_t at, const ByteVector& stream, std::size_t stride, const char* filter) {
    return g.view(std::vector<std::uint8_t>(3 * stride),
                  R"(,"extensions":{"KHR_meshopt_compression":{"buffer":0,"byteOffset":)" + std::to_string(at) +
                      R"(,"byteLength":)" + std::to_string(stream.size()) + R"(,"byteStride":)" +
                      std::to_string(stride) + R"(,"mode":"ATTRIBUTES","filter":")" + filter + R"(","count":3}})");
  };
  const std::size_t position_size = positions.size();
  ByteVector both = std::move(positions);
  append_bytes(both, colors);
  ByteVector first(both.begin(), both.begin() + static_cast<std::ptrdiff_t>(position_size));
  g.view(std::move(both));
  const int p = extended(0, first, 12, "NONE");
  const int c = extended(position_size, colors, 4, "COLOR");
  const int position =
      g.raw_accessor(R"("bufferView":)" + std::to_string(p) + R"(,"componentType":5126,"count":3,"type":"VEC3")");
  const int color = g.raw_accessor(R"("bufferView":)" + std::to_string(c) +
                                   R"(,"componentType":5121,"normalized":true,"count":3,"type":"VEC4")");
  return g.json(R"("extensionsRequired":["KHR_meshopt_compression"],"meshes":[{"primitives":[{)" +
                attributes({{"POSITION", position}, {"COLOR_0", color}}) + R"(}]}],"nodes":[{"mesh":0}])");
}

ByteVector meshopt_v1_positions() {
  std::vector<std::uint8_t> bytes(36);
  std::memcpy(bytes.data(), kTriangle.data(), 36);
  return MeshoptV1Builder(12, {0x12, 2, 1}).encode(bytes, std::vector<std::uint8_t>(12));
}
const std::vector<std::uint8_t> kYCoCg{255, 0, 0, 255, 128, 127, 0, 255, 51, 0, 51, 255};

TEST(Gltf, reads_version_1_of_the_attribute_codec_and_its_colors) {
  const ByteVector colors = MeshoptV1Builder(4, {0}, 1).encode(kYCoCg, {0, 0, 0, 0});
  const auto imported = import_text(meshopt_v1_triangle(meshopt_v1_positions(), colors));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_THAT(first_primitive(imported).positions, ElementsAre(Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}));
  EXPECT_THAT(first_primitive(imported).colors.at(0),
              ElementsAre(Vec4{1, 1, 1, 1}, Vec4{1, 128 / 255.f, 1 / 255.f, 1}, Vec4{0, 102 / 255.f, 0, 1}));
}

TEST(Gltf, locates_damaged_streams_of_version_1) {
  ByteVector positions = meshopt_v1_positions();
  const ByteVector colors = MeshoptV1Builder(4, {0}, 1).encode(kYCoCg, {0, 0, 0, 0});
  positions.back() = std::byte{7};
  EXPECT_EQ(message(import_text(meshopt_v1_triangle(positions, colors))),
            "/bufferViews/1/extensions/KHR_meshopt_compression: meshopt compression: the compressed ATTRIBUTES stream "
            "(version 1) is damaged: "
            "found the mode 7 for bytes 8 to 11 of an element, expected 0, 1, or 2 plus a multiple of 16; export the "
            "model again");
  const ByteVector opaque = MeshoptV1Builder(4, {0}, 1).encode({1, 0, 0, 255, 1, 0, 0, 0, 1, 0, 0, 255}, {0, 0, 0, 0});
  EXPECT_EQ(
      message(import_text(meshopt_v1_triangle(meshopt_v1_positions(), opaque))),
      "/bufferViews/2/extensions/KHR_meshopt_compression: meshopt compression: element 1 under the filter COLOR has "
      "the fourth "
      "component 0, expected at least 2: its highest bit gives the precision of the others; export the model again");
  EXPECT_EQ(message(import_text(meshopt_triangle("KHR_meshopt_compression", {0xA2, 0, 0, 0},
                                                 R"(,"byteStride":4,"mode":"ATTRIBUTES","count":1)"))),
            "/bufferViews/2/extensions/KHR_meshopt_compression: meshopt compression: found a stream that starts with "
            "the byte 162, expected 160 "
            "or 161 (version 0 or 1 of the attribute codec)");
}

TEST(Gltf, lists_what_the_scene_cannot_hold) {
  TinyGltf g;
  const int p = g.vec3(kTriangle);
  const auto imported = import_text(g.json(
      R"("meshes":[{"primitives":[{)" + attributes({{"POSITION", p}, {"_HEAT", p}}, R"(,"targets":[{},{}])") +
      R"(}],"extras":{"a":1}}],)" + R"("cameras":[{"type":"perspective","perspective":{"yfov":1,"znear":1}},)" +
      R"({"type":"perspective","perspective":{"yfov":1,"znear":1}}],"materials":[{"extensions":{"ACME_glow":{}}}],)" +
      R"("nodes":[{"mesh":0},{"mesh":0,"extras":{}}],"scenes":[{"nodes":[0]},{"nodes":[1]}],"scene":0,)" +
      R"("extensions":{"KHR_lights_punctual":{"lights":[{"type":"point"},{"type":"point"},{"type":"point"}]}})"));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_THAT(dropped(imported),
              ::testing::UnorderedElementsAre(
                  "dropped: 1 extra scene (/scenes/1)", "dropped: 1 mesh node outside the default scene (/nodes/1)",
                  "dropped: 1 extra (/meshes/0/extras)", "dropped: 2 cameras (/cameras/0, ...)",
                  "dropped: 1 extension ACME_glow (/materials/0)",
                  "dropped: 3 lights (/extensions/KHR_lights_punctual/lights/0, ...)"));
  EXPECT_EQ(imported->scene.nodes[1].mesh, scene::kNone);
}

TEST(Gltf, names_one_dropped_thing_in_the_singular) {
  const auto one = [](const char* what) {
    scene::Dropped dropped;
    dropped.what = what;
    return describe(dropped);
  };
  EXPECT_EQ(one("meshes without triangles"), "dropped: 1 mesh without triangles");
  EXPECT_EQ(one("primitives without vertices"), "dropped: 1 primitive without vertices");
}

TEST(Gltf, says_where_json_breaks) {
  const auto imported = import_text("{\n  \"asset\": oops\n}");
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().place, "line 2, column 12");
  EXPECT_THAT(imported.error().what, HasSubstr("not valid JSON"));
}

TEST(Gltf, refuses_versions_before_2_as_too_old) {
  const std::string remedy =
      "; export the model again as glTF 2.0, or convert this file with a program that reads its version, such as "
      "gltf-pipeline";
  EXPECT_EQ(message(import_text(R"({"asset":{"version":"1.0"}})")),
            "/asset: found glTF 1.0, which is too old, expected glTF 2.0" + remedy);
  EXPECT_EQ(message(import_text(R"({"asset":{"version":"1.0.1"},"meshes":{"a":{}}})")),
            "/asset: found glTF 1.0.1, which is too old, expected glTF 2.0" + remedy);
  EXPECT_EQ(message(import_text(R"({"asset":{"version":0.8},"meshes":{"a":{}}})")),
            "/asset: found glTF 0.8, which is too old, expected glTF 2.0" + remedy);
  EXPECT_EQ(message(import_text(R"({"meshes":{"a":{}}})")),
            "/meshes: found an object, as in glTF before 2.0, which is too old, expected glTF 2.0" + remedy);
  EXPECT_EQ(message(import_text(std::string("glTF\x01\0\0\0\x14\0\0\0\0\0\0\0\0\0\0\0", 20))),
            "byte 4: found GLB version 1, which is too old, expected 2, that of glTF 2.0" + remedy);
}

TEST(Gltf, refuses_later_versions_and_wrong_types) {
  EXPECT_EQ(message(import_text(R"({"asset":{"version":"2.0"},"meshes":{}})")),
            "/meshes: found an object, expected an array");
  EXPECT_EQ(message(import_text(R"({"asset":{"version":"2.0"},"meshes":[1]})")), "/meshes/0: expected an object");
  EXPECT_EQ(message(import_text(R"({"asset":{"version":"2.0"},"nodes":[{"mesh":0}]})")),
            "/nodes/0/mesh: found 0, expected an index below 0, the number of meshes");
}

TEST(Gltf, reads_of_glTF_2_1_what_2_0_has) {
  const auto asset = [](const std::string& members, const std::string& rest) {
    return R"({"asset":{"version":"2.1")" + members + "}" + rest + "}";
  };
  const auto imported = import_text(asset(
      R"(,"minVersion":"2.1","thumbnail":0)",
      R"(,"nodes":[{"name":"a","boundingVolume":{"shape":0}},{"boundingVolume":{"shape":1}}],"shapes":[{},{}],"files":[{}])"));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_EQ(imported->scene.nodes[0].name, "a");
  EXPECT_THAT(dropped(imported), ElementsAre("dropped: 2 bounding volumes (/nodes/0/boundingVolume, ...)",
                                             "dropped: 2 shapes (/shapes/0, ...)", "dropped: 1 file (/files/0)",
                                             "dropped: 1 thumbnail (/asset/thumbnail)"));
  EXPECT_EQ(message(import_text(asset("", R"(,"nodes":[{"externalAsset":0}])"))),
            "/nodes/0/externalAsset: found an external asset of glTF 2.1, which assetc does not read; export the model "
            "with its external assets in one file");
  EXPECT_EQ(message(import_text(asset("", R"(,"buffers":[{"byteLength":1,"chunk":2}])"))),
            "/buffers/0/chunk: found a buffer in a further chunk of glTF 2.1, which assetc does not read; export the "
            "model with one binary chunk");
  EXPECT_EQ(message(import_text(asset(R"(,"minVersion":"2.2")", ""))),
            "/asset: found glTF version \"2.2\", expected 2.0; export the model again as glTF 2.0");
  EXPECT_EQ(message(import_text(R"({"asset":{"version":"2.0"},"nodes":[{"externalAsset":0}]})")), "no error")
      << "a property without a meaning in glTF 2.0";
}

TEST(Gltf, reports_skin_weights_without_a_skin) {
  TinyGltf g;
  const int p = g.vec3(kTriangle), w = g.vec4({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  const int j = g.accessor(5121, "VEC4", std::vector<std::uint8_t>(12), 3);
  const auto imported = import_text(g.mesh(R"("attributes":{"POSITION":)" + std::to_string(p) + R"(,"JOINTS_0":)" +
                                           std::to_string(j) + R"(,"WEIGHTS_0":)" + std::to_string(w) + "}"));
  EXPECT_THAT(dropped(imported),
              ElementsAre("dropped: 1 influence of primitives without a skin (/meshes/0/primitives/0)"));
}

TEST(Gltf, survives_deep_nesting) {
  std::string text = R"({"asset":{"version":"2.0"},"extras":)";
  for (int i = 0; i < 200000; ++i) text += "[";
  for (int i = 0; i < 200000; ++i) text += "]";
  EXPECT_EQ(message(import_text(text + "}")), "no error");
}

std::string glb(const std::string& json, const std::string& binary) {
  std::string padded = json;
  padded.resize((padded.size() + 3) / 4 * 4, ' ');
  const auto u32 = [](std::size_t v) {
    return std::string{static_cast<char>(v), static_cast<char>(v >> 8), static_cast<char>(v >> 16),
                       static_cast<char>(v >> 24)};
  };
  std::string chunks = u32(padded.size()) + "JSON" + padded;
  if (!binary.empty()) chunks += u32(binary.size()) + std::string("BIN\0", 4) + binary;
  return "glTF" + u32(2) + u32(12 + chunks.size()) + chunks;
}

TEST(Gltf, every_prefix_of_a_glb_is_refused_with_a_place) {
  const std::string json =
      R"({"asset":{"version":"2.0"},"buffers":[{"byteLength":36}],"bufferViews":[{"buffer":0,"byteLength":36}],)"
      R"("accessors":[{"bufferView":0,"componentType":5126,"count":3,"type":"VEC3"}],"meshes":[{"primitives":[{"attributes":{"POSITION":0}}]}]})";
  const std::string file = glb(json, std::string(36, '\0'));
  EXPECT_EQ(message(import_text(file)), "no error");
  for (std::size_t n = 0; n < file.size(); ++n) {
    const auto imported = import_text(file.substr(0, n));
    ASSERT_FALSE(imported) << n;
    EXPECT_FALSE(imported.error().place.empty()) << n;
  }
  EXPECT_THAT(message(import_text(glb(json, ""))),
              HasSubstr("/buffers/0: the buffer has no \"uri\" and the file no BIN chunk"));
}

}  // namespace
}  // namespace assetc::importer
