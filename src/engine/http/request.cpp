#include "engine/http/request.hpp"

#include <algorithm>
#include <charconv>

#include "base/ascii.hpp"

namespace assetc::engine {
namespace {

// Headers whose repetition is refused: a proxy could read another one.
constexpr std::string_view kSingle[] = {
    "host",          "origin", "content-length",        "transfer-encoding", "upgrade",
    "authorization", "range",  "sec-websocket-version", "sec-websocket-key"};
constexpr std::string_view kBadRequest = "400 Bad Request";

int digit_of(char c) {
  const char lower = ascii_lower(c);
  return is_digit(c) ? c - '0' : lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

// Decodes %XX. Nothing for a malformed or a zero byte.
std::optional<std::string> decode(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size() || digit_of(text[i + 1]) < 0 || digit_of(text[i + 2]) < 0) return std::nullopt;
    out += static_cast<char>(digit_of(text[i + 1]) * 16 + digit_of(text[i + 2]));
    i += 2;
  }
  if (out.find('\0') != out.npos) return std::nullopt;
  return out;
}

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127 && c != ':'; });
}

// "GET /a%20b?c HTTP/1.1"
bool read_line(std::string_view line, HttpRequest& request) {
  const std::size_t first = line.find(' '), last = line.rfind(' ');
  if (first == line.npos || last <= first || line.substr(last + 1) != "HTTP/1.1") return false;
  request.method = line.substr(0, first);
  const std::string_view target = line.substr(first + 1, last - first - 1);
  if (!is_token(request.method) || !target.starts_with('/') || target.find(' ') != target.npos) return false;
  const std::size_t question = std::min(target.find('?'), target.size());
  request.query = target.substr(std::min(question + 1, target.size()));
  const auto path = decode(target.substr(0, question));
  if (path) request.path = *path;
  return path.has_value();
}

bool read_header(std::string_view field, HttpRequest& request) {
  const std::size_t colon = field.find(':');
  if (colon == field.npos || !is_token(field.substr(0, colon))) return false;
  std::string name = ascii_lower(field.substr(0, colon));
  if (std::ranges::find(kSingle, name) != std::end(kSingle) && request.header(name)) return false;
  request.headers.emplace_back(std::move(name), trimmed(field.substr(colon + 1)));
  return true;
}

std::optional<std::uint64_t> number_of(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::string> HttpRequest::header(std::string_view lower_name) const {
  std::optional<std::string> found;
  for (const auto& [name, value] : headers)
    if (name == lower_name) found = found ? *found + "," + value : value;
  return found;
}

std::expected<std::optional<HttpRequest>, std::string_view> take_request(std::string& bytes) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (std::min(end, bytes.size()) > kMaxHeadBytes) return std::unexpected("431 Request Header Fields Too Large");
  if (end == std::string::npos) return std::nullopt;
  const std::string head = bytes.substr(0, end + 2);
  bytes.erase(0, end + 4);
  HttpRequest request;
  std::size_t at = head.find("\r\n");
  if (!read_line(std::string_view(head).substr(0, at), request)) return std::unexpected(kBadRequest);
  for (at += 2; at < head.size();) {
    const std::size_t next = head.find("\r\n", at);
    if (!read_header(std::string_view(head).substr(at, next - at), request)) return std::unexpected(kBadRequest);
    at = next + 2;
  }
  return request;
}

bool is_loopback(std::string_view host) {
  const std::size_t end = host.starts_with('[') ? host.find(']') + 1 : std::min(host.find(':'), host.size());
  const std::string_view port = host.substr(end);
  const bool has_port = port.size() > 1 && port.starts_with(':') && std::ranges::all_of(port.substr(1), is_digit);
  const std::string name = ascii_lower(host.substr(0, end));
  return (port.empty() || has_port) && (name == "localhost" || name == "127.0.0.1" || name == "[::1]");
}

bool is_loopback_origin(std::string_view origin) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (origin.starts_with(scheme)) return is_loopback(origin.substr(scheme.size()));
  }
  return false;
}

bool lists_word(std::string_view list, std::string_view word) {
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    if (ascii_lower(trimmed(list.substr(0, comma))) == word) return true;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return false;
}

std::optional<ByteRange> range_of(const std::optional<std::string>& header, std::uint64_t size_bytes) {
  constexpr std::string_view kUnit = "bytes=";
  if (!header || !header->starts_with(kUnit)) return std::nullopt;
  const std::string_view range = std::string_view(*header).substr(kUnit.size());
  const std::size_t dash = range.find('-');
  if (dash == range.npos || range.find(',') != range.npos) return std::nullopt;
  const auto last = number_of(range.substr(dash + 1));
  if (dash == 0) {  // the last bytes
    if (!last) return std::nullopt;
    return ByteRange{size_bytes - std::min(*last, size_bytes), size_bytes};
  }
  const auto first = number_of(range.substr(0, dash));
  if (!first || (!last && dash + 1 != range.size()) || (last && *last < *first)) return std::nullopt;
  if (*first >= size_bytes) return ByteRange{};
  return ByteRange{*first, last ? std::min(*last, size_bytes - 1) + 1 : size_bytes};
}

}  // namespace assetc::engine
