#include "assetc/http/watch_events.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "http/source/headers.hpp"
#include "http/source/request.hpp"
#include "runtime/watch/watch_protocol.hpp"

namespace assetc::http {
namespace {

constexpr const char* kEventsPath = ".assetc-watch";
constexpr std::chrono::milliseconds kRetry{250};
constexpr std::chrono::milliseconds kMaxRetry{4000};
constexpr long kSilentSeconds = 45;  // the server sends something every 15 seconds

class HttpWatchEvents final : public WatchEvents {
 public:
  HttpWatchEvents(std::shared_ptr<const Server> server, std::function<void(const runtime::Changes&)> then)
      : server_(std::move(server)),
        curl_(server_->curl()),
        then_(std::move(then)),
        multi_(curl_.multi_init()),
        easy_(curl_.easy_init()) {
    thread_ = std::thread([this] { run(); });
  }
  ~HttpWatchEvents() override {
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
    }
    woken_.notify_all();
    curl_.multi_wakeup(multi_);
    thread_.join();
    curl_.easy_cleanup(easy_);
    curl_.multi_cleanup(multi_);
  }
  bool is_connected() const override { return connected_; }

 private:
  void run() {
    std::chrono::milliseconds retry = kRetry;
    while (!stopping_) {
      listen();
      retry = connected_.exchange(false) ? kRetry : std::min(2 * retry, kMaxRetry);
      std::unique_lock lock(mutex_);
      woken_.wait_for(lock, retry, [this] { return stopping_.load(); });
    }
  }

  // Returns when the connection ends.
  void listen() {
    headers_ = {};
    events_ = {};
    answered_ = false;
    const std::string url = server_->url_of(kEventsPath);
    server_->prepare(easy_, url);
    server_->set(easy_, CURLOPT_LOW_SPEED_LIMIT, 1L);
    server_->set(easy_, CURLOPT_LOW_SPEED_TIME, kSilentSeconds);
    server_->set(easy_, CURLOPT_HEADERFUNCTION, &HttpWatchEvents::on_header);
    server_->set(easy_, CURLOPT_HEADERDATA, this);
    server_->set(easy_, CURLOPT_WRITEFUNCTION, &HttpWatchEvents::on_body);
    server_->set(easy_, CURLOPT_WRITEDATA, this);
    curl_slist* const headers = curl_.slist_append(server_->headers_for(url), "Accept: text/event-stream");
    server_->set(easy_, CURLOPT_HTTPHEADER, headers);
    curl_.multi_add_handle(multi_, easy_);
    int running = 1;
    while (running != 0 && !stopping_) {
      curl_.multi_perform(multi_, &running);
      if (running != 0) curl_.multi_poll(multi_, nullptr, 0, 1000, nullptr);
    }
    int left = 0;
    bool came = false;
    while (const CURLMsg* message = curl_.multi_info_read(multi_, &left)) came = message->data.result == CURLE_OK;
    if (came && !answered_) judge();  // an answer without a body
    curl_.multi_remove_handle(multi_, easy_);
    curl_.easy_reset(easy_);
    curl_.slist_free_all(headers);
  }

  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* user) {
    static_cast<HttpWatchEvents*>(user)->headers_.take({data, size * count});
    return size * count;
  }
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user) {
    return static_cast<HttpWatchEvents*>(user)->hear(as_bytes({data, size * count})) ? size * count : 0;
  }

  // Whether the answer is a stream of events.
  bool judge() {
    long status = 0;
    curl_.easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
    if (status == 200 && headers_.content_type() == "text/event-stream") return true;
    tell_once({ErrorCode::kUnsupported,
               server_->url_of(kEventsPath),
               {},
               "the server answered " + std::to_string(status) + " with the type \"" + headers_.content_type() +
                   "\", expected 200 with text/event-stream",
               status == 401 ? "use the token that assetc serve printed" : "use the address of assetc serve"});
    return false;
  }

  bool hear(ByteSpan bytes) {
    const bool is_first = !answered_;
    if (is_first) {
      if (!judge()) return false;
      told_.reset();
      connected_ = answered_ = true;
      // Builds may have ended before this connection.
      then_({.everything = true});
    }
    const auto events = events_.read(bytes);
    if (!events) return tell_once(Error(events.error()).in(server_->url_of(kEventsPath)));
    for (const std::string& event : *events) {
      auto changes = runtime::parse_watch_line(event);
      if (!changes) return tell_once(Error(changes.error()).in(server_->url_of(kEventsPath)));
      // The greeting of a watch says the same again.
      if (*changes && !(is_first && (*changes)->everything)) then_(**changes);
    }
    return true;
  }

  // Reports an error, unless it is the one that was reported last. Returns false.
  bool tell_once(Error error) {
    std::string text = error.to_string();
    if (told_ == text) return false;
    told_ = std::move(text);
    then_({.broken = {{{}, std::move(error)}}, .leaves_broken = true});
    return false;
  }

  std::shared_ptr<const Server> server_;
  const Curl& curl_;
  const std::function<void(const runtime::Changes&)> then_;
  CURLM* multi_;
  CURL* easy_;
  AnswerHeaders headers_;
  EventReader events_;
  bool answered_ = false;
  std::optional<std::string> told_;
  std::atomic<bool> connected_ = false, stopping_ = false;
  std::mutex mutex_;
  std::condition_variable woken_;
  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<WatchEvents>> WatchEvents::open(SourceOptions options,
                                                       std::function<void(const runtime::Changes&)> then) {
  ASSETC_TRY(std::shared_ptr<const Server> server, Server::open(std::move(options)));
  return std::make_unique<HttpWatchEvents>(std::move(server), std::move(then));
}

}  // namespace assetc::http
