// Bytes that arrive when they arrive: where a streaming engine's reads go, and where other places to read from (HTTP,
// an archive, a console's file system) plug in. FileTree is the short way for code that may wait.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/runtime/file_tree.hpp"

namespace assetc::runtime {

inline constexpr std::uint64_t kToEnd = std::numeric_limits<std::uint64_t>::max();

// The bytes [offset_bytes, offset_bytes + size_bytes) of a file.
struct ReadRequest {
  std::string path;  // '/'-separated and relative, as FileTree's
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = kToEnd;  // kToEnd: whatever follows the offset; 0 at offset 0: only the file's size
  std::uint64_t user = 0;             // the caller's; comes back in the Completion
};
struct ReadAnswer {
  std::uint64_t file_size_bytes = 0;  // of the whole file
  Bytes bytes;                        // the range asked for; outlives the source
  // Another where another file has taken its place: of what is read in parts they must agree. 0: nobody knows.
  std::uint64_t file_version = 0;
};
struct Completion {
  std::uint64_t user = 0;
  Result<ReadAnswer> answer;
};

// Where the answers to requests arrive: one queue a consumer, shared by as many sources as it reads from.
// Thread safety: every function, from any thread. Outlives the requests that name it.
class Completions {
 public:
  // For sources. A file_size_bytes of kToEnd arrives as one less.
  void post(Completion completion);
  // The oldest, or nothing yet.
  std::optional<Completion> poll();
  // The oldest, when there is one. Requires a request that has not been answered here, or it waits for ever.
  Completion wait();

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<Completion> completions_;
};

// One request of one source; never given twice.
enum class Ticket : std::uint64_t {};

// A place to read from.
//
//   const std::unique_ptr<Source> source = make_source(mount);
//   Completions completions;
//   source->submit({.path = "models/chair.hmesh", .user = chair}, completions);
//   while (auto completion = completions.poll()) finish(completion->user, std::move(completion->answer));  // each
//   frame
//
// Every request is answered exactly once, also one that was canceled, and also where the source is destroyed: its
// destructor answers what has not begun with kCanceled and returns after the last answer. Answers come in any order,
// and one may come before submit() returns.
// Errors are answers: kNotFound, kTruncated for a range that leaves the file, kIo, kCanceled, and what a source adds;
// Error::file is the path asked for.
// Thread safety: submit() and cancel() from any thread.
class Source {
 public:
  virtual ~Source() = default;
  virtual Ticket submit(ReadRequest request, Completions& completions) = 0;
  // The answer is not wanted any more. It is kCanceled, soon, unless it was already on its way; a ticket whose
  // answer is out is left alone.
  virtual void cancel(Ticket ticket) = 0;
};

// A read that blocks until it has the answer. It is called on several threads at once and does not throw. canceled may
// turn true meanwhile: then whatever it returns is dropped, and the sooner the better.
using BlockingRead = std::function<Result<ReadAnswer>(const ReadRequest& request, const std::atomic<bool>& canceled)>;

// A source that answers on `threads` threads of its own, in the order of submission; with 0 threads, within submit().
std::unique_ptr<Source> make_source(BlockingRead read, unsigned threads);

// The files of a folder or pack. An answer points into the mapping, and its pages have been read in.
std::unique_ptr<Source> make_source(FileTree mount, unsigned threads = 2);

// The files below a folder, read into memory of the answers' own; "" for paths as they are given. Where the kernel has
// io_uring, dozens of reads are under way at once and no thread waits for each: what a cold disk is fast with.
// Elsewhere, and in a build without liburing, the same by `threads` threads. Each request opens its file, so one that
// was replaced is read as it is now.
std::unique_ptr<Source> make_file_source(std::string folder, unsigned threads = 2);

// The range that a request asks for out of a whole file. Errors: kTruncated. For a BlockingRead.
Result<ReadAnswer> read_range(const ReadRequest& request, const Bytes& file);

}  // namespace assetc::runtime
