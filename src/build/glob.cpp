#include <algorithm>

#include "build/config.hpp"

namespace assetc::build {
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

std::string_view did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates) {
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, (word.size() + 1) / 3) + 1;
  std::vector<std::size_t> row;
  for (std::string_view candidate : candidates) {
    // Levenshtein, one row at a time.
    row.resize(candidate.size() + 1);
    for (std::size_t i = 0; i < row.size(); ++i) row[i] = i;
    for (std::size_t w = 0; w < word.size(); ++w) {
      std::size_t diagonal = row[0];
      row[0] = w + 1;
      for (std::size_t c = 0; c < candidate.size(); ++c) {
        const std::size_t replaced = diagonal + (word[w] == candidate[c] ? 0 : 1);
        diagonal = row[c + 1];
        row[c + 1] = std::min({replaced, row[c] + 1, row[c + 1] + 1});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace assetc::build
