// Suggestions for misspelled names.
#pragma once

#include <string_view>
#include <vector>

namespace assetc {

// Returns the candidate with the smallest edit distance to word, or "" if no candidate is near.
std::string_view did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace assetc
