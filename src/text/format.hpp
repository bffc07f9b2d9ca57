// Texts made of a pattern and values, as in fmt and std::format: formatted("{} of {:.1f} %", count, share).
//
// format.cpp is the only file that includes fmt, because its templates take seconds in each file that includes them.
// GCC 12 has no std::format.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace assetc {

class FormatArgument {
 public:
  enum class Kind : std::uint8_t { kSigned, kUnsigned, kFloat, kDouble, kText };

  template <std::integral T>
    requires(!std::same_as<T, bool> && !std::same_as<T, char>)
  FormatArgument(T value) : kind(std::signed_integral<T> ? Kind::kSigned : Kind::kUnsigned) {
    if constexpr (std::signed_integral<T>) {
      signed_integer = value;
    } else {
      unsigned_integer = value;
    }
  }
  FormatArgument(float value) : kind(Kind::kFloat), number(value) {}
  FormatArgument(double value) : kind(Kind::kDouble), number(value) {}
  FormatArgument(std::string_view value) : kind(Kind::kText), text(value) {}
  FormatArgument(const std::string& value) : FormatArgument(std::string_view(value)) {}
  FormatArgument(const char* value) : FormatArgument(std::string_view(value)) {}

  Kind kind;
  union {
    std::int64_t signed_integer;
    std::uint64_t unsigned_integer;
    double number;
    std::string_view text;
  };
};

// A pattern for that many values. It does not compile if it has another number of braces.
template <std::size_t count>
class FormatPattern {
 public:
  template <std::size_t size>
  consteval FormatPattern(const char (&pattern)[size]) : text(pattern, size - 1) {
    std::size_t found = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool is_double = i + 1 < text.size() && text[i + 1] == text[i];
      if (text[i] == '{' && !is_double) ++found;
      if ((text[i] == '{' || text[i] == '}') && is_double) ++i;
    }
    if (found != count) throw "the pattern has another number of braces than there are values";
  }
  std::string_view text;
};

std::string format_all(std::string_view pattern, std::span<const FormatArgument> arguments);

template <class... Arguments>
std::string formatted(FormatPattern<sizeof...(Arguments)> pattern, const Arguments&... arguments) {
  const FormatArgument all[] = {arguments..., 0};
  return format_all(pattern.text, std::span(all).first(sizeof...(Arguments)));
}

}  // namespace assetc
