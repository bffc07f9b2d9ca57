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

}  // namespace
}  // namespace assetc::importer
