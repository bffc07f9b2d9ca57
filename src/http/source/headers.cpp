#include "http/source/headers.hpp"

#include <charconv>
#include <utility>

#include "base/ascii.hpp"
#include "base/percent.hpp"
#include "base/plural.hpp"

namespace assetc::http {
namespace {

constexpr std::size_t kMaxHeaderBytes = 1024;  // of a value; longer ones count as absent

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// Takes a number from the front of text.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}
bool take(std::string_view& text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return true;
}

}  // namespace

std::optional<ContentRange> parse_content_range(std::string_view text) {
  if (ascii_lower(text.substr(0, 6)) != "bytes ") return std::nullopt;
  text.remove_prefix(6);
  ContentRange range;
  if (!take(text, "*/")) {
    const auto first = take_number(text);
    if (!first || !take(text, "-")) return std::nullopt;
    const auto last = take_number(text);
    if (!last || *last < *first || *last == ~0ull || !take(text, "/")) return std::nullopt;
    range.begin = *first;
    range.end = *last + 1;
  }
  const auto total = take_number(text);
  if (!total || !text.empty() || range.end > *total) return std::nullopt;
  range.total_bytes = *total;
  return range;
}

void AnswerHeaders::take(std::string_view line) {
  if (line.starts_with("HTTP/")) {
    *this = {};
    return;
  }
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return;
  const std::string name = ascii_lower(line.substr(0, colon));
  const std::string_view value = trimmed(line.substr(colon + 1));
  if (value.size() > kMaxHeaderBytes) return;
  if (name == "etag") {
    etag_ = value;
  } else if (name == "last-modified") {
    modified_ = value;
  } else if (name == "content-range") {
    range_ = value;
  } else if (name == "content-encoding") {
    encoding_ = ascii_lower(value);
  } else if (name == "content-type") {
    type_ = ascii_lower(value.substr(0, value.find(';')));
  }
}

std::optional<std::string> origin_of(std::string_view url) {
  const std::size_t colon = url.find("://");
  if (colon == url.npos) return std::nullopt;
  const std::string scheme = ascii_lower(url.substr(0, colon));
  if (scheme != "http" && scheme != "https") return std::nullopt;
  std::string_view authority = url.substr(colon + 3);
  authority = authority.substr(0, authority.find_first_of("/?#\\"));
  if (authority.empty()) return std::nullopt;
  std::string origin = scheme + "://" + ascii_lower(authority);
  const std::string_view usual = scheme == "http" ? ":80" : ":443";
  if (origin.ends_with(usual)) origin.resize(origin.size() - usual.size());
  return origin;
}

std::string escape_path(std::string_view path) { return percent_encoded(path, kUnreservedAndSlash); }

Result<std::vector<std::string>> EventReader::read(ByteSpan bytes) {
  std::vector<std::string> out;
  for (const char c : as_text(bytes)) {
    const bool was_return = std::exchange(after_return_, c == '\r');
    if (c == '\n' && was_return) continue;
    if (c == '\n' || c == '\r') {
      end_line(out);
      continue;
    }
    if (line_.size() + data_.size() >= kMaxEventBytes)
      return fail(ErrorCode::kLimit, "found an event of more than " + counted(kMaxEventBytes, "byte"));
    line_ += c;
  }
  return out;
}

void EventReader::end_line(std::vector<std::string>& out) {
  if (line_.empty()) {
    if (std::exchange(has_data_, false)) out.push_back(std::exchange(data_, {}));
    return;
  }
  std::string_view value = line_;
  if (take(value, "data") && (value.empty() || take(value, ":"))) {
    take(value, " ");
    if (std::exchange(has_data_, true)) data_ += '\n';
    data_ += value;
  }
  line_.clear();
}

}  // namespace assetc::http
