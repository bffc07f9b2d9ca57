// The words by which files say of a texture what its levels do not: the same in .ktx2 and in AAS1 blobs
// (docs/formats/ktx2.md, docs/formats/aas1.md).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "texture/encoded.hpp"

namespace assetc::recipes {

// Four letters of "rgba01"; empty where there is no swizzle.
std::string swizzle_text(const std::optional<texture::ChannelMap>& swizzle);

// Keys that are ours or the source's, sorted, with their texts: "sh" is a line of R, G and B for each coefficient of
// the irradiance.
std::vector<std::pair<std::string, std::string>> key_values(const texture::EncodedTexture& texture);

// The way back: a key that a file holds becomes what it means in the texture, or one of its notes.
void read_key(std::string_view key, std::string_view text, texture::EncodedTexture& texture);

}  // namespace assetc::recipes
