#include "import/fbx.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "import/fbx_text.hpp"
#include "import/scene_message.hpp"

namespace assetc::importer {
namespace {

using namespace fbx_text;
using scene::Vec3;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Bytes to_file(std::string_view text) {
  const ByteSpan bytes = as_bytes(text);
  return Bytes(ByteVector(bytes.begin(), bytes.end()));
}

Result<Imported> import_fbx_text(std::string_view text, const std::set<std::string, std::less<>>& files = {},
                                 const process::Limits& limits = kFbxLimits) {
  return import_fbx(
      "models/crate.fbx", to_file(text), [&](std::string_view path) { return files.contains(path); }, limits);
}

std::string error_of(const Result<Imported>& imported) { return imported ? "" : imported.error().to_string(); }

std::vector<std::string> warnings_of(const Result<Imported>& imported) {
  std::vector<std::string> lines;
  for (const Error& warning : imported->warnings) lines.push_back(warning.to_string());
  return lines;
}

std::vector<std::string> dropped(const Result<Imported>& imported) {
  std::vector<std::string> lines;
  for (const scene::Dropped& d : imported->scene.dropped) lines.push_back(describe(d));
  return lines;
}

// The bounds of everything that nodes draw, in world space.
std::pair<Vec3, Vec3> bounds(const scene::Scene& s) {
  Vec3 low{1e9f, 1e9f, 1e9f}, high{-1e9f, -1e9f, -1e9f};
  const std::vector<scene::Mat4> world = world_matrices(s);
  for (std::size_t n = 0; n < s.nodes.size(); ++n) {
    if (s.nodes[n].mesh == scene::kNone) continue;
    for (const scene::Primitive& p : s.meshes[s.nodes[n].mesh].primitives) {
      for (const Vec3 v : p.positions) {
        const Vec3 w = transform_point(world[n], v);
        low = {std::min(low.x, w.x), std::min(low.y, w.y), std::min(low.z, w.z)};
        high = {std::max(high.x, w.x), std::max(high.y, w.y), std::max(high.z, w.z)};
      }
    }
  }
  return {low, high};
}

void expect_bounds(const Result<Imported>& imported, Vec3 low, Vec3 high) {
  ASSERT_TRUE(imported) << error_of(imported);
  const auto [found_low, found_high] = bounds(imported->scene);
  EXPECT_LT(length(found_low - low), 1e-5f) << found_low.x << ' ' << found_low.y << ' ' << found_low.z;
  EXPECT_LT(length(found_high - high), 1e-5f) << found_high.x << ' ' << found_high.y << ' ' << found_high.z;
}

TEST(Fbx, a_cube_comes_in_meters_with_its_material) {
  const auto imported = import_fbx_text(
      crate(property("DiffuseColor", "Color", "0.5,0.25,0.125") + property("ShininessExponent", "Number", "30")));
  expect_bounds(imported, {-0.5f, 0, -0.5f}, {0.5f, 1, 0.5f});
  const scene::Scene& s = imported->scene;
  ASSERT_EQ(s.nodes.size(), 1u);
  EXPECT_EQ(s.nodes[0].name, "Crate");
  EXPECT_EQ(s.nodes[0].parent, scene::kNone);
  ASSERT_EQ(s.meshes.size(), 1u);
  EXPECT_EQ(s.meshes[0].name, "Box");
  const scene::Primitive& p = s.meshes[0].primitives.at(0);
  EXPECT_EQ(p.indices.size(), 36u);
  EXPECT_EQ(p.positions.size(), 20u) << "equal corners become one vertex";
  ASSERT_EQ(p.texcoords.size(), 1u);
  std::set<float> rows;
  for (const scene::Vec2 uv : p.texcoords[0]) rows.insert(uv.y);
  EXPECT_THAT(rows, ElementsAre(0.25f, 1)) << "measured from above";
  ASSERT_EQ(s.materials.size(), 1u);
  const scene::Material& m = s.materials[0];
  EXPECT_EQ(m.name, "Wood");
  EXPECT_EQ(m.base_color, (scene::Vec4{0.5f, 0.25f, 0.125f, 1}));
  EXPECT_EQ(m.metallic, 0);
  EXPECT_EQ(m.roughness, 0.5f);  // (2 / (2 + 30))^(1/4)
  EXPECT_THAT(dropped(imported), IsEmpty());
  EXPECT_THAT(warnings_of(imported), IsEmpty());
}

TEST(Fbx, what_is_up_stays_up_in_every_unit) {
  // 3ds Max's axes: +Z up, -Y to the front. The crate's range 0 to 1 along +Y ends up behind.
  expect_bounds(import_fbx_text(crate({}, {}, {}, {"2", "1", "1", "-1", "1"})), {-0.5f, -0.5f, -1}, {0.5f, 0.5f, 0});
  expect_bounds(import_fbx_text(crate({}, {}, {}, {"1", "1", "2", "1", "100"})), {-50, 0, -50}, {50, 100, 50});
  expect_bounds(import_fbx_text(crate({}, {}, {}, {"1", "1", "2", "1", "2.54"})), {-1.27f, 0, -1.27f},
                {1.27f, 2.54f, 1.27f});
  const auto odd = import_fbx_text(crate({}, {}, {}, {"1", "1", "1", "1", "1"}));
  EXPECT_THAT(warnings_of(odd), ElementsAre("GlobalSettings: its axes are not three different axes; +Y is used as up, "
                                            "+Z as the front"));
  expect_bounds(odd, {-0.5f, 0, -0.5f}, {0.5f, 1, 0.5f});
}

TEST(Fbx, pivots_and_geometric_transforms_are_the_nodes_place) {
  // Rotated by 90 degrees around y about a pivot at x = 50, with a geometric offset of 10 upward.
  const std::string objects =
      cube_geometry() +
      object("Model", "20", "Turned", "Mesh",
             property("RotationPivot", "Vector3D", "50,0,0") + property("Lcl Rotation", "Lcl Rotation", "0,90,0") +
                 property("GeometricTranslation", "Vector3D", "0,10,0")) +
      object("Model", "21", "Child", "Null");
  const auto imported = import_fbx_text(file(objects, connect("10", "20") + connect("20", "0") + connect("21", "20")));
  // x' = 50 + z, z' = -(x - 50)
  expect_bounds(imported, {0, -0.4f, 0}, {1, 0.6f, 1});
  const scene::Scene& s = imported->scene;
  ASSERT_EQ(s.nodes.size(), 2u);
  const auto world = world_matrices(s);
  EXPECT_EQ(s.nodes[1].name, "Child");
  EXPECT_LT(length(transform_point(world[1], {}) - Vec3{0.5f, 0, 0.5f}), 1e-5f)
      << "the offset does not apply to children";
}

std::string texture(std::string_view file_name) {
  return "\tTexture: 40, \"Texture::Tex\", \"\" {\n\t\tFileName: \"" + std::string(file_name) +
         "\"\n\t\tRelativeFilename: \"" + std::string(file_name) + "\"\n\t}\n";
}
std::string textured(std::string_view file_name, std::string_view slot = "DiffuseColor") {
  return crate({}, texture(file_name), connect("40", "30", slot));
}

TEST(Fbx, images_are_looked_for_where_artists_leave_them) {
  const auto path_of = [](const Result<Imported>& imported) { return imported->scene.images.at(0).path; };
  const auto there = import_fbx_text(textured("maps/wood.png"), {"models/maps/wood.png", "models/wood.png"});
  EXPECT_EQ(path_of(there), "models/maps/wood.png");
  EXPECT_THAT(warnings_of(there), IsEmpty());
  for (const std::string_view place :
       {"models/wood.png", "models/crate.fbm/wood.png", "models/textures/wood.png", "textures/wood.png"}) {
    for (const std::string_view reference :
         {"C:\\art\\wood.png", "/home/me/wood.png", "../../../wood.png", "gone/wood.png"}) {
      const auto found = import_fbx_text(textured(reference), {std::string(place)});
      EXPECT_EQ(path_of(found), place) << reference;
      ASSERT_EQ(found->warnings.size(), 1u);
      EXPECT_THAT(found->warnings[0].to_string(),
                  HasSubstr("it does not exist or is outside the input folder; " + std::string(place) +
                            ", which has the same name, is used; export with relative paths, or embed the images"));
    }
  }
  EXPECT_EQ(path_of(import_fbx_text(textured("maps/wood.png"))), "models/maps/wood.png") << "the path for the message";
  EXPECT_EQ(path_of(import_fbx_text(textured("C:\\art\\wood.png"))), "models/wood.png");
  EXPECT_EQ(path_of(import_fbx_text(textured("../../.."))), "");
}

TEST(Fbx, a_texture_stands_in_place_of_its_color) {
  const auto imported = import_fbx_text(textured("wood.png"), {"models/wood.png"});
  const scene::Material& m = imported->scene.materials.at(0);
  EXPECT_EQ(m.base_color_texture.image, 0u);
  EXPECT_EQ(m.base_color, (scene::Vec4{1, 1, 1, 1}));
  const auto normal = import_fbx_text(textured("wood_normal.png", "Bump"), {"models/wood_normal.png"});
  EXPECT_EQ(normal->scene.materials.at(0).normal_texture.image, 0u) << "tools write normal maps as bump maps";
  const auto bump = import_fbx_text(textured("height.png", "Bump"), {"models/height.png"});
  EXPECT_EQ(bump->scene.materials.at(0).normal_texture.image, scene::kNone);
  EXPECT_THAT(dropped(bump), ElementsAre(HasSubstr("bump map")));
}

TEST(Fbx, physical_materials_keep_their_numbers) {
  const auto stingray =
      import_fbx_text(crate(property("Maya|base_color", "Vector3D", "0.5,0.25,0.125") +
                            property("Maya|metallic", "float", "0.75") + property("Maya|roughness", "float", "0.25")));
  const scene::Material& m = stingray->scene.materials.at(0);
  EXPECT_EQ(m.base_color, (scene::Vec4{0.5f, 0.25f, 0.125f, 1}));
  EXPECT_EQ(m.metallic, 0.75f);
  EXPECT_EQ(m.roughness, 0.25f);
  const auto arnold = import_fbx_text(
      crate(property("Maya|base", "float", "0.5") + property("Maya|baseColor", "Vector3D", "1,0.5,0") +
            property("Maya|metalness", "float", "1") + property("Maya|specularRoughness", "float", "0.125") +
            property("Maya|emission", "float", "2") + property("Maya|emissionColor", "Vector3D", "0,0.5,1")));
  const scene::Material& a = arnold->scene.materials.at(0);
  EXPECT_EQ(a.base_color, (scene::Vec4{0.5f, 0.25f, 0, 1}));
  EXPECT_EQ(a.metallic, 1);
  EXPECT_EQ(a.roughness, 0.125f);
  EXPECT_EQ(a.emissive, (Vec3{0, 1, 2}));
  const auto glass = import_fbx_text(crate(property("Opacity", "double", "0.25")));
  EXPECT_EQ(glass->scene.materials.at(0).alpha_mode, scene::AlphaMode::kBlend);
  EXPECT_EQ(glass->scene.materials.at(0).base_color.w, 0.25f);
}

TEST(Fbx, cameras_and_lights_are_named) {
  const std::string objects = object("Model", "50", "Eye", "Camera") + object("Model", "51", "Sun", "Light") +
                              object("NodeAttribute", "52", "", "Camera") + object("NodeAttribute", "53", "", "Light");
  const auto imported = import_fbx_text(
      crate({}, objects, connect("50", "0") + connect("51", "0") + connect("52", "50") + connect("53", "51")));
  ASSERT_TRUE(imported) << error_of(imported);
  EXPECT_THAT(dropped(imported), ElementsAre("dropped: 1 camera (node \"Eye\")", "dropped: 1 light (node \"Sun\")"));
}

TEST(Fbx, what_is_no_fbx_is_told) {
  EXPECT_EQ(error_of(import_fbx_text("")),
            "byte 0: the file is empty, expected an FBX model; export it again as binary FBX "
            "2014 (7.4) or later, or as glTF");
  EXPECT_EQ(error_of(import_fbx_text("solid cube")),
            "byte 0: found neither binary nor text FBX; export it again as binary "
            "FBX 2014 (7.4) or later, or as glTF");
  std::string old = "Kaydara FBX Binary  ";
  old += std::string("\0\x1a\0\xd4\x17\0\0", 7);
  EXPECT_EQ(error_of(import_fbx_text(old)),
            "byte 23: found FBX version 6100, expected 7100 (FBX 2011) or later; export it "
            "again as binary FBX 2014 (7.4) or later, or as glTF");
  EXPECT_THAT(error_of(import_fbx_text(old.substr(0, 25))), HasSubstr("the file ends inside the FBX header"));
  EXPECT_THAT(error_of(import_fbx_text(crate().substr(0, 1200))), HasSubstr("assimp cannot read it: "));
}

TEST(Fbx, a_file_that_crashes_the_reader_is_an_error_of_that_file) {
  std::string deep = "; FBX 7.4.0 project file\n";
  for (int i = 0; i < 200000; ++i) deep += "a: {\n";
  const std::string crash = error_of(import_fbx_text(deep));
  EXPECT_TRUE(crash.starts_with("the FBX reader crashed on this source (")) << crash;  // sanitizers change the reason
  EXPECT_TRUE(crash.ends_with("; export it again as binary FBX 2014 (7.4) or later, or as glTF")) << crash;
  EXPECT_TRUE(import_fbx_text(crate()));
}

TEST(Fbx, a_file_that_takes_too_much_is_an_error_of_that_file) {
  if (process::kLimitsMemory) {
    std::string large = "; FBX 7.4.0 project file\n";
    for (int i = 0; i < 200000; ++i) large += "a: 1,2,3,4,5,6\n";
    EXPECT_EQ(
        error_of(import_fbx_text(large, {}, {.memory_bytes = 32u << 20})),
        "the FBX reader needs more than 32.0 MiB of memory; split the model into several files, or export it as glTF");
  }
  EXPECT_EQ(error_of(import_fbx_text(crate(), {}, {.seconds = 0})),
            "the FBX reader gave no answer for 0 s; split the model into several files, or export it as glTF");
}

TEST(Fbx, the_process_gives_what_reading_here_gives) {
  const std::string text = textured("C:\\art\\wood.png");
  const auto here = read_fbx_here(as_bytes(text));
  ASSERT_TRUE(here);
  const auto there = import_fbx_text(text);
  ASSERT_TRUE(there);
  EXPECT_EQ(here->scene.images.at(0).path, "C:\\art\\wood.png");
  EXPECT_EQ(there->scene.meshes.at(0).primitives.at(0).positions, here->scene.meshes.at(0).primitives.at(0).positions);
  EXPECT_EQ(there->scene.meshes.at(0).primitives.at(0).indices, here->scene.meshes.at(0).primitives.at(0).indices);
}

}  // namespace
}  // namespace assetc::importer

int main(int argc, char** argv) {
  const assetc::process::Role* const roles[] = {&assetc::importer::kFbxReader};
  if (const auto code = assetc::process::run_as(roles, argc, argv)) return *code;
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
