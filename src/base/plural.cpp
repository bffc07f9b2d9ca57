#include "base/plural.hpp"

namespace assetc {

std::string count_text(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, ",");
  return digits;
}

std::string plural(std::uint64_t count, std::string_view one) {
  std::string text = count_text(count) + " " + std::string(one);
  if (count == 1) return text;
  if (one.ends_with('y') && one != "key") return text.replace(text.size() - 1, 1, "ies");
  if (one == "vertex" || one == "index") return text.replace(text.size() - 2, 2, "ices");
  return text + (one.ends_with('h') ? "es" : "s");
}

}  // namespace assetc
