// The table of chunks that .hmesh and its neighbors share. It is checked as a whole before a chunk is read, so no view
// checks it again. Unknown chunks are left alone: a newer writer may add some.
#include "assetc/formats/chunks.hpp"

#include <algorithm>
#include <string>
#include <tuple>

#include "base/plural.hpp"
#include "formats/reader.hpp"
#include "formats/text.hpp"

namespace assetc::chunks {
namespace {

using namespace formats;

std::uint64_t entry_place(std::size_t index) { return sizeof(FileHeader) + index * sizeof(ChunkEntry); }

constexpr std::uint64_t align_up(std::uint64_t value) {
  return (value + kPayloadAlignment - 1) / kPayloadAlignment * kPayloadAlignment;
}

}  // namespace

Result<const ChunkEntry*> find_chunk(ByteSpan file, std::span<const ChunkEntry> table, std::uint32_t id) {
  const ChunkEntry* found = nullptr;
  for (const ChunkEntry& entry : table) {
    if (entry.id != id) continue;
    const auto place = static_cast<std::uint64_t>(reinterpret_cast<const std::byte*>(&entry) - file.data());
    if (found != nullptr) return invalid(place, message("found a second chunk ", fourcc_text(id), ", expected one"));
    if (entry.flags != 0) {
      return fail_at(ErrorCode::kUnsupported, byte_place(place + 4),
                     message("chunk ", fourcc_text(id), " has flags ", entry.flags, ", expected 0, a plain array"),
                     "read it with a newer assetc, or compile its source again");
    }
    found = &entry;
  }
  return found;
}

Result<std::span<const ChunkEntry>> open_table_of_head(ByteSpan head, std::uint64_t file_bytes, std::uint32_t version,
                                                       const Format& format) {
  ASSETC_CHECK(check_magic(head, format.magic, version, format.name));
  ASSETC_CHECK(check_alignment(head, kBufferAlignment));
  if (head.size() < sizeof(FileHeader)) {
    return fail_at(ErrorCode::kTruncated, byte_place(8),
                   message("found ", counted(head.size(), "byte"), ", expected a header of ", sizeof(FileHeader)),
                   kDamagedHint);
  }
  const auto header = load<FileHeader>(head);
  if (header.chunk_count > kMaxChunks) {
    return fail_at(ErrorCode::kLimit, byte_place(8),
                   message("found ", counted(header.chunk_count, "chunk"), ", expected at most ", kMaxChunks),
                   kDamagedHint);
  }
  const std::uint64_t table_end = entry_place(header.chunk_count);
  if (table_end > head.size()) {
    return fail_at(ErrorCode::kTruncated, byte_place(sizeof(FileHeader)),
                   message("found ", counted(head.size() - sizeof(FileHeader), "byte"), ", expected a table of ",
                           counted(header.chunk_count, "chunk"), ", ", counted(table_end - sizeof(FileHeader), "byte")),
                   kDamagedHint);
  }
  const std::span table(reinterpret_cast<const ChunkEntry*>(head.data() + sizeof(FileHeader)), header.chunk_count);

  std::vector<std::size_t> by_offset;
  by_offset.reserve(table.size());
  for (std::size_t i = 0; i < table.size(); ++i) {
    const ChunkEntry& entry = table[i];
    const std::string name = fourcc_text(entry.id);
    if (!range_fits(entry.offset_bytes, entry.size_bytes, file_bytes)) {
      return fail_at(ErrorCode::kTruncated, byte_place(entry_place(i)),
                     message("chunk ", name, " of ", counted(entry.size_bytes, "byte"), " at ", entry.offset_bytes,
                             " does not fit in the file of ", counted(file_bytes, "byte")),
                     kDamagedHint);
    }
    if (entry.offset_bytes % kPayloadAlignment != 0) {
      return invalid(entry_place(i), message("chunk ", name, " lies at ", entry.offset_bytes,
                                             ", expected a multiple of ", kPayloadAlignment));
    }
    if (entry.offset_bytes < table_end) {
      return invalid(entry_place(i),
                     message("chunk ", name, " lies at ", entry.offset_bytes,
                             ", expected it after the chunk table, at ", align_up(table_end), " or later"));
    }
    by_offset.push_back(i);
  }
  std::sort(by_offset.begin(), by_offset.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(table[a].offset_bytes, table[a].size_bytes, a) <
           std::tuple(table[b].offset_bytes, table[b].size_bytes, b);
  });
  std::uint64_t end = table_end;
  for (const std::size_t i : by_offset) {
    const ChunkEntry& entry = table[i];
    if (entry.size_bytes == 0) continue;
    if (entry.offset_bytes < end) {
      return invalid(entry_place(i), message("chunk ", fourcc_text(entry.id), " at ", entry.offset_bytes,
                                             " overlaps the chunk that ends at ", end));
    }
    end = entry.offset_bytes + entry.size_bytes;
  }
  if (file_bytes > align_up(end) || (head.size() == file_bytes && !all_zero(head.subspan(end)))) {
    return invalid(end, message("found ", counted(file_bytes - end, "extra byte"),
                                ", expected the end of the file or zeros up to ", align_up(end)));
  }
  return table;
}

Result<std::span<const ChunkEntry>> open_table(ByteSpan file, std::uint32_t version, const Format& format) {
  return open_table_of_head(file, file.size(), version, format);
}

ByteVector write_file(std::uint32_t version, std::span<const Chunk> chunks, const Format& format) {
  std::uint64_t offset = entry_place(chunks.size());
  ByteVector out;
  std::vector<ChunkEntry> table;
  table.reserve(chunks.size());
  for (const Chunk& chunk : chunks) {
    offset = align_up(offset);
    table.push_back({chunk.id, chunk.flags, offset, chunk.size_bytes()});
    offset += chunk.size_bytes();
  }
  out.reserve(offset);
  append(out, FileHeader{format.magic, version, static_cast<std::uint32_t>(chunks.size()), 0, 0, 0});
  append_array(out, std::span<const ChunkEntry>(table));
  for (const Chunk& chunk : chunks) {
    pad_to(out, kPayloadAlignment);
    append_bytes(out, chunk.prelude);
    append_bytes(out, chunk.payload);
    if (chunk.producer.append) chunk.producer.append(out);
  }
  return out;
}

}  // namespace assetc::chunks
