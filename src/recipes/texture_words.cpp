#include "recipes/texture_words.hpp"

#include <algorithm>
#include <charconv>

namespace assetc::recipes {
namespace {

using Sh = texture::EncodedTexture::Sh;

constexpr std::string_view kShKey = "sh";

std::string text_of(const Sh& sh) {
  std::string text;
  for (const auto& coefficient : sh) {
    for (std::size_t c = 0; c < coefficient.size(); ++c) {
      char buffer[32];
      const auto end = std::to_chars(buffer, buffer + sizeof buffer, coefficient[c]).ptr;
      text.append(buffer, end).append(c + 1 < coefficient.size() ? " " : "\n");
    }
  }
  return text;
}

// Parses the text of text_of(); empty for any other text.
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
  return text_of(sh) == text ? std::optional(sh) : std::nullopt;
}

}  // namespace

std::string swizzle_text(const std::optional<texture::ChannelMap>& swizzle) {
  std::string text;
  if (!swizzle) return text;
  for (const texture::Channel channel : *swizzle) text += texture::letter_of(channel);
  return text;
}

std::vector<std::pair<std::string, std::string>> key_values(const texture::EncodedTexture& texture) {
  std::vector<std::pair<std::string, std::string>> all = texture.notes;
  if (texture.irradiance) all.emplace_back(kShKey, text_of(*texture.irradiance));
  std::ranges::sort(all);
  return all;
}

void read_key(std::string_view key, std::string_view text, texture::EncodedTexture& texture) {
  if (key == kShKey) texture.irradiance = parse_sh(text);
  if (key != kShKey || !texture.irradiance) texture.notes.emplace_back(key, text);
}

}  // namespace assetc::recipes
