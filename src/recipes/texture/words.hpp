// Key-value texts of a texture that are stored beside its levels, the same in .ktx2 and in AAS1 blobs
// (docs/formats/ktx2.md, docs/formats/aas1.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "texture/encoded.hpp"

namespace assetc::recipes {

// The key of the irradiance, and its text: one line of R, G and B for each coefficient.
inline constexpr std::string_view kShKey = "sh";
std::string sh_text(const texture::EncodedTexture::Sh& sh);

// Four letters of "rgba01"; empty if there is no swizzle.
std::string swizzle_text(const std::optional<texture::ChannelMap>& swizzle);

// The keys of assetc and of the source, sorted, with their texts.
std::vector<std::pair<std::string, std::string>> key_values(const texture::EncodedTexture& texture);

// The inverse: stores the value of a key from a file in the texture, or adds the key to its notes.
void read_key(std::string_view key, std::string_view text, texture::EncodedTexture& texture);

}  // namespace assetc::recipes
