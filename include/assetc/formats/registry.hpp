// AssetRegistry.bin: which assets a cooked tree holds, for engines that map it. Specification:
// docs/formats/registry.md.
//
//   auto view = registry::View::open(mapped_bytes);                 // looks at the header alone
//   if (auto at = view->find("engine/textures/wood")) use(view->asset(*at));
//
// A million assets open in microseconds: nothing is parsed, built or allocated. What an asset says is checked when it
// is asked for; check() checks everything.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "assetc/formats/fourcc.hpp"

namespace assetc::registry {

inline constexpr std::uint32_t kMagic = fourcc("AREG");
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kBufferAlignment = 8;
inline constexpr std::size_t kMaxVirtualPath = 512;

// Where a cooked folder has it, and the same as JSON for tools.
inline constexpr std::string_view kBinaryPath = "Registry/AssetRegistry.bin";
inline constexpr std::string_view kJsonPath = "Registry/AssetRegistry.json";
inline constexpr int kJsonSchemaVersion = 1;

// Of an aas1::Type: its number.
using TypeNumber = std::uint8_t;

// What every engine asks of an asset before it loads it (section 4.7 of the asset system's document).
struct TextureDesc {
  std::uint32_t width_texels, height_texels, depth_or_layers;
  std::uint32_t format;  // an aas1 texture format
  std::uint32_t mip_count;
  std::uint32_t srgb;  // 0 or 1
  bool operator==(const TextureDesc&) const = default;
};
struct MeshDesc {
  std::uint32_t vertex_count, index_count, index_width_bytes, submesh_count, lod_count;
  std::array<float, 3> bounds_min, bounds_max;
  bool operator==(const MeshDesc&) const = default;
};
struct MaterialDesc {
  std::uint32_t shading_model, blend_mode, texture_count;
  bool operator==(const MaterialDesc&) const = default;
};
struct AudioDesc {
  std::uint32_t codec, channel_count, sample_rate_hz, frame_count;
  bool operator==(const AudioDesc&) const = default;
};
// Nothing of other types. The order is that of the file's numbers.
using Desc = std::variant<std::monostate, TextureDesc, MeshDesc, MaterialDesc, AudioDesc>;

// ---- the file ----
struct Header {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t asset_count;
  std::uint32_t redirector_count;
  std::uint32_t dependency_count;
  std::uint32_t text_size_bytes;
  std::uint64_t content_hash;  // XXH3-64 of everything behind the header
};
static_assert(sizeof(Header) == 32);

// Behind the header, each at a multiple of 8: u32[buckets + 1], where the UUIDs of each bucket begin, and the same of
// the paths; Uuid[assets] that ascend; Record[assets]; PathEntry[assets] that ascend; RedirectorRecord[redirectors]
// that ascend by old UUID; PathEntry[redirectors] that ascend; u32[dependencies] of assets; text.
//
// A bucket is what begins with the same bits: of a UUID as it is printed, of a path's hash from its highest.
constexpr int bucket_bits(std::uint32_t asset_count) {
  return std::max(0, static_cast<int>(std::bit_width(asset_count)) - 4);
}
struct Record {
  std::uint32_t path_offset_bytes;  // in the text
  std::uint16_t path_size_bytes;
  TypeNumber type;
  std::uint8_t desc_kind;  // index of Desc
  std::uint32_t first_dependency;
  std::uint16_t hard_count, soft_count;  // hard ones first
  std::array<std::uint32_t, 12> desc;    // the words of the Desc, then zeros
};
static_assert(sizeof(Record) == 64);
struct PathEntry {
  std::uint64_t hash;  // FNV-1a 64 of the virtual path in lower case
  std::uint32_t index;
  std::uint32_t path_offset_bytes;  // in the text, where a zero follows it: what a lookup compares
};
static_assert(sizeof(PathEntry) == 16);
struct RedirectorRecord {
  Uuid old_uuid;
  std::uint32_t asset;
  std::uint32_t path_offset_bytes;
  std::uint32_t path_size_bytes;
  std::uint32_t reserved;
};
static_assert(sizeof(RedirectorRecord) == 32);

// Views into the file. A number out of range reads as nothing: an empty path, no dependencies, no Desc.
struct AssetView {
  Uuid uuid;
  TypeNumber type = 0;
  std::string_view virtual_path;
  std::span<const std::uint32_t> hard_dependencies;  // indices of assets, all below View::size()
  std::span<const std::uint32_t> soft_dependencies;
  Desc desc;
};

class View {
 public:
  // Header and sizes alone; no allocation. Errors: kInvalidData, kTruncated, kVersion, kUsage (a misaligned buffer).
  // The file outlives the view.
  static Result<View> open(ByteSpan file);
  // Everything: order, ranges, hashes, that no two assets share a path and that dependencies are acyclic.
  Result<void> check() const;

  std::uint32_t size() const { return header_.asset_count; }
  // Requires index < size().
  const Uuid& uuid(std::uint32_t index) const { return uuids_[index]; }
  AssetView asset(std::uint32_t index) const;

  // The asset of a UUID or a virtual path in any letter case, or the one that a redirector leads to. Thread-safe, no
  // allocation.
  std::optional<std::uint32_t> find(const Uuid& uuid) const;
  std::optional<std::uint32_t> find(std::string_view virtual_path) const;
  // By hash_asset_ref() of a virtual path; of paths that share one, the first.
  std::optional<std::uint32_t> find_hash(std::uint64_t hash) const;

  std::uint32_t redirector_count() const { return header_.redirector_count; }
  struct RedirectorView {
    Uuid old_uuid;
    std::string_view old_virtual_path;
    std::uint32_t asset = 0;
  };
  // Requires i < redirector_count().
  RedirectorView redirector(std::uint32_t i) const;

 private:
  std::string_view text_at(std::uint32_t offset, std::uint32_t size) const;
  std::span<const PathEntry> entries_of(bool redirectors, std::uint64_t hash) const;
  std::optional<std::uint32_t> asset_of(bool redirectors, const PathEntry& entry) const;
  std::span<const std::uint32_t> dependencies(std::uint64_t first, std::uint64_t count) const;

  Header header_{};
  ByteSpan file_;
  std::span<const std::uint32_t> uuid_buckets_, path_buckets_;
  std::span<const Uuid> uuids_;
  std::span<const Record> records_;
  std::span<const PathEntry> paths_;
  std::span<const RedirectorRecord> redirectors_;
  std::span<const PathEntry> old_paths_;
  std::span<const std::uint32_t> dependencies_;
  std::string_view text_;
};

struct Asset {
  Uuid uuid;
  TypeNumber type = 0;
  std::string virtual_path;
  std::vector<Uuid> hard_dependencies, soft_dependencies;
  Desc desc;
};
struct Redirector {
  Uuid old_uuid, new_uuid;
  std::string old_virtual_path;  // may be empty
};

// The bytes of a registry that View::check accepts. Deterministic: the order of the arguments does not matter, but for
// redirectors that lead from one UUID or one virtual path, of which the last holds. None leads from an asset's own.
// Errors: kConflict for two assets of one UUID or, but for letter case, of one virtual path, and for dependencies in a
// circle (the message names it); kNotFound for one on what is not among the assets.
Result<ByteVector> write(std::vector<Asset> assets, std::vector<Redirector> redirectors);

}  // namespace assetc::registry
