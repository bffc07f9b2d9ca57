// Apart from words.cpp, because libc++ 19 does not parse floats.
#include <charconv>

#include "recipes/texture/words.hpp"

namespace assetc::recipes {
namespace {

using Sh = texture::EncodedTexture::Sh;

// Parses the text of sh_text(); empty for any other text.
std::optional<Sh> parse_sh(std::string_view text) {
  Sh sh{};
  const char *at = text.data(), *const end = at + text.size();
  for (auto& coefficient : sh) {
    for (float& value : coefficient) {
      const auto [next, error] = std::from_chars(at, end, value);
      if (error != std::errc() || next == end) return std::nullopt;
      at = next + 1;
    }
  }
  return sh_text(sh) == text ? std::optional(sh) : std::nullopt;
}

}  // namespace

void read_key(std::string_view key, std::string_view text, texture::EncodedTexture& texture) {
  if (key == kShKey) texture.irradiance = parse_sh(text);
  if (key != kShKey || !texture.irradiance) texture.notes.emplace_back(key, text);
}

}  // namespace assetc::recipes
