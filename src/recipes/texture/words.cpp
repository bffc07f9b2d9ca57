#include "recipes/texture/words.hpp"

#include <algorithm>
#include <charconv>

namespace assetc::recipes {

std::string sh_text(const texture::EncodedTexture::Sh& sh) {
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

std::string swizzle_text(const std::optional<texture::ChannelMap>& swizzle) {
  std::string text;
  if (!swizzle) return text;
  for (const texture::Channel channel : *swizzle) text += texture::letter_of(channel);
  return text;
}

std::vector<std::pair<std::string, std::string>> key_values(const texture::EncodedTexture& texture) {
  std::vector<std::pair<std::string, std::string>> all = texture.notes;
  if (texture.irradiance) all.emplace_back(kShKey, sh_text(*texture.irradiance));
  std::ranges::sort(all);
  return all;
}

}  // namespace assetc::recipes
