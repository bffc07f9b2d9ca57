#include "import/fbx_evaluation.hpp"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

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

}  // namespace
}  // namespace assetc::importer
