#include "import/fbx/fbx.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include "import/fbx_text.hpp"
#include "import/font/font.hpp"
#include "import/model/scene_message.hpp"
#include "scene/pose.hpp"

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

TEST(Fbx, polygons_of_two_corners_are_lines) {
  std::string text = crate({});
  const std::string quads = "4,5,6,-8,1,0,3,-3,", lines = "4,-6,6,-8,1,-1,3,-3,";
  text.replace(text.find(quads), quads.size(), lines);
  const auto imported = import_fbx_text(text);
  ASSERT_TRUE(imported) << error_of(imported);
  const auto& primitives = imported->scene.meshes.at(0).primitives;
  ASSERT_EQ(primitives.size(), 2u);
  EXPECT_EQ(primitives[0].topology, scene::Topology::kTriangles);
  EXPECT_EQ(primitives[0].indices.size(), 24u);
  EXPECT_EQ(primitives[1].topology, scene::Topology::kLines);
  EXPECT_THAT(primitives[1].indices, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
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
  for (const scene::Dropped& d : imported->scene.dropped) EXPECT_TRUE(d.is_in_scene) << d.what;
}

// A camera looks along +X of its model and a light shines along -Y; in a scene both do it along -Z.
TEST(Fbx, cameras_and_lights_are_kept) {
  const std::string objects =
      object("Model", "50", "Eye", "Camera", property("Lcl Translation", "Lcl Translation", "100,200,300")) +
      object("Model", "51", "Lamp", "Light", property("Lcl Rotation", "Lcl Rotation", "0,0,90")) +
      object("NodeAttribute", "52", "Lens", "Camera",
             property("ApertureMode", "enum", "2") + property("FieldOfView", "FieldOfView", "60") +
                 property("AspectWidth", "double", "200") + property("AspectHeight", "double", "100") +
                 property("NearPlane", "double", "10") + property("FarPlane", "double", "10000"),
             "\t\tTypeFlags: \"Camera\"\n") +
      object("NodeAttribute", "53", "Bulb", "Light",
             property("LightType", "enum", "2") + property("Color", "Color", "1,0.5,0.25") +
                 property("Intensity", "Number", "250") + property("InnerAngle", "Number", "30") +
                 property("OuterAngle", "Number", "60"),
             "\t\tTypeFlags: \"Light\"\n") +
      object("Model", "54", "Below", "Null", property("Lcl Translation", "Lcl Translation", "0,100,0")) +
      object("Model", "55", "Sun", "Light") +
      object("NodeAttribute", "56", "", "Light", property("LightType", "enum", "1"), "\t\tTypeFlags: \"Light\"\n");
  const auto imported =
      import_fbx_text(crate({}, objects,
                            connect("50", "0") + connect("51", "0") + connect("52", "50") + connect("53", "51") +
                                connect("55", "0") + connect("56", "55") + connect("54", "55")));
  ASSERT_TRUE(imported) << error_of(imported);
  const scene::Scene& s = imported->scene;
  ASSERT_EQ(s.cameras.size(), 1u);
  const scene::Camera& camera = s.cameras[0];
  EXPECT_TRUE(camera.is_perspective);
  EXPECT_NEAR(camera.y_fov_radians, 60 * std::numbers::pi / 180, 1e-6);
  EXPECT_FLOAT_EQ(camera.aspect_ratio, 2);
  EXPECT_FLOAT_EQ(camera.z_near, 0.1f);
  EXPECT_FLOAT_EQ(camera.z_far, 100);
  ASSERT_EQ(s.lights.size(), 2u);
  const scene::Light& light = s.lights[0];
  EXPECT_EQ(light.type, scene::LightType::kSpot);
  EXPECT_EQ(light.color, (Vec3{1, 0.5f, 0.25f}));
  EXPECT_FLOAT_EQ(light.intensity, 2.5f);
  EXPECT_NEAR(light.inner_cone_radians, 15 * std::numbers::pi / 180, 1e-6);
  EXPECT_NEAR(light.outer_cone_radians, 30 * std::numbers::pi / 180, 1e-6);
  EXPECT_EQ(s.lights[1].type, scene::LightType::kDirectional);

  const auto world = world_matrices(s);
  const auto look = [&](std::string_view name) {
    const auto at = static_cast<std::size_t>(std::ranges::find(s.nodes, name, &scene::Node::name) - s.nodes.begin());
    return transform_point(world.at(at), {0, 0, -1}) - transform_point(world.at(at), {});
  };
  EXPECT_LT(length(look("Eye") - Vec3{1, 0, 0}), 1e-6f);
  EXPECT_LT(length(look("Lamp") - Vec3{1, 0, 0}), 1e-6f) << "-Y, rotated by 90 degrees around z";
  EXPECT_LT(length(look("Sun") - Vec3{0, 0, -1}), 1e-6f) << "it has a child, so it is not turned";
  EXPECT_LT(length(look("Sun_light") - Vec3{0, -1, 0}), 1e-6f);
  EXPECT_LT(length(look("Below") - Vec3{0, 0, -1}), 1e-6f);
}

// The crate with a blend channel of two shapes: "Half", which is reached at 50 %, and "Up", which moves two corners.
std::string crate_with_shapes(std::string_view percent) {
  const auto shape = [](std::string_view id, std::string_view name, std::string_view offsets) {
    return "\tGeometry: " + std::string(id) + ", \"Geometry::" + std::string(name) + "\", \"Shape\" {\n" +
           array("Indexes", "6,7") + array("Vertices", offsets) + "\t}\n";
  };
  const std::string objects = shape("60", "Up", "0,100,0,0,50,0") + shape("61", "Half", "100,0,0,0,0,0") +
                              "\tDeformer: 62, \"Deformer::Face\", \"BlendShape\" {\n\t}\n"
                              "\tDeformer: 63, \"SubDeformer::Smile\", \"BlendShapeChannel\" {\n" +
                              array("FullWeights", "50,100") + "\t\tProperties70:  {\n" +
                              property("DeformPercent", "Number", percent) + "\t\t}\n\t}\n";
  return crate({}, objects, connect("62", "10") + connect("63", "62") + connect("61", "63") + connect("60", "63"));
}

TEST(Fbx, a_weight_is_between_the_two_nearest_shapes) {
  const auto weights = [](std::string_view percent) {
    const auto imported = import_fbx_text(crate_with_shapes(percent));
    return imported ? imported->scene.meshes.at(0).morph_weights : std::vector<float>();
  };
  EXPECT_THAT(weights("0"), ElementsAre(0, 0));
  EXPECT_THAT(weights("25"), ElementsAre(0.5f, 0));
  EXPECT_THAT(weights("50"), ElementsAre(1, 0));
  EXPECT_THAT(weights("75"), ElementsAre(0.5f, 0.5f));
  EXPECT_THAT(weights("100"), ElementsAre(0, 1));
  EXPECT_THAT(weights("150"), ElementsAre(-1, 2));
  EXPECT_THAT(weights("-50"), ElementsAre(-1, 0));
}

TEST(Fbx, blend_shapes_are_sparse_targets) {
  const auto imported = import_fbx_text(crate_with_shapes("75"));
  ASSERT_TRUE(imported) << error_of(imported);
  const scene::Mesh& mesh = imported->scene.meshes.at(0);
  EXPECT_THAT(mesh.morph_names, ElementsAre("Half", "Smile"));
  EXPECT_THAT(mesh.morph_weights, ElementsAre(0.5f, 0.5f)) << "75 % is between the shapes of 50 % and 100 %";
  const scene::Primitive& p = mesh.primitives.at(0);
  ASSERT_EQ(p.morphs.size(), 2u);
  const scene::MorphTarget& up = p.morphs[1];
  ASSERT_FALSE(up.vertices.empty());
  EXPECT_EQ(up.positions.size(), up.vertices.size());
  for (std::size_t i = 0; i < up.vertices.size(); ++i) {
    const Vec3 at = p.positions.at(up.vertices[i]);
    EXPECT_GT(at.y, 0.4f);
    EXPECT_EQ(up.positions[i], at.x > 0 ? (Vec3{0, 1, 0}) : (Vec3{0, 0.5f, 0}));
  }
  for (const std::uint32_t vertex : p.morphs[0].vertices)
    EXPECT_GT(p.positions.at(vertex).x, 0.4f) << "0,0,0 is left out";
}

TEST(Fbx, user_properties_are_extras) {
  const std::string objects = object("Model", "50", "Door", "Null",
                                     "\t\t\tP: \"health\", \"int\", \"Integer\", \"U\",7\n"
                                     "\t\t\tP: \"key\", \"KString\", \"\", \"U\", \"red \"\n"
                                     "\t\t\tP: \"size\", \"Vector3D\", \"Vector\", \"U\",1,2.5,3\n" +
                                         property("Visibility", "Visibility", "0"));
  const auto imported = import_fbx_text(crate({}, objects, connect("50", "0")));
  ASSERT_TRUE(imported) << error_of(imported);
  const auto door = std::ranges::find(imported->scene.nodes, "Door", &scene::Node::name);
  ASSERT_NE(door, imported->scene.nodes.end());
  EXPECT_EQ(door->extra, R"({"extras":{"health":7,"key":"red ","size":[1.0,2.5,3.0]}})");
  EXPECT_FALSE(door->is_visible);
}

TEST(Fbx, transforms_of_textures_are_kept) {
  const std::string moved =
      "\tTexture: 40, \"Texture::Tex\", \"\" {\n\t\tFileName: \"wood.png\"\n\t\tRelativeFilename: \"wood.png\"\n"
      "\t\tProperties70:  {\n" +
      property("Scaling", "Vector", "0.5,0.25,1") + property("Translation", "Vector", "0.125,0,0") +
      property("Rotation", "Vector", "0,0,90") + property("WrapModeU", "enum", "1") + "\t\t}\n\t}\n";
  const auto imported = import_fbx_text(crate({}, moved, connect("40", "30", "DiffuseColor")), {"models/wood.png"});
  ASSERT_TRUE(imported) << error_of(imported);
  const scene::TextureUse& use = imported->scene.materials.at(0).base_color_texture;
  EXPECT_EQ(use.sampler.wrap_u, scene::Wrap::kClamp);
  EXPECT_EQ(use.sampler.wrap_v, scene::Wrap::kRepeat);
  // The texture is scaled, rotated and moved over the surface: at (0.125, 0) its corner, at (0.125, 0.5) its right one.
  const auto sampled = [&](float u, float v) {  // KHR_texture_transform; v from the bottom, as FBX measures it
    const scene::TexcoordTransform& t = use.transform;
    const float x = u * t.scale.x, y = (1 - v) * t.scale.y, c = std::cos(t.rotation), s = std::sin(t.rotation);
    return scene::Vec2{t.offset.x + c * x + s * y, 1 - (t.offset.y - s * x + c * y)};
  };
  const auto expect_near = [](scene::Vec2 found, scene::Vec2 expected) {
    EXPECT_NEAR(found.x, expected.x, 1e-5f);
    EXPECT_NEAR(found.y, expected.y, 1e-5f);
  };
  expect_near(sampled(0.125f, 0), {0, 0});
  expect_near(sampled(0.125f, 0.5f), {1, 0});
  expect_near(sampled(-0.125f, 0), {0, 1});
}

// An animation stack of 2 seconds with linear curves: {object, property, component, first value, last value}.
struct Curve {
  std::string_view object, property, component, first, last;
};
std::string animated(const std::vector<Curve>& curves, std::string_view more_objects, std::string more_connections) {
  constexpr std::string_view kTwoSeconds = "92372316000";
  std::string objects = std::string(more_objects);
  objects += object("AnimationStack", "700", "Take", "",
                    "\t\t\tP: \"LocalStop\", \"KTime\", \"Time\", \"\"," + std::string(kTwoSeconds) + "\n") +
             "\tAnimationLayer: 701, \"AnimLayer::Base\", \"\" {\n\t}\n";
  more_connections += connect("701", "700");
  int id = 710;
  for (const Curve& curve : curves) {
    const std::string node = std::to_string(id++), keys = std::to_string(id++);
    objects += object("AnimationCurveNode", node, "Node", "",
                      property("d|" + std::string(curve.component), "Number", curve.first)) +
               "\tAnimationCurve: " + keys + ", \"AnimCurve::\", \"\" {\n" +
               array("KeyTime", "0," + std::string(kTwoSeconds)) +
               array("KeyValueFloat", std::string(curve.first) + "," + std::string(curve.last)) +
               array("KeyAttrFlags", "4") + array("KeyAttrDataFloat", "0,0,0,0") + array("KeyAttrRefCount", "2") +
               "\t}\n";
    more_connections += connect(node, "701") + connect(node, curve.object, curve.property) +
                        connect(keys, node, "d|" + std::string(curve.component));
  }
  return crate({}, objects, more_connections);
}

TEST(Fbx, clips_move_nodes_lights_cameras_and_shapes) {
  const std::string objects =
      object("Model", "50", "Eye", "Camera") +
      object("NodeAttribute", "52", "Lens", "Camera",
             property("ApertureMode", "enum", "2") + property("FieldOfView", "FieldOfView", "60"),
             "\t\tTypeFlags: \"Camera\"\n") +
      object("Model", "51", "Lamp", "Light") +
      object("NodeAttribute", "53", "Bulb", "Light", property("Intensity", "Number", "100"),
             "\t\tTypeFlags: \"Light\"\n") +
      "\tGeometry: 60, \"Geometry::Up\", \"Shape\" {\n" + array("Indexes", "6") + array("Vertices", "0,100,0") +
      "\t}\n\tDeformer: 62, \"Deformer::Face\", \"BlendShape\" {\n\t}\n"
      "\tDeformer: 63, \"SubDeformer::Up\", \"BlendShapeChannel\" {\n" +
      array("FullWeights", "100") + "\t}\n";
  const std::string connections = connect("50", "0") + connect("51", "0") + connect("52", "50") + connect("53", "51") +
                                  connect("62", "10") + connect("63", "62") + connect("60", "63");
  const auto imported = import_fbx_text(animated({{"20", "Lcl Translation", "X", "0", "200"},
                                                  {"52", "FieldOfView", "FieldOfView", "60", "90"},
                                                  {"53", "Intensity", "Intensity", "100", "300"},
                                                  {"63", "DeformPercent", "DeformPercent", "0", "50"}},
                                                 objects, connections));
  ASSERT_TRUE(imported) << error_of(imported);
  ASSERT_EQ(imported->scene.clips.size(), 1u);
  const scene::Clip& clip = imported->scene.clips[0];
  EXPECT_EQ(clip.name, "Take");
  const auto last = [&](scene::ChannelPath path) {
    const auto found = std::ranges::find(clip.channels, path, &scene::Channel::path);
    if (found == clip.channels.end()) return -1.0f;
    EXPECT_FLOAT_EQ(found->times_seconds.front(), 0);
    EXPECT_FLOAT_EQ(found->times_seconds.back(), 2);
    return found->values.at(found->values.size() - component_count(*found));
  };
  EXPECT_FLOAT_EQ(last(scene::ChannelPath::kTranslation), 2);
  EXPECT_FLOAT_EQ(last(scene::ChannelPath::kCameraYFov), std::numbers::pi_v<float> / 2);
  EXPECT_FLOAT_EQ(last(scene::ChannelPath::kLightIntensity), 3);
  EXPECT_FLOAT_EQ(last(scene::ChannelPath::kWeights), 0.5f);
}

// Maya's segment scale compensation: a child inherits the rotation of its parent and is moved by its scale, but keeps
// its own size.
TEST(Fbx, a_child_without_the_scale_of_its_parent_moves_with_it) {
  const std::string objects =
      object("Model", "70", "Upper", "Null") +
      object("Model", "71", "Lower", "Null",
             property("InheritType", "enum", "2") + property("Lcl Translation", "Lcl Translation", "100,0,0"));
  const auto imported = import_fbx_text(
      animated({{"70", "Lcl Scaling", "X", "1", "3"}}, objects, connect("70", "0") + connect("71", "70")));
  ASSERT_TRUE(imported) << error_of(imported);
  const scene::Scene& s = imported->scene;
  ASSERT_EQ(s.clips.size(), 1u);
  const auto lower =
      static_cast<std::size_t>(std::ranges::find(s.nodes, "Lower", &scene::Node::name) - s.nodes.begin());
  ASSERT_LT(lower, s.nodes.size());
  for (const float time : {0.0f, 1.0f, 2.0f}) {
    scene::Scene posed;
    posed.nodes = pose_nodes(s, s.clips[0], time);
    const scene::Mat4 world = world_matrices(posed)[lower];
    EXPECT_NEAR(transform_point(world, {}).x, 1 + time, 1e-4f) << time;
    EXPECT_NEAR(length(transform_point(world, {1, 0, 0}) - transform_point(world, {})), 1, 1e-4f) << time;
  }
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
            "ufbx cannot read it: Empty file; export it again as binary FBX 2014 (7.4) or later, or as glTF");
  EXPECT_THAT(error_of(import_fbx_text(old.substr(0, 25))), HasSubstr("the file ends inside the FBX header"));
  EXPECT_THAT(error_of(import_fbx_text(crate().substr(0, 1200))), HasSubstr("ufbx cannot read it: "));
}

TEST(Fbx, a_curve_without_an_array_is_named) {
  std::string file = animated({{"200", "Lcl Translation", "X", "0", "1"}}, "", "");
  ASSERT_TRUE(import_fbx_text(file));
  file.replace(file.find("KeyAttrFlags"), 12, "KeyAttrFlagz");
  EXPECT_EQ(error_of(import_fbx_text(file)),
            "ufbx cannot read it: Failed to load in ufbxi_read_animation_curve (attr_flags = ufbxi_find_array(node, "
            "ufbxi_KeyAttrFlags, 'i')); export it again as binary FBX 2014 (7.4) or later, or as glTF");
}

TEST(Fbx, a_text_file_may_begin_with_a_byte_order_mark_and_have_crlf) {
  std::string file = "\xEF\xBB\xBF";
  for (const char c : crate()) file.append(c == '\n' ? "\r\n" : std::string(1, c));
  const auto marked = import_fbx_text(file), plain = import_fbx_text(crate());
  ASSERT_TRUE(marked && plain) << error_of(marked);
  EXPECT_EQ(marked->scene.meshes[0].primitives[0].positions.size(),
            plain->scene.meshes[0].primitives[0].positions.size());
  EXPECT_EQ(marked->scene.materials[0].name, plain->scene.materials[0].name);
}

TEST(Fbx, a_file_that_is_too_deep_is_an_error_of_that_file) {
  std::string deep = "; FBX 7.4.0 project file\n";
  for (int i = 0; i < 200000; ++i) deep += "a: {\n";
  EXPECT_EQ(error_of(import_fbx_text(deep)),
            "ufbx cannot read it: Failed to load in ufbxi_ascii_parse_node (depth < 32); export it again as binary FBX "
            "2014 (7.4) or later, or as glTF");
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
  EXPECT_EQ(here->scene.images.at(0).name, "wood.png") << "messages show no folder of another machine";
  EXPECT_EQ(there->scene.meshes.at(0).primitives.at(0).positions, here->scene.meshes.at(0).primitives.at(0).positions);
  EXPECT_EQ(there->scene.meshes.at(0).primitives.at(0).indices, here->scene.meshes.at(0).primitives.at(0).indices);
}

}  // namespace
}  // namespace assetc::importer

int main(int argc, char** argv) {
  const assetc::process::Role* const roles[] = {&assetc::importer::kFbxReader, &assetc::importer::kFontReader};
  if (const auto code = assetc::process::run_as(roles, argc, argv)) return *code;
  ::testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
