// The tagged-chunk container of .hmesh, both versions: a header, a table, payloads at multiples of 16 bytes.
// Specification: docs/formats/hmesh.md.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/fourcc.hpp"

namespace assetc::chunks {

inline constexpr std::uint32_t kMagic = fourcc("HMSH");
inline constexpr std::size_t kPayloadAlignment = 16;
// The address that a file must have for its payloads to be read in place.
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
  std::uint32_t flags;  // 0: a plain array. No other value has a meaning yet.
  std::uint64_t offset_bytes;
  std::uint64_t size_bytes;
};
static_assert(sizeof(ChunkEntry) == 24);

// The table of a file whose magic, version, table, chunk ranges and padding hold; chunks lie apart from each
// other and the file ends with the last of them.
// Constraints: file at a multiple of kBufferAlignment; the span returned points into file.
Result<std::span<const ChunkEntry>> open_table(ByteSpan file, std::uint32_t version);

// The one chunk of this id, or null; an error when there are two, or when its flags ask for a decoder.
Result<const ChunkEntry*> find_chunk(ByteSpan file, std::span<const ChunkEntry> table, std::uint32_t id);

// A payload that is made while it is written, for what would otherwise be a copy of the mesh in another layout.
struct Producer {
  std::uint64_t size_bytes = 0;
  std::function<void(ByteVector& file)> append;  // appends exactly size_bytes
};
// Makes count Ts, a block that stays in the cache at a time, in order: fill(first, std::span<T>). What fill refers to
// must outlive the writing.
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
// The same, element by element: convert(i) -> T.
template <class T, class Convert>
Producer produce(std::size_t count, Convert convert) {
  return produce_blocks<T>(count, [convert](std::size_t first, std::span<T> part) {
    for (std::size_t i = 0; i < part.size(); ++i) part[i] = convert(first + i);
  });
}

struct Chunk {
  std::uint32_t id;
  ByteSpan payload;
  ByteSpan prelude = {};   // stored before payload, as part of the chunk
  Producer producer = {};  // stored behind payload, as part of the chunk

  std::uint64_t size_bytes() const { return prelude.size() + payload.size() + producer.size_bytes; }
};

// Lays the chunks out in the order given. Deterministic; padding is zero; nothing follows the last payload.
ByteVector write_file(std::uint32_t version, std::span<const Chunk> chunks);

}  // namespace assetc::chunks
