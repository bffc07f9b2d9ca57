#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "import/tiny_gltf.hpp"

namespace assetc::importer {
namespace {

using namespace testing;
using scene::Vec3;
using ::testing::ElementsAre;

std::string number(int n) { return std::to_string(n); }

// A triangle with the targets of this JSON; count: of a primitive.
std::string morphing(const TinyGltf& g, int positions, const std::string& targets, const std::string& mesh_more = "") {
  return g.json(R"("meshes":[{"primitives":[{"attributes":{"POSITION":)" + number(positions) + R"(},"targets":[)" +
                targets + "]}]" + mesh_more + R"(}],"nodes":[{"mesh":0}])");
}

// An accessor without a buffer view whose listed elements are replaced.
int sparse(TinyGltf& g, const std::string& count, std::vector<std::uint16_t> indices, std::vector<float> values) {
  const std::string n = number(static_cast<int>(indices.size()));
  const int i = g.view(std::move(indices)), v = g.view(std::move(values));
  return g.raw_accessor(R"("componentType":5126,"type":"VEC3","count":)" + count + R"(,"sparse":{"count":)" + n +
                        R"(,"indices":{"componentType":5123,"bufferView":)" + number(i) +
                        R"(},"values":{"bufferView":)" + number(v) + "}}");
}

TEST(GltfMorphs, keep_moved_vertices_in_order) {
  TinyGltf g;
  const int p = g.vec3(kTriangle), dense = g.vec3({0, 0, 0, 1, 2, 3, 0, 0, 0}),
            unsorted = sparse(g, "3", {2, 0}, {7, 8, 9, 4, 5, 6}), twice = sparse(g, "3", {1, 1}, {1, 0, 0, 2, 0, 0});
  const auto imported = import_text(morphing(g, p,
                                             R"({"POSITION":)" + number(dense) + R"(,"NORMAL":)" + number(unsorted) +
                                                 R"(},{"POSITION":)" + number(twice) + "}",
                                             R"(,"weights":[0.5,1],"extras":{"targetNames":["open"]})"));
  ASSERT_TRUE(imported) << message(imported);
  const auto& morphs = first_primitive(imported).morphs;
  ASSERT_EQ(morphs.size(), 2u);
  EXPECT_THAT(morphs[0].vertices, ElementsAre(0, 1, 2));
  EXPECT_THAT(morphs[0].positions, ElementsAre(Vec3{}, Vec3{1, 2, 3}, Vec3{}));
  EXPECT_THAT(morphs[0].normals, ElementsAre(Vec3{4, 5, 6}, Vec3{}, Vec3{7, 8, 9}));
  EXPECT_THAT(morphs[1].vertices, ElementsAre(1));
  EXPECT_THAT(morphs[1].positions, ElementsAre(Vec3{2, 0, 0})) << "the last value holds";
  EXPECT_THAT(imported->scene.meshes[0].morph_weights, ElementsAre(0.5f, 1));
  EXPECT_THAT(imported->scene.meshes[0].morph_names, ElementsAre("open", ""));
  EXPECT_THAT(dropped(imported), ::testing::Not(::testing::Contains(::testing::HasSubstr("morph"))));
}

TEST(GltfMorphs, follow_a_primitive_that_uses_a_part_of_its_accessors) {
  TinyGltf g;
  const int p = g.vec3({9, 9, 9, 0, 0, 0, 1, 0, 0, 0, 1, 0, 9, 9, 9}), i = g.indices({1, 2, 3});
  const int dense = g.vec3({5, 5, 5, 0, 0, 0, 0, 0, 2, 0, 0, 0, 5, 5, 5}),
            few = sparse(g, "5", {0, 3, 4}, {1, 1, 1, 0, 3, 0, 1, 1, 1});
  const auto imported = import_text(
      g.json(R"("meshes":[{"primitives":[{"indices":)" + number(i) + R"(,"attributes":{"POSITION":)" + number(p) +
             R"(},"targets":[{"POSITION":)" + number(dense) + R"(},{"POSITION":)" + number(few) + "}]}]}]"));
  ASSERT_TRUE(imported) << message(imported);
  const auto& primitive = first_primitive(imported);
  EXPECT_EQ(primitive.positions.size(), 3u);
  EXPECT_THAT(primitive.morphs[0].vertices, ElementsAre(1));
  EXPECT_THAT(primitive.morphs[0].positions, ElementsAre(Vec3{0, 0, 2}));
  EXPECT_THAT(primitive.morphs[1].vertices, ElementsAre(2));
  EXPECT_THAT(primitive.morphs[1].positions, ElementsAre(Vec3{0, 3, 0}));
}

TEST(GltfMorphs, bad_input_is_an_error_or_a_correct_result) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  TinyGltf g;
  const int p = g.vec3(kTriangle), nan = g.vec3({0, 0, 0, 0, kNan, 0, 0, 0, 0}), two = g.vec3({1, 1, 1, 1, 1, 1});
  const int beyond = sparse(g, "3", {3}, {1, 1, 1});
  EXPECT_EQ(message(import_text(morphing(g, p, R"({"POSITION":)" + number(nan) + "}"))),
            "/meshes/0/primitives/0/targets/0/POSITION: the offset of vertex 1 is not finite");
  EXPECT_EQ(message(import_text(morphing(g, p, R"({"POSITION":)" + number(two) + "}"))),
            "/meshes/0/primitives/0/targets/0/POSITION: found 2 elements, expected 3, as many as POSITION of the "
            "primitive has");
  EXPECT_EQ(message(import_text(morphing(g, p, R"({"POSITION":)" + number(beyond) + "}"))),
            "/accessors/3/sparse/indices: item 0 is 3, expected an index below 3");
  const auto normals = import_text(morphing(g, p, R"({"NORMAL":)" + number(nan) + "}", R"(,"weights":[1,2,3])"));
  ASSERT_TRUE(normals) << message(normals);
  EXPECT_THAT(first_primitive(normals).morphs[0].normals, ElementsAre(Vec3{}));
  ASSERT_EQ(normals->warnings.size(), 2u);
  EXPECT_EQ(normals->warnings[0].to_string(),
            "/meshes/0/primitives/0/targets/0/NORMAL: some offsets are not finite; they became 0");
  EXPECT_EQ(normals->warnings[1].to_string(),
            "/meshes/0/weights: found 3 weights, expected 1, one for each morph target; the others are ignored");
}

// A triangle with three morph targets, of default weights 0.5, and a clip whose channels move single weights.
struct OneWeight {
  std::string pointer;
  std::vector<float> times, values;
  std::string interpolation = "LINEAR";
};
Result<Imported> move_weights(const std::vector<OneWeight>& all) {
  TinyGltf g;
  const int p = g.vec3(kTriangle);
  const std::string target = R"({"POSITION":)" + number(p) + "}";
  std::string channels, samplers;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string comma = i == 0 ? "" : ",";
    channels += comma + R"({"sampler":)" + std::to_string(i) +
                R"(,"target":{"path":"pointer","extensions":{"KHR_animation_pointer":{"pointer":")" + all[i].pointer +
                R"("}}}})";
    samplers += comma + R"({"input":)" + number(g.scalar(all[i].times)) + R"(,"output":)" +
                number(g.scalar(all[i].values)) + R"(,"interpolation":")" + all[i].interpolation + R"("})";
  }
  return import_text(g.json(R"("nodes":[{"mesh":0},{}],"meshes":[{"weights":[0.5,0.5,0.5],"primitives":[{"attributes":)"
                            R"({"POSITION":)" +
                            number(p) + R"(},"targets":[)" + target + "," + target + "," + target +
                            R"(]}]}],"animations":[{"channels":[)" + channels + R"(],"samplers":[)" + samplers +
                            "]}]"));
}

TEST(GltfMorphs, channels_of_single_weights_become_one) {
  const auto linear = move_weights({{"/nodes/0/weights/2", {0, 2}, {0, 1}}, {"/nodes/0/weights/0", {1, 3}, {1, 0}}});
  ASSERT_TRUE(linear) << message(linear);
  ASSERT_EQ(linear->scene.clips.at(0).channels.size(), 1u);
  const scene::Channel& channel = linear->scene.clips[0].channels[0];
  EXPECT_EQ(channel.path, scene::ChannelPath::kWeights);
  EXPECT_EQ(channel.node, 0u);
  EXPECT_THAT(channel.times_seconds, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(channel.values, ElementsAre(1, 0.5f, 0, 1, 0.5f, 0.5f, 0.5f, 0.5f, 1, 0, 0.5f, 1));

  const auto steps =
      move_weights({{"/nodes/0/weights/0", {0, 2}, {0, 1}, "STEP"}, {"/nodes/0/weights/1", {1, 2}, {0, 1}, "STEP"}});
  ASSERT_TRUE(steps) << message(steps);
  EXPECT_THAT(steps->scene.clips.at(0).channels.at(0).values, ElementsAre(0, 0, 0.5f, 0, 0, 0.5f, 1, 1, 0.5f));

  const auto spline = move_weights({{"/nodes/0/weights/1", {0, 1}, {1, 2, 3, 4, 5, 6}, "CUBICSPLINE"}});
  ASSERT_TRUE(spline) << message(spline);
  EXPECT_THAT(spline->scene.clips.at(0).channels.at(0).values,
              ElementsAre(0, 1, 0, 0.5f, 2, 0.5f, 0, 3, 0, 0, 4, 0, 0.5f, 5, 0.5f, 0, 6, 0));
}

TEST(GltfMorphs, channels_of_single_weights_that_cannot_become_one_are_named) {
  const OneWeight first{"/nodes/0/weights/0", {0, 1}, {0, 1}};
  const auto mixed = move_weights({first, {"/nodes/0/weights/1", {0, 1}, {0, 1}, "STEP"}});
  ASSERT_TRUE(mixed) << message(mixed);
  EXPECT_TRUE(mixed->scene.clips.at(0).channels.empty());
  ASSERT_EQ(mixed->scene.dropped.size(), 1u);
  EXPECT_EQ(mixed->scene.dropped[0].what,
            "animation channels of single weights whose interpolations or spline keys differ within a node");
  EXPECT_EQ(mixed->scene.dropped[0].count, 2u);
  const OneWeight all{"/nodes/0/weights", {0, 1}, {0, 1, 2, 3, 4, 5}};
  for (const auto& twice : {move_weights({first, first}), move_weights({first, all})}) {
    ASSERT_TRUE(twice) << message(twice);
    ASSERT_EQ(twice->scene.dropped.size(), 1u);
    EXPECT_EQ(twice->scene.dropped[0].what, "animation channels of weights that other channels of the clip move too");
  }
  const std::string place = "/animations/0/channels/0/target/extensions/KHR_animation_pointer/pointer: found ";
  EXPECT_EQ(message(move_weights({{"/nodes/0/weights/3", {0, 1}, {0, 1}}})),
            place + "\"/nodes/0/weights/3\", expected a weight of the node's 3 morph targets");
  EXPECT_EQ(message(move_weights({{"/nodes/1/weights/99999999999", {0, 1}, {0, 1}}})),
            place + "\"/nodes/1/weights/99999999999\", expected a weight of the node's 0 morph targets");
  EXPECT_EQ(message(move_weights({{"/nodes/0/weights/0", {0, 1}, {0, 1, 2}}})), "no error");
}

TEST(GltfMorphs, many_targets_stay_within_the_limits) {
  TinyGltf g;
  const int p = g.vec3(kTriangle);
  std::string targets = R"({"POSITION":)" + number(p) + "}";
  const std::string one = "," + targets;
  for (int t = 0; t < 65535; ++t) targets += one;
  EXPECT_EQ(message(import_text(morphing(g, p, targets))),
            "/meshes/0/primitives/0/targets: found 65536 morph targets, expected at most 65535");
  // A million vertices that take no bytes: zeros with a few replaced values are never spread out.
  TinyGltf sparse_file;
  const int flat = sparse_file.raw_accessor(R"("componentType":5126,"type":"VEC3","count":1000000)");
  const int few = sparse(sparse_file, "1000000", {5, 60000}, {1, 0, 0, 0, 1, 0});
  std::string many = R"({"POSITION":)" + number(few) + "}";
  for (int t = 1; t < 2000; ++t) many += R"(,{"POSITION":)" + number(few) + "}";
  const auto imported = import_text(morphing(sparse_file, flat, many));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_EQ(first_primitive(imported).morphs.size(), 2000u);
  EXPECT_THAT(first_primitive(imported).morphs[1999].vertices, ElementsAre(5, 60000));
  // The same as dense data costs memory, of which there is a limit.
  TinyGltf dense_file;
  const int dense = dense_file.vec3(std::vector<float>(3 * 100000, 1.0f));
  std::string costly = R"({"POSITION":)" + number(dense) + "}";
  for (int t = 1; t < 1000; ++t) costly += R"(,{"POSITION":)" + number(dense) + "}";
  ImportLimits limits;
  limits.scene_bytes = 64 << 20;
  const auto refused = import_text(morphing(dense_file, dense, costly), files(), limits);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLimit);
}

TEST(GltfMorphs, primitives_with_fewer_targets_get_targets_that_move_nothing) {
  TinyGltf g;
  const int p = g.vec3(kTriangle);
  const std::string one = R"({"attributes":{"POSITION":)" + number(p) + "}";
  const auto imported = import_text(
      g.json(R"("meshes":[{"primitives":[)" + one + R"(,"targets":[{"POSITION":)" + number(p) + "}]}," + one + "}]}]"));
  ASSERT_TRUE(imported) << message(imported);
  EXPECT_EQ(imported->scene.meshes[0].primitives[1].morphs.size(), 1u);
  ASSERT_EQ(imported->warnings.size(), 1u);
  EXPECT_EQ(imported->warnings[0].to_string(),
            "/meshes/0/primitives: a primitive has 0 morph targets, expected 1, as another primitive of the mesh has; "
            "the others move nothing");
}

TEST(GltfAttributes, custom_ones_keep_their_type_and_values) {
  TinyGltf g;
  const int p = g.vec3(kTriangle);
  const int matrix = g.accessor<std::uint8_t>(
      5121, "MAT2", {1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 7, 8, 0, 0, 9, 10, 0, 0, 11, 12, 0, 0}, 3);
  const int snorm = g.accessor<std::int16_t>(5122, "VEC2", {1, -2, 3, -4, 5, -6}, 3, ",\"normalized\":true");
  const auto imported = import_mesh(g, attributes({{"POSITION", p}, {"_Z", snorm}, {"_A", matrix}}));
  ASSERT_TRUE(imported) << message(imported);
  const auto& custom = first_primitive(imported).custom;
  ASSERT_EQ(custom.size(), 2u);
  EXPECT_EQ(custom[0].name, "_A");
  EXPECT_EQ(custom[0].columns, 2);
  ASSERT_EQ(custom[0].values.size(), 12u);
  EXPECT_EQ(custom[0].values[4], std::byte{5});
  EXPECT_EQ(custom[1].type, scene::ComponentType::kI16);
  EXPECT_TRUE(custom[1].normalized);
  EXPECT_EQ(load<std::int16_t>(custom[1].values, 10), -6);
  EXPECT_THAT(dropped(imported), ElementsAre());
}

}  // namespace
}  // namespace assetc::importer
