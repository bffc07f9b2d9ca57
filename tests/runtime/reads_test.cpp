#include "runtime/loader/reads.hpp"

#include <gmock/gmock.h>

#include "runtime/records.hpp"

namespace assetc::runtime {
namespace {

// No source is called: the test gives the answers.
class ReadsOf : public Records {
 protected:
  void SetUp() override {
    for (std::uint32_t i = 1; i <= 41; ++i) add(i, std::string(1000, 'x'));
    add(42, std::string(100'000, 'x'));
  }
  void enter(std::uint32_t number, int priority = 0) { reads->enter(make(number, priority)); }
  void begin(const Residency::Limits& limits = {kMiB, kMiB, kMiB}, std::uint64_t max_asset_bytes = kMiB) {
    start(limits);
    reads.emplace(*residency, max_asset_bytes);
  }
  // makes_room: whether records that were read will free memory.
  std::vector<Reads::Outgoing> take(bool makes_room = false) { return reads->take(makes_room, now, over); }
  // Answers as a source that has the file.
  void answer(const Reads::Outgoing& read) {
    const Bytes& file = files.files[read.request.path];
    reads->answered({read.id, read_range(read.request, file)}, false, now, over);
  }
  std::optional<Reads> reads;
  std::vector<Reads::Over> over;
  Reads::Clock::time_point now{};
};

TEST_F(ReadsOf, a_small_file_of_unknown_size_takes_one_request) {
  begin();
  enter(1);
  const auto contents = take();
  ASSERT_EQ(contents.size(), 1u);
  EXPECT_EQ(contents[0].request.size_bytes, kToEnd);
  EXPECT_EQ(contents[0].request.most_bytes, 64u << 10);
  EXPECT_EQ(residency->in_flight_bytes(), 64u << 10);
  answer(contents[0]);
  ASSERT_EQ(over.size(), 1u);
  EXPECT_FALSE(over[0].error);
  const std::uint64_t size = files.files[contents[0].request.path].size();
  EXPECT_EQ(over[0].record->loading->transfer.answers[0].size(), size);
  EXPECT_EQ(residency->in_flight_bytes(), size);
  EXPECT_TRUE(reads->is_idle());
}

TEST_F(ReadsOf, a_source_that_returns_more_or_less_than_it_was_asked_for) {
  begin();
  enter(42);
  auto contents = take();
  const Bytes& file = files.files[contents[0].request.path];
  reads->answered({contents[0].id, ReadAnswer{file.size(), file}}, false, {}, over);  // all of a large file
  ASSERT_EQ(over.size(), 1u);
  EXPECT_FALSE(over[0].error);
  EXPECT_EQ(residency->in_flight_bytes(), file.size());
  over.clear();
  enter(1);
  contents = take();
  ASSERT_EQ(contents.size(), 1u);
  reads->answered({contents[0].id, ReadAnswer{1040, file.slice(0, 10)}}, false, {}, over);
  ASSERT_EQ(over.size(), 1u);
  EXPECT_EQ(over[0].error->code, ErrorCode::kTruncated);
}

TEST_F(ReadsOf, a_large_file_is_read_after_its_size) {
  begin();
  enter(42);
  const auto sizes = take();
  ASSERT_EQ(sizes.size(), 1u);
  EXPECT_FALSE(reads->is_wanted());
  answer(sizes[0]);
  EXPECT_TRUE(over.empty());
  const auto contents = take();
  ASSERT_EQ(contents.size(), 1u);
  const std::uint64_t size = files.files[contents[0].request.path].size();
  EXPECT_EQ(contents[0].request.size_bytes, size);
  EXPECT_EQ(residency->in_flight_bytes(), size);
  answer(contents[0]);
  ASSERT_EQ(over.size(), 1u);
  EXPECT_FALSE(over[0].error);
  EXPECT_EQ(over[0].record->loading->transfer.answers[0].size(), size);
  EXPECT_TRUE(reads->is_idle());
}

TEST_F(ReadsOf, the_most_urgent_goes_first_and_few_are_out_at_a_time) {
  begin();
  for (std::uint32_t i = 1; i <= 40; ++i) enter(i, static_cast<int>(i));
  residency->reserve(make(41), kMiB);  // so that only sizes are read
  const auto sizes = take();
  EXPECT_EQ(sizes.size(), 40u) << "in one batch";
  EXPECT_FALSE(reads->is_wanted());
  for (const Reads::Outgoing& read : sizes) answer(read);
  residency->reserve(make(41), kMiB / 2 - 500);
  const auto contents = take(true);
  EXPECT_TRUE(contents.empty()) << "no room";
  residency->reserve(make(41), kMiB / 2 - 1500);
  const auto one = take();
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].request.path, "cooked/Assets/" + uuid(40).to_string() + ".bin");
}

TEST_F(ReadsOf, one_record_passes_where_nothing_makes_room_and_each_that_is_awaited) {
  begin({100, kMiB, kMiB});
  for (const std::uint32_t i : {1u, 2u, 3u}) enter(i);
  for (const Reads::Outgoing& size : take()) answer(size);
  residency->reserve(make(4), 50);
  EXPECT_TRUE(take(true).empty());
  const auto first = take();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_TRUE(take().empty()) << "its answer is expected";
  answer(first[0]);
  EXPECT_TRUE(take().empty()) << "it still uses memory beyond the limit";
  Graph::make_awaited(make(3));
  EXPECT_TRUE(take(true).empty());
  const auto awaited = take();
  ASSERT_EQ(awaited.size(), 1u);
  answer(awaited[0]);
  EXPECT_TRUE(take().empty());
  residency->reserve(*over[0].record, 0);
  EXPECT_EQ(take().size(), 1u);
}

TEST_F(ReadsOf, a_silent_source_does_not_hold_back_others) {
  begin({100, kMiB, kMiB});
  enter(1);
  enter(2);
  for (const Reads::Outgoing& size : take()) answer(size);
  const auto first = take();
  ASSERT_EQ(first.size(), 1u);
  EXPECT_TRUE(take().empty()) << "its answer will free memory";
  EXPECT_EQ(reads->next_due(), now + std::chrono::seconds(1));
  now += std::chrono::seconds(2);
  reads->pass_time(now, over);
  EXPECT_EQ(take().size(), 1u);
}

TEST_F(ReadsOf, a_read_without_an_answer_fails_with_its_queue_after_the_timeout) {
  begin();
  for (std::uint32_t i = 1; i <= 41; ++i) enter(i);
  std::size_t sent = 0;
  for (auto batch = take(); !batch.empty(); batch = take()) {
    for (const Reads::Outgoing& read : batch) reads->submitted(read.id, Ticket{read.id});
    sent += batch.size();
    if (!reads->is_wanted()) break;
  }
  now += std::chrono::seconds(59);
  reads->pass_time(now, over);
  EXPECT_TRUE(over.empty());
  now += std::chrono::seconds(1);
  reads->pass_time(now, over);
  EXPECT_EQ(over.size(), 41u) << "also those that were not submitted";
  for (const Reads::Over& one : over) {
    ASSERT_TRUE(one.error);
    EXPECT_EQ(one.error->code, ErrorCode::kIo);
    EXPECT_EQ(one.error->what, "the source did not answer within 60000 ms");
  }
  EXPECT_EQ(reads->take_cancels().size(), sent);
  EXPECT_FALSE(reads->is_idle()) << "the source must still answer";
  over.clear();
  for (std::uint64_t id = 1; id <= sent; ++id)
    reads->answered({id, fail(ErrorCode::kCanceled, "canceled")}, false, now, over);
  EXPECT_TRUE(over.empty());
  EXPECT_TRUE(reads->is_idle());
}

TEST_F(ReadsOf, large_ones_are_refused_before_they_are_read) {
  begin({kMiB, kMiB, kMiB}, 500);
  enter(1);
  answer(take()[0]);
  EXPECT_TRUE(take().empty());
  ASSERT_EQ(over.size(), 1u);
  EXPECT_EQ(over[0].error->code, ErrorCode::kLimit);
}

TEST_F(ReadsOf, a_file_that_was_replaced_after_its_size_is_asked_again) {
  begin();
  enter(42);
  answer(take()[0]);
  const auto contents = take();
  files.files[contents[0].request.path] = Bytes(raw_blob("short"));
  answer(contents[0]);
  EXPECT_TRUE(over.empty());
  const auto again = take();
  ASSERT_EQ(again.size(), 1u);
  EXPECT_EQ(again[0].request.size_bytes, kToEnd);
}

TEST_F(ReadsOf, a_read_that_nobody_wants_is_canceled_once_it_has_a_ticket) {
  begin();
  enter(1);
  const auto sizes = take();
  Record& one = make(1);
  one.canceled = true;
  reads->abandon(one);
  EXPECT_FALSE(reads->has_cancels());
  reads->submitted(sizes[0].id, Ticket{7});
  const auto cancels = reads->take_cancels();
  ASSERT_EQ(cancels.size(), 1u);
  EXPECT_EQ(cancels[0].second, Ticket{7});
  reads->answered({sizes[0].id, fail(ErrorCode::kCanceled, "canceled")}, false, {}, over);
  ASSERT_EQ(over.size(), 1u) << "its last answer frees it";
}

}  // namespace
}  // namespace assetc::runtime
