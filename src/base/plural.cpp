#include "base/plural.hpp"

namespace assetc {
namespace {

std::string noun(std::uint64_t count, std::string_view one) {
  std::string text(one);
  if (count == 1) return text;
  constexpr std::string_view kVowels = "aeiou";
  const bool is_after_vowel = one.size() > 1 && kVowels.contains(one[one.size() - 2]);
  if (one.ends_with('y') && !is_after_vowel) return text.replace(text.size() - 1, 1, "ies");
  if (one.ends_with("vertex") || one.ends_with("index")) return text.replace(text.size() - 2, 2, "ices");
  return text + (one.ends_with('h') && !one.ends_with("ph") ? "es" : "s");
}

}  // namespace

std::string count_text(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string plural(std::uint64_t count, std::string_view one) { return count_text(count) + " " + noun(count, one); }

std::string counted(std::uint64_t count, std::string_view one) {
  return std::to_string(count) + " " + noun(count, one);
}

}  // namespace assetc
