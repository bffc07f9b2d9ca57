#include "import/fbx_evaluation.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <random>

#include "import/fbx_text.hpp"

namespace assetc::importer {
namespace {

using namespace fbx_text;
using fbx_evaluation::expect_as_ufbx;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> warnings_of(std::string_view text) {
  const auto imported = read_fbx_here(as_bytes(text));
  std::vector<std::string> lines;
  if (!imported) return {imported.error().to_string()};
  for (const Error& warning : imported->warnings) lines.push_back(warning.to_string());
  return lines;
}

// The crate, of which the vertices in `vertices` follow the joint "Hip", which the clip moves along x.
std::string half_skinned(std::string_view vertices, std::string_view weights, std::string_view body = "0,50,0") {
  constexpr std::string_view kOneSecond = "46186158000", kIdentity = "1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1";
  const std::string objects =
      cube_geometry() + object("Model", "20", "Body", "Mesh", property("Lcl Translation", "Lcl Translation", body)) +
      object("Model", "40", "Hip", "LimbNode") +
      "\tDeformer: 41, \"Deformer::\", \"Skin\" {\n\t}\n\tDeformer: 42, \"SubDeformer::\", \"Cluster\" {\n" +
      array("Indexes", vertices) + array("Weights", weights) + array("Transform", "1,0,0,0,0,1,0,0,0,0,1,0,0,50,0,1") +
      array("TransformLink", kIdentity) + "\t}\n" +
      object("AnimationStack", "50", "Take", "",
             "\t\t\tP: \"LocalStop\", \"KTime\", \"Time\", \"\"," + std::string(kOneSecond) + "\n") +
      "\tAnimationLayer: 51, \"AnimLayer::Base\", \"\" {\n\t}\n" +
      object("AnimationCurveNode", "52", "T", "", property("d|X", "Number", "0")) +
      "\tAnimationCurve: 53, \"AnimCurve::\", \"\" {\n" + array("KeyTime", "0," + std::string(kOneSecond)) +
      array("KeyValueFloat", "0,200") + array("KeyAttrFlags", "4") + array("KeyAttrDataFloat", "0,0,0,0") +
      array("KeyAttrRefCount", "2") + "\t}\n";
  return file(objects, connect("10", "20") + connect("20", "0") + connect("40", "0") + connect("41", "10") +
                           connect("42", "41") + connect("40", "42") + connect("51", "50") + connect("52", "51") +
                           connect("52", "40", "Lcl Translation") + connect("53", "52", "d|X"));
}

TEST(FbxEvaluation, vertices_without_weights_stay_where_their_node_has_them) {
  const std::string half = half_skinned("0,1,2,3", "1,1,1,1");
  expect_as_ufbx(half);
  EXPECT_THAT(warnings_of(half),
              ElementsAre("mesh \"Box\": the skin weights of 4 vertices are negative or do not add up to 1 (worst at "
                          "vertex 4, where the sum is 0); negative weights become 0, and the others are scaled to a "
                          "sum of 1; a vertex without weights is bound to the node that shows the mesh"));
  const auto imported = read_fbx_here(as_bytes(half));
  ASSERT_TRUE(imported);
  ASSERT_EQ(imported->scene.skins.size(), 1u);
  const auto& joints = imported->scene.skins[0].joints;
  ASSERT_EQ(joints.size(), 2u) << "the joints of the file keep their numbers";
  EXPECT_EQ(imported->scene.nodes[joints[0]].name, "Hip");
  EXPECT_EQ(imported->scene.nodes[joints[1]].name, "Body");
  for (const scene::Primitive& p : imported->scene.meshes.at(0).primitives) {
    for (const scene::Vec4& w : p.influences.at(0).weights) EXPECT_EQ(w.x + w.y + w.z + w.w, 1);
  }
}

TEST(FbxEvaluation, a_skin_without_any_weight_moves_as_its_node) {
  expect_as_ufbx(half_skinned("0,1", "0,0"));
  expect_as_ufbx(half_skinned("0,1,2,3,4,5,6,7", "0,0,0,0,0,0,0,0", "30,20,10"));
}

TEST(FbxEvaluation, weights_of_any_sum_are_shares) {
  const std::string halves = half_skinned("0,1,2,3,4,5,6,7", "0.5,0.5,2,2,0.1,0.1,1,1");
  expect_as_ufbx(halves);
  EXPECT_THAT(warnings_of(halves), IsEmpty()) << "the sum of FBX weights has no meaning";
}

TEST(FbxEvaluation, negative_weights_and_those_that_are_not_finite_are_told) {
  EXPECT_THAT(warnings_of(half_skinned("0,1,2,3,4,5,6,7", "1,1,1,1,1,1,1,-0.5")),
              ElementsAre("mesh \"Box\": the skin weights of 1 vertex are negative or do not add up to 1 (worst at "
                          "vertex 7, where the sum is 0); negative weights become 0, and the others are scaled to a "
                          "sum of 1; a vertex without weights is bound to the node that shows the mesh"));
  const auto told = warnings_of(half_skinned("0,1,2,3,4,5,6,7", "1,1,1,1,1,1,1,nan"));
  ASSERT_EQ(told.size(), 2u);
  EXPECT_EQ(told[0], "mesh \"Box\": some skin weights are not finite; they became 0");
}

TEST(FbxEvaluation, values_that_are_not_finite_are_told_once_for_a_mesh) {
  std::string text = crate();
  const std::string uv = "0,0,1,0,1,0.75,0,0.75";
  text.replace(text.find(uv), uv.size(), "0,0,nan,0,1,0.75,0,inf");
  EXPECT_THAT(warnings_of(text), ElementsAre("mesh \"Box\": some texture coordinates are not finite; they became 0"));
}

constexpr double kTicksPerSecond = 46186158000;
std::string ticks(double seconds) { return std::to_string(std::llround(seconds * kTicksPerSecond)); }

// A curve of a property of an object: keys at whole parts of a second.
struct TakeCurve {
  std::string object, property, component;
  std::vector<std::pair<double, double>> keys;  // seconds, value
  std::string flags = "4";                      // of all keys: 2 constant, 4 linear, 8 cubic
  std::string rest = {};                        // of the curve's node
};
struct Take {
  std::string name;
  double begin = 0, end = 0;
  std::vector<TakeCurve> curves;
};
struct Text {
  std::string objects, connections;
};

Text takes(const std::vector<Take>& all) {
  Text text;
  int id = 700;
  for (const Take& take : all) {
    const auto time = [](std::string_view name, double seconds) {
      return "\t\t\tP: \"" + std::string(name) + "\", \"KTime\", \"Time\", \"\"," + ticks(seconds) + "\n";
    };
    const std::string stack = std::to_string(id++), layer = std::to_string(id++);
    text.objects +=
        object("AnimationStack", stack, take.name, "", time("LocalStart", take.begin) + time("LocalStop", take.end)) +
        "\tAnimationLayer: " + layer + ", \"AnimLayer::Base\", \"\" {\n\t}\n";
    text.connections += connect(layer, stack);
    for (const TakeCurve& curve : take.curves) {
      const std::string node = std::to_string(id++), keys = std::to_string(id++);
      std::string times, values;
      for (const auto& [seconds, value] : curve.keys) {
        times += (times.empty() ? "" : ",") + ticks(seconds);
        values += (values.empty() ? "" : ",") + std::to_string(value);
      }
      text.objects += object("AnimationCurveNode", node, "Node", "",
                             property("d|" + curve.component, "Number", std::to_string(curve.keys.front().second))) +
                      "\tAnimationCurve: " + keys + ", \"AnimCurve::\", \"\" {\n" + array("KeyTime", times) +
                      array("KeyValueFloat", values) + array("KeyAttrFlags", curve.flags) +
                      array("KeyAttrDataFloat", "0,0,0,0") +
                      array("KeyAttrRefCount", std::to_string(curve.keys.size())) + curve.rest + "\t}\n";
      text.connections += connect(node, layer) + connect(node, curve.object, curve.property) +
                          connect(keys, node, "d|" + curve.component);
    }
  }
  return text;
}

std::string crate_with(const std::vector<Take>& all) {
  const Text text = takes(all);
  return crate({}, text.objects, text.connections);
}

scene::Clip clip_of(std::string_view text, std::string_view name) {
  const auto imported = read_fbx_here(as_bytes(text));
  if (!imported) return {};
  const auto found = std::ranges::find(imported->scene.clips, name, &scene::Clip::name);
  return found == imported->scene.clips.end() ? scene::Clip{} : *found;
}

constexpr std::initializer_list<double> kShares{0, 0.05, 0.13, 0.27, 0.37, 0.49, 0.61, 0.73, 0.86, 0.97, 1};
const std::vector<std::pair<double, double>> kThreeTakes{{0, 0},   {1, 100},     {1.04, 500},
                                                         {2, 600}, {2.04, -300}, {3, -500}};

TEST(FbxEvaluation, takes_are_cut_at_both_ends) {
  const TakeCurve curve{"20", "Lcl Translation", "X", kThreeTakes};
  const std::string text = crate_with(
      {{"walk", 0, 1, {curve}}, {"run", 1.02, 2, {curve}}, {"jump", 2.04, 3, {curve}}, {"back", -2, 2, {curve}}});
  expect_as_ufbx(text, 1e-4f, kShares);
  const scene::Clip walk = clip_of(text, "walk"), run = clip_of(text, "run");
  ASSERT_EQ(walk.channels.size(), 1u);
  ASSERT_EQ(run.channels.size(), 1u);
  EXPECT_FLOAT_EQ(walk.channels[0].times_seconds.back(), 1);
  EXPECT_FLOAT_EQ(run.channels[0].times_seconds.front(), 0);
  EXPECT_FLOAT_EQ(run.channels[0].values.front(), 3) << "half way between the keys of 1 s and 1.04 s";
  EXPECT_FLOAT_EQ(run.channels[0].times_seconds.back(), 0.98f);
}

TEST(FbxEvaluation, a_take_may_begin_before_zero) {
  const std::vector<std::pair<double, double>> keys{{-2, 0}, {-1, 300}, {0, 100}, {2, 500}};
  for (const char* flags : {"2", "4", "8"}) {
    const std::string text = crate_with({{"Take", -2, 2, {{"20", "Lcl Translation", "Y", keys, flags}}}});
    expect_as_ufbx(text, 1e-3f, kShares);
  }
  const scene::Clip clip = clip_of(crate_with({{"Take", -2, 2, {{"20", "Lcl Translation", "Y", keys}}}}), "Take");
  ASSERT_EQ(clip.channels.size(), 1u);
  EXPECT_FLOAT_EQ(clip.channels[0].times_seconds.back(), 4);
}

TEST(FbxEvaluation, takes_cut_rotations_scales_and_all_other_channels) {
  const auto turn = [](double begin, double end) {
    return Take{"Take",
                begin,
                end,
                {{"20", "Lcl Rotation", "Y", {{0, 0}, {4, 180}}},
                 {"20", "Lcl Scaling", "X", {{0, 1}, {4, 3}}},
                 {"20", "Visibility", "Visibility", {{0, 0}, {2.5, 1}}, "2"}}};
  };
  expect_as_ufbx(crate_with({turn(0, 4)}), 1e-3f, kShares);
  expect_as_ufbx(crate_with({turn(1, 3)}), 1e-3f, kShares);
  const scene::Clip clip = clip_of(crate_with({turn(1, 3)}), "Take");
  ASSERT_EQ(clip.channels.size(), 3u);
  for (const scene::Channel& channel : clip.channels) {
    EXPECT_EQ(channel.times_seconds.front(), 0);
    EXPECT_LE(channel.times_seconds.back(), 2.0001f);
  }
}

TEST(FbxEvaluation, curves_that_repeat_go_on_to_the_end_of_the_take) {
  // R: again, M: mirrored, A: again from the last value, K: on with the last slope.
  for (const char mode : {'R', 'M', 'A', 'K'}) {
    for (const char* flags : {"2", "4", "8"}) {
      for (const char* repetition : {"-1", "2"}) {
        const auto rest = [&](std::string_view side) {
          return "\t\t" + std::string(side) + "-Extrapolation:  {\n\t\t\tType: " + std::string(1, mode) +
                 "\n\t\t\tRepetition: " + repetition + "\n\t\t}\n";
        };
        const TakeCurve move{"20",  "Lcl Translation",         "X", {{0, 0}, {0.5, 100}, {1, 30}},
                             flags, rest("Pre") + rest("Post")};
        const TakeCurve turn{
            "20", "Lcl Rotation", "Y", {{0, 0}, {0.6, 60}, {0.7, 90}}, flags, rest("Pre") + rest("Post")};
        SCOPED_TRACE(std::string(1, mode) + " " + flags + " " + repetition);
        expect_as_ufbx(crate_with({{"Take", -2.31, 3.71, {move, turn}}}), 4e-3f, kShares);
      }
    }
  }
}

TEST(FbxEvaluation, a_curve_that_repeats_too_often_is_an_error) {
  const std::string rest = "\t\tPost-Extrapolation:  {\n\t\t\tType: R\n\t\t\tRepetition: -1\n\t\t}\n";
  const TakeCurve curve{"20", "Lcl Translation", "X", {{0, 0}, {1e-6, 1}}, "4", rest};
  const auto imported = read_fbx_here(as_bytes(crate_with({{"Take", 0, 100, {curve}}})));
  ASSERT_FALSE(imported);
  EXPECT_EQ(imported.error().to_string(),
            "clip \"Take\": a curve of 2 keys repeats more often than a million keys can hold; bake it at the export");
}

TEST(FbxEvaluation, inactive_rotations_have_the_order_xyz_and_no_rotation_before_or_after) {
  const auto turned = [](const std::string& more) {
    return file(cube_geometry() + object("Model", "20", "Crate", "Mesh",
                                         property("Lcl Rotation", "Lcl Rotation", "30,40,50") +
                                             property("RotationPivot", "Vector3D", "10,20,30") + more),
                connect("10", "20") + connect("20", "0"));
  };
  const auto points = [](const std::string& text) {
    const auto imported = read_fbx_here(as_bytes(text));
    return imported ? fbx_evaluation::points_of(imported->scene) : std::vector<scene::Vec3>{};
  };
  const std::string before = property("PreRotation", "Vector3D", "0,90,0") +
                             property("PostRotation", "Vector3D", "10,0,0") + property("RotationOrder", "enum", "4");
  fbx_evaluation::expect_equal(points(turned(property("RotationActive", "bool", "0") + before)), points(turned("")),
                               1e-5f, "inactive");
  expect_as_ufbx(turned(property("RotationActive", "bool", "1") + before));
  expect_as_ufbx(turned(before));
}

TEST(FbxEvaluation, geometric_transforms_move_blend_shapes) {
  const std::string objects = cube_geometry() +
                              object("Model", "20", "Crate", "Mesh",
                                     property("GeometricTranslation", "Vector3D", "0,500,0") +
                                         property("GeometricRotation", "Vector3D", "0,0,30") +
                                         property("GeometricScaling", "Vector3D", "1,2,1")) +
                              "\tGeometry: 60, \"Geometry::Up\", \"Shape\" {\n" + array("Indexes", "2,3,6,7") +
                              array("Vertices", "0,100,0,0,100,0,0,100,0,0,100,0") +
                              "\t}\n\tDeformer: 62, \"Deformer::Face\", \"BlendShape\" {\n\t}\n"
                              "\tDeformer: 63, \"SubDeformer::Up\", \"BlendShapeChannel\" {\n\t\tDeformPercent: 50\n" +
                              array("FullWeights", "100") + "\t}\n";
  const std::string text = file(objects, connect("10", "20") + connect("20", "0") + connect("62", "10") +
                                             connect("63", "62") + connect("60", "63"));
  expect_as_ufbx(text);
  const auto imported = read_fbx_here(as_bytes(text));
  ASSERT_TRUE(imported);
  for (const scene::Vec3 offset : imported->scene.meshes.at(0).primitives.at(0).morphs.at(0).positions) {
    EXPECT_NEAR(offset.x, -1, 1e-5);
    EXPECT_NEAR(offset.y, 1.7320508, 1e-5);
    EXPECT_NEAR(offset.z, 0, 1e-5);
  }
}

TEST(FbxEvaluation, shapes_of_old_files_have_weights_and_keys) {
  const std::string text =
      "; FBX 6.1.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 6100\n}\n"
      "Objects:  {\n\tModel: \"Model::Face\", \"Mesh\" {\n\t\tVersion: 232\n\t\tProperties60:  {\n"
      "\t\t\tProperty: \"Visibility\", \"Visibility\", \"A+\",1\n"
      "\t\t\tProperty: \"Smile\", \"Shape\", \"A+N\",25\n\t\t}\n"
      "\t\tVertices: 0,0,0,100,0,0,100,100,0,0,100,0\n\t\tPolygonVertexIndex: 0,1,2,-4\n"
      "\t\tShape: \"Smile\" {\n\t\t\tIndexes: 2,3\n\t\t\tVertices: 0,0,50,0,0,50\n\t\t\tNormals: 0,0,0,0,0,0\n"
      "\t\t}\n\t}\n}\nConnections:  {\n\tConnect: \"OO\", \"Model::Face\", \"Model::Scene\"\n}\n"
      "Takes:  {\n\tTake: \"Take 001\" {\n\t\tLocalTime: 0,46186158000\n\t\tModel: \"Model::Face\" {\n"
      "\t\t\tChannel: \"Smile\" {\n\t\t\t\tDefault: 0\n\t\t\t\tKeyVer: 4005\n\t\t\t\tKeyCount: 2\n"
      "\t\t\t\tKey: 0,0,L,46186158000,100,L\n\t\t\t}\n\t\t}\n\t}\n}\n";
  const auto imported = read_fbx_here(as_bytes(text));
  ASSERT_TRUE(imported) << imported.error().to_string();
  EXPECT_THAT(imported->scene.meshes.at(0).morph_weights, ElementsAre(0.25f));
  const scene::Clip clip = clip_of(text, "Take 001");
  ASSERT_EQ(clip.channels.size(), 1u);
  EXPECT_EQ(clip.channels[0].path, scene::ChannelPath::kWeights);
  EXPECT_THAT(clip.channels[0].times_seconds, ElementsAre(0, 1));
  EXPECT_THAT(clip.channels[0].values, ElementsAre(0, 1));
}

TEST(FbxEvaluation, nodes_of_old_files_are_visible) {
  const auto box = [](std::string_view visibility) {
    return "; FBX 5.0.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1000\n\tFBXVersion: 5000\n}\n"
           "Model: \"Box01\", \"Mesh\" {\n\tVersion: 1\n\tVertices: 0,0,0,1,0,0,1,1,0,0,1,0\n"
           "\tPolygonVertexIndex: 0,1,2,-4\n\tMaterialAssignation: \"AllSame\"\n\tMaterials: 0\n}\nTakes:  {\n\tTake: "
           "\"Take 001\" {\n\t\tLocalTime: 0,46186158000\n"
           "\t\tModel: \"Box01\" {\n\t\t\tChannel: \"Visibility\" {\n\t\t\t\tDefault: " +
           std::string(visibility) + "\n\t\t\t}\n\t\t}\n\t}\n}\n";
  };
  const auto shown = read_fbx_here(as_bytes(box("100"))), hidden = read_fbx_here(as_bytes(box("0")));
  ASSERT_TRUE(shown && hidden) << shown.error().to_string();
  EXPECT_TRUE(shown->scene.nodes.at(0).is_visible);
  EXPECT_TRUE(shown->scene.clips.empty());
  EXPECT_FALSE(hidden->scene.nodes.at(0).is_visible);
}

// A tree of crates with random pivots, orders, inherit modes, geometric transforms, morph targets, units and curves.
std::string random_tree(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto number = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
  };
  const auto chance = [&](double share) { return number(0, 1) < share; };
  const auto vector = [&](double low, double high) {
    return std::to_string(number(low, high)) + "," + std::to_string(number(low, high)) + "," +
           std::to_string(number(low, high));
  };
  const int count = 2 + static_cast<int>(number(0, 4));
  std::string objects, connections;
  std::vector<TakeCurve> curves;
  for (int i = 0; i < count; ++i) {
    const std::string model = std::to_string(100 + i), geometry = std::to_string(200 + i);
    std::string properties;
    const auto maybe = [&](double share, std::string_view name, std::string_view type, const std::string& value) {
      if (chance(share)) properties += property(name, type, value);
    };
    maybe(0.8, "Lcl Translation", "Lcl Translation", vector(-100, 100));
    maybe(0.6, "Lcl Rotation", "Lcl Rotation", vector(-180, 180));
    maybe(0.5, "Lcl Scaling", "Lcl Scaling", vector(0.5, 2));
    maybe(0.3, "RotationOrder", "enum", std::to_string(static_cast<int>(number(0, 6))));
    maybe(0.3, "PreRotation", "Vector3D", vector(-90, 90));
    maybe(0.3, "PostRotation", "Vector3D", vector(-90, 90));
    maybe(0.3, "RotationOffset", "Vector3D", vector(-50, 50));
    maybe(0.3, "RotationPivot", "Vector3D", vector(-50, 50));
    maybe(0.3, "ScalingOffset", "Vector3D", vector(-50, 50));
    maybe(0.3, "ScalingPivot", "Vector3D", vector(-50, 50));
    maybe(0.3, "GeometricTranslation", "Vector3D", vector(-50, 50));
    maybe(0.3, "GeometricRotation", "Vector3D", vector(-90, 90));
    maybe(0.3, "GeometricScaling", "Vector3D", vector(0.5, 2));
    maybe(0.5, "InheritType", "enum", std::to_string(static_cast<int>(number(0, 3))));
    objects += cube_geometry(geometry) + object("Model", model, "Crate" + std::to_string(i), "Mesh", properties);
    connections += connect(geometry, model) +
                   connect(model, i == 0 || chance(0.2) ? "0" : std::to_string(100 + static_cast<int>(number(0, i))));
    if (chance(0.4)) {
      const std::string shape = std::to_string(300 + i), face = std::to_string(400 + i), up = std::to_string(500 + i);
      objects +=
          "\tGeometry: " + shape + ", \"Geometry::Up\", \"Shape\" {\n" + array("Indexes", "2,3,6") +
          array("Vertices", vector(-50, 50) + "," + vector(-50, 50) + "," + vector(-50, 50)) +
          "\t}\n\tDeformer: " + face + ", \"Deformer::Face\", \"BlendShape\" {\n\t}\n\tDeformer: " + up +
          ", \"SubDeformer::Up\", \"BlendShapeChannel\" {\n\t\tDeformPercent: " + std::to_string(number(0, 100)) +
          "\n" + array("FullWeights", "100") + "\t}\n";
      connections += connect(face, geometry) + connect(up, face) + connect(shape, up);
    }
    const auto move = [&](double share, std::string name, double low, double high) {
      for (const std::string component : {"X", "Y", "Z"}) {
        if (!chance(share)) continue;
        curves.push_back({model,
                          name,
                          component,
                          {{0, number(low, high)}, {0.7, number(low, high)}, {2, number(low, high)}},
                          chance(0.5) ? "4" : "8"});
      }
    };
    move(0.3, "Lcl Translation", -100, 100);
    move(0.3, "Lcl Rotation", -90, 90);
    move(0.2, "Lcl Scaling", 0.5, 2);
  }
  const Text animation = takes({{"Take", 0, 2, curves}});
  Settings settings;
  const std::string_view units[] = {"1", "100", "2.54"};
  settings.unit = units[seed % 3];
  if (seed % 2 == 1) settings.up = "2", settings.front = "1", settings.front_sign = "-1";
  return file(objects + animation.objects, connections + animation.connections, settings);
}

TEST(FbxEvaluation, random_trees_are_where_ufbx_has_them) {
  for (std::uint32_t seed = 1; seed <= 400; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const double unit = seed % 3 == 0 ? 0.01 : seed % 3 == 1 ? 1 : 0.0254;
    expect_as_ufbx(random_tree(seed), static_cast<float>(2 * unit));
  }
}

}  // namespace
}  // namespace assetc::importer
