// Levels of BasisLZ textures, as blocks of ETC1S.
#pragma once

#include <cstdint>
#include <span>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/ktx2.hpp"

namespace assetc::runtime {

// Of all of these: requires a texture with BasisLZ and one of its levels. Errors are at "level N, image N".

// The blocks of a level. kInvalidData: far too many for the bytes that are stored.
Result<std::uint64_t> basis_level_bytes(const ktx2::View& texture, std::size_t level);

// Into out, of as many bytes as basis_level_bytes() says; an empty out checks the level. stored: its bytes.
Result<void> decode_basis_level(const ktx2::View& texture, std::size_t level, ByteSpan stored,
                                std::span<std::byte> out);

// One image of a level whose bytes are in the view, out of those before it that it refers to.
// out.size() == image_size_bytes(level) / the level's depth. image: by layer, face and slice of depth.
Result<void> decode_basis_image(const ktx2::View& texture, std::size_t level, std::size_t image,
                                std::span<std::byte> out);

}  // namespace assetc::runtime
