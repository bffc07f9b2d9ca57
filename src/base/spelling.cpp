#include "assetc/base/spelling.hpp"

#include <algorithm>

namespace assetc {

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

}  // namespace assetc
