// Characters of the languages of shaders.
#pragma once

namespace assetc::shader {

// Whether a character may be in a name or a number.
constexpr bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace assetc::shader
