#include "runtime/mount/json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/text_place.hpp"
#include "formats/message.hpp"
#include "formats/text.hpp"

namespace assetc::runtime {
namespace {

void append_utf8(std::string& out, unsigned point) {
  const auto byte = [&](unsigned value) { out += static_cast<char>(value); };
  if (point < 0x80) {
    byte(point);
  } else if (point < 0x800) {
    byte(0xc0 | point >> 6);
    byte(0x80 | (point & 63));
  } else if (point < 0x10000) {
    byte(0xe0 | point >> 12);
    byte(0x80 | (point >> 6 & 63));
    byte(0x80 | (point & 63));
  } else {
    byte(0xf0 | point >> 18);
    byte(0x80 | (point >> 12 & 63));
    byte(0x80 | (point >> 6 & 63));
    byte(0x80 | (point & 63));
  }
}

}  // namespace

std::unexpected<Error> JsonReader::wrong(std::string what) const {
  return fail_at(ErrorCode::kInvalidData, text_place(text_, at_), std::move(what), "cook again");
}

void JsonReader::blanks() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
    ++at_;
}

Result<void> JsonReader::expect(char c) {
  blanks();
  if (at_ == text_.size()) return wrong(formats::message("found the end, expected '", c, "'"));
  if (text_[at_] != c)
    return wrong(formats::message("found ", formats::quote(text_.substr(at_, 1)), ", expected '", c, "'"));
  ++at_;
  return {};
}

Result<void> JsonReader::open(char c) {
  ASSETC_CHECK(expect(c));
  if (++depth_ > kMaxDepth)
    return fail_at(ErrorCode::kLimit, text_place(text_, at_),
                   formats::message("found more than ", kMaxDepth, " nested values"));
  return {};
}

Result<bool> JsonReader::next(char closing, bool first) {
  blanks();
  if (at_ < text_.size() && text_[at_] == closing) {
    ++at_;
    return false;
  }
  if (!first) ASSETC_CHECK(expect(','));
  return true;
}

bool JsonReader::at_string() {
  blanks();
  return at_ < text_.size() && text_[at_] == '"';
}

Result<unsigned> JsonReader::hex4() {
  unsigned value = 0;
  const std::string_view digits = text_.substr(at_, 4);
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.size() != 4 || parsed.ptr != digits.data() + 4) return wrong("expected four hex digits after \\u");
  at_ += 4;
  return value;
}

Result<std::string> JsonReader::string() {
  ASSETC_CHECK(expect('"'));
  std::string out;
  while (true) {
    if (at_ == text_.size()) return wrong("found the end, expected '\"'");
    const char c = text_[at_];
    if (static_cast<unsigned char>(c) < 0x20) return wrong("found a control character in a text");
    ++at_;
    if (c == '"') break;
    if (c != '\\') {
      out += c;
      continue;
    }
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeant = "\"\\/\b\f\n\r\t";
    const char escape = at_ < text_.size() ? text_[at_] : '\0';
    if (const std::size_t known = kNames.find(escape); known != kNames.npos) {
      out += kMeant[known];
      ++at_;
      continue;
    }
    if (escape != 'u') return wrong("found an unknown escape in a text");
    ++at_;
    ASSETC_TRY(unsigned point, hex4());
    if (point >= 0xd800 && point < 0xdc00 && take("\\u")) {
      ASSETC_TRY(const unsigned low, hex4());
      if (low < 0xdc00 || low >= 0xe000) return wrong("found half of a surrogate pair");
      point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
    }
    append_utf8(out, point);
  }
  if (!formats::is_utf8(out)) return wrong("found a text that is not UTF-8");
  return out;
}

Result<double> JsonReader::number() {
  blanks();
  const std::size_t end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
  double value = 0;
#ifdef __cpp_lib_to_chars
  const auto parsed = std::from_chars(text_.data() + at_, text_.data() + end, value);
  const bool is_number = parsed.ec == std::errc() && parsed.ptr == text_.data() + end;
#else  // libc++ for WebAssembly, where the locale is always that of C
  const std::string digits(text_.substr(at_, end - at_));
  char* last = nullptr;
  value = std::strtod(digits.c_str(), &last);
  const bool is_number = last == digits.c_str() + digits.size() && digits[0] != '+';
#endif
  if (end == at_ || !is_number || !std::isfinite(value)) return wrong("found no number");
  at_ = end;
  return value;
}

bool JsonReader::take(std::string_view word) {
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

Result<bool> JsonReader::boolean() {
  blanks();
  if (take("true")) return true;
  if (take("false")) return false;
  return wrong("found neither true nor false");
}

Result<void> JsonReader::skip() {
  blanks();
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  if (c == '{') return object([&](std::string_view) { return skip(); });
  if (c == '[') return array([&] { return skip(); });
  if (c == '"') {
    ASSETC_TRY([[maybe_unused]] const std::string unused, string());
    return {};
  }
  if (take("true") || take("false") || take("null")) return {};
  ASSETC_TRY([[maybe_unused]] const double unused, number());
  return {};
}

Result<void> JsonReader::end() {
  blanks();
  return at_ == text_.size() ? Result<void>() : wrong("found text after the end");
}

}  // namespace assetc::runtime
