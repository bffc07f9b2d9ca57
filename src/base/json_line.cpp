#include "base/json_line.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

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

// Printable ASCII characters that are the same in JSON.
bool is_plain(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }
std::size_t plain_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && is_plain(text[length])) ++length;
  return length;
}

// The size of a sequence at the front of text that is not UTF-8: up to the first byte that cannot continue it.
std::size_t broken_length(std::string_view text) {
  // A byte that can continue a sequence at all can do so if the sequence is valid with some bytes behind it.
  for (std::size_t kept = std::min<std::size_t>(text.size(), 3); kept > 1; --kept) {
    for (const std::string_view rest : {"\x80", "\x80\x80"}) {
      const std::string whole = std::string(text.substr(0, kept)).append(rest);
      if (utf8_length(whole) == whole.size()) return kept;
    }
  }
  return 1;
}

char short_escape(char c) { return c == '\b' ? 'b' : c == '\f' ? 'f' : c == '\r' ? 'r' : '\0'; }

// Requires one well-formed character.
std::uint32_t code_point(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0);
  std::uint32_t code = byte(0) & (0x7fu >> character.size());
  for (std::size_t i = 1; i < character.size(); ++i) code = code << 6 | (byte(i) & 0x3fu);
  return code;
}

bool is_escaped(std::string_view character, JsonEscape escape) {
  const std::uint32_t code = code_point(character);
  return escape == JsonEscape::kAscii ? code >= 0x7f : escape == JsonEscape::kTerminal && code >= 0x7f && code < 0xa0;
}

void append_code(std::string& out, std::uint32_t code) {
  static constexpr char kDigits[] = "0123456789abcdef";
  if (code > 0xffff) {
    append_code(out, 0xd7c0u + (code >> 10));
    code = 0xdc00u + (code & 0x3ffu);
  }
  out += {'\\', 'u', kDigits[code >> 12], kDigits[code >> 8 & 15], kDigits[code >> 4 & 15], kDigits[code & 15]};
}

}  // namespace

std::string json_quote(std::string_view text) {
  std::string quoted;
  append_quoted(quoted, text, JsonEscape::kTerminal);
  return quoted;
}

std::string json_list(std::span<const std::string> texts) {
  std::string list = "[";
  for (const std::string& text : texts) list += (list.size() > 1 ? "," : "") + json_quote(text);
  return list + "]";
}

void append_quoted(std::string& out, std::string_view text, JsonEscape escape) {
  out += '"';
  while (!text.empty()) {
    const std::size_t plain = plain_length(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (text.empty()) break;
    const char c = text.front();
    std::size_t length = utf8_length(text);
    if (length == 0) {
      // A terminal shows one character for each byte; others one for each sequence that ends too early.
      length = escape == JsonEscape::kTerminal ? 1 : broken_length(text);
      out += escape == JsonEscape::kPlain ? "\xef\xbf\xbd" : "\\ufffd";
    } else if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (const char letter = short_escape(c); letter != 0 && escape != JsonEscape::kTerminal) {
      out += {'\\', letter};
    } else if (static_cast<unsigned char>(c) < 0x20 || is_escaped(text.substr(0, length), escape)) {
      append_code(out, code_point(text.substr(0, length)));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
  out += '"';
}

JsonObject& JsonObject::raw(std::string_view name, std::string_view json) {
  if (text_.size() > 1) text_ += ',';
  text_ += json_quote(name);
  text_ += ':';
  text_ += json;
  return *this;
}

JsonObject& JsonObject::add(std::string_view name, std::string_view value) { return raw(name, json_quote(value)); }

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

}  // namespace assetc
