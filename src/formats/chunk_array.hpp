// The arrays in a file of chunks.
#pragma once

#include <cstdint>
#include <limits>

#include "assetc/formats/chunks.hpp"
#include "formats/reader.hpp"

namespace assetc::formats {

// Returns the payload of a chunk, or no bytes if the file has no such chunk.
// Constraints: table is that of file, of which the first bytes may be all there is. The span points into file.
// Errors: kTruncated if the payload ends after these bytes, and those of chunks::find_chunk().
inline Result<ByteSpan> chunk_payload(ByteSpan file, std::span<const chunks::ChunkEntry> table, std::uint32_t id) {
  ASSETC_TRY(const chunks::ChunkEntry* entry, chunks::find_chunk(file, table, id));
  if (entry == nullptr) return ByteSpan();
  if (!range_fits(entry->offset_bytes, entry->size_bytes, file.size())) {
    return fail_at(ErrorCode::kTruncated, byte_place(entry->offset_bytes),
                   message("found ", counted(file.size(), "byte"), ", expected ", fourcc_text(id), " in them"), {});
  }
  return file.subspan(static_cast<std::size_t>(entry->offset_bytes), static_cast<std::size_t>(entry->size_bytes));
}

// The same as elements, whose indices fit in 32 bits; texts may be longer.
// Errors: also kInvalidData if the last element is cut, and kLimit if there are too many.
template <class T>
Result<std::span<const T>> chunk_array(ByteSpan file, std::span<const chunks::ChunkEntry> table, std::uint32_t id) {
  ASSETC_TRY(const ByteSpan bytes, chunk_payload(file, table, id));
  const auto place = [&] { return static_cast<std::uint64_t>(bytes.data() - file.data()); };
  if (bytes.size() % sizeof(T) != 0) {
    return invalid(place(), message("found ", counted(bytes.size(), "byte"), " of ", fourcc_text(id),
                                    ", expected a multiple of ", sizeof(T)));
  }
  if (sizeof(T) > 1 && bytes.size() / sizeof(T) >= std::numeric_limits<std::uint32_t>::max()) {
    return fail_at(ErrorCode::kLimit, byte_place(place()),
                   message("found ", bytes.size() / sizeof(T), " elements of ", fourcc_text(id), ", expected fewer"));
  }
  return std::span(reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T));
}

}  // namespace assetc::formats
