// Decodes levels of BasisLZ textures into blocks of ETC1S.
#pragma once

#include <cstdint>
#include <span>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/ktx2.hpp"

namespace assetc::runtime {

// All functions require a texture with BasisLZ and one of its levels. Errors are at "level N, image N".

// Returns the size of a level's blocks in bytes. Errors: kInvalidData if it is far too large for the stored bytes.
Result<std::uint64_t> basis_level_bytes(const ktx2::View& texture, std::size_t level);

// Decodes to out, which must have the size basis_level_bytes(). An empty out only checks the level. stored: its bytes.
Result<void> decode_basis_level(const ktx2::View& texture, std::size_t level, ByteSpan stored,
                                std::span<std::byte> out);

// Decodes one image of a level whose bytes are in the view, and first the earlier images that it refers to. out.size()
// == image_size_bytes(level) / the level's depth. image: by layer, face and depth slice.
Result<void> decode_basis_image(const ktx2::View& texture, std::size_t level, std::size_t image,
                                std::span<std::byte> out);

}  // namespace assetc::runtime
