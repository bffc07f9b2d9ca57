#include <algorithm>

#include "engine/config/config.hpp"

namespace assetc::engine {
namespace {

// Size in bytes of the UTF-8 sequence at text[0]. A stray byte counts as one.
std::size_t character_size(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && size < 4 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) ++size;
  return (static_cast<unsigned char>(text[0]) & 0x80) != 0 ? size : 1;
}

}  // namespace

// Linear in practice, quadratic at worst: after a mismatch, only the last star is retried further on. That is enough
// for "**/" too. It stands at the start or after a '/', so a later part of the pattern can match whatever an earlier
// part could match.
bool glob_matches(std::string_view pattern, std::string_view path) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;  // pattern position after the last star
  bool of_folders = false;                    // that star is "**/": the text after it starts a path component
  std::size_t star_text = 0;
  while (t < path.size()) {
    if (pattern.substr(p).starts_with("**/") && (p == 0 || pattern[p - 1] == '/')) {
      p += 3;
      star = p;
      star_text = t;
      of_folders = true;
    } else if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      star_text = t;
      of_folders = false;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      t += character_size(path.substr(t));
    } else if (p < pattern.size() && pattern[p] == path[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star;
      if (of_folders) {
        star_text = path.find('/', star_text);
        if (star_text == std::string_view::npos) return false;
        ++star_text;
      } else {
        star_text += character_size(path.substr(star_text));
      }
      t = star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace assetc::engine
