// Guesses at misspelt names.
#pragma once

#include <string_view>
#include <vector>

namespace assetc {

// The candidate that was probably meant (by edit distance), or empty when none is near.
std::string_view did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates);

}  // namespace assetc
