// The structs of a .gali file. Internal to galileo.
#pragma once

#include "assetc/formats/galileo.hpp"

namespace assetc::galileo {

// The format aligns 64-bit numbers to 4 bytes. Two halves keep every struct naturally aligned. Packed structs would
// give misaligned references.
struct Split64 {
  std::uint32_t low = 0;
  std::uint32_t high = 0;

  Split64() = default;
  Split64(std::uint64_t value)
      : low(static_cast<std::uint32_t>(value)), high(static_cast<std::uint32_t>(value >> 32)) {}
  operator std::uint64_t() const { return std::uint64_t{high} << 32 | low; }
};

struct FileHeader {
  std::uint32_t magic;
  std::uint8_t version_major;
  std::uint8_t version_minor;
  std::uint16_t version_patch;
  Uuid uuid;
  std::uint32_t asset_type;
  Split64 checksum;  // XXH3-64 of everything after this header
};
struct MeshManifest {
  Box box;
  std::uint32_t vertex_group_count;
  std::uint32_t extension_count;
  Split64 buffer_size_bytes;
  std::uint32_t next_mesh_extension;  // index + 1; 0: none
};
struct VertexGroupInfo {
  Box box;
  Split64 slice_begin_bytes;  // in the buffer
  Split64 slice_size_bytes;
  std::uint32_t index_count;
  std::uint32_t vertex_count;
  std::uint8_t texcoord_channel_count;
  std::uint8_t color_channel_count;
  std::uint8_t joint_weight_channel_count;
  std::uint8_t extension_channel_count;
  std::uint32_t next_attribute_extension;  // index + 1; 0: none
};
struct ExtensionInfo {
  char name[kMaxExtensionName];  // padded with zeros
  std::uint32_t version;
  Split64 data_begin_bytes;      // in the buffer
  std::uint32_t next_extension;  // index + 1; 0: none
};
static_assert(sizeof(FileHeader) == kFileHeaderBytes);
static_assert(sizeof(MeshManifest) == kManifestBytes);
static_assert(sizeof(VertexGroupInfo) == kGroupInfoBytes);
static_assert(sizeof(ExtensionInfo) == kExtensionInfoBytes);
// Tables are multiples of 8 bytes, so the buffer keeps the alignment of 4 that in-place reading needs.
static_assert((kFileHeaderBytes + kManifestBytes) % 8 == 0 && kGroupInfoBytes % 8 == 0 && kExtensionInfoBytes % 8 == 0);

// The same as View::open without checking the checksum. A writer computes it over the same bytes at the same time.
Result<View> open_unsummed(ByteSpan file);

inline constexpr std::uint64_t kExtensionAlignment = 8;
inline constexpr std::size_t kMaxChannels = 255;  // of one kind in one group, because counts have 8 bits

// The size of a group's slice before its extension attributes. Below 2^43: no overflow.
inline std::uint64_t fixed_slice_bytes(const VertexGroupInfo& g) {
  constexpr std::uint64_t kAlways = sizeof(Float3) + sizeof(Float3) + sizeof(Float4);
  const std::uint64_t per_vertex = kAlways + sizeof(Unorm2) * g.texcoord_channel_count +
                                   sizeof(Byte4) * g.color_channel_count +
                                   2 * sizeof(Short4) * g.joint_weight_channel_count;
  return std::uint64_t{4} * g.index_count + per_vertex * g.vertex_count;
}

}  // namespace assetc::galileo
