// Asynchronous reads. A streaming engine reads through a Source. Implement one to read from other places: HTTP, an
// archive, a console's file system. Code that may block can use FileTree instead.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/runtime/file_tree.hpp"

namespace assetc::runtime {

inline constexpr std::uint64_t kToEnd = std::numeric_limits<std::uint64_t>::max();

// The bytes [offset_bytes, offset_bytes + size_bytes) of a file.
struct ReadRequest {
  std::string path;  // '/'-separated and relative, as in FileTree
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = kToEnd;  // kToEnd: up to the end; 0 at offset 0: only the file's size
  std::uint64_t user = 0;             // chosen by the caller, returned in the Completion
  // With size_bytes == kToEnd: if there are more bytes than this, the answer has only the file's size. A source may
  // ignore it and return all bytes. read_range() follows it.
  std::uint64_t most_bytes = kToEnd;
};
struct ReadAnswer {
  std::uint64_t file_size_bytes = 0;  // of the whole file
  Bytes bytes;                        // the requested range; outlives the source
  // Changes when another file replaces this one. Parts of one content must have the same version. 0: unknown.
  std::uint64_t file_version = 0;
};
struct Completion {
  std::uint64_t user = 0;
  Result<ReadAnswer> answer;
};

// The queue of answers to requests. A consumer has one, which several sources may share.
// Lifetime: must outlive the requests that name it.
// Thread safety: all functions, from any thread.
class Completions {
 public:
  // Adds an answer. Called by sources. A file_size_bytes of kToEnd is changed to kToEnd - 1.
  void post(Completion completion);
  // Returns the oldest answer, or nothing if there is none yet.
  std::optional<Completion> poll();
  // Waits for the oldest answer and returns it. Requires a request without an answer; otherwise it waits forever.
  Completion wait();
  // The same, but returns nothing if there is no answer at this time.
  std::optional<Completion> wait_until(std::chrono::steady_clock::time_point time);
  // Moves all answers to `out`, which must be empty. Waits for the first one, until this time if there is one.
  void take(std::vector<Completion>& out, std::optional<std::chrono::steady_clock::time_point> until);

 private:
  Completion take_first();

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Completion> completions_;
  std::size_t first_ = 0;  // of the answers that are left
};

// Identifies a request of a source. Values are never reused.
enum class Ticket : std::uint64_t {};

// How long a manager waits for an answer, and how it repeats reads that failed with kIo: an HTTP server that is busy, a
// network share that is away for a moment. Other errors are final. An asset that waits for its next try is loading, and
// may be canceled.
struct RetryPolicy {
  unsigned retries = 0;                           // after the first try
  std::chrono::milliseconds first_delay{200};     // doubles with each retry
  std::chrono::milliseconds longest_delay{5000};  // at most a day
  // A read without an answer for this time fails with kIo and is canceled at the source; 0: never. For a source that
  // fails slow reads itself. A manager has at most about 80 reads of at most 4 MiB (or one asset) at a source.
  std::chrono::milliseconds timeout{60'000};
};

// A place to read from.
//
//   const std::unique_ptr<Source> source = make_source(mount);
//   Completions completions;
//   source->submit({.path = "models/chair.hmesh", .user = chair}, completions);
//   while (auto completion = completions.poll())  // each frame
//     finish(completion->user, std::move(completion->answer));
//
// Every request gets exactly one answer, even if it is canceled or if the source is destroyed. The destructor gives
// requests that have not started the answer kCanceled, and returns after the last answer. Answers come in any order. An
// answer may come before submit() returns.
// Errors are answers: kNotFound, kTruncated for a range that leaves the file, kIo, kCanceled, and errors of a specific
// source. Error::file is the requested path.
// Thread safety: submit() and cancel() from any thread.
class Source {
 public:
  virtual ~Source() = default;
  virtual Ticket submit(ReadRequest request, Completions& completions) = 0;
  // Cancels a request. Its answer is kCanceled, soon, unless another answer is already on its way. Does nothing if the
  // request was already answered.
  virtual void cancel(Ticket ticket) = 0;
  // Asked for every read, and after every failed read, with a lock of the manager held: it must not block. Mounting
  // neither retries nor has a timeout.
  virtual RetryPolicy retry_policy() const { return {}; }
};

// Reads and blocks until the answer is complete. Called on several threads at once. Must not throw.
// - canceled: may become true during the call. The result is then dropped, and the function should return early.
using BlockingRead = std::function<Result<ReadAnswer>(const ReadRequest& request, const std::atomic<bool>& canceled)>;

// Returns a source that answers on its own `threads` threads, in the order of submission. With 0 threads, it answers
// within submit().
std::unique_ptr<Source> make_source(BlockingRead read, unsigned threads, const RetryPolicy& retry = {});

// Returns a source for the files of a folder or pack. Answers point into the mapping; their pages are already in
// memory.
std::unique_ptr<Source> make_source(FileTree files, unsigned threads = 2);

// Returns a source for the files below a folder. Answers have their own memory. folder "": paths are used as given.
// Each request opens its file, so it reads the current version of a replaced file.
std::unique_ptr<Source> make_file_source(std::string folder, unsigned threads = 8);

// Returns the requested range of a whole file. For a BlockingRead. Errors: kTruncated.
Result<ReadAnswer> read_range(const ReadRequest& request, const Bytes& file);

}  // namespace assetc::runtime
