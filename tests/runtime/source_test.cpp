#include "assetc/runtime/source.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "runtime/gate.hpp"
#include "runtime/tree.hpp"

namespace assetc::runtime {
namespace {

Result<ReadAnswer> ask_source(Source& source, ReadRequest request) {
  Completions completions;
  source.submit(std::move(request), completions);
  return completions.wait().answer;
}

const Bytes& ten_digits() {
  static const Bytes bytes(nullptr, as_bytes("0123456789"));
  return bytes;
}
Result<ReadAnswer> read_digits(const ReadRequest& request, const std::atomic<bool>&) {
  return read_range(request, ten_digits());
}

TEST_F(Tree, a_source_reads_what_its_mount_reads) {
  for (const std::string& root : roots()) {
    for (const unsigned threads : {0u, 1u, 3u}) {
      const auto source = make_source(FileTree::open(root).value(), threads);
      for (const hpack::File& file : files_) {
        const auto answer = ask_source(*source, {.path = file.path});
        ASSERT_TRUE(answer) << answer.error().to_string();
        EXPECT_EQ(as_text(answer->bytes), as_text(file.bytes));
        EXPECT_EQ(answer->file_size_bytes, file.bytes.size());
      }
    }
  }
}

TEST_F(Tree, a_source_hands_out_the_mapping) {
  const FileTree mount = FileTree::open(roots()[1]).value();
  const auto source = make_source(mount);
  EXPECT_EQ(ask_source(*source, {.path = "models/chair.hmat"})->bytes.data(), mount.read("models/chair.hmat")->data());
}

TEST_F(Tree, a_sources_errors_name_the_file) {
  write("secret", as_bytes("x"));
  for (const std::string& root : roots()) {
    const auto source = make_source(FileTree::open(root).value());
    for (const std::string path : {"models/table.hmesh", "../secret", "/etc/passwd", ""}) {
      const auto answer = ask_source(*source, {.path = path});
      ASSERT_FALSE(answer) << path;
      EXPECT_EQ(answer.error().code, ErrorCode::kNotFound);
      EXPECT_EQ(answer.error().file, path);
    }
  }
}

TEST_F(Tree, answers_outlive_the_source) {
  for (const std::string& root : roots()) {
    std::optional<Bytes> bytes;
    bytes = ask_source(*make_source(FileTree::open(root).value()), {.path = "models/chair.hmat"})->bytes;
    EXPECT_EQ(as_text(*bytes), as_text(files_[1].bytes));
  }
}

TEST(Source, a_range_is_read_and_nothing_else) {
  const auto source = make_source(read_digits, 1);
  EXPECT_EQ(as_text(ask_source(*source, {.path = "digits", .offset_bytes = 3, .size_bytes = 4})->bytes), "3456");
  EXPECT_EQ(as_text(ask_source(*source, {.path = "digits", .offset_bytes = 8})->bytes), "89");
  EXPECT_EQ(as_text(ask_source(*source, {.path = "digits", .offset_bytes = 10})->bytes), "");
  const auto size = ask_source(*source, {.path = "digits", .size_bytes = 0});
  EXPECT_EQ(size->file_size_bytes, 10u);
  EXPECT_TRUE(size->bytes.empty());
}

TEST(Source, a_range_that_leaves_the_file_is_an_error) {
  const auto source = make_source(read_digits, 1);
  const auto error = [&](std::uint64_t offset, std::uint64_t size) {
    const auto answer = ask_source(*source, {.path = "digits", .offset_bytes = offset, .size_bytes = size});
    return answer ? std::string() : answer.error().to_string();
  };
  EXPECT_EQ(error(8, 3), "digits: byte 8: found 2 bytes up to the end of the file, expected 3");
  EXPECT_EQ(error(11, 0), "digits: byte 11: found 0 bytes up to the end of the file, expected 0");
  EXPECT_EQ(error(11, kToEnd),
            "digits: byte 11: found 0 bytes up to the end of the file, expected an offset inside it");
  EXPECT_EQ(error(2, kToEnd - 1),
            "digits: byte 2: found 8 bytes up to the end of the file, expected 18446744073709551614");
}

TEST(Source, canceling_what_has_not_begun_reads_nothing) {
  Gate begun, go;
  std::atomic<int> reads = 0;
  Completions completions;
  const auto source = make_source(
      [&](const ReadRequest& request, const std::atomic<bool>& canceled) {
        if (++reads == 1) {
          begun.open();
          go.wait();
        }
        return read_digits(request, canceled);
      },
      1);
  source->submit({.path = "first", .user = 1}, completions);
  begun.wait();
  const Ticket second = source->submit({.path = "second", .user = 2}, completions);
  source->submit({.path = "third", .user = 3}, completions);
  source->cancel(second);
  const Completion canceled = completions.wait();
  EXPECT_EQ(canceled.user, 2u);
  EXPECT_EQ(canceled.answer.error().code, ErrorCode::kCanceled);
  EXPECT_EQ(canceled.answer.error().to_string(), "second: canceled");
  go.open();
  EXPECT_EQ(completions.wait().user, 1u);
  EXPECT_EQ(completions.wait().user, 3u);
  EXPECT_EQ(reads, 2);
}

TEST(Source, canceling_what_is_being_read_ends_it) {
  Gate begun;
  Completions completions;
  const auto source = make_source(
      [&](const ReadRequest& request, const std::atomic<bool>& canceled) {
        begun.open();
        while (!canceled) std::this_thread::yield();
        return read_digits(request, canceled);
      },
      1);
  const Ticket ticket = source->submit({.path = "digits", .user = 7}, completions);
  begun.wait();
  EXPECT_FALSE(completions.poll());
  source->cancel(ticket);
  const Completion completion = completions.wait();
  EXPECT_EQ(completion.user, 7u);
  EXPECT_EQ(completion.answer.error().code, ErrorCode::kCanceled);
}

TEST(Source, canceling_what_was_answered_does_nothing) {
  for (const unsigned threads : {0u, 1u}) {
    const auto source = make_source(read_digits, threads);
    Completions completions;
    const Ticket ticket = source->submit({.path = "digits"}, completions);
    EXPECT_TRUE(completions.wait().answer);
    source->cancel(ticket);
    source->cancel(Ticket{12345});
    EXPECT_FALSE(completions.poll());
  }
}

TEST(Source, without_threads_the_answer_is_there_when_submit_returns) {
  const auto source = make_source(read_digits, 0);
  Completions completions;
  source->submit({.path = "digits"}, completions);
  EXPECT_TRUE(completions.poll());
}

TEST(Source, many_threads_submit_and_each_answer_comes_once) {
  constexpr std::uint64_t kThreads = 4, kRequests = 250;
  const auto source = make_source(read_digits, 3);
  Completions completions;
  {
    std::vector<std::jthread> submitters;
    submitters.reserve(kThreads);
    for (std::uint64_t t = 0; t < kThreads; ++t) {
      submitters.emplace_back([&, t] {
        for (std::uint64_t i = 0; i < kRequests; ++i) {
          const std::uint64_t user = t * kRequests + i;
          const Ticket ticket =
              source->submit({.path = "digits", .offset_bytes = user % 10, .size_bytes = 1, .user = user}, completions);
          if (user % 3 == 0) source->cancel(ticket);
        }
      });
    }
  }
  std::map<std::uint64_t, int> answers;
  for (std::uint64_t i = 0; i < kThreads * kRequests; ++i) {
    const Completion completion = completions.wait();
    ++answers[completion.user];
    if (completion.answer) {
      EXPECT_EQ(as_text(completion.answer->bytes)[0], static_cast<char>('0' + completion.user % 10));
    } else {
      EXPECT_EQ(completion.user % 3, 0u);
      EXPECT_EQ(completion.answer.error().code, ErrorCode::kCanceled);
    }
  }
  EXPECT_EQ(answers.size(), kThreads * kRequests);
  EXPECT_FALSE(completions.poll());
}

TEST(Source, destroying_it_answers_everything) {
  Gate begun;
  Completions completions;
  auto source = make_source(
      [&](const ReadRequest& request, const std::atomic<bool>& canceled) {
        begun.open();
        while (!canceled) std::this_thread::yield();
        return read_digits(request, canceled);
      },
      1);
  for (std::uint64_t user = 0; user < 50; ++user) source->submit({.path = "digits", .user = user}, completions);
  begun.wait();
  source.reset();
  std::map<std::uint64_t, int> answers;
  while (const auto completion = completions.poll()) {
    EXPECT_EQ(completion->answer.error().code, ErrorCode::kCanceled);
    ++answers[completion->user];
  }
  EXPECT_EQ(answers.size(), 50u);
}

// Like an HTTP client: answers from pump(), in one thread, without a pool.
class PumpedSource final : public Source {
 public:
  ~PumpedSource() override {
    for (auto& [ticket, wanted] : waiting_) answer(wanted, fail(ErrorCode::kCanceled, "canceled"));
  }
  Ticket submit(ReadRequest request, Completions& completions) override {
    const Ticket ticket{next_++};
    waiting_.emplace(ticket, Wanted{std::move(request), &completions});
    return ticket;
  }
  void cancel(Ticket ticket) override {
    if (const auto found = waiting_.extract(ticket)) answer(found.mapped(), fail(ErrorCode::kCanceled, "canceled"));
  }
  void pump() {
    for (auto& [ticket, wanted] : waiting_) answer(wanted, read_range(wanted.request, ten_digits()));
    waiting_.clear();
  }

 private:
  struct Wanted {
    ReadRequest request;
    Completions* completions;
  };
  static void answer(const Wanted& wanted, Result<ReadAnswer> result) {
    wanted.completions->post({wanted.request.user, std::move(result)});
  }
  std::map<Ticket, Wanted> waiting_;
  std::uint64_t next_ = 1;
};

TEST(Source, a_source_of_ones_own_shares_the_queue) {
  Completions completions;
  const auto pooled = make_source(read_digits, 1);
  {
    PumpedSource pumped;
    pumped.submit({.path = "digits", .user = 1}, completions);
    EXPECT_FALSE(completions.poll());
    pumped.pump();
    EXPECT_EQ(completions.wait().user, 1u);
    pooled->submit({.path = "digits", .user = 2}, completions);
    EXPECT_EQ(completions.wait().user, 2u);
    pumped.submit({.path = "digits", .user = 3}, completions);
  }
  EXPECT_EQ(completions.wait().answer.error().code, ErrorCode::kCanceled);
}

}  // namespace
}  // namespace assetc::runtime
