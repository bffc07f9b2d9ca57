// ASCII letters, their case, and digits: A to Z and 0 to 9, independent of the locale.
#pragma once

#include <string>
#include <string_view>

namespace assetc {

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

inline std::string ascii_lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = ascii_lower(c);
  return result;
}

// The text without these characters at its ends.
constexpr std::string_view trimmed(std::string_view text, std::string_view spaces = " \t") {
  const std::size_t begin = text.find_first_not_of(spaces);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(spaces) + 1 - begin);
}

// A name without letter case, spaces, hyphens and underscores: equal for names that a person may mistake for each
// other.
inline std::string loose_name(std::string_view name) {
  std::string key = ascii_lower(name);
  std::erase_if(key, [](char c) { return c == ' ' || c == '-' || c == '_'; });
  return key;
}

// Returns whether text ends with a suffix, for example an extension. lower_suffix: in lower case.
constexpr bool ends_with_ignoring_case(std::string_view text, std::string_view lower_suffix) {
  if (text.size() < lower_suffix.size()) return false;
  text.remove_prefix(text.size() - lower_suffix.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (ascii_lower(text[i]) != lower_suffix[i]) return false;
  }
  return true;
}

}  // namespace assetc
