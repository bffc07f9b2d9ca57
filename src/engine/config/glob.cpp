#include <algorithm>

#include "engine/config/config.hpp"

namespace assetc::engine {
namespace {

// Bytes of the UTF-8 sequence that starts at text[0]; a stray byte counts as one.
std::size_t character_size(std::string_view text) {
  std::size_t size = 1;
  while (size < text.size() && size < 4 && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) ++size;
  return (static_cast<unsigned char>(text[0]) & 0x80) != 0 ? size : 1;
}

}  // namespace

// Linear in practice, quadratic at worst: on a mismatch only the last '*' is tried again, one character further.
bool glob_matches(std::string_view pattern, std::string_view path) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (t < path.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      star_text = t;
    } else if (p < pattern.size() && pattern[p] == '?') {
      ++p;
      t += character_size(path.substr(t));
    } else if (p < pattern.size() && pattern[p] == path[t]) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      star_text += character_size(path.substr(star_text));
      t = star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace assetc::engine
