// Decodes one image of a KTX 2 file to a picture.
#pragma once

#include <cstdint>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/ktx2.hpp"
#include "scene/image.hpp"

namespace assetc::importer {

// Selects one image of a texture. Level 0 is the largest. Slices are those of a 3D texture.
struct ImageIndex {
  std::uint32_t level = 0;
  std::uint32_t layer = 0;
  std::uint32_t face = 0;
  std::uint32_t slice = 0;
};

// Fails with kNotFound and the available numbers if `asked` is not below `count`. what: "level"; holder: "the texture
// has".
Result<void> check_number(std::string_view what, std::uint32_t asked, std::size_t count, std::string_view holder);

// The channels as stored in the file, or after KTXswizzle is applied, as a reader sees them.
enum class Channels : std::uint8_t { kStored, kSwizzled };

// Returns the texels as texture::decode_texels does. Zstd levels are inflated to at most the size that the view has
// checked. Thread-safe.
//
// Errors: kNotFound for an image that does not exist; kUnsupported for a format without a decoder (the error names it);
// kLimit above scene::kMaxImageTexels; kInvalidData for a damaged block or Zstd frame.
Result<scene::Image> decode_ktx2(const ktx2::View& view, const ImageIndex& index = {},
                                 Channels channels = Channels::kSwizzled);
// The same for a whole file, at any alignment. Errors also include those of ktx2::View.
Result<scene::Image> decode_ktx2(ByteSpan file, const ImageIndex& index = {}, Channels channels = Channels::kSwizzled);

}  // namespace assetc::importer
