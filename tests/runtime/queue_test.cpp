#include <gmock/gmock.h>

#include <algorithm>
#include <deque>
#include <random>

#include "runtime/loader/record_table.hpp"

namespace assetc::runtime {
namespace {

class LoaderQueue : public testing::Test {
 protected:
  Record& make(int priority = 0) {
    Record& record = records.emplace_back(nullptr, AssetHandle{.path_hash = records.size() + 1});
    record.urgency.priority = priority;
    record.urgency.sequence = record.urgency.id = records.size();
    return record;
  }
  std::vector<Record*> in_order() const {
    std::vector<Record*> found;
    queue.each([&](Record& record) {
      found.push_back(&record);
      return true;
    });
    return found;
  }
  std::deque<Record> records;
  std::pmr::unsynchronized_pool_resource memory;
  Queue queue{memory};
};

TEST_F(LoaderQueue, orders_records_by_urgency) {
  Record &first = make(), &second = make(), &urgent = make(5), &late = make(-1), &third = make();
  for (Record* record : {&second, &late, &urgent, &third, &first}) queue.enter(*record);
  EXPECT_THAT(in_order(), testing::ElementsAre(&urgent, &first, &second, &third, &late));
  EXPECT_EQ(&queue.first(), &urgent);
  Queue::leave(urgent);
  EXPECT_EQ(&queue.first(), &first);
  Queue::leave(second);
  EXPECT_THAT(in_order(), testing::ElementsAre(&first, &third, &late));
  EXPECT_EQ(queue.size(), 3u);
}

TEST_F(LoaderQueue, orders_records_again_when_an_urgency_changes) {
  Record &first = make(), &second = make(), &third = make();
  for (Record* record : {&first, &second, &third}) queue.enter(*record);
  Queue::reorder(third, [](Urgency& urgency) { urgency.is_awaited = true; });
  Queue::reorder(first, [](Urgency& urgency) { urgency.priority = -1; });
  EXPECT_THAT(in_order(), testing::ElementsAre(&third, &second, &first));
}

TEST_F(LoaderQueue, lets_records_leave_while_they_are_visited) {
  Record &first = make(1), &second = make(), &third = make(-1), &fourth = make(0);
  for (Record* record : {&first, &second, &third, &fourth}) queue.enter(*record);
  queue.each([&](Record& record) {
    if (&record != &third) Queue::leave(record);
    return true;
  });
  EXPECT_THAT(in_order(), testing::ElementsAre(&third));
  Queue::leave(third);
  EXPECT_TRUE(queue.is_empty());
}

TEST_F(LoaderQueue, stays_in_order_through_random_operations) {
  std::mt19937 random(1);
  std::vector<Record*> expected;
  for (int i = 0; i < 200; ++i) make(static_cast<int>(random() % 5));
  for (int i = 0; i < 2000; ++i) {
    Record& record = records[random() % records.size()];
    if (record.queue == nullptr) {
      queue.enter(record);
      expected.push_back(&record);
    } else if (random() % 2 == 0) {
      Queue::leave(record);
      std::erase(expected, &record);
    } else {
      Queue::reorder(record, [&](Urgency& urgency) { urgency.priority = static_cast<int>(random() % 5); });
    }
    std::ranges::sort(expected, Before());
    ASSERT_EQ(in_order(), expected);
    ASSERT_EQ(queue.size(), expected.size());
    ASSERT_EQ(queue.is_empty() ? nullptr : &queue.first(), expected.empty() ? nullptr : expected.front());
  }
}

class LoaderTable : public LoaderQueue {
 protected:
  RecordTable table{memory};
};

TEST_F(LoaderTable, finds_records_by_handle_and_settings) {
  Record &plain = make(), &other = make(), &kept = make();
  kept.handle = plain.handle;
  kept.settings.keep_data = true;
  EXPECT_EQ(table.find(plain.handle, {}), nullptr);
  for (Record* record : {&plain, &other, &kept}) table.insert(*record);
  EXPECT_EQ(table.find(plain.handle, {}), &plain);
  EXPECT_EQ(table.find(plain.handle, kept.settings), &kept);
  EXPECT_EQ(table.find(other.handle, kept.settings), nullptr);
  EXPECT_THAT(std::vector<Record*>(table.all().begin(), table.all().end()),
              testing::UnorderedElementsAre(&plain, &other, &kept));
  table.erase(plain);
  EXPECT_EQ(table.find(plain.handle, {}), nullptr);
  EXPECT_EQ(table.find(plain.handle, kept.settings), &kept);
}

TEST_F(LoaderTable, finds_records_with_equal_hashes_through_random_operations) {
  std::mt19937 random(2);
  for (int i = 0; i < 300; ++i) {
    Record& record = make();
    // All 300 records have one of 40 hashes.
    record.handle.uuid.bytes[0] = static_cast<std::uint8_t>(i);
    record.handle.uuid.bytes[1] = static_cast<std::uint8_t>(i >> 8);
    record.handle.path_hash = std::hash<Uuid>()(record.handle.uuid) ^ (random() % 40);
  }
  std::vector<bool> is_in(records.size());
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t at = random() % records.size();
    is_in[at] ? table.erase(records[at]) : table.insert(records[at]);
    is_in[at] = !is_in[at];
    const std::size_t asked = random() % records.size();
    ASSERT_EQ(table.find(records[asked].handle, {}), is_in[asked] ? &records[asked] : nullptr);
  }
}

}  // namespace
}  // namespace assetc::runtime
