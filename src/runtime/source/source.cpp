#include "assetc/runtime/source.hpp"

#include <algorithm>
#include <list>
#include <thread>
#include <utility>
#include <vector>

#include "base/plural.hpp"
#include "os/file.hpp"
#include "os/thread.hpp"
#include "runtime/source/native_file.hpp"

namespace assetc::runtime {
namespace {

class BlockingSource final : public Source {
 public:
  BlockingSource(BlockingRead read, unsigned threads, const RetryPolicy& retry)
      : read_(std::move(read)), retry_(retry) {
    for (unsigned i = 0; i < threads; ++i) threads_.emplace_back([this] { work(); });
  }
  ~BlockingSource() override {
    std::list<Job> waiting;
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
      waiting.swap(waiting_);
      for (Job& job : running_) job.canceled = true;
    }
    wake_.notify_all();
    for (const Job& job : waiting) answer_canceled(job);
    for (std::thread& thread : threads_) thread.join();
  }

  Ticket submit(ReadRequest request, Completions& completions) override {
    if (threads_.empty()) {
      Job job;
      job.request = std::move(request);
      job.completions = &completions;
      run(job);
      return Ticket{0};
    }
    const std::scoped_lock lock(mutex_);
    if (spare_.empty()) spare_.emplace_back();
    Job& job = spare_.front();
    job.request = std::move(request);
    job.completions = &completions;
    job.canceled = false;
    const Ticket ticket = job.ticket = Ticket{++last_ticket_};
    waiting_.splice(waiting_.end(), spare_, spare_.begin());
    wake_.notify_one();
    return ticket;
  }

  void cancel(Ticket ticket) override {
    std::list<Job> dropped;
    {
      const std::scoped_lock lock(mutex_);
      for (Job& job : running_) {
        if (job.ticket == ticket) job.canceled = true;
      }
      const auto found = std::ranges::find(waiting_, ticket, &Job::ticket);
      if (found == waiting_.end()) return;
      dropped.splice(dropped.end(), waiting_, found);
    }
    answer_canceled(dropped.front());
  }

  RetryPolicy retry_policy() const override { return retry_; }

 private:
  struct Job {
    ReadRequest request;
    Completions* completions = nullptr;
    Ticket ticket{};
    std::atomic<bool> canceled = false;
  };

  static void answer_canceled(const Job& job) {
    job.completions->post(
        {job.request.user, std::unexpected(Error{ErrorCode::kCanceled, job.request.path, {}, "canceled", {}})});
  }

  void run(Job& job) const {
    auto answer = read_(job.request, job.canceled);
    if (job.canceled) return answer_canceled(job);
    job.completions->post({job.request.user, std::move(answer)});
  }

  void work() {
    os::yield_to_other_threads();
    std::unique_lock lock(mutex_);
    while (true) {
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      if (stopping_) return;
      const auto job = waiting_.begin();
      running_.splice(running_.end(), waiting_, job);
      lock.unlock();
      run(*job);
      lock.lock();
      spare_.splice(spare_.begin(), running_, job);
      if (spare_.size() > kMaxSpare) spare_.pop_back();
    }
  }

  const BlockingRead read_;
  const RetryPolicy retry_;
  std::mutex mutex_;
  std::condition_variable wake_;
  static constexpr std::size_t kMaxSpare = 64;
  std::list<Job> waiting_, running_;
  std::list<Job> spare_;  // used again, so that a request allocates nothing
  std::uint64_t last_ticket_ = 0;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

// Smaller files are read, not mapped: this is faster, and a process may have only 65,530 mappings on Linux.
constexpr std::uint64_t kMapFromBytes = 16u << 10;

// Cancellation is noticed after so many bytes.
constexpr std::size_t kPieceBytes = 1u << 20;

// Answers that were taken stay in memory up to this number.
constexpr std::size_t kMostTaken = 256;

}  // namespace

void read_in(ByteSpan bytes, const std::atomic<bool>& canceled) {
  // Touching page by page takes twice as long, from the disk and from memory.
  while (!bytes.empty() && !canceled) {
    const std::size_t size = std::min(kPieceBytes, bytes.size());
    if (!os::populate(bytes.first(size))) break;
    bytes = bytes.subspan(size);
  }
  if (bytes.empty()) return;
  os::will_need(bytes);
  constexpr std::size_t kPageBytes = 4096;  // or a divisor of the page size
  for (std::size_t at = 0; at < bytes.size() && !canceled; at += std::min(kPageBytes, bytes.size() - at))
    static_cast<void>(*static_cast<const volatile std::byte*>(&bytes[at]));
}

void Completions::post(Completion completion) {
  // A source may not know the size. kToEnd would mean that the size must still be requested, so a smaller value is
  // used.
  if (completion.answer) completion.answer->file_size_bytes = std::min(completion.answer->file_size_bytes, kToEnd - 1);
  // Notified under the lock, because a consumer may destroy this object after its last answer.
  const std::scoped_lock lock(mutex_);
  completions_.push_back(std::move(completion));
  arrived_.notify_one();
}

// Requires the lock, and an answer.
Completion Completions::take_first() {
  Completion oldest = std::move(completions_[first_++]);
  if (first_ == completions_.size() || first_ == kMostTaken) {
    completions_.erase(completions_.begin(), completions_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  return oldest;
}

std::optional<Completion> Completions::poll() {
  const std::scoped_lock lock(mutex_);
  if (completions_.empty()) return std::nullopt;
  return take_first();
}

Completion Completions::wait() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return !completions_.empty(); });
  return take_first();
}

void Completions::take(std::vector<Completion>& out, std::optional<std::chrono::steady_clock::time_point> until) {
  std::unique_lock lock(mutex_);
  const auto has_some = [this] { return !completions_.empty(); };
  if (until) {
    arrived_.wait_until(lock, *until, has_some);
  } else {
    arrived_.wait(lock, has_some);
  }
  if (first_ > 0) completions_.erase(completions_.begin(), completions_.begin() + static_cast<std::ptrdiff_t>(first_));
  first_ = 0;
  out.swap(completions_);
}

std::optional<Completion> Completions::wait_until(std::chrono::steady_clock::time_point time) {
  std::unique_lock lock(mutex_);
  if (!arrived_.wait_until(lock, time, [this] { return !completions_.empty(); })) return std::nullopt;
  return take_first();
}

bool stays_below(std::string_view path) {
  while (true) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == ".." || !os::is_plain_name(part)) return false;
    if (slash == path.npos) return true;
    path.remove_prefix(slash + 1);
  }
}

Result<ReadAnswer> read_native(const std::string& folder, const ReadRequest& request,
                               const std::atomic<bool>& canceled) {
  if (!folder.empty() && !stays_below(request.path)) return std::unexpected(no_such_file(request.path));
  thread_local std::string path;  // keeps its memory
  path.assign(folder).append(request.path);
  auto file = os::map_file(path, kMapFromBytes);
  if (!file) {
    file.error().file = request.path;
    return std::unexpected(std::move(file).error());
  }
  ASSETC_TRY(ReadAnswer answer, read_range(request, file->bytes));
  answer.file_version = file->version;
  if (file->is_mapped) read_in(answer.bytes, canceled);
  return answer;
}

Result<ReadAnswer> read_copy(const std::string& folder, const ReadRequest& request, const std::atomic<bool>& canceled) {
  if (!folder.empty() && !stays_below(request.path)) return std::unexpected(no_such_file(request.path));
  const auto refused = [&](std::string what) {
    return std::unexpected(Error{ErrorCode::kIo, request.path, {}, std::move(what), {}});
  };
  const auto file = os::File::open(folder + request.path, os::File::Mode::kRead);
  if (!file) {
    const bool is_missing = file.error().is(os::FaultKind::kNotFound) || file.error().is(os::FaultKind::kNotDirectory);
    if (is_missing) return std::unexpected(no_such_file(request.path));
    return refused(file.error().text());
  }
  const auto status = file->status();
  if (!status || status->kind != os::FileKind::kRegular) return refused("not a regular file");
  ASSETC_TRY(const FileRange range, range_in(request, status->size_bytes));
  const auto size = static_cast<std::size_t>(range.size_bytes);
  const std::shared_ptr<std::byte[]> copy(new (std::nothrow) std::byte[size]);
  if (!copy) {
    return std::unexpected(Error{ErrorCode::kLimit,
                                 request.path,
                                 {},
                                 "found " + counted(range.size_bytes, "byte") + ", more than there is memory for",
                                 {}});
  }
  for (std::size_t done = 0; done < size && !canceled;) {
    const std::span<std::byte> piece(copy.get() + done, std::min(kPieceBytes, size - done));
    const auto got = file->read_at(range.offset_bytes + done, piece);
    if (!got) return refused(got.error().text());
    if (*got < piece.size()) return refused("the file became shorter while it was read");
    done += *got;
  }
  return ReadAnswer{status->size_bytes, Bytes(copy, {copy.get(), size}), os::version_of(*status)};
}

Result<Bytes> map_file(const std::string& path) {
  ASSETC_TRY(os::MappedFile file, os::map_file(path));
  return std::move(file.bytes);
}

Result<FileRange> range_in(const ReadRequest& request, std::uint64_t file_size_bytes) {
  const std::uint64_t rest = file_size_bytes - std::min(request.offset_bytes, file_size_bytes);
  if (request.size_bytes == kToEnd && rest > request.most_bytes) return FileRange{request.offset_bytes, 0};
  const std::uint64_t size_bytes = request.size_bytes == kToEnd ? rest : request.size_bytes;
  if (range_fits(request.offset_bytes, size_bytes, file_size_bytes)) return FileRange{request.offset_bytes, size_bytes};
  return std::unexpected(Error{ErrorCode::kTruncated,
                               request.path,
                               byte_place(request.offset_bytes),
                               "found " + counted(rest, "byte") + " up to the end of the file, expected " +
                                   (request.size_bytes == kToEnd ? "an offset inside it" : std::to_string(size_bytes)),
                               {}});
}

Result<ReadAnswer> read_range(const ReadRequest& request, const Bytes& file) {
  ASSETC_TRY(const FileRange range, range_in(request, file.size()));
  return ReadAnswer{file.size(), file.slice(static_cast<std::size_t>(range.offset_bytes),
                                            static_cast<std::size_t>(range.size_bytes))};
}

std::unique_ptr<Source> make_source(BlockingRead read, unsigned threads, const RetryPolicy& retry) {
  return std::make_unique<BlockingSource>(std::move(read), threads, retry);
}

std::unique_ptr<Source> make_source(FileTree files, unsigned threads) {
  return make_source(
      [files = std::move(files)](const ReadRequest& request, const std::atomic<bool>& canceled) -> Result<ReadAnswer> {
        ASSETC_TRY(const Bytes file, files.read(request.path));
        ASSETC_TRY(ReadAnswer answer, read_range(request, file));
        read_in(answer.bytes, canceled);
        return answer;
      },
      threads);
}

std::unique_ptr<Source> make_file_source(std::string folder, unsigned threads) {
  if (!folder.empty() && !folder.ends_with('/')) folder += '/';
  return make_source([folder = std::move(folder)](const ReadRequest& request, const std::atomic<bool>& canceled)
                         -> Result<ReadAnswer> { return read_copy(folder, request, canceled); },
                     threads);
}

}  // namespace assetc::runtime
