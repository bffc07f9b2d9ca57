// The chunk container of .hmesh and .hscene: a header, a table, and payloads at multiples of 16 bytes.
// Specification: docs/formats/hmesh.md.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/fourcc.hpp"

namespace assetc::chunks {

inline constexpr std::uint32_t kMagic = fourcc("HMSH");
// A format that uses the container. name: for messages.
struct Format {
  std::uint32_t magic;
  std::string_view name;
};
inline constexpr Format kHmesh{kMagic, "hmesh"};
inline constexpr std::size_t kPayloadAlignment = 16;
// The alignment of a file in memory that is needed to read its payloads in place.
inline constexpr std::size_t kBufferAlignment = 8;
inline constexpr std::uint32_t kMaxChunks = 4096;

struct FileHeader {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t chunk_count;
  std::uint32_t flags;
  std::uint64_t reserved1;
  std::uint64_t reserved2;
};
static_assert(sizeof(FileHeader) == 32);

struct ChunkEntry {
  std::uint32_t id;     // a fourcc
  std::uint32_t flags;  // 0: a plain array. Others: hmesh_encoded.hpp
  std::uint64_t offset_bytes;
  std::uint64_t size_bytes;
};
static_assert(sizeof(ChunkEntry) == 24);

// Checks the file and returns its chunk table. The checks cover magic, version, table, chunk ranges and padding. Chunks
// must not overlap, and the file must end with the last chunk.
// Constraints: file is aligned to kBufferAlignment. The returned span points into file.
Result<std::span<const ChunkEntry>> open_table(ByteSpan file, std::uint32_t version, const Format& format = kHmesh);
// The same for the first bytes of a file of file_bytes, which hold the table. Chunks may end after these bytes. Padding
// after the last chunk is not checked.
Result<std::span<const ChunkEntry>> open_table_of_head(ByteSpan head, std::uint64_t file_bytes, std::uint32_t version,
                                                       const Format& format);

// Returns the chunk with this id, or null if there is none. Returns an error if there are two, or if its flags require
// a decoder.
Result<const ChunkEntry*> find_chunk(ByteSpan file, std::span<const ChunkEntry> table, std::uint32_t id);

// A payload that is produced while it is written. This avoids a copy of the mesh in another layout.
struct Producer {
  std::uint64_t size_bytes = 0;
  std::function<void(ByteVector& file)> append;  // appends exactly size_bytes
};
// Returns a producer of count elements of T. It calls fill(first, std::span<T>) in order, for one block at a time that
// fits the CPU cache.
// Lifetime: everything that fill refers to must outlive the write.
template <class T, class Fill>
Producer produce_blocks(std::size_t count, Fill fill) {
  return {count * sizeof(T), [count, fill](ByteVector& file) {
            constexpr std::size_t kBlock = (std::size_t{8} << 10) / sizeof(T);
            T block[kBlock];
            for (std::size_t first = 0; first < count; first += kBlock) {
              const std::span<T> part(block, count - first < kBlock ? count - first : kBlock);
              fill(first, part);
              append_bytes(file, std::as_bytes(part));
            }
          }};
}
// The same with a function for one element: convert(i) -> T.
template <class T, class Convert>
Producer produce(std::size_t count, Convert convert) {
  return produce_blocks<T>(count, [convert](std::size_t first, std::span<T> part) {
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = convert(first + i);
  });
}

struct Chunk {
  std::uint32_t id;
  ByteSpan payload;
  ByteSpan prelude = {};   // part of the chunk, stored before payload
  Producer producer = {};  // part of the chunk, stored after payload
  std::uint32_t flags = 0;

  std::uint64_t size_bytes() const { return prelude.size() + payload.size() + producer.size_bytes; }
};

// Returns a file with the chunks in the given order. Deterministic. Padding is zero; no bytes follow the last payload.
ByteVector write_file(std::uint32_t version, std::span<const Chunk> chunks, const Format& format = kHmesh);

}  // namespace assetc::chunks
