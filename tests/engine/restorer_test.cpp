#include "engine/restore/restorer.hpp"

#include "engine/engine_fixture.hpp"
#include "engine/run/build_plan.hpp"
#include "engine/store/local_store.hpp"

namespace assetc::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// The state of a build when it asks a store for its steps.
struct Asking {
  Asking(const BuildRequest& request, const Profile& profile_, FakeDisk& disk)
      : profile(profile_),
        space(*open_workspace(profile, *request.target, disk, 1, true)),
        plan(request, profile, disk, space, std::nullopt, std::nullopt),
        store(std::move(*LocalStore::open(disk, {.path = "cache"}))),
        restorer(*store, plan.planner, plan.planner.context()),
        recipes(request.recipes) {
    plan.sources = discover(space.input, request.recipes, true);
  }
  Node node(std::string_view source) {
    for (std::size_t i = 0; i < plan.sources.claimed.size(); ++i) {
      if (space.input.path(plan.sources.claimed[i].entry) == source)
        return source_node(plan.sources.claimed[i], i, space.input, plan, recipes);
    }
    ADD_FAILURE() << source << " is not a source";
    return {};
  }
  std::vector<StoredProduct> products(const Node& node) { return store->find(plan.planner.key(node)->stored, {}); }

  Profile profile;
  Workspace space;
  BuildPlan plan;
  std::unique_ptr<LocalStore> store;
  Restorer restorer;
  std::span<const recipes::Recipe* const> recipes;
};

class ARestorer : public Engine {
 protected:
  ARestorer() { shares = true; }
  std::unique_ptr<Asking> ask() { return std::make_unique<Asking>(request, profile(), disk); }
  void forget_output() { disk.remove_all("runtime"); }
};

TEST_F(ARestorer, finds_all_outputs_of_a_step) {
  disk.put("assets/a.model", "clip\nx\n");
  build();
  const auto model = disk.text("runtime/a.hmesh"), clip = disk.text("runtime/a.hanim");
  forget_output();
  const auto asking = ask();
  const auto found = asking->restorer.find(asking->node("a.model"));
  ASSERT_TRUE(found);
  ASSERT_THAT(found->outputs, SizeIs(2));
  EXPECT_EQ(as_text(found->outputs[0]), model);
  EXPECT_EQ(as_text(found->outputs[1]), clip);
}

TEST_F(ARestorer, finds_what_is_inside_a_source_with_it) {
  disk.put("assets/a.model", "inside skin red\n");
  build();
  forget_output();
  const auto asking = ask();
  const auto found = asking->restorer.find(asking->node("a.model"));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->inside, SizeIs(1));
}

TEST_F(ARestorer, chooses_the_product_whose_reads_are_as_they_were) {
  disk.put("assets/a.model", "include d.bin\n");
  disk.put("assets/d.bin", "one");
  build();
  disk.put("assets/d.bin", "two");
  build();
  const std::string of_two = disk.text("runtime/a.hmesh");
  forget_output();
  {
    const auto asking = ask();
    const Node node = asking->node("a.model");
    EXPECT_THAT(asking->products(node), SizeIs(2));
    EXPECT_EQ(as_text(asking->restorer.find(node)->outputs[0]), of_two);
  }
  disk.put("assets/d.bin", "one");
  {
    const auto asking = ask();
    EXPECT_NE(as_text(asking->restorer.find(asking->node("a.model"))->outputs[0]), of_two);
  }
  disk.put("assets/d.bin", "three");
  const auto asking = ask();
  EXPECT_EQ(asking->restorer.find(asking->node("a.model")), nullptr);
}

TEST_F(ARestorer, has_nothing_under_other_settings) {
  disk.put("assets/a.pic", "a");
  build();
  forget_output();
  yaml = "default: {texture: {quality: fast}}";
  const auto asking = ask();
  EXPECT_EQ(asking->restorer.find(asking->node("a.pic")), nullptr);
}

TEST_F(ARestorer, says_which_products_and_blobs_it_lacks) {
  disk.put("assets/a.pic", std::string(3 * kInlineBytes, 'a'));
  disk.put("assets/b.model", "inside skin " + std::string(3 * kInlineBytes, 'b') + "\n");
  {
    const auto asking = ask();
    Node node = asking->node("a.pic");
    asking->restorer.look_up_key(node);
    const auto lacking = asking->restorer.lacking(node);
    ASSERT_TRUE(lacking);
    EXPECT_THAT(lacking->keys, ElementsAre(node.key->stored));
    EXPECT_THAT(lacking->blobs, IsEmpty());
  }
  build();
  forget_output();
  {
    const auto asking = ask();
    EXPECT_TRUE(asking->restorer.lacking(asking->node("a.pic"))->nothing());
    EXPECT_TRUE(asking->restorer.lacking(asking->node("b.model"))->nothing());
  }
  disk.remove_all("cache/blobs-1");
  const auto asking = ask();
  for (const char* source : {"a.pic", "b.model"}) {
    const auto lacking = asking->restorer.lacking(asking->node(source));
    ASSERT_TRUE(lacking);
    EXPECT_THAT(lacking->keys, IsEmpty()) << source;
    EXPECT_THAT(lacking->blobs, SizeIs(1)) << source;
    EXPECT_EQ(asking->restorer.find(asking->node(source)), nullptr) << source;
  }
}

TEST_F(ARestorer, takes_products_that_are_known_before_it_looks) {
  disk.put("assets/a.pic", "a");
  build();
  forget_output();
  const auto asking = ask();
  const Node node = asking->node("a.pic");
  const std::vector<StoredProduct> products = asking->products(node);
  disk.remove_all("cache");
  EXPECT_EQ(asking->restorer.find(node), nullptr);
  EXPECT_TRUE(asking->restorer.lacking(node, products)->nothing());
  EXPECT_NE(asking->restorer.choose(node, products), nullptr);
}

TEST_F(ARestorer, steps_of_one_kind_and_place_share_a_batch) {
  for (int i = 0; i < 20; ++i) disk.put("assets/" + std::to_string(i) + ".pic", "a");
  disk.put("assets/m.model", "x\n");
  const auto asking = ask();
  const auto batch = asking->restorer.batch(asking->node("0.pic"));
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch, asking->restorer.batch(asking->node("19.pic")));
  EXPECT_NE(batch, asking->restorer.batch(asking->node("m.model")));
  Node inside = asking->node("0.pic");
  inside.input_path = {};
  EXPECT_FALSE(asking->restorer.batch(inside)) << "it comes with its parent";
}

}  // namespace
}  // namespace assetc::engine
