// One JSON object on one line, built in order. docs/guide/json.md has the names and meanings of events.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace assetc {

// The shortest text that reads as the same number; null if it is not finite.
std::string json_number(double value);

// A list of texts, each as json_quote().
std::string json_list(std::span<const std::string> texts);

class JsonObject {
 public:
  JsonObject() : text_("{") {}
  JsonObject& add(std::string_view name, std::string_view value);
  JsonObject& add(std::string_view name, const char* value) { return add(name, std::string_view(value)); }
  JsonObject& add(std::string_view name, bool value) { return raw(name, value ? "true" : "false"); }
  JsonObject& add(std::string_view name, double value) { return raw(name, json_number(value)); }
  template <std::integral T>
  JsonObject& add(std::string_view name, T value) {
    return raw(name, std::to_string(value));
  }
  JsonObject& add(std::string_view name, const JsonObject& value) { return raw(name, value.str()); }
  JsonObject& add(std::string_view name, std::span<const std::string> values) { return raw(name, json_list(values)); }
  // Adds a value that is already JSON.
  JsonObject& raw(std::string_view name, std::string_view json);
  std::string str() const { return text_ + "}"; }

 private:
  std::string text_;
};

// Starts an object with its "event" member, which is the first in every line.
inline JsonObject json_event(std::string_view name) {
  JsonObject object;
  object.add("event", name);
  return object;
}

// Returns the size of the well-formed UTF-8 sequence at the front of text, or 0.
std::size_t utf8_length(std::string_view text);

// Returns text in quotes, as JsonEscape::kTerminal.
std::string json_quote(std::string_view text);

// How strings are written. Bytes that are not UTF-8 become U+FFFD.
enum class JsonEscape : std::uint8_t {
  kPlain,     // only what JSON requires is escaped
  kAscii,     // all other characters than those of ASCII are escaped, too
  kTerminal,  // control characters of Unicode are escaped, too: a terminal may show the text
};
void append_quoted(std::string& out, std::string_view text, JsonEscape escape);

}  // namespace assetc
