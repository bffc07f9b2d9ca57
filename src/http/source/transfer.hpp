// One request of a source: a range of a file, or all of it, for one or more reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "http/source/headers.hpp"
#include "http/source/request.hpp"

namespace assetc::http {

// A read that was submitted and not yet answered.
struct Read {
  runtime::ReadRequest request;
  runtime::Completions* completions = nullptr;
  std::uint64_t ticket = 0;
  std::uint64_t generation = 0;  // of the file when the read was submitted; 0: unknown
  // Past the last byte; kToEnd if it is not known yet.
  std::uint64_t end() const;
};

// Answers a read.
void answer(Read& read, Result<runtime::ReadAnswer> result);
void answer_canceled(Read& read);

class Transfer {
 public:
  enum class Outcome : std::uint8_t {
    kFailed,     // error() says why
    kPart,       // body() is [begin, begin + size) of a file of total_bytes()
    kWhole,      // body() is the whole file
    kUnchanged,  // the file still has the validator that was sent
    kMoved,      // location() has it
  };
  // begin, end: the range; end is kToEnd for the rest of the file. is_whole: request all, because the server ignores
  // ranges. known_etag: sent in If-None-Match, unless it is empty.
  Transfer(const Server& server, CURL* easy, std::string path, std::uint64_t begin, std::uint64_t end, bool is_whole,
           std::string known_etag);
  ~Transfer();
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  void start(const std::string& url);
  Outcome finish(CURLcode code);

  CURL* easy() const { return easy_; }
  const std::string& path() const { return path_; }
  std::chrono::steady_clock::time_point started() const { return started_; }
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  std::uint64_t received_bytes() const { return size_; }
  std::uint64_t total_bytes() const { return total_bytes_; }
  const AnswerHeaders& headers() const { return headers_; }
  const std::string& location() const { return location_; }
  bool may_be_moved() { return ++moves_ <= kMaxRedirects; }
  // Bytes that are still to come, if that is known.
  std::uint64_t left_bytes() const { return expected_bytes_ == kUnknown ? kUnknown : expected_bytes_ - size_; }
  // At most this many bytes of the file are wanted; if it is longer, only its size.
  void want_at_most(std::uint64_t bytes) { most_bytes_ = bytes; }

  Bytes take_body();
  Error take_error() { return std::move(*error_); }

  std::vector<Read> reads;

 private:
  static constexpr std::uint64_t kUnknown = ~0ull;
  static constexpr int kMaxRedirects = 5;
  static std::size_t on_header(char* data, std::size_t size, std::size_t count, void* user);
  static std::size_t on_body(char* data, std::size_t size, std::size_t count, void* user);
  static int on_progress(void* user, curl_off_t, curl_off_t received, curl_off_t, curl_off_t);
  void begin_body();
  void begin_part();
  void begin_whole();
  bool add(ByteSpan bytes);
  bool reserve(std::uint64_t bytes);
  void fail_with(ErrorCode code, std::string what, std::string hint = {});
  void refuse_status(int status);

  const Server& server_;
  CURL* const easy_;
  const std::string path_;
  const std::uint64_t begin_, end_;
  const bool is_whole_;
  const std::string known_etag_;
  std::uint64_t most_bytes_ = kUnknown;
  curl_slist* request_headers_ = nullptr;
  std::string range_, location_;

  AnswerHeaders headers_;
  bool has_begun_ = false;   // the answer was judged
  bool is_dropped_ = false;  // its body does not matter
  bool is_too_slow_ = false;
  bool stops_ = false;  // end it, because the rest is not needed
  std::optional<Error> error_;
  Outcome outcome_ = Outcome::kFailed;
  std::shared_ptr<std::byte[]> body_;
  std::uint64_t size_ = 0, capacity_ = 0, expected_bytes_ = kUnknown, total_bytes_ = 0;
  std::chrono::steady_clock::time_point started_;
  int moves_ = 0;
  char trouble_[CURL_ERROR_SIZE] = {};
};

}  // namespace assetc::http
