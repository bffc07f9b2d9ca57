#include "runtime/source/uring.hpp"

#include <liburing.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <utility>

#include "base/plural.hpp"
#include "os/file.hpp"
#include "os/thread.hpp"
#include "runtime/source/native_file.hpp"

namespace assetc::runtime {
namespace {

// Reads that the kernel has at once. Others wait in this class, where canceling them costs nothing.
constexpr unsigned kInKernel = 64;
// Linux reads at most 0x7ffff000 bytes per call.
constexpr std::uint64_t kMaxRingReadBytes = 1u << 30;
constexpr std::uint64_t kStop = 0;  // user_data of an entry that only wakes the reaper; tickets start at 1

Error error_of(const std::string& path, const os::Fault& fault) {
  if (fault.is(os::FaultKind::kNotFound) || fault.is(os::FaultKind::kNotDirectory)) return no_such_file(path);
  return {ErrorCode::kIo, path, {}, fault.text(), {}};
}
Error canceled_error(const std::string& path) { return {ErrorCode::kCanceled, path, {}, "canceled", {}}; }

class UringSource final : public Source {
 public:
  UringSource(std::string folder, const io_uring& ring) : folder_(std::move(folder)), ring_(ring) {
    reaper_ = std::thread([this] { reap(); });
  }
  ~UringSource() override {
    std::deque<Read> waiting;
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
      waiting.swap(waiting_);
      for (auto& [ticket, read] : running_) read.canceled = true;
      io_uring_sqe* const wake = io_uring_get_sqe(&ring_);  // the ring has room for more than kInKernel entries
      io_uring_prep_nop(wake);
      io_uring_sqe_set_data64(wake, kStop);
      hand_over();
    }
    for (Read& read : waiting) answer(read, std::unexpected(canceled_error(read.request.path)));
    reaper_.join();
    io_uring_queue_exit(&ring_);
  }

  Ticket submit(ReadRequest request, Completions& completions) override {
    Read read{.request = std::move(request), .completions = &completions};
    {
      // The files of waiting reads are not open, because there may be more reads than file descriptors.
      const std::scoped_lock lock(mutex_);
      if (running_.size() + waiting_.size() >= kInKernel) {
        read.ticket = ++last_ticket_;
        const Ticket ticket{read.ticket};
        waiting_.push_back(std::move(read));
        start();
        return ticket;
      }
    }
    if (auto opened = open(read); !opened) {
      answer(read, std::unexpected(std::move(opened).error()));
      return Ticket{0};
    }
    if (read.size_bytes == 0) {
      answer(read, ReadAnswer{read.file_size_bytes, {}, read.file_version});
      return Ticket{0};
    }
    const std::scoped_lock lock(mutex_);
    read.ticket = ++last_ticket_;
    const Ticket ticket{read.ticket};
    waiting_.push_back(std::move(read));
    start();
    return ticket;
  }

  void cancel(Ticket ticket) override {
    std::optional<Read> dropped;
    {
      const std::scoped_lock lock(mutex_);
      if (const auto at = running_.find(static_cast<std::uint64_t>(ticket)); at != running_.end())
        at->second.canceled = true;
      const auto found = std::ranges::find(waiting_, static_cast<std::uint64_t>(ticket), &Read::ticket);
      if (found == waiting_.end()) return;
      dropped = std::move(*found);
      waiting_.erase(found);
    }
    answer(*dropped, std::unexpected(canceled_error(dropped->request.path)));
  }

 private:
  struct Read {
    ReadRequest request;
    Completions* completions = nullptr;
    std::uint64_t ticket = 0;
    os::File file{};
    std::uint64_t file_size_bytes = 0, file_version = 0, offset_bytes = 0, size_bytes = 0;
    std::uint64_t done_bytes = 0;
    std::shared_ptr<std::byte[]> bytes{};
    bool canceled = false;
  };

  Result<void> open(Read& read) const {
    if (!folder_.empty() && !stays_below(read.request.path)) return std::unexpected(no_such_file(read.request.path));
    const std::string path = folder_ + read.request.path;
    auto file = os::File::open(path, os::File::Mode::kRead);
    if (!file) return std::unexpected(error_of(read.request.path, file.error()));
    read.file = std::move(*file);
    const auto status = read.file.status();
    if (!status || status->kind != os::FileKind::kRegular)
      return std::unexpected(Error{ErrorCode::kIo, read.request.path, {}, "not a regular file", {}});
    // Otherwise the kernel may answer EAGAIN if the pages of the file are not in memory.
    read.file.make_blocking();
    read.file_size_bytes = status->size_bytes;
    read.file_version = os::version_of(*status);
    ASSETC_TRY(const FileRange range, range_in(read.request, read.file_size_bytes));
    read.offset_bytes = range.offset_bytes;
    read.size_bytes = range.size_bytes;
    read.bytes.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(range.size_bytes)]);
    if (read.bytes) return {};
    return std::unexpected(Error{ErrorCode::kLimit,
                                 read.request.path,
                                 {},
                                 "found " + counted(range.size_bytes, "byte") + ", more than there is memory for",
                                 {}});
  }

  static void answer(Read& read, Result<ReadAnswer> result) {
    read.completions->post({read.request.user, std::move(result)});
  }

  // Submits as many reads as the kernel has room for. Requires the lock.
  void start() {
    bool any = false;
    while (running_.size() < kInKernel && !waiting_.empty()) {
      Read read = std::move(waiting_.front());
      waiting_.pop_front();
      if (!read.file) {
        const auto opened = open(read);
        if (!opened || read.size_bytes == 0) {
          answer(read, opened ? Result<ReadAnswer>(ReadAnswer{read.file_size_bytes, {}, read.file_version})
                              : std::unexpected(opened.error()));
          continue;
        }
      }
      const auto [at, added] = running_.emplace(read.ticket, std::move(read));
      prepare(at->second);
      any = true;
    }
    if (any) hand_over();
  }
  // The kernel may accept only some of the prepared entries, or none for a moment.
  void hand_over() {
    while (io_uring_sq_ready(&ring_) != 0) {
      const int taken = io_uring_submit(&ring_);
      if (taken < 0 && taken != -EINTR && taken != -EAGAIN && taken != -EBUSY) return;
      if (taken <= 0) std::this_thread::yield();
    }
  }
  void prepare(const Read& read) {
    io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
    const std::uint64_t left = std::min(read.size_bytes - read.done_bytes, kMaxRingReadBytes);
    io_uring_prep_read(entry, read.file.descriptor(), read.bytes.get() + read.done_bytes, static_cast<unsigned>(left),
                       read.offset_bytes + read.done_bytes);
    io_uring_sqe_set_data64(entry, read.ticket);
  }

  void reap() {
    os::yield_to_other_threads();
    while (true) {
      io_uring_cqe* entry = nullptr;
      if (io_uring_wait_cqe(&ring_, &entry) != 0) continue;  // interrupted by a signal
      const std::uint64_t ticket = io_uring_cqe_get_data64(entry);
      const int result = entry->res;
      io_uring_cqe_seen(&ring_, entry);
      std::optional<Read> ended;
      {
        const std::scoped_lock lock(mutex_);
        if (ticket != kStop) ended = take(ticket, result);
        if (!stopping_) start();
        if (stopping_ && running_.empty() && !ended) return;
      }
      if (!ended) continue;
      answer(*ended, outcome(*ended, result));
      const std::scoped_lock lock(mutex_);
      if (stopping_ && running_.empty()) return;
    }
  }

  // Returns the read that ended with this result, or nothing if it continues. Requires the lock.
  std::optional<Read> take(std::uint64_t ticket, int result) {
    const auto at = running_.find(ticket);
    Read& read = at->second;
    if (result > 0) read.done_bytes += static_cast<std::uint64_t>(result);
    const bool goes_on = result == -EINTR || result == -EAGAIN || (result > 0 && read.done_bytes < read.size_bytes);
    if (goes_on && !read.canceled) {
      prepare(read);
      hand_over();
      return std::nullopt;
    }
    std::optional<Read> ended = std::move(read);
    running_.erase(at);
    return ended;
  }

  static Result<ReadAnswer> outcome(Read& read, int result) {
    if (read.canceled) return std::unexpected(canceled_error(read.request.path));
    if (result < 0) return std::unexpected(error_of(read.request.path, os::Fault(-result)));
    if (read.done_bytes < read.size_bytes)
      return fail_in(read.request.path, "the file became shorter while it was read");
    const ByteSpan span(read.bytes.get(), static_cast<std::size_t>(read.size_bytes));
    return ReadAnswer{read.file_size_bytes, Bytes(std::move(read.bytes), span), read.file_version};
  }
  static std::unexpected<Error> fail_in(const std::string& path, std::string what) {
    return std::unexpected(Error{ErrorCode::kTruncated, path, {}, std::move(what), {}});
  }

  const std::string folder_;
  std::mutex mutex_;
  io_uring ring_;  // submissions require the lock; only the reaper handles completions
  std::deque<Read> waiting_;
  std::map<std::uint64_t, Read> running_;
  std::uint64_t last_ticket_ = 0;
  bool stopping_ = false;
  std::thread reaper_;
};

}  // namespace

std::unique_ptr<Source> make_uring_source(const std::string& folder) {
  io_uring ring{};
  if (io_uring_queue_init(kInKernel * 2, &ring, 0) != 0) return nullptr;
  // IORING_OP_READ exists since Linux 5.6, a little later than io_uring itself.
  io_uring_probe* const probe = io_uring_get_probe_ring(&ring);
  const bool reads = probe != nullptr && io_uring_opcode_supported(probe, IORING_OP_READ) != 0;
  if (probe != nullptr) io_uring_free_probe(probe);
  if (!reads) {
    io_uring_queue_exit(&ring);
    return nullptr;
  }
  return std::make_unique<UringSource>(folder, ring);
}

}  // namespace assetc::runtime
