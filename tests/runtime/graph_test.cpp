#include "runtime/loader/graph.hpp"

#include <gmock/gmock.h>

#include "runtime/records.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;
using Graphs = Records;

TEST_F(Graphs, records_that_are_needed_are_made_first_and_once) {
  add(1, "top", {2, 3});
  add(2, "left", {4});
  add(3, "right", {4});
  add(4, "base");
  start();
  Record& top = make(1, 5);
  std::vector<const Record*> order;
  for (const Graph::Made& one : made) order.push_back(one.record);
  EXPECT_THAT(order,
              ElementsAre(graph->find({.uuid = uuid(4), .type = kRaw}), graph->find({.uuid = uuid(2), .type = kRaw}),
                          graph->find({.uuid = uuid(3), .type = kRaw}), &top));
  EXPECT_EQ(top.unready, 2u);
  EXPECT_EQ(order[0]->refs, 0u);
  EXPECT_EQ(order[0]->user_count, 2u);
  EXPECT_EQ(order[0]->held_user_count, 2u);
  EXPECT_EQ(order[0]->waiters.size(), 2u);
  EXPECT_LT(order[0]->urgency.sequence, top.urgency.sequence);
  EXPECT_EQ(graph->loading_count(), 4u);
  EXPECT_EQ(&make(1), &top);
  EXPECT_TRUE(made.empty());
}

TEST_F(Graphs, a_priority_raises_all_that_is_needed_and_lowers_one) {
  add(1, "top", {2});
  add(2, "base");
  start();
  Record& top = make(1, 1);
  Record& base = *top.hard[0];
  Graph::set_priority(top, 7);
  EXPECT_EQ(base.urgency.priority, 7);
  Graph::set_priority(top, 2);
  EXPECT_EQ(top.urgency.priority, 2);
  EXPECT_EQ(base.urgency.priority, 7);
}

TEST_F(Graphs, a_settled_asset_frees_those_that_wait_for_nothing_else) {
  add(1, "one", {3});
  add(2, "two", {3, 4});
  add(3, "three");
  add(4, "four");
  start();
  Record &one = make(1), &two = make(2);
  one.become(stage::Waiting{nullptr});
  two.become(stage::Waiting{nullptr});
  Record &three = *one.hard[0], &four = *two.hard[1];
  EXPECT_THAT(Graph::settle(three), ElementsAre(&one));
  EXPECT_THAT(Graph::settle(four), ElementsAre(&two));
  EXPECT_THAT(Graph::settle(four), ElementsAre());
}

TEST_F(Graphs, a_failed_need_fails_unless_a_fallback_stands_in) {
  add(1, "one", {2});
  add(2, "two");
  start();
  Record& one = make(1);
  Record& two = *one.hard[0];
  EXPECT_EQ(Graph::failed_need(one), nullptr);
  two.state = LoadState::kFailed;
  EXPECT_EQ(Graph::failed_need(one), &two);
  Loader<Note> loader = note_loader(log);
  loader.fallback = [](AssetType) { return Note{"fallback"}; };
  graph->add(AssetType::kMaterial, erase(std::move(loader)));
  two.type = graph->entry_of(AssetType::kMaterial);
  EXPECT_EQ(Graph::failed_need(one), nullptr);
}

TEST_F(Graphs, a_circle_is_found_however_long) {
  for (std::uint32_t i = 1; i <= 3; ++i) add(i, "note");
  start();
  Record &one = make(1), &two = make(2), &three = make(3);
  graph->need(one, two);
  graph->need(two, three);
  EXPECT_TRUE(Graph::reaches(one, three));
  EXPECT_FALSE(Graph::reaches(three, one));
  graph->drop_needs(two);
  EXPECT_FALSE(Graph::reaches(one, three));
}

TEST_F(Graphs, a_record_that_is_set_apart_is_found_by_nobody) {
  add(1, "one");
  start();
  Record& one = make(1);
  graph->set_apart(one);
  EXPECT_EQ(graph->find(one.handle), nullptr);
  EXPECT_THAT(graph->apart(), ElementsAre(&one));
  graph->unlist(one);
  EXPECT_TRUE(graph->apart().empty());
}

}  // namespace
}  // namespace assetc::runtime
