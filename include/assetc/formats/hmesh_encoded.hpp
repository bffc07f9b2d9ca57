// Encoded .hmesh version 2: a file whose chunks are stored smaller (mesh.compress). decode() restores the plain file,
// which hmesh::View reads in place. Specification: docs/formats/hmesh.md, "Encoded chunks".
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::hmesh {

// ChunkEntry::flags of a chunk: how its payload is stored. Files of assetc have no other values.
enum class Encoding : std::uint8_t {
  kPlain = 0,
  kAttributes = 1,  // elements, as a meshopt attribute stream
  kTriangles = 2,   // triples of indices, as a meshopt triangle stream
  kGrid = 3,        // VTXS whose values are multiples of a step, predicted from the triangles
  kMeshlets = 7,    // MLTR: the triangles and vertices of meshlets
  kDerived = 8,     // MLET, MLVR, IDXS: nothing; MLTR holds the same
};
inline constexpr std::uint32_t kEncodingMask = 0xFF;
// Added to flags: the body is a Zstd frame.
inline constexpr std::uint32_t kZstdFlag = 0x100;

// The start of an encoded payload.
struct EncodedHeader {
  std::uint64_t decoded_bytes;
  std::uint64_t body_bytes;    // what follows this header, before Zstd
  std::uint32_t prefix_bytes;  // of the body; the stream follows
  std::uint16_t stride_bytes;  // of an element or an index
  std::uint16_t reserved;      // 0
};
static_assert(sizeof(EncodedHeader) == 24);

// The precision of vertices that are stored as integers (kGrid). A value is an integer times the step.
struct GridPrecision {
  float position_step = 0;
  float texcoord_step = 0;
  std::uint32_t normal_bits = 0;   // of each octahedral component
  std::uint32_t tangent_bits = 0;  // the same
};

// Decodes the Zstd frame into out, whose size is that of the content. Formats link no Zstd: the caller lends it.
using InflateFunction = Result<void> (*)(ByteSpan frame, std::span<std::byte> out);

// Returns whether a .hmesh has encoded chunks. False for files that are not .hmesh version 2.
// Constraints: file may be truncated or damaged, and at any address.
bool is_encoded(ByteSpan file);

// Returns the size in bytes of the file that decode() writes. The size is safe to allocate: a file that is too short
// for the sizes that it declares is an error here.
//
//   ASSETC_TRY(const std::uint64_t size_bytes, hmesh::decoded_size(file));
//   ASSETC_CHECK(hmesh::decode(file, memory.first(size_bytes)));
//   ASSETC_TRY(const hmesh::View mesh, hmesh::View::open(memory.first(size_bytes)));
//
// Errors, each with its byte offset: those of chunks::open_table(); kUnsupported for an unknown encoding.
// Constraints: file starts at a multiple of kBufferAlignment.
Result<std::uint64_t> decoded_size(ByteSpan file);

// Writes the plain file into out. After an error, the contents of out are unspecified. A file without encoded chunks is
// written with the same chunks.
// Errors: those of decoded_size(); kInvalidData for a damaged stream; kUnsupported for a Zstd frame if inflate is null;
// kUsage for an out of the wrong size or alignment.
// Constraints: file and out start at multiples of kBufferAlignment, out.size() == decoded_size(), and they do not
// overlap. The plain file is not checked: open it with View::open().
// Memory: the content of Zstd frames, one at a time.
// Thread safety: any number of threads may decode, also one file.
Result<void> decode(ByteSpan file, std::span<std::byte> out, InflateFunction inflate = nullptr);

// Returns the precision of the vertices of an encoded file. Nothing if they are not stored as integers, or if inflate
// is needed and null. Constraints: those of decoded_size().
std::optional<GridPrecision> grid_precision(ByteSpan file, InflateFunction inflate = nullptr);

}  // namespace assetc::hmesh
