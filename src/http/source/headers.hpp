// The parts of answers that this program reads itself, all from untrusted bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::http {

// The Content-Range of an answer (RFC 9110, 14.4): "bytes 0-99/1234", or "bytes */1234" with status 416.
struct ContentRange {
  std::uint64_t begin = 0, end = 0;  // [begin, end); both 0 if there is no range
  std::uint64_t total_bytes = 0;     // of the file
  bool operator==(const ContentRange&) const = default;
};
// Returns nothing for another unit, a range that is empty or leaves the file, or an unknown size.
std::optional<ContentRange> parse_content_range(std::string_view text);

// The headers of an answer that matter here.
class AnswerHeaders {
 public:
  // Takes one line, as curl gives it. A status line begins a new answer.
  void take(std::string_view line);

  // Changes when the file changes: the ETag, or else Last-Modified; empty if there is neither.
  std::string validator() const { return etag_.empty() ? modified_ : etag_; }
  const std::string& etag() const { return etag_; }
  const std::string& content_type() const { return type_; }
  std::optional<ContentRange> range() const { return parse_content_range(range_); }
  const std::string& range_text() const { return range_; }
  // Whether the body is compressed or otherwise not the bytes of the file.
  bool is_encoded() const { return !encoding_.empty() && encoding_ != "identity"; }
  const std::string& encoding() const { return encoding_; }

 private:
  std::string etag_, modified_, range_, encoding_, type_;
};

// The scheme, host and port of a URL in lower case, "https://example:8080"; nothing if it is none of http and https.
std::optional<std::string> origin_of(std::string_view url);

// Escapes the characters of a path that have a meaning in a URL. '/' stays.
std::string escape_path(std::string_view path);

// Splits a stream of server-sent events (WHATWG HTML, 9.2) into their data. Comments and fields other than "data" are
// skipped.
class EventReader {
 public:
  static constexpr std::size_t kMaxEventBytes = 64u << 20;
  // Returns the data of the events that ended in these bytes. Errors: kLimit; nothing more is read afterwards.
  Result<std::vector<std::string>> read(ByteSpan bytes);

 private:
  void end_line(std::vector<std::string>& out);
  std::string line_, data_;
  bool has_data_ = false;
  bool after_return_ = false;  // the last byte was a carriage return
};

}  // namespace assetc::http
