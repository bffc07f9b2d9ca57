#include "base/json_line.hpp"

#include <charconv>
#include <cmath>
#include <optional>

namespace assetc {

// Source: Unicode, table 3-7.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0u) == 0x80u; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    if (!continues(1) || !continues(2)) return 0;
    if (first == 0xe0 && byte(1) < 0xa0) return 0;
    if (first == 0xed && byte(1) > 0x9f) return 0;
    return 3;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    if (first == 0xf0 && byte(1) < 0x90) return 0;
    if (first == 0xf4 && byte(1) > 0x8f) return 0;
    return 4;
  }
  return 0;
}

namespace {

// Returns the code of a control character of ASCII or Latin-1.
std::optional<unsigned> control_code(std::string_view character) {
  const unsigned first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f ? std::optional(first) : std::nullopt;
  const unsigned second = static_cast<unsigned char>(character[1]);
  return first == 0xc2 && second < 0xa0 ? std::optional(second) : std::nullopt;
}

}  // namespace

std::string json_quote(std::string_view text) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text.front();
    if (length == 0) {
      quoted += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      quoted += {'\\', c};
    } else if (c == '\n') {
      quoted += "\\n";
    } else if (c == '\t') {
      quoted += "\\t";
    } else if (const auto code = control_code(text.substr(0, length))) {
      quoted += {'\\', 'u', '0', '0', kDigits[*code >> 4], kDigits[*code & 15]};
    } else {
      quoted += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return quoted += '"';
}

JsonObject& JsonObject::raw(std::string_view name, std::string_view json) {
  if (text_.size() > 1) text_ += ',';
  text_ += json_quote(name);
  text_ += ':';
  text_ += json;
  return *this;
}

JsonObject& JsonObject::add(std::string_view name, std::string_view value) { return raw(name, json_quote(value)); }

JsonObject& JsonObject::add(std::string_view name, double value) {
  if (!std::isfinite(value)) return raw(name, "null");
  char buffer[32];
  return raw(name, {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr});
}

}  // namespace assetc
