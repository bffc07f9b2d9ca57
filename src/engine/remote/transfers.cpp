#include "engine/remote/transfers.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>
#include <mutex>
#include <new>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "base/plural.hpp"
#include "crypto/sha.hpp"
#include "crypto/text.hpp"
#include "engine/remote/answers.hpp"
#include "engine/remote/listing.hpp"
#include "http/curl/curl.hpp"

namespace assetc::engine {
namespace {

using http::Curl;

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr std::size_t kMaxTransfers = 64;
constexpr std::uint64_t kMaxBytesUnderWay = 64u << 20;
// The bytes in flight are limited to what the line delivers in this time, so that answers complete one after another.
// Requests that have not started can still be dropped if their step is compiled locally first. Until an answer of at
// least kTellingBytes has shown the line's speed, the limit is kFirstBytesUnderWay.
constexpr double kAheadSeconds = 0.15;
constexpr std::uint64_t kFirstBytesUnderWay = 1u << 20;
constexpr std::size_t kMinTransfers = 2;
constexpr std::size_t kTellingBytes = 64u << 10;
constexpr int kAttempts = 3;
constexpr auto kFirstWait = 100ms;
constexpr long kConnectTimeoutMs = 3000;
// A transfer that stays below this rate for kSlowSeconds is stalled.
constexpr long kSlowestBytesPerSecond = 1024;
constexpr long kSlowSeconds = 5;
// After the first seconds, a transfer must average at least this rate, so its size bounds its duration. Otherwise a
// server that sends slightly more than the stall limit could hold a build for hours.
constexpr double kLeastBytesPerSecond = 8 << 10;
constexpr double kFirstSeconds = 10, kFirstPutSeconds = 30;
// Includes the time that the server needs to store the body. A PUT that times out is not retried.
constexpr long kSlowPutSeconds = 15;
constexpr long kMaxRedirects = 3;
// An unwanted transfer is finished if at most this much is left, because canceling it costs a new connection.
constexpr std::uint64_t kWorthFinishingBytes = 256u << 10;
// Limit for memory that is reserved before the bytes arrive.
constexpr std::uint64_t kMaxRoomBytes = 16u << 20;
// The default buffer of curl, 16 KiB, causes too many calls on a fast line.
constexpr long kReadBytes = 128u << 10;
// If at least this much is freed, wake the thread to start more transfers. Smaller amounts are noticed at the next
// answer.
constexpr std::size_t kWorthWakingBytes = 16u << 10;

// The first version that signs the headers and bodies of S3 as S3 verifies them.
constexpr unsigned kOldestForBuckets = 0x075800;

constexpr const char* kPageAdvice =
    "a proxy or a login page is in between: log in there, or exclude the server with NO_PROXY";

class CurlTransfers final : public Transfers {
 public:
  CurlTransfers(const Curl& curl, Endpoint endpoint)
      : curl_(curl),
        endpoint_(std::move(endpoint)),
        multi_(curl.multi_init()),
        knows_server_(!endpoint_.url.starts_with("https:")) {
    curl_.multi_setopt(multi_, CURLMOPT_MAX_TOTAL_CONNECTIONS, static_cast<long>(kMaxTransfers));
    curl_.multi_setopt(multi_, CURLMOPT_MAXCONNECTS, static_cast<long>(kMaxTransfers));
    // Without it, curl waits for the server's permission before it sends a body. But curl 7.88 signs this header, which
    // it does not send, and buckets answer the permission at once.
    if (endpoint_.aws.empty()) headers_ = curl_.slist_append(headers_, "Expect:");
    headers_ = curl_.slist_append(headers_, "Content-Type: application/octet-stream");
    thread_ = std::thread([this] { run(); });
  }

  ~CurlTransfers() override {
    stopping_ = true;
    curl_.multi_wakeup(multi_);
    thread_.join();
    for (auto& transfer : under_way_) curl_.multi_remove_handle(multi_, transfer->easy);
    for (auto& transfer : under_way_) curl_.easy_cleanup(transfer->easy);
    for (auto& transfer : under_way_) curl_.slist_free_all(transfer->headers);
    for (CURL* easy : idle_) curl_.easy_cleanup(easy);
    curl_.multi_cleanup(multi_);
    curl_.slist_free_all(headers_);
  }

  void send(Request request) override {
    {
      const std::lock_guard lock(mutex_);
      queue_.insert({std::move(request), next_serial_++, 0});
    }
    curl_.multi_wakeup(multi_);
  }

  void drop_queued(bool for_upload) override {
    {
      const std::lock_guard lock(mutex_);
      const auto drop = [&](const Queued& queued) {
        if (queued.request.for_upload != for_upload) return false;
        if (queued.attempts > 0) --retrying_;
        dropped_.push_back(std::move(queued.request));
        return true;
      };
      // Erasing after the move is safe: the order depends only on priority and serial, which a move does not change.
      std::erase_if(queue_, drop);
      std::erase_if(later_, [&](const auto& later) { return drop(later.second); });
    }
    curl_.multi_wakeup(multi_);
  }

  Totals totals() const override {
    const std::lock_guard lock(mutex_);
    Totals totals = totals_;
    if (retrying_ == 0) totals.retrying.clear();
    if (unanswered_since_)
      totals.unanswered_seconds = std::chrono::duration<double>(Clock::now() - *unanswered_since_).count();
    return totals;
  }

  std::vector<TransferRecord> records() const override {
    const std::lock_guard lock(mutex_);
    return records_;
  }

 private:
  struct Queued {
    mutable Request request;
    std::uint64_t serial = 0;
    int attempts = 0;
    bool operator<(const Queued& other) const {
      return request.priority != other.request.priority ? request.priority > other.request.priority
                                                        : serial > other.serial;
    }
  };
  struct Transfer {
    const Curl* curl = nullptr;
    CURL* easy = nullptr;
    curl_slist* headers = nullptr;  // of this transfer alone
    Request request;
    std::uint64_t serial = 0;
    int attempts = 0;
    ByteVector received;
    std::uint64_t* received_bytes = nullptr;  // total of all transfers
    std::uint64_t received_before = 0;        // that total when this transfer's first byte arrived
    Clock::time_point first_byte;
    std::size_t sent = 0;
    std::uint64_t bytes = 0;  // its share of bytes_under_way_
    Clock::time_point begin;
    bool too_much = false;
    bool dropped = false;
    bool too_slow = false;
    char trouble[CURL_ERROR_SIZE] = {};
    bool unwanted() const { return is_unwanted(request); }
    // Reserves memory for the Content-Length that the server announces. It is limited, because a server may announce
    // anything.
    void make_room() {
      curl_off_t length = 0;
      curl->easy_getinfo(easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
      if (length > 0)
        received.reserve(std::min({static_cast<std::uint64_t>(length), request.max_bytes, kMaxRoomBytes}));
    }
  };

  static bool is_unwanted(const Request& request) { return request.unwanted && request.unwanted(); }

  // Bytes that a request counts for before its answer is known. Most answers are far smaller than the limit.
  std::uint64_t bytes_of(const Request& request) const {
    if (request.usual_bytes >= request.max_bytes) return request.body.size() + request.max_bytes;
    return request.body.size() + std::min(request.max_bytes, std::max(request.usual_bytes, mean_bytes_));
  }

  // Whether enough bytes are in flight for now.
  bool is_ahead(const Request& next) const {
    if (next.for_upload || under_way_.size() < kMinTransfers) return false;
    const double window = bytes_per_second_ == 0 ? kFirstBytesUnderWay : bytes_per_second_ * kAheadSeconds;
    return static_cast<double>(bytes_under_way_ + bytes_of(next)) > window;
  }

  // Updates the estimates for later requests.
  void learn(const Transfer& transfer) {
    const std::size_t size = transfer.received.size();
    if (transfer.request.usual_bytes < transfer.request.max_bytes)
      mean_bytes_ = mean_bytes_ == 0 ? size : (3 * mean_bytes_ + size) / 4;
    if (size < kTellingBytes) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - transfer.first_byte).count();
    const double rate = static_cast<double>(received_bytes_ - transfer.received_before) / std::max(seconds, 1e-4);
    bytes_per_second_ = bytes_per_second_ == 0 ? rate : (bytes_per_second_ + rate) / 2;
  }

  static std::size_t receive(char* data, std::size_t size, std::size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    const std::size_t bytes = size * count;
    const std::uint64_t left = transfer.request.max_bytes - transfer.received.size();
    if (bytes > left) {
      transfer.too_much = true;
      return 0;
    }
    if (transfer.unwanted() && left > kWorthFinishingBytes) {
      transfer.dropped = true;
      return 0;
    }
    try {
      if (transfer.received.empty()) {
        transfer.make_room();
        transfer.received_before = *transfer.received_bytes;
        transfer.first_byte = Clock::now();
      }
      append_bytes(transfer.received, as_bytes({data, bytes}));
      *transfer.received_bytes += bytes;
    } catch (const std::bad_alloc&) {
      transfer.too_much = true;
      return 0;
    }
    return bytes;
  }

  // curl calls it at least once a second, even if the server sends nothing.
  static int watch_rate(void* user, curl_off_t, curl_off_t received, curl_off_t, curl_off_t sent) {
    auto& transfer = *static_cast<Transfer*>(user);
    const double seconds = std::chrono::duration<double>(Clock::now() - transfer.begin).count();
    const double first = transfer.request.method == Method::kPut ? kFirstPutSeconds : kFirstSeconds;
    transfer.too_slow = seconds > first + static_cast<double>(received + sent) / kLeastBytesPerSecond;
    return transfer.too_slow ? 1 : 0;
  }

  static std::size_t give(char* data, std::size_t size, std::size_t count, void* user) {
    auto& transfer = *static_cast<Transfer*>(user);
    const std::size_t bytes = std::min(size * count, transfer.request.body.size() - transfer.sent);
    std::memcpy(data, transfer.request.body.data() + transfer.sent, bytes);
    transfer.sent += bytes;
    return bytes;
  }

  // Rewinds the body after a redirect or a broken connection.
  static int give_again(void* user, curl_off_t offset, int origin) {
    auto& transfer = *static_cast<Transfer*>(user);
    if (origin != SEEK_SET || offset < 0 || static_cast<std::uint64_t>(offset) > transfer.request.body.size())
      return CURL_SEEKFUNC_FAIL;
    transfer.sent = static_cast<std::size_t>(offset);
    return CURL_SEEKFUNC_OK;
  }

  template <class Value>
  void set(Transfer& transfer, CURLoption option, Value value) {
    curl_.easy_setopt(transfer.easy, option, value);
  }
  void set_text(Transfer& transfer, CURLoption option, const std::string& text) {
    if (!text.empty()) curl_.easy_setopt(transfer.easy, option, text.c_str());
  }

  void set_up(Transfer& transfer) {
    const Request& request = transfer.request;
    set_text(transfer, CURLOPT_URL,
             request.url.empty() ? endpoint_.url + "/" + request.path + endpoint_.query : request.url);
    // Asks for no compression, but undoes that of a proxy.
    set(transfer, CURLOPT_ACCEPT_ENCODING, "identity");
    set(transfer, CURLOPT_PRIVATE, &transfer);
    set(transfer, CURLOPT_ERRORBUFFER, static_cast<char*>(transfer.trouble));
    set(transfer, CURLOPT_NOSIGNAL, 1L);
    set(transfer, CURLOPT_CONNECTTIMEOUT_MS, kConnectTimeoutMs);
    set(transfer, CURLOPT_LOW_SPEED_LIMIT, kSlowestBytesPerSecond);
    set(transfer, CURLOPT_LOW_SPEED_TIME, transfer.request.method == Method::kPut ? kSlowPutSeconds : kSlowSeconds);
    set(transfer, CURLOPT_NOPROGRESS, 0L);
    set(transfer, CURLOPT_XFERINFOFUNCTION, &CurlTransfers::watch_rate);
    set(transfer, CURLOPT_XFERINFODATA, &transfer);
    set(transfer, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_2TLS));
    set(transfer, CURLOPT_TCP_NODELAY, 1L);
    set(transfer, CURLOPT_BUFFERSIZE, kReadBytes);
    set(transfer, CURLOPT_PROTOCOLS_STR, "http,https");
    set(transfer, CURLOPT_REDIR_PROTOCOLS_STR, endpoint_.url.starts_with("https:") ? "https" : "http,https");
    if (!endpoint_.aws.empty()) sign(transfer);
    for (const std::string& header : request.headers) add_header(transfer, header);
    // Azure requires it to write a blob. With it, a request to a part of a blob, such as its metadata, could be taken
    // for one that writes it.
    if (endpoint_.is_container() && request.method == Method::kPut && request.url.empty())
      add_header(transfer, "x-ms-blob-type: BlockBlob");
    set(transfer, CURLOPT_HTTPHEADER, transfer.headers == nullptr ? headers_ : transfer.headers);
    if (!endpoint_.aws.empty()) {
      set_text(transfer, CURLOPT_USERNAME, endpoint_.aws.access_key);
      set_text(transfer, CURLOPT_PASSWORD, endpoint_.aws.secret_key);
    } else if (!endpoint_.bearer.empty()) {
      // Unlike a custom header, curl does not send this to another host after a redirect.
      set(transfer, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
      set_text(transfer, CURLOPT_XOAUTH2_BEARER, endpoint_.bearer);
    } else if (!endpoint_.basic.empty()) {
      set(transfer, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
      set_text(transfer, CURLOPT_USERPWD, endpoint_.basic);
    }
    set_text(transfer, CURLOPT_SSLCERT, endpoint_.certificate);
    set_text(transfer, CURLOPT_SSLKEY, endpoint_.certificate_key);
    set_text(transfer, CURLOPT_CAINFO, endpoint_.authorities);
    switch (transfer.request.method) {
      case Method::kPut:
        set(transfer, CURLOPT_UPLOAD, 1L);
        set(transfer, CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(transfer.request.body.size()));
        set(transfer, CURLOPT_READFUNCTION, &CurlTransfers::give);
        set(transfer, CURLOPT_READDATA, &transfer);
        set(transfer, CURLOPT_SEEKFUNCTION, &CurlTransfers::give_again);
        set(transfer, CURLOPT_SEEKDATA, &transfer);
        // The server's reply to a PUT is ignored, but its size must be limited.
        transfer.request.max_bytes = kWorthFinishingBytes;
        break;
      case Method::kDelete:
        set(transfer, CURLOPT_CUSTOMREQUEST, "DELETE");
        break;
      case Method::kHead:
        set(transfer, CURLOPT_NOBODY, 1L);
        [[fallthrough]];
      case Method::kGet:
        // A signature is for one host, and curl would send the session token to others.
        set(transfer, CURLOPT_FOLLOWLOCATION, endpoint_.is_bucket ? 0L : 1L);
        set(transfer, CURLOPT_MAXREDIRS, kMaxRedirects);
        break;
    }
    set(transfer, CURLOPT_WRITEFUNCTION, &CurlTransfers::receive);
    set(transfer, CURLOPT_WRITEDATA, &transfer);
  }

  // Beside the headers of all requests.
  void add_header(Transfer& transfer, const std::string& header) {
    if (transfer.headers == nullptr) {
      for (const curl_slist* one = headers_; one != nullptr; one = one->next)
        transfer.headers = curl_.slist_append(transfer.headers, one->data);
    }
    transfer.headers = curl_.slist_append(transfer.headers, header.c_str());
  }

  // The hash makes the body a part of what is signed.
  void sign(Transfer& transfer) {
    const AwsKeys& keys = endpoint_.aws;
    set_text(transfer, CURLOPT_AWS_SIGV4, "aws:amz:" + keys.region + ":s3");
    add_header(transfer, "x-amz-content-sha256: " + crypto::hex(crypto::sha256(transfer.request.body)));
    if (!keys.session_token.empty()) add_header(transfer, "x-amz-security-token: " + keys.session_token);
  }

  std::string header_of(CURL* easy, const char* name) const {
    curl_header* header = nullptr;
    const bool is_there = curl_.easy_header(easy, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK;
    return is_there ? header->value : "";
  }

  std::int64_t age_of(CURL* easy) const {
    const auto now = parse_store_time(header_of(easy, "Date"));
    const auto modified = parse_store_time(header_of(easy, "Last-Modified"));
    return now && modified ? std::max<std::int64_t>(*now - *modified, 0) : 0;
  }

  void begin(Queued queued) {
    auto transfer = std::make_unique<Transfer>();
    transfer->request = std::move(queued.request);
    transfer->serial = queued.serial;
    transfer->curl = &curl_;
    transfer->received_bytes = &received_bytes_;
    transfer->attempts = queued.attempts + 1;
    transfer->begin = Clock::now();
    transfer->bytes = bytes_of(transfer->request);
    if (idle_.empty()) {
      transfer->easy = curl_.easy_init();
    } else {
      transfer->easy = idle_.back();
      idle_.pop_back();
    }
    set_up(*transfer);
    bytes_under_way_ += transfer->bytes;
    curl_.multi_add_handle(multi_, transfer->easy);
    under_way_.push_back(std::move(transfer));
    const std::lock_guard lock(mutex_);
    if (totals_.requests == 0 && !unanswered_since_) unanswered_since_ = Clock::now();
  }

  // Starts as many requests as the limits allow, and answers those that are no longer wanted.
  void begin_some() {
    std::vector<Request> dropped;
    for (;;) {
      std::unique_lock lock(mutex_);
      std::ranges::move(dropped_, std::back_inserter(dropped));
      dropped_.clear();
      for (auto it = later_.begin(); it != later_.end();) {
        if (it->first > Clock::now()) {
          ++it;
        } else {
          queue_.insert(std::move(it->second));
          it = later_.erase(it);
        }
      }
      if (queue_.empty() || under_way_.size() >= (knows_server_ ? kMaxTransfers : 1)) break;
      const auto first = queue_.begin();
      const Request& next = first->request;
      const bool unwanted = is_unwanted(next);
      if (!unwanted && is_ahead(next)) break;
      if (!unwanted && bytes_under_way_ != 0 && bytes_under_way_ + bytes_of(next) > kMaxBytesUnderWay) break;
      Queued taken = std::move(queue_.extract(first).value());
      if (unwanted && taken.attempts > 0) --retrying_;
      lock.unlock();
      unwanted ? dropped.push_back(std::move(taken.request)) : begin(std::move(taken));
    }
    for (Request& request : dropped) request.done(unwanted_answer());
  }

  void end(CURL* easy, CURLcode code) {
    const auto at = std::ranges::find(under_way_, easy, [](const auto& t) { return t->easy; });
    const std::unique_ptr<Transfer> transfer = std::move(*at);
    under_way_.erase(at);
    bytes_under_way_ -= transfer->bytes;
    long status = 0;
    curl_.easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    const char* type = nullptr;  // belongs to the handle
    curl_.easy_getinfo(easy, CURLINFO_CONTENT_TYPE, &type);
    const bool has_page = type != nullptr && std::string_view(type).starts_with("text/html");
    RequestFailure failure;
    if (code == CURLE_OK && (status < 200 || status >= 300)) {
      std::string error = store_error({transfer->received.data(), transfer->received.size()});
      if (error.empty()) error = header_of(easy, "x-ms-error-code");  // a HEAD has no body
      if (!is_store_error(error)) error.clear();
      failure = failure_of(static_cast<int>(status), error, header_of(easy, "x-amz-bucket-region"),
                           endpoint_.is_bucket && endpoint_.aws.empty());
    }
    const std::int64_t age_s = endpoint_.is_listed() && code == CURLE_OK ? age_of(easy) : 0;
    curl_.multi_remove_handle(multi_, easy);
    curl_.easy_reset(easy);
    curl_.slist_free_all(transfer->headers);
    idle_.push_back(easy);
    {
      const std::lock_guard lock(mutex_);
      ++totals_.requests;
      unanswered_since_.reset();
      totals_.received_bytes += transfer->received.size();
      totals_.sent_bytes += transfer->sent;
    }
    if (endpoint_.records) {
      const std::lock_guard lock(mutex_);
      records_.push_back({transfer->begin, Clock::now(), transfer->request.method, transfer->request.path,
                          code == CURLE_OK ? static_cast<int>(status) : 0, transfer->received.size() + transfer->sent});
    }
    const bool came = code == CURLE_OK;
    const bool is_page = came && status == 200 && transfer->request.method != Method::kPut && has_page;
    knows_server_ = knows_server_ || came;
    const auto why_none = [&] {
      return std::string(transfer->trouble[0] != 0 ? transfer->trouble : curl_.easy_strerror(code));
    };
    if ((came ? may_pass(static_cast<int>(status)) : may_pass(code, transfer->request.method == Method::kPut)) &&
        transfer->attempts < kAttempts && !transfer->unwanted()) {
      const auto wait = kFirstWait * (1 << transfer->attempts);
      const auto chance = std::chrono::milliseconds(random_() % static_cast<unsigned>(wait.count()));
      const std::lock_guard lock(mutex_);
      if (transfer->attempts == 1) ++retrying_;
      totals_.retrying = came ? failure.trouble : why_none();
      later_.push_back(
          {Clock::now() + wait / 2 + chance / 2, {std::move(transfer->request), transfer->serial, transfer->attempts}});
      return;
    }
    if (transfer->attempts > 1) {
      const std::lock_guard lock(mutex_);
      --retrying_;
    }
    Answer answer;
    if (is_page) {
      answer.trouble = "answered with a web page";
      answer.advice = kPageAdvice;
    } else if (came) {
      answer.status = static_cast<int>(status);
      answer.age_s = age_s;
      if (answer.ok() && transfer->request.method == Method::kGet) {
        learn(*transfer);
        answer.body = Bytes(std::move(transfer->received));
        answer.held = held(answer.body.size());
      }
      answer.trouble = std::move(failure.trouble);
      answer.advice = std::move(failure.advice);
      answer.refused = failure.refused;
    } else if (transfer->too_much) {
      answer.trouble = "sent more than " + counted(transfer->request.max_bytes, "byte");
    } else if (transfer->too_slow) {
      answer.trouble = "sent " + counted(transfer->received.size(), "byte") + " in " +
                       std::to_string(std::chrono::ceil<std::chrono::seconds>(Clock::now() - transfer->begin).count()) +
                       " s, which is too slow";
    } else if (transfer->dropped) {
      answer = unwanted_answer();
    } else {
      answer.trouble = why_none();
      answer.advice = advice_on(code, answer.trouble);
    }
    transfer->request.done(std::move(answer));
  }

  static Answer unwanted_answer() {
    Answer answer;
    answer.trouble = "is no longer wanted";
    answer.dropped = true;
    return answer;
  }

  std::shared_ptr<const void> held(std::size_t bytes) {
    bytes_under_way_ += bytes;
    return {this, [this, bytes](const void*) {
              bytes_under_way_ -= bytes;
              if (bytes >= kWorthWakingBytes) curl_.multi_wakeup(multi_);
            }};
  }

  // Maximum time to sleep.
  int wait_ms() {
    const std::lock_guard lock(mutex_);
    auto wait = std::chrono::milliseconds(1000);
    for (const auto& [at, queued] : later_)
      wait = std::min(wait, std::chrono::ceil<std::chrono::milliseconds>(at - Clock::now()));
    return static_cast<int>(std::max(wait, 0ms).count());
  }

  void run() {
    while (!stopping_) {
      begin_some();
      int running = 0;
      curl_.multi_perform(multi_, &running);
      int left = 0;
      bool ended = false;
      while (CURLMsg* message = curl_.multi_info_read(multi_, &left)) {
        if (message->msg != CURLMSG_DONE) continue;
        ended = true;
        end(message->easy_handle, message->data.result);
      }
      if (!ended) curl_.multi_poll(multi_, nullptr, 0, wait_ms(), nullptr);
    }
  }

  const Curl& curl_;
  const Endpoint endpoint_;
  CURLM* multi_;
  curl_slist* headers_ = nullptr;
  std::atomic<bool> stopping_ = false;

  // Members below are used only on the background thread.
  std::vector<std::unique_ptr<Transfer>> under_way_;
  std::vector<CURL*> idle_;
  std::uint64_t received_bytes_ = 0;                // total of all transfers
  std::uint64_t mean_bytes_ = 0;                    // mean size of answers whose size was not known in advance
  double bytes_per_second_ = 0;                     // latest estimate; 0: unknown
  std::atomic<std::uint64_t> bytes_under_way_ = 0;  // includes answers that callers still hold
  // The first request runs alone: over HTTP/2, the others can then share its connection instead of opening one each.
  bool knows_server_;
  std::minstd_rand random_{std::random_device{}()};

  mutable std::mutex mutex_;  // guards the members below
  std::set<Queued> queue_;
  std::vector<std::pair<Clock::time_point, Queued>> later_;
  std::vector<Request> dropped_;
  std::uint64_t next_serial_ = 0;
  Totals totals_;
  std::optional<Clock::time_point> unanswered_since_;  // start of the first request, until any request ends
  std::size_t retrying_ = 0;                           // requests that failed at least once and are not yet answered
  std::vector<TransferRecord> records_;

  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Transfers>> Transfers::open(Endpoint endpoint) {
  ASSETC_TRY(const http::Curl* const curl, http::Curl::load());
  if (!endpoint.aws.empty() && curl->version < kOldestForBuckets)
    return fail(ErrorCode::kUnsupported, "the installed libcurl is older than 7.88, which signs requests to buckets",
                "install a newer one");
  return std::make_unique<CurlTransfers>(*curl, std::move(endpoint));
}

}  // namespace assetc::engine
