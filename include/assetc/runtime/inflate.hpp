// Decompresses levels of supercompressed textures. Zstd levels become the bytes that the GPU reads. BasisLZ levels
// become ETC1S blocks for transcode_etc1s(). Also decodes encoded meshes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "assetc/base/result.hpp"
#include "assetc/formats/ktx2.hpp"
#include "assetc/runtime/memory.hpp"

namespace assetc::runtime {

// Returns how many bytes inflate_level() writes. The size is safe to allocate: a frame that is too short for the size
// that it declares is an error here.
//
//   const auto size_bytes = inflated_size_bytes(view, 0);
//   if (!size_bytes) return std::unexpected(size_bytes.error());
//   const std::span<std::byte> staging = upload_heap.take(*size_bytes);
//   if (auto done = inflate_level(view, 0, staging); !done) return done;
//
// These rules apply to all three functions of this header:
// - A level without supercompression is copied unchanged.
// - A BasisLZ level becomes images of BlockFormat::kEtc1s, one after another. If the texture has two slices
//   (view.block().size_bytes is 16), they are of kEtc1sAlpha.
// Errors, at the place "level N": kUsage (no such level, or an out of the wrong size), kUnsupported (zlib),
// kInvalidData (a frame or a stream that is damaged or of another size).
// Thread safety: any number of threads, also on one view.
Result<std::uint64_t> inflated_size_bytes(const ktx2::View& texture, std::size_t level);

// Decompresses a level into out. After an error, the contents of out are unspecified. Requires out.size() ==
// inflated_size_bytes().
Result<void> inflate_level(const ktx2::View& texture, std::size_t level, std::span<std::byte> out);

// Checks whether inflate_level() would succeed. The memory that it uses does not grow with the level, with one
// exception: 4 bytes for each block of a BasisLZ level if images refer to the previous image.
Result<void> check_level(const ktx2::View& texture, std::size_t level);

// Decodes the Zstd frame into out, whose size is that of the content. It is the function that hmesh::decode() needs for
// files of mesh.compress: meshopt-zstd. Errors: kInvalidData.
Result<void> inflate_frame(ByteSpan frame, std::span<std::byte> out);

// Returns a .hmesh whose chunks are plain, so that hmesh::View reads it: the decoded file if it has encoded chunks, in
// memory of its own, otherwise the file unchanged. The bytes of other formats are returned unchanged too.
// Errors: those of hmesh::decode(); kLimit if memory is not available.
// Constraints: file starts at a multiple of hmesh::kBufferAlignment.
Result<Bytes> plain_mesh(const Bytes& file, const Memory& memory = kDefaultMemory);

}  // namespace assetc::runtime
