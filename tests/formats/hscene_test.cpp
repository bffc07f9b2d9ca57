#include "assetc/formats/hscene.hpp"

#include <functional>
#include <limits>

#include "formats/sample_scene.hpp"
#include "formats/support.hpp"

namespace assetc::hscene {
namespace {

using namespace formats_test;

Model sample() { return sample_scene(); }

std::string words(const std::function<void(Model&)>& change) {
  Model model = sample();
  change(model);
  const auto file = write(model);
  return file ? "no error" : file.error().what;
}

TEST(Hscene, round_trips) {
  const ByteVector file = *write(sample());
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_EQ(view->name(), "yard");
  EXPECT_EQ(view->asset_extra(), R"({"extras":{"author":"us"}})");
  EXPECT_EQ(view->extra(), "");
  EXPECT_TRUE(std::ranges::equal(view->nodes(), sample().nodes));
  EXPECT_TRUE(std::ranges::equal(view->meshes(), sample().meshes));
  EXPECT_TRUE(std::ranges::equal(view->cameras(), sample().cameras));
  EXPECT_TRUE(std::ranges::equal(view->lights(), sample().lights));
  EXPECT_TRUE(std::ranges::equal(view->materials(), sample().materials));
  EXPECT_TRUE(std::ranges::equal(view->weights(view->nodes()[2]), std::array{0.25f, 0.75f}));
  EXPECT_TRUE(std::ranges::equal(view->joints(view->skins()[0]), std::array{1u, 2u}));
  EXPECT_EQ(view->inverse_bind(view->skins()[0]).size(), 2u);
  EXPECT_TRUE(std::ranges::equal(view->clip_nodes(view->clips()[0]), std::array{0u, 2u}));
  EXPECT_EQ(view->text(view->parameters(view->materials()[0])[0].name), "Clearcoat");
  EXPECT_EQ(view->textures(view->materials()[0])[0].texcoord, 1u);
  EXPECT_EQ(view->variant_name(1), "blue");
  EXPECT_EQ(view->variant_material(0, 0, 1), 1u);
  EXPECT_EQ(view->variant_material(0, 0, 0), kNone);
  EXPECT_EQ(view->local_matrix(0)[12], 1);
  EXPECT_EQ(view->local_matrix(2)[1], 3);
}

TEST(Hscene, finds_nodes_by_name_and_path) {
  const ByteVector file = *write(sample());
  const View view = *View::open(file);
  EXPECT_EQ(view.find("wheel"), 2u);
  EXPECT_EQ(view.find("engine"), std::nullopt);
  EXPECT_EQ(view.find_path("car/body/wheel"), 2u);
  EXPECT_EQ(view.find_path("body/wheel"), 2u);
  EXPECT_EQ(view.find_path("wheel"), 2u);
  EXPECT_EQ(view.find_path("car/wheel"), std::nullopt);
  EXPECT_EQ(view.find_path(""), std::nullopt);
  Model slashed = sample();
  slashed.texts[slashed.nodes[1].name] = "left/right";
  const ByteVector other = *write(slashed);
  EXPECT_EQ(View::open(other)->find_path("car/left/right/wheel"), 2u);
  EXPECT_EQ(View::open(other)->find_path("left/right"), 1u);
  slashed.texts[slashed.nodes[1].name] = "/right";
  const ByteVector leading = *write(slashed);
  EXPECT_EQ(View::open(leading)->find_path("/right"), 1u);
  EXPECT_EQ(View::open(leading)->find_path("car//right/wheel"), 2u);
}

TEST(Hscene, an_empty_scene_is_valid) {
  const ByteVector file = *write(Model{});
  const auto view = View::open(file);
  ASSERT_TRUE(view) << error_of(view);
  EXPECT_TRUE(view->nodes().empty());
  EXPECT_EQ(view->find("x"), std::nullopt);
}

TEST(Hscene, rejects_damage) {
  const ByteVector file = *write(sample());
  expect_every_prefix_refused(file, View::open);
  expect_survives_changed_bytes(file, View::open);
  EXPECT_EQ(View::open(with_extra(file, 1, 1)).error().code, ErrorCode::kInvalidData);
  EXPECT_EQ(View::open(with(file, 4, std::uint32_t{2})).error().what, "found hscene version 2, expected 1");
}

TEST(Hscene, says_which_rule_is_broken) {
  EXPECT_EQ(words([](Model&) {}), "no error");
  EXPECT_EQ(words([](Model& m) { m.nodes[2].parent = 0; }),
            "node 2 has parent 0, expected 1, the node in whose range it lies");
  EXPECT_EQ(words([](Model& m) { m.nodes[0].end = 9; }), "the nodes below node 0 end at 9, expected 1 to 4");
  EXPECT_EQ(words([](Model& m) { m.nodes[1].end = 4; }), "the nodes below node 1 end at 4, expected 2 to 3");
  EXPECT_EQ(words([](Model& m) { m.nodes[1].mesh = 1; }), "node 1: found mesh 1, expected less than 1 or none");
  EXPECT_EQ(words([](Model& m) { m.nodes[2].detail_of = 2; }),
            "found a node that replaces node 2, expected one with a mesh that replaces a node of full detail");
  EXPECT_EQ(words([](Model& m) { m.nodes[0].transform.scale[1] = std::numeric_limits<float>::infinity(); }),
            "node 0: the scale holds a number that is not finite");
  EXPECT_EQ(words([](Model& m) { m.joints[1] = kNone; }), "node number 1 is 4294967295, expected less than 4");
  EXPECT_EQ(words([](Model& m) { m.inverse_bind.resize(1); }), "found 1 matrix of joints, expected 2 or none");
  EXPECT_EQ(words([](Model& m) { m.variant_materials[1].variant = 0, m.variant_materials[1].submesh = 0; }),
            "variant materials are out of order, expected each once, ascending");
  EXPECT_EQ(words([](Model& m) { m.clip_nodes = {2, 2}; }), "the nodes of a clip are not ascending");
  EXPECT_EQ(words([](Model& m) { m.texts[0] = "\xff"; }), "text 0 is not UTF-8");
  EXPECT_EQ(words([](Model& m) { m.meshes[0].file = Ref::of(Uuid{{1, 2, 3, 4, 5, 6, 7, 8, 9}}); }),
            "mesh 0: found a ref of 16 bytes, expected a hash of 8 bytes and zeros");
  EXPECT_EQ(words([](Model& m) { m.meshes[0].box.high[0] = -2; }),
            "mesh 0: the box runs from -1 to -2 on axis 0, expected finite numbers in order");
  EXPECT_EQ(words([](Model& m) { m.lights[0].type = LightType{3}; }), "light 0: found light type 3, expected 0 to 2");
  EXPECT_EQ(words([](Model& m) { m.nodes[0].flags = 4; }), "node 0: found flags 4, expected only bits of 3");
}

}  // namespace
}  // namespace assetc::hscene
