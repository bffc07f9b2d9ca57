// The head of an HTTP/1.1 request (RFC 9112), read from untrusted bytes.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace assetc::engine {

struct HttpRequest {
  std::string method;
  std::string path;                                          // decoded, without the query; starts with '/'
  std::string query;                                         // as sent, without '?'
  std::vector<std::pair<std::string, std::string>> headers;  // names in lower case, in order

  // The values of a header, joined with commas; nothing if it is absent.
  std::optional<std::string> header(std::string_view lower_name) const;
};

// Limits of one head.
inline constexpr std::size_t kMaxHeadBytes = 8u << 10;

// Takes the head from the front of `bytes`, if it is complete. Returns nothing while bytes are missing.
// The error is the status of the answer: "400 Bad Request", "431 Request Header Fields Too Large". A repeated header
// such as Host is an error.
std::expected<std::optional<HttpRequest>, std::string_view> take_request(std::string& bytes);

// Whether a Host names this machine, with any port: "localhost:8080".
bool is_loopback(std::string_view host);
// Whether an Origin is a page of this machine.
bool is_loopback_origin(std::string_view origin);
// Whether a comma-separated list such as "keep-alive, Upgrade" contains a word in lower case. Ignores letter case.
bool lists_word(std::string_view list, std::string_view word);

// The part of a body that a Range header asks for: [begin, end).
struct ByteRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  bool operator==(const ByteRange&) const = default;
};
// Nothing: the whole body is the answer, because the header is absent, malformed, or asks for several ranges. An empty
// range cannot be satisfied. size_bytes: of the body.
std::optional<ByteRange> range_of(const std::optional<std::string>& header, std::uint64_t size_bytes);

}  // namespace assetc::engine
