// Reads of files, into memory and mapped.
#ifndef _WIN32
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <random>
#include <thread>

#include "runtime/source/native_file.hpp"
#include "runtime/tree.hpp"

namespace assetc::runtime {
namespace {

class FileSource : public Tree, public testing::WithParamInterface<bool> {
 protected:
  std::unique_ptr<Source> source(const std::string& folder) {
    if (!GetParam()) return make_file_source(folder);
    return make_source([folder](const ReadRequest& request,
                                const std::atomic<bool>& canceled) { return read_native(folder, request, canceled); },
                       2);
  }
  std::unique_ptr<Source> source() { return source(roots()[0] + "/"); }
  static Result<ReadAnswer> ask(Source& source, ReadRequest request) {
    Completions completions;
    source.submit(std::move(request), completions);
    return completions.wait().answer;
  }
};

TEST_P(FileSource, reads_every_file_and_any_range) {
  const auto files = source();
  for (const hpack::File& file : files_) {
    const std::string_view text = as_text(file.bytes);
    const auto whole = ask(*files, {.path = file.path});
    ASSERT_TRUE(whole) << whole.error().to_string();
    EXPECT_EQ(as_text(whole->bytes), text);
    const std::size_t third = text.size() / 3;
    const auto part = ask(*files, {.path = file.path, .offset_bytes = third, .size_bytes = third});
    ASSERT_TRUE(part) << part.error().to_string();
    EXPECT_EQ(as_text(part->bytes), text.substr(third, third));
    EXPECT_EQ(part->file_size_bytes, text.size());
    const auto size = ask(*files, {.path = file.path, .offset_bytes = 0, .size_bytes = 0});
    ASSERT_TRUE(size);
    EXPECT_EQ(size->file_size_bytes, text.size());
    const auto past = ask(*files, {.path = file.path, .offset_bytes = text.size(), .size_bytes = 1});
    ASSERT_FALSE(past);
    EXPECT_EQ(past.error().code, ErrorCode::kTruncated);
    EXPECT_EQ(past.error().file, file.path);
  }
}

TEST_P(FileSource, stays_in_its_folder) {
  write("secret", as_bytes("x"));
  const auto files = source();
  for (const std::string path :
       {"models/table.hmesh", "../secret", "/etc/passwd", "models/../../secret", "", "models"}) {
    const auto answer = ask(*files, {.path = path});
    ASSERT_FALSE(answer) << path;
    EXPECT_EQ(answer.error().file, path);
  }
  EXPECT_TRUE(ask(*source(""), {.path = roots()[0] + "/" + files_[0].path}));
}

TEST_P(FileSource, a_pipe_is_no_file) {
  ASSERT_EQ(mkfifo((roots()[0] + "/pipe").c_str(), 0600), 0);
  const auto answer = ask(*source(), {.path = "pipe"});
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, ErrorCode::kIo);
}

TEST_P(FileSource, reads_a_file_that_was_replaced) {
  const auto files = source();
  const std::string path = files_[0].path;
  ASSERT_TRUE(ask(*files, {.path = path}));
  write(roots()[0].substr(roots()[0].rfind('/') + 1) + "/" + path, as_bytes("new"));
  EXPECT_EQ(as_text(ask(*files, {.path = path})->bytes), "new");
}

TEST_P(FileSource, many_threads_read_and_cancel_and_every_request_is_answered_once) {
  constexpr std::size_t kThreads = 4, kEach = 400;
  auto files = source();
  std::vector<Completions> queues(kThreads);
  std::vector<std::jthread> threads;
  threads.reserve(kThreads);
  for (std::size_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (std::size_t i = 0; i < kEach; ++i) {
        const hpack::File& file = files_[random() % files_.size()];
        const Ticket ticket = files->submit({.path = file.path, .user = i}, queues[t]);
        if (random() % 3 == 0) files->cancel(ticket);
      }
    });
  }
  threads.clear();
  files.reset();
  for (Completions& queue : queues) {
    std::vector<bool> seen(kEach);
    for (std::size_t n = 0; n < kEach; ++n) {
      const auto completion = queue.poll();
      ASSERT_TRUE(completion);
      EXPECT_FALSE(seen[completion->user]);
      seen[completion->user] = true;
      if (!completion->answer) {
        EXPECT_EQ(completion->answer.error().code, ErrorCode::kCanceled);
        continue;
      }
      const ByteSpan bytes = completion->answer->bytes;
      EXPECT_TRUE(
          std::ranges::any_of(files_, [&](const auto& f) { return std::ranges::equal(f.bytes.span(), bytes); }));
    }
    EXPECT_FALSE(queue.poll());
  }
}

TEST_P(FileSource, more_reads_wait_than_there_are_descriptors) {
  constexpr std::size_t kReads = 512, kEach = 64u << 10;
  const ByteVector bytes(kReads * kEach, std::byte{7});
  write(roots()[0].substr(roots()[0].rfind('/') + 1) + "/large", bytes);
  // Cached data is read at once, without waiting.
  const int file = open((roots()[0] + "/large").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_GE(file, 0);
  fsync(file);
  posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  close(file);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const auto files = source();
  rlimit few = before;
  few.rlim_cur = std::min<rlim_t>(160, before.rlim_cur);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  Completions completions;
  for (std::size_t i = 0; i < kReads; ++i)
    files->submit({.path = "large", .offset_bytes = i * kEach, .size_bytes = kEach, .user = i}, completions);
  std::size_t read = 0;
  for (std::size_t i = 0; i < kReads; ++i) {
    const Completion completion = completions.wait();
    if (completion.answer) read += completion.answer->bytes.size() == kEach ? 1 : 0;
  }
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(read, kReads);
}

INSTANTIATE_TEST_SUITE_P(Ways, FileSource, testing::Bool(),
                         [](const auto& way) { return way.param ? "mapped" : "copied"; });

}  // namespace
}  // namespace assetc::runtime
#endif
