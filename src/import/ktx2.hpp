// One image of a KTX 2 file as a picture.
#pragma once

#include <cstdint>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/ktx2.hpp"
#include "scene/image.hpp"

namespace assetc::importer {

// Which image of a texture: level 0 is the largest, slices are those of a 3D texture.
struct ImageIndex {
  std::uint32_t level = 0;
  std::uint32_t layer = 0;
  std::uint32_t face = 0;
  std::uint32_t slice = 0;
};

// kNotFound, saying what there is, where number `asked` is not below `count`. what: "level"; holder: "the texture has".
Result<void> check_number(std::string_view what, std::uint32_t asked, std::size_t count, std::string_view holder);

// Whose channels: those in the file, or those that a reader gets from them through KTXswizzle.
enum class Channels : std::uint8_t { kStored, kSwizzled };

// The texels as texture::decode_texels gives them. Zstd levels are inflated, to no more than the size that the view has
// checked.
// Errors: kNotFound for an image that is not there; kUnsupported for a format without a decoder here (named); kLimit
// past scene::kMaxImageTexels; kInvalidData for a block or a Zstd frame that is damaged. Thread-safe.
Result<scene::Image> decode_ktx2(const ktx2::View& view, const ImageIndex& index = {},
                                 Channels channels = Channels::kSwizzled);
// The same of a whole file, at any alignment. Errors: those of ktx2::View, too.
Result<scene::Image> decode_ktx2(ByteSpan file, const ImageIndex& index = {}, Channels channels = Channels::kSwizzled);

}  // namespace assetc::importer
