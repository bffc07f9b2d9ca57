// An encoder of .hmesh files that is simple instead of good: attribute streams without packed values.
#pragma once

#include <cstdint>
#include <vector>

#include "assetc/formats/hmesh_encoded.hpp"
#include "assetc/formats/hmesh_view.hpp"

namespace assetc::formats_test {

inline ByteVector literal_attributes(ByteSpan elements, std::size_t stride) {
  const std::size_t count = elements.size() / stride, block = std::min<std::size_t>(8192 / stride & ~15u, 256);
  ByteVector out{std::byte{0xA0}};
  for (std::size_t first = 0; first < count; first += block) {
    const std::size_t end = std::min(count, first + block), groups = (end - first + 15) / 16;
    for (std::size_t k = 0; k < stride; ++k) {
      out.insert(out.end(), (groups + 3) / 4, std::byte{0xFF});
      for (std::size_t i = first; i < first + groups * 16; ++i) {
        const auto at = [&](std::size_t element) { return static_cast<std::uint8_t>(elements[element * stride + k]); };
        const auto delta = static_cast<std::int8_t>(i == 0 || i >= end ? 0 : at(i) - at(i - 1));
        out.push_back(static_cast<std::byte>(delta < 0 ? -2 * delta - 1 : 2 * delta));
      }
    }
  }
  out.insert(out.end(), stride < 32 ? 32 - stride : 0, std::byte{0});
  const ByteSpan first = elements.first(count == 0 ? 0 : stride);
  out.insert(out.end(), first.begin(), first.end());
  out.insert(out.end(), stride - first.size(), std::byte{0});
  return out;
}

// The file with every large chunk encoded.
inline ByteVector encoded_mesh(ByteSpan plain) {
  std::vector<ByteVector> payloads;
  std::vector<chunks::Chunk> list;
  const auto view = *hmesh::View::open(plain);
  payloads.reserve(view.chunk_table().size());
  for (const chunks::ChunkEntry& entry : view.chunk_table()) {
    const ByteSpan payload = plain.subspan(entry.offset_bytes, entry.size_bytes);
    chunks::Chunk& chunk = list.emplace_back(chunks::Chunk{entry.id, payload});
    std::uint16_t stride = 0;
    if (entry.id == hmesh::kVerticesId) stride = sizeof(hmesh::GpuVertex);
    if (entry.id == hmesh::kLodIndicesId) stride = sizeof(std::uint32_t);
    if (entry.id == hmesh::kSkinId) stride = sizeof(hmesh::GpuSkinVertex);
    if (stride == 0) continue;
    const ByteVector body = literal_attributes(payload, stride);
    ByteVector& stored = payloads.emplace_back();
    append(stored, hmesh::EncodedHeader{payload.size(), body.size(), 0, stride, 0});
    append_bytes(stored, body);
    chunk.payload = stored;
    chunk.flags = static_cast<std::uint32_t>(hmesh::Encoding::kAttributes);
  }
  return chunks::write_file(hmesh::kVersion, list);
}

}  // namespace assetc::formats_test
