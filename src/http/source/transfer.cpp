#include "http/source/transfer.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "base/plural.hpp"

namespace assetc::http {
namespace {

using runtime::kToEnd;
// Memory that is reserved before bytes arrive. A server may announce anything.
constexpr std::uint64_t kMaxRoomBytes = 4u << 20;
constexpr std::uint64_t kMaxDroppedBytes = 64u << 10;  // of a body that does not matter, to keep the connection
// A transfer that lasts longer than this must have had this rate on average. Otherwise a server that sends a little
// more than the stall limit could hold a read for hours.
constexpr double kFirstSeconds = 30;
constexpr double kLeastBytesPerSecond = 4 << 10;

std::string range_text(std::uint64_t begin, std::uint64_t end) {
  return std::to_string(begin) + "-" + (end == kToEnd ? std::string() : std::to_string(end - 1));
}

}  // namespace

std::uint64_t Read::end() const {
  if (request.size_bytes == kToEnd) return kToEnd;
  return checked_add(request.offset_bytes, request.size_bytes).value_or(kToEnd);
}

void answer(Read& read, Result<runtime::ReadAnswer> result) {
  if (!result && result.error().file.empty()) result.error().file = read.request.path;
  read.completions->post({read.request.user, std::move(result)});
}
void answer_canceled(Read& read) { answer(read, fail(ErrorCode::kCanceled, "canceled")); }

Transfer::Transfer(const Server& server, CURL* easy, std::string path, std::uint64_t begin, std::uint64_t end,
                   bool is_whole, std::string known_etag)
    : server_(server),
      easy_(easy),
      path_(std::move(path)),
      begin_(begin),
      end_(end),
      is_whole_(is_whole),
      known_etag_(std::move(known_etag)) {
  if (!is_whole_) range_ = range_text(begin_, end_);
}

void Transfer::start(const std::string& url) {
  headers_ = {};
  has_begun_ = is_dropped_ = is_too_slow_ = stops_ = false;
  error_.reset();
  size_ = total_bytes_ = 0;
  expected_bytes_ = kUnknown;
  started_ = std::chrono::steady_clock::now();
  server_.prepare(easy_, url);
  server_.set(easy_, CURLOPT_PRIVATE, this);
  server_.set(easy_, CURLOPT_ERRORBUFFER, static_cast<char*>(trouble_));
  server_.set(easy_, CURLOPT_HEADERFUNCTION, &Transfer::on_header);
  server_.set(easy_, CURLOPT_HEADERDATA, this);
  server_.set(easy_, CURLOPT_WRITEFUNCTION, &Transfer::on_body);
  server_.set(easy_, CURLOPT_WRITEDATA, this);
  server_.set(easy_, CURLOPT_NOPROGRESS, 0L);
  server_.set(easy_, CURLOPT_XFERINFOFUNCTION, &Transfer::on_progress);
  server_.set(easy_, CURLOPT_XFERINFODATA, this);
  if (!range_.empty()) server_.set(easy_, CURLOPT_RANGE, range_.c_str());
  server_.curl().slist_free_all(request_headers_);
  request_headers_ = server_.headers_for(url);
  if (!known_etag_.empty())
    request_headers_ = server_.curl().slist_append(request_headers_, ("If-None-Match: " + known_etag_).c_str());
  if (request_headers_ != nullptr) server_.set(easy_, CURLOPT_HTTPHEADER, request_headers_);
}

Transfer::~Transfer() { server_.curl().slist_free_all(request_headers_); }

std::size_t Transfer::on_header(char* data, std::size_t size, std::size_t count, void* user) {
  static_cast<Transfer*>(user)->headers_.take({data, size * count});
  return size * count;
}

std::size_t Transfer::on_body(char* data, std::size_t size, std::size_t count, void* user) {
  auto& self = *static_cast<Transfer*>(user);
  self.begin_body();
  return self.add(as_bytes({data, size * count})) ? size * count : 0;
}

int Transfer::on_progress(void* user, curl_off_t, curl_off_t received, curl_off_t, curl_off_t) {
  auto& self = *static_cast<Transfer*>(user);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - self.started_).count();
  self.is_too_slow_ = seconds > kFirstSeconds + static_cast<double>(received) / kLeastBytesPerSecond;
  return self.is_too_slow_ ? 1 : 0;
}

void Transfer::fail_with(ErrorCode code, std::string what, std::string hint) {
  if (!error_) error_ = Error{code, path_, {}, std::move(what), std::move(hint)};
  outcome_ = Outcome::kFailed;
}

// Judges the answer by its status and headers.
void Transfer::begin_body() {
  if (std::exchange(has_begun_, true)) return;
  long status = 0;
  server_.curl().easy_getinfo(easy_, CURLINFO_RESPONSE_CODE, &status);
  is_dropped_ = true;
  if (status == 304 && !known_etag_.empty()) {
    outcome_ = Outcome::kUnchanged;
  } else if (status == 301 || status == 302 || status == 303 || status == 307 || status == 308) {
    char* location = nullptr;
    server_.curl().easy_getinfo(easy_, CURLINFO_REDIRECT_URL, &location);
    location_ = location == nullptr ? "" : location;
    outcome_ = Outcome::kMoved;
  } else if (status == 416 && !is_whole_) {
    const auto range = headers_.range();
    if (!range || range->end != 0 || begin_ < range->total_bytes) {
      fail_with(ErrorCode::kInvalidData, "the server answered 416 to the range " + range_ +
                                             " with the Content-Range \"" + headers_.range_text() +
                                             "\", expected \"bytes */SIZE\"");
      return;
    }
    total_bytes_ = range->total_bytes;
    outcome_ = Outcome::kPart;  // of no bytes
  } else if (status == 200 || (status == 206 && !is_whole_)) {
    if (headers_.is_encoded()) {
      fail_with(ErrorCode::kInvalidData, "the server sent the encoding \"" + headers_.encoding() + "\", expected none",
                "switch compression off for this file");
      return;
    }
    status == 206 ? begin_part() : begin_whole();
  } else {
    refuse_status(static_cast<int>(status));
  }
}

void Transfer::begin_part() {
  const auto range = headers_.range();
  const std::uint64_t expected_end = range ? std::min(end_, range->total_bytes) : 0;
  if (!range || range->begin != begin_ || range->end != expected_end) {
    fail_with(ErrorCode::kInvalidData,
              "the server sent the Content-Range \"" + headers_.range_text() + "\", expected the range " + range_);
    return;
  }
  total_bytes_ = range->total_bytes;
  outcome_ = Outcome::kPart;
  const std::uint64_t size = range->end - range->begin;
  if (end_ == kToEnd && size > most_bytes_) {
    stops_ = true;  // only the size is wanted
    return;
  }
  if (size > server_.options().max_answer_bytes) {
    return fail_with(ErrorCode::kLimit, "found " + counted(size, "byte") + ", expected at most " +
                                            std::to_string(server_.options().max_answer_bytes));
  }
  expected_bytes_ = size;
  is_dropped_ = !reserve(std::min(size, kMaxRoomBytes));
}

void Transfer::begin_whole() {
  curl_off_t length = -1;
  server_.curl().easy_getinfo(easy_, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
  outcome_ = Outcome::kWhole;
  if (length >= 0) expected_bytes_ = static_cast<std::uint64_t>(length);
  if (length > 0 && expected_bytes_ > server_.options().max_answer_bytes) {
    return fail_with(ErrorCode::kLimit,
                     "the server ignores ranges, and the file has " + counted(expected_bytes_, "byte") +
                         ", expected at most " + std::to_string(server_.options().max_answer_bytes),
                     "use a server that supports ranges");
  }
  is_dropped_ = !reserve(std::min(length > 0 ? expected_bytes_ : 0, kMaxRoomBytes));
}

void Transfer::refuse_status(int status) {
  const std::string what = "the server answered " + std::to_string(status);
  if (status == 404 || status == 410) {
    fail_with(ErrorCode::kNotFound, what);
  } else if (status == 408 || status == 429 || (status >= 500 && status != 501)) {
    fail_with(ErrorCode::kIo, what);
  } else if (status == 401 || status == 403) {
    fail_with(ErrorCode::kUnsupported, what, "check the token and the headers for this server");
  } else {
    fail_with(ErrorCode::kUnsupported, what + ", expected 200 or 206");
  }
}

bool Transfer::reserve(std::uint64_t bytes) {
  if (bytes <= capacity_) return true;
  std::shared_ptr<std::byte[]> larger(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes)]);
  if (!larger) {
    fail_with(ErrorCode::kLimit, "found " + counted(bytes, "byte") + ", more than there is memory for");
    return false;
  }
  if (size_ > 0) std::memcpy(larger.get(), body_.get(), static_cast<std::size_t>(size_));
  body_ = std::move(larger);
  capacity_ = bytes;
  return true;
}

// Returns false to end the transfer.
bool Transfer::add(ByteSpan bytes) {
  if (is_dropped_) {
    size_ += bytes.size();
    return !stops_ && size_ <= kMaxDroppedBytes;
  }
  const std::uint64_t limit = expected_bytes_ == kUnknown ? server_.options().max_answer_bytes : expected_bytes_;
  if (bytes.size() > limit - size_) {
    fail_with(expected_bytes_ == kUnknown ? ErrorCode::kLimit : ErrorCode::kInvalidData,
              "the server sent more than " + counted(limit, "byte"));
    return false;
  }
  const std::uint64_t needed = size_ + bytes.size();
  if (needed > capacity_ && !reserve(std::max(needed, std::min(limit, 2 * capacity_)))) return false;
  std::memcpy(body_.get() + size_, bytes.data(), bytes.size());
  size_ = needed;
  return true;
}

Transfer::Outcome Transfer::finish(CURLcode code) {
  if (code == CURLE_OK || has_begun_) begin_body();
  if (error_) return Outcome::kFailed;
  const bool is_settled = is_dropped_ && has_begun_;  // the headers said all
  if (code != CURLE_OK && !is_settled) {
    if (is_too_slow_) {
      fail_with(ErrorCode::kIo, "the server sent " + counted(size_, "byte") + ", which is too slow");
    } else {
      const std::string why = trouble_[0] != 0 ? trouble_ : server_.curl().easy_strerror(code);
      fail_with(ErrorCode::kIo, "cannot read from the server: " + why);
    }
    return Outcome::kFailed;
  }
  if (!is_settled && expected_bytes_ != kUnknown && size_ != expected_bytes_) {
    fail_with(ErrorCode::kIo,
              "the server sent " + counted(size_, "byte") + ", expected " + std::to_string(expected_bytes_));
    return Outcome::kFailed;
  }
  if (outcome_ == Outcome::kWhole) total_bytes_ = size_;
  return outcome_;
}

Bytes Transfer::take_body() {
  if (is_dropped_) return {};
  const ByteSpan span(body_.get(), static_cast<std::size_t>(size_));
  return {std::shared_ptr<const void>(std::move(body_)), span};
}

}  // namespace assetc::http
