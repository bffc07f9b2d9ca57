// AssetRegistry.bin: the assets of a cooked tree, for engines that map the file. Specification:
// docs/formats/registry.md.
//
//   auto view = registry::View::open(mapped_bytes);                 // looks at the header alone
//   if (auto at = view->find("engine/textures/wood")) use(view->asset(*at));
//
// A registry of a million assets opens in microseconds: open() does not parse, build or allocate anything. The data of
// an asset is checked when it is read. check() checks the whole file.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "assetc/formats/fourcc.hpp"
#include "assetc/formats/registry_desc.hpp"

namespace assetc::registry {

inline constexpr std::uint32_t kMagic = fourcc("AREG");
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kBufferAlignment = 8;
inline constexpr std::size_t kMaxVirtualPath = 512;
inline constexpr std::size_t kMaxTagBytes = 255;

// Paths in a cooked folder. The JSON file has the same content, for tools.
inline constexpr std::string_view kBinaryPath = "Registry/AssetRegistry.bin";
inline constexpr std::string_view kJsonPath = "Registry/AssetRegistry.json";
inline constexpr int kJsonSchemaVersion = 1;

// The number of an aas1::Type.
using TypeNumber = std::uint8_t;

// ---- the file ----
struct Header {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t asset_count;
  std::uint32_t redirector_count;
  std::uint32_t dependency_count;
  std::uint32_t text_size_bytes;
  std::uint64_t content_hash;  // XXH3-64 of everything after the header
};
static_assert(sizeof(Header) == 32);

// The sections after the header, in order, each at a multiple of 8:
//
// - u32[buckets + 1]: the first UUID of each bucket
// - u32[buckets + 1]: the first path of each bucket
// - Uuid[assets], ascending
// - Record[assets]
// - PathEntry[assets], ascending
// - RedirectorRecord[redirectors], ascending by old UUID
// - PathEntry[redirectors], ascending
// - u32[dependencies]: indices of assets
// - text
//
// A bucket holds the entries that begin with the same bits: those of a UUID as it is printed, or those of a path hash
// from its highest bit.
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
  std::array<std::uint32_t, 11> desc;    // the words of the Desc, then zeros
  std::uint32_t more_offset_bytes;       // of its More in the text; 0: none
};
static_assert(sizeof(Record) == 64);
// Data that not every asset has. It lies in the text, where readers that do not know it never look, at any offset.
struct More {
  std::uint32_t container;  // index + 1 of the asset whose source contains this one; 0: none
  std::uint16_t hard_count, soft_count;
  std::uint16_t tag_count;  // and kHasList
  std::uint16_t tags_size_bytes;
  // Uuid[hard_count + soft_count]: dependencies in other registries
  // text: tags, each with a zero byte after it
  // With kHasList: u16 count and kHasFile, then VertexAttribute[count] of a mesh or TextureBinding[count] of a
  // material, then, with kHasFile, Uuid: the name of its file
  static constexpr std::uint16_t kHasList = 0x8000, kHasFile = 0x8000;
};
static_assert(sizeof(More) == 12);
struct PathEntry {
  std::uint64_t hash;  // FNV-1a 64 of the virtual path in lower case
  std::uint32_t index;
  std::uint32_t path_offset_bytes;  // in the text, with a zero byte after the path; lookups compare this text
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

// Views into the file. A number that is out of range gives an empty value: an empty path, no dependencies, no Desc.
struct AssetView {
  Uuid uuid;
  TypeNumber type = 0;
  std::string_view virtual_path;
  std::span<const std::uint32_t> hard_dependencies;  // indices of assets, all below View::size()
  std::span<const std::uint32_t> soft_dependencies;
  Desc desc;
  // Dependencies in other registries, which a mod has: UUIDs, 16 bytes each. See uuid_at().
  ByteSpan outer_hard_dependencies, outer_soft_dependencies;
  std::optional<std::uint32_t> container;  // the asset whose source contains this one: the model of a mesh
  Tags tags;
  List<VertexAttribute> vertex_attributes;  // of a mesh
  List<TextureBinding> texture_bindings;    // of a material
  // The name of the file that it shares with assets of the same bytes, so that an engine can load them once: Assets/
  // has it in place of the UUID. Nil: it has a file of its own.
  Uuid shared_file;
};
// Returns one UUID of a list in the file. Requires i < list.size() / sizeof(Uuid).
inline Uuid uuid_at(ByteSpan list, std::size_t i) { return load<Uuid>(list.subspan(i * sizeof(Uuid))); }

class View {
 public:
  // Checks only the header and the sizes. Does not allocate.
  // Errors: kInvalidData, kTruncated, kVersion, kUsage (a misaligned buffer).
  // Constraints: file starts at a multiple of kBufferAlignment and outlives the view.
  static Result<View> open(ByteSpan file);
  // Checks everything: order, ranges, hashes, that no two assets share a path, and that dependencies have no cycle.
  Result<void> check() const;

  std::uint32_t size() const { return header_.asset_count; }
  // Requires index < size().
  const Uuid& uuid(std::uint32_t index) const { return uuids_[index]; }
  AssetView asset(std::uint32_t index) const;

  // Return the index of the asset with this UUID or virtual path (any letter case), or of the asset that a redirector
  // leads to. Do not allocate. Thread safety: any number of threads.
  std::optional<std::uint32_t> find(const Uuid& uuid) const;
  std::optional<std::uint32_t> find(std::string_view virtual_path) const;
  // Finds an asset by the hash_asset_ref() of its virtual path. If several paths share the hash, returns the first.
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
  // Adds the More of a record. Returns false, and adds nothing, if it does not fit in the text.
  bool add_more(const Record& record, AssetView& asset) const;
  Result<void> check_more(std::uint32_t index) const;

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
  // Dependencies in other registries: of a mod, the assets of the game.
  std::vector<Uuid> outer_hard_dependencies = {}, outer_soft_dependencies = {};
  Uuid container = {};                 // the asset whose source contains this one; nil: none
  std::vector<std::string> tags = {};  // 1 to kMaxTagBytes bytes each, without zero bytes; of any order and number
  std::vector<VertexAttribute> vertex_attributes = {};  // only with a MeshDesc
  std::vector<TextureBinding> texture_bindings = {};    // only with a MaterialDesc
  Uuid shared_file = {};  // the name of the file that it shares with others; nil: it has a file of its own
};
struct Redirector {
  Uuid old_uuid, new_uuid;
  std::string old_virtual_path;  // may be empty
};

// Returns the bytes of a registry that View::check() accepts.
// If several redirectors have the same old UUID or the same old virtual path, the last one applies. Redirectors from
// the UUID of an existing asset, and those to an asset that is not in assets, are left out.
// Errors:
// - kConflict: two assets have the same UUID, or the same virtual path apart from letter case.
// - kConflict: dependencies form a cycle. The message names it.
// - kNotFound: an asset depends on an asset that is not in assets, or has a container that is not in assets.
// - kConflict: an asset that is in assets is listed as an outer dependency.
// - kConflict: a shared file has the UUID of an asset.
// - kLimit, kInvalidData: a path, a list or the file exceeds its limit, or a path contains a zero byte.
// Deterministic: apart from the rule above, the order of the arguments does not matter.
Result<ByteVector> write(std::vector<Asset> assets, std::vector<Redirector> redirectors);

}  // namespace assetc::registry
