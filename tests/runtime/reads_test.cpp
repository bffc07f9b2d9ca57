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
  std::vector<Reads::Outgoing> take() { return reads->take(false, over); }
  // Answers as a source that has the file.
  void answer(const Reads::Outgoing& read) {
    const Bytes& file = files.files[read.request.path];
    reads->answered({read.id, read_range(read.request, file)}, false, {}, over);
  }
  std::optional<Reads> reads;
  std::vector<Reads::Over> over;
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
  const auto contents = take();
  EXPECT_TRUE(contents.empty()) << "no room";
  residency->reserve(make(41), kMiB / 2 - 1500);
  const auto one = take();
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].request.path, "cooked/Assets/" + uuid(40).to_string() + ".bin");
}

TEST_F(ReadsOf, a_record_that_is_awaited_passes_where_nothing_makes_room) {
  begin({100, kMiB, kMiB});
  enter(1);
  answer(take()[0]);
  residency->reserve(make(2), 50);
  EXPECT_TRUE(take().empty());
  Graph::make_awaited(make(1));
  EXPECT_TRUE(reads->take(true, over).empty());
  EXPECT_EQ(take().size(), 1u);
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
