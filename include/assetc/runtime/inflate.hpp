// The levels of supercompressed textures: Zstd as the GPU takes them, BasisLZ as blocks of ETC1S for transcode_etc1s().
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assetc/base/result.hpp"
#include "assetc/formats/ktx2.hpp"

namespace assetc::runtime {

// How many bytes inflate_level() fills, fit to be allocated: a frame too short for what it promises is an error here.
//
//   const auto size_bytes = inflated_size_bytes(view, 0);
//   if (!size_bytes) return std::unexpected(size_bytes.error());
//   const std::span<std::byte> staging = upload_heap.take(*size_bytes);
//   if (auto done = inflate_level(view, 0, staging); !done) return done;
//
// Of all three. Errors are at "level N": kUsage (no such level, an out of the wrong size), kUnsupported (zlib),
// kInvalidData (a frame or a stream that is damaged or of another size). A level that is not supercompressed is copied
// as it is. A level of BasisLZ becomes images of BlockFormat::kEtc1s, or of kEtc1sAlpha where the texture has two
// slices (view.block().size_bytes is 16), one after another. Thread safety: any number of threads, also on one view.
Result<std::uint64_t> inflated_size_bytes(const ktx2::View& texture, std::size_t level);

// out.size() is what inflated_size_bytes() says. After an error its contents are unspecified.
Result<void> inflate_level(const ktx2::View& texture, std::size_t level, std::span<std::byte> out);

// Whether inflate_level() would succeed, in memory that does not grow with the level (with BasisLZ: by 4 bytes a block
// where images refer to the one before).
Result<void> check_level(const ktx2::View& texture, std::size_t level);

}  // namespace assetc::runtime
