// Builds error messages without <format>, which GCC 12 lacks.
#pragma once

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

namespace assetc::formats {

template <class T>
void append_message(std::string& out, const T& part) {
  if constexpr (std::same_as<T, char>) {
    out += part;
  } else if constexpr (std::integral<T> || std::floating_point<T>) {
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof digits, part).ptr;
    out.append(digits, end);
  } else {
    out += std::string_view(part);
  }
}

// message("found ", 3, ", expected ", 4): joins the parts; numbers in their shortest form.
// Takes values, so that texts of all lengths are one type: it compiles once for each combination of types.
template <class... Parts>
std::string message(Parts... parts) {  // NOLINT(performance-unnecessary-value-param)
  std::string out;
  (append_message(out, parts), ...);
  return out;
}

// Quotes text from a file. Unprintable bytes become \xNN; it is cut at 80 characters.
std::string quote(std::string_view text);

}  // namespace assetc::formats
