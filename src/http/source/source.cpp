#include "assetc/http/source.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>

#include "assetc/base/hash.hpp"
#include "base/plural.hpp"
#include "http/source/range_cache.hpp"
#include "http/source/request.hpp"
#include "http/source/transfer.hpp"
#include "runtime/source/native_file.hpp"

namespace assetc::http {
namespace {

using Clock = std::chrono::steady_clock;
using runtime::Completions;
using runtime::FileRange;
using runtime::kToEnd;
using runtime::ReadAnswer;
using runtime::ReadRequest;
using runtime::Ticket;

// A request for the size of a file asks for this much, because its beginning is read next.
constexpr std::uint64_t kFirstBytes = 16u << 10;
// A request that nobody waits for is finished if at most this much is left. Canceling it costs a new connection.
constexpr std::uint64_t kWorthFinishingBytes = 256u << 10;

// A file of the server, as far as it is known.
struct File {
  RangeCache::FileId id = 0;
  std::string path;
  bool is_known = false;        // the members below are those of an answer
  bool ignores_ranges = false;  // the server sends the whole file
  std::string validator, etag;
  std::uint64_t version = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t generation = 0;  // counts the versions that were seen; 0: none
  Clock::time_point confirmed;   // when the request began whose answer confirmed this version
  Clock::time_point changed;     // answers to requests that began before it do not confirm

  std::map<std::uint64_t, Read> waiting;                        // by ticket
  std::set<std::pair<std::uint64_t, std::uint64_t>> by_offset;  // offset and ticket
  std::uint64_t queued_as = 0;                                  // its key in the queue; 0: not in it
  std::vector<Transfer*> transfers;
  bool is_blocked() const { return !transfers.empty() && (!is_known || ignores_ranges); }
};

class HttpSource final : public Source {
 public:
  explicit HttpSource(std::shared_ptr<const Server> server)
      : server_(std::move(server)),
        curl_(server_->curl()),
        options_(server_->options()),
        multi_(curl_.multi_init()),
        cache_(options_.cache_bytes) {
    curl_.multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, static_cast<long>(options_.requests));
    curl_.multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(options_.requests));
    thread_ = std::thread([this] { run(); });
  }
  ~HttpSource() override {
    stopping_ = true;
    curl_.multi_wakeup(multi_);
    thread_.join();
    for (const auto& transfer : transfers_) {
      curl_.multi_remove_handle(multi_, transfer->easy());
      curl_.easy_cleanup(transfer->easy());
      for (Read& read : transfer->reads) answer_canceled(read);
    }
    for (CURL* easy : idle_) curl_.easy_cleanup(easy);
    curl_.multi_cleanup(multi_);
    for (auto& [path, file] : files_) {
      for (auto& [ticket, read] : file.waiting) answer_canceled(read);
    }
    for (Read& read : arrived_) answer_canceled(read);
  }

  Ticket submit(ReadRequest request, Completions& completions) override {
    Read read{std::move(request), &completions};
    if (!runtime::stays_below(read.request.path)) {
      ++reads_;
      answer(read, std::unexpected(runtime::no_such_file(read.request.path)));
      return Ticket{0};
    }
    std::uint64_t ticket = 0;
    {
      const std::scoped_lock lock(mutex_);
      ticket = read.ticket = ++last_ticket_;
      arrived_.push_back(std::move(read));
    }
    curl_.multi_wakeup(multi_);
    return Ticket{ticket};
  }
  void cancel(Ticket ticket) override {
    {
      const std::scoped_lock lock(mutex_);
      canceled_.push_back(static_cast<std::uint64_t>(ticket));
    }
    curl_.multi_wakeup(multi_);
  }
  void changed(const runtime::Changes& changes) override {
    {
      const std::scoped_lock lock(mutex_);
      all_changed_ |= changes.everything;
      changed_.insert(changed_.end(), changes.written.begin(), changes.written.end());
      changed_.insert(changed_.end(), changes.removed.begin(), changes.removed.end());
    }
    curl_.multi_wakeup(multi_);
  }
  runtime::RetryPolicy retry_policy() const override {
    runtime::RetryPolicy policy = options_.retry;
    policy.timeout = {};  // requests have timeouts of their own, and reads wait for others
    return policy;
  }
  SourceStats stats() const override { return {reads_, requests_, received_bytes_, cached_reads_}; }

 private:
  void run() {
    while (!stopping_) {
      take_orders();
      begin_some();
      int running = 0, left = 0;
      curl_.multi_perform(multi_, &running);
      bool ended = false;
      while (CURLMsg* message = curl_.multi_info_read(multi_, &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        ended = true;
        end(message->easy_handle, message->data.result);
      }
      if (!ended) curl_.multi_poll(multi_, nullptr, 0, 1000, nullptr);
    }
  }

  // Takes the reads, cancellations and changes of other threads.
  void take_orders() {
    std::vector<Read> arrived;
    std::vector<std::uint64_t> canceled;
    std::vector<std::string> changed;
    bool all_changed = false;
    {
      const std::scoped_lock lock(mutex_);
      arrived.swap(arrived_);
      canceled.swap(canceled_);
      changed.swap(changed_);
      all_changed = std::exchange(all_changed_, false);
    }
    if (all_changed) {
      for (auto& [path, file] : files_) file.changed = Clock::now();
    }
    for (const std::string& path : changed) {
      if (const auto found = files_.find(path); found != files_.end()) found->second.changed = Clock::now();
    }
    for (Read& read : arrived) {
      File& file = file_of(read.request.path);
      read.generation = file.generation;
      if (!serve(file, read)) wait(file, std::move(read));
    }
    for (const std::uint64_t ticket : canceled) drop(ticket);
  }

  File& file_of(const std::string& path) {
    const auto [at, is_new] = files_.try_emplace(path);
    if (is_new) {
      at->second.id = static_cast<RangeCache::FileId>(files_.size());
      at->second.path = path;
    }
    return at->second;
  }

  void wait(File& file, Read read) {
    const std::uint64_t ticket = read.ticket;
    file_of_ticket_[ticket] = &file;
    file.by_offset.emplace(read.request.offset_bytes, ticket);
    file.waiting.emplace(ticket, std::move(read));
    queue(file);
  }
  Read take_waiting(File& file, std::uint64_t ticket) {
    Read read = std::move(file.waiting.extract(ticket).mapped());
    file.by_offset.erase({read.request.offset_bytes, ticket});
    file_of_ticket_.erase(ticket);
    queue(file);
    return read;
  }
  // Puts the file at its place in the queue, or removes it.
  void queue(File& file) {
    const std::uint64_t key = file.waiting.empty() || file.is_blocked() ? 0 : file.waiting.begin()->first;
    if (key == file.queued_as) return;
    if (file.queued_as != 0) queue_.erase(file.queued_as);
    if (key != 0) queue_.emplace(key, &file);
    file.queued_as = key;
  }

  void drop(std::uint64_t ticket) {
    if (const auto found = file_of_ticket_.find(ticket); found != file_of_ticket_.end()) {
      Read read = take_waiting(*found->second, ticket);
      ++reads_;
      return answer_canceled(read);
    }
    for (const auto& transfer : transfers_) {
      const auto at = std::ranges::find(transfer->reads, ticket, &Read::ticket);
      if (at == transfer->reads.end()) continue;
      ++reads_;
      answer_canceled(*at);
      transfer->reads.erase(at);
      if (!transfer->reads.empty() || transfer->left_bytes() <= kWorthFinishingBytes) return;
      File& file = file_of(transfer->path());
      // Without reuse: the connection has bytes of the old answer.
      curl_.multi_remove_handle(multi_, transfer->easy());
      recycle(transfer->easy());
      forget(file, *transfer);
      return;
    }
  }

  bool is_fresh(const File& file) const {
    return file.confirmed > file.changed && Clock::now() - file.confirmed <= options_.fresh_for;
  }
  // Whether the read belongs to an earlier version of the file. Parts of two versions must not be mixed.
  static bool is_outdated(const File& file, const Read& read) {
    return read.request.offset_bytes != 0 && read.generation != 0 && read.generation != file.generation;
  }
  static Error changed_error(const File& file, std::string found) {
    return {ErrorCode::kConflict, file.path, {}, "the file changed on the server" + std::move(found), "mount it again"};
  }

  // Answers a read from memory, if it can.
  bool serve(const File& file, Read& read) {
    if (!file.is_known || (read.request.offset_bytes == 0 && !is_fresh(file))) return false;
    return answer_from_cache(file, read);
  }
  static Result<FileRange> range_of(const File& file, const Read& read) {
    if (is_outdated(file, read)) return std::unexpected(changed_error(file, {}));
    return runtime::range_in(read.request, file.size_bytes);
  }
  bool answer_from_cache(const File& file, Read& read) {
    const Result<FileRange> range = range_of(file, read);
    if (!range) {
      answer_with(read, std::unexpected(range.error()));
      return true;
    }
    std::optional<Bytes> bytes =
        range->size_bytes == 0 ? Bytes() : cache_.find(file.id, range->offset_bytes, range->size_bytes);
    if (!bytes) return false;
    ++cached_reads_;
    answer_with(read, ReadAnswer{file.size_bytes, std::move(*bytes), file.version});
    return true;
  }
  void answer_with(Read& read, Result<ReadAnswer> result) {
    ++reads_;
    answer(read, std::move(result));
  }

  void begin_some() {
    while (!queue_.empty() && transfers_.size() < options_.requests) begin(*queue_.begin()->second);
  }

  // Starts a request for the oldest read of a file and its neighbors.
  void begin(File& file) {
    Read first = take_waiting(file, file.waiting.begin()->first);
    if (serve(file, first)) return;
    // Bytes that are on their way already.
    for (Transfer* transfer : file.transfers) {
      if (transfer->begin() > first.request.offset_bytes || end_of(file, first) > transfer->end()) continue;
      if (first.request.offset_bytes == 0 && transfer->started() <= file.changed) continue;
      transfer->reads.push_back(std::move(first));
      return;
    }
    std::uint64_t begin = first.request.offset_bytes, end = end_of(file, first);
    std::vector<Read> reads;
    if (file.ignores_ranges) {
      begin = 0;
      end = kToEnd;
      while (!file.waiting.empty()) reads.push_back(take_waiting(file, file.waiting.begin()->first));
    } else if (end != kToEnd) {
      join(file, begin, end, reads);
    }
    // Only a copy that is complete can be confirmed instead of sent again.
    const bool can_confirm = begin == 0 && file.is_known && !file.etag.empty() && end != kToEnd && reads.empty() &&
                             cache_.find(file.id, 0, std::min(end, file.size_bytes)).has_value();
    CURL* easy = idle_.empty() ? curl_.easy_init() : idle_.back();
    if (!idle_.empty()) idle_.pop_back();
    auto transfer = std::make_unique<Transfer>(*server_, easy, file.path, begin, end, file.ignores_ranges,
                                               can_confirm ? file.etag : std::string());
    if (reads.empty()) transfer->want_at_most(first.request.most_bytes);
    transfer->reads = std::move(reads);
    transfer->reads.push_back(std::move(first));
    transfer->start(server_->url_of(file.path));
    curl_.multi_add_handle(multi_, easy);
    file.transfers.push_back(transfer.get());
    transfers_.push_back(std::move(transfer));
    queue(file);
  }

  // The end of the range to request for a read.
  static std::uint64_t end_of(const File& file, const Read& read) {
    const std::uint64_t offset = read.request.offset_bytes;
    if (read.request.size_bytes == 0) return offset > kToEnd - kFirstBytes ? kToEnd : offset + kFirstBytes;
    if (read.request.size_bytes == kToEnd && file.is_known && offset < file.size_bytes) return file.size_bytes;
    return read.end();
  }

  // Adds the waiting reads beside [begin, end) that are close to it, and extends the range.
  void join(File& file, std::uint64_t& begin, std::uint64_t& end, std::vector<Read>& reads) {
    const auto try_join = [&](std::uint64_t ticket) {
      const Read& next = file.waiting.at(ticket);
      const std::uint64_t next_begin = next.request.offset_bytes, next_end = end_of(file, next);
      const std::uint64_t behind = std::max(begin, next_begin), before = std::min(end, next_end);
      if (next_end == kToEnd || (behind > before && behind - before > options_.join_gap_bytes) ||
          std::max(end, next_end) - std::min(begin, next_begin) > options_.max_joined_bytes)
        return false;
      // A read at offset 0 may find a new version, which must not answer reads of the old one.
      if (file.is_known && (next_begin == 0) != (begin == 0)) return false;
      begin = std::min(begin, next_begin);
      end = std::max(end, next_end);
      reads.push_back(take_waiting(file, ticket));
      return true;
    };
    // Those that were joined are no longer in by_offset.
    const std::uint64_t first = begin;
    for (auto at = file.by_offset.lower_bound({first, 0}); at != file.by_offset.end() && try_join(at->second);)
      at = file.by_offset.lower_bound({first, 0});
    for (auto at = file.by_offset.lower_bound({first, 0});
         at != file.by_offset.begin() && try_join(std::prev(at)->second);)
      at = file.by_offset.lower_bound({first, 0});
  }

  void recycle(CURL* easy) {
    curl_.easy_reset(easy);
    idle_.push_back(easy);
  }
  void forget(File& file, const Transfer& transfer) {
    std::erase(file.transfers, &transfer);
    std::erase_if(transfers_, [&](const auto& one) { return one.get() == &transfer; });
    queue(file);
  }

  void end(CURL* easy, CURLcode code) {
    Transfer& transfer = **std::ranges::find(transfers_, easy, [](const auto& one) { return one->easy(); });
    File& file = file_of(transfer.path());
    const Transfer::Outcome outcome = transfer.finish(code);
    ++requests_;
    received_bytes_ += transfer.received_bytes();
    curl_.multi_remove_handle(multi_, easy);
    if (outcome == Transfer::Outcome::kMoved && server_->allows(transfer.location()) && transfer.may_be_moved()) {
      curl_.easy_reset(easy);
      const std::string url = transfer.location();
      transfer.start(url);
      curl_.multi_add_handle(multi_, easy);
      return;
    }
    std::vector<Read> reads = std::move(transfer.reads);
    settle(file, transfer, outcome, reads);
    recycle(easy);
    forget(file, transfer);
  }

  void settle(File& file, Transfer& transfer, Transfer::Outcome outcome, std::vector<Read>& reads) {
    switch (outcome) {
      case Transfer::Outcome::kFailed:
        return fail_all(reads, transfer.take_error());
      case Transfer::Outcome::kMoved:
        return fail_all(reads,
                        {ErrorCode::kUnsupported,
                         file.path,
                         {},
                         "the server redirects to \"" + transfer.location() + "\", expected an address of itself",
                         "use the other address, or follows_elsewhere"});
      case Transfer::Outcome::kUnchanged:
        file.confirmed = transfer.started();
        for (Read& read : reads) {
          if (!answer_from_cache(file, read)) wait(file, std::move(read));
        }
        return;
      case Transfer::Outcome::kPart:
      case Transfer::Outcome::kWhole:
        break;
    }
    const bool is_whole = outcome == Transfer::Outcome::kWhole;
    const std::uint64_t before = file.generation;
    if (auto changed = identify(file, transfer, is_whole)) return fail_all(reads, *changed);
    if (file.generation != before) cache_.forget(file.id);
    const std::uint64_t begin = is_whole ? 0 : transfer.begin();
    const Bytes body = transfer.take_body();
    cache_.insert(file.id, begin, body);
    for (Read& read : reads) settle(file, begin, body, read);
    if (!is_whole) return;
    std::vector<Read> waiting;
    while (!file.waiting.empty()) waiting.push_back(take_waiting(file, file.waiting.begin()->first));
    for (Read& read : waiting) {
      if (!serve(file, read)) wait(file, std::move(read));
    }
  }

  // Answers a read from a body that begins at this offset of the file, or lets it wait for another request.
  void settle(File& file, std::uint64_t begin, const Bytes& body, Read& read) {
    const Result<FileRange> range = range_of(file, read);
    if (!range) return answer_with(read, std::unexpected(range.error()));
    if (range->size_bytes == 0) return answer_with(read, ReadAnswer{file.size_bytes, {}, file.version});
    if (range->offset_bytes < begin || !range_fits(range->offset_bytes - begin, range->size_bytes, body.size()))
      return wait(file, std::move(read));
    answer_with(
        read, ReadAnswer{file.size_bytes, part_of(body, range->offset_bytes - begin, range->size_bytes), file.version});
  }

  // Compares the version of an answer with that of earlier ones. A request from the beginning of the file may find a
  // new version. Returns the error of another request that finds one.
  static std::optional<Error> identify(File& file, const Transfer& transfer, bool is_whole) {
    const AnswerHeaders& headers = transfer.headers();
    // An answer without a range may lack the headers of the file.
    const bool is_empty = !is_whole && headers.range() && headers.range()->end == 0;
    const std::string validator = is_empty && file.is_known ? file.validator : headers.validator();
    const bool is_same = file.is_known && file.validator == validator && file.size_bytes == transfer.total_bytes();
    const bool is_from_start = is_whole || transfer.begin() == 0;
    if (file.is_known && !is_same && !is_from_start) {
      const auto text = [](const std::string& tag, std::uint64_t size) {
        return (tag.empty() ? std::string() : tag + " with ") + counted(size, "byte");
      };
      return changed_error(file, ": found " + text(validator, transfer.total_bytes()) + ", expected " +
                                     text(file.validator, file.size_bytes));
    }
    if (!is_same) {
      ++file.generation;
      file.is_known = true;
      file.validator = validator;
      file.etag = headers.etag();
      file.size_bytes = transfer.total_bytes();
      file.version = validator.empty() ? 0 : std::max<std::uint64_t>(1, fnv1a64_lower(validator) ^ file.size_bytes);
    }
    file.ignores_ranges = is_whole;
    if (is_from_start) file.confirmed = transfer.started();
    return std::nullopt;
  }

  void fail_all(std::vector<Read>& reads, const Error& error) {
    for (Read& read : reads) answer_with(read, std::unexpected(error));
  }

  std::shared_ptr<const Server> server_;
  const Curl& curl_;
  const SourceOptions& options_;
  CURLM* multi_;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint64_t> reads_ = 0, requests_ = 0, received_bytes_ = 0, cached_reads_ = 0;

  // Members below are used only on the thread of this source, and by the destructor after it.
  RangeCache cache_;
  std::unordered_map<std::string, File> files_;
  std::unordered_map<std::uint64_t, File*> file_of_ticket_;  // of waiting reads
  std::map<std::uint64_t, File*> queue_;                     // files that may begin a request, by their oldest read
  std::vector<std::unique_ptr<Transfer>> transfers_;
  std::vector<CURL*> idle_;

  std::mutex mutex_;  // guards the members below
  std::vector<Read> arrived_;
  std::vector<std::uint64_t> canceled_;
  std::vector<std::string> changed_;
  bool all_changed_ = false;
  std::uint64_t last_ticket_ = 0;

  std::thread thread_;
};

}  // namespace

Result<std::shared_ptr<Source>> Source::open(SourceOptions options) {
  ASSETC_TRY(std::shared_ptr<const Server> server, Server::open(std::move(options)));
  return std::make_shared<HttpSource>(std::move(server));
}

}  // namespace assetc::http
