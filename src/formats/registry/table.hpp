// The table of the registry: docs/formats/registry.md. Internal to its reader.
#pragma once

#include <variant>

#include "assetc/formats/registry.hpp"
#include "formats/table.hpp"

namespace assetc::registry::table {

using namespace formats;
using formats::Field, formats::Record;
using enum Type;
using enum Rule;

// The arrays of a registry. kBucketEnds is 1 more than the number of buckets.
enum Count : std::uint8_t { kAssets, kRedirectors, kDependencies, kBucketEnds };
inline constexpr std::string_view kCountNames[] = {"assets", "redirectors", "dependencies", "bucketEnds"};

inline constexpr Field kHeaderFields[] = {
    {"magic", kU32},    // check_magic()
    {"version", kU32},  // check_magic()
    {"asset_count", kU32, 1, kCount, kAssets},
    {"redirector_count", kU32, 1, kCount, kRedirectors},
    {"dependency_count", kU32, 1, kCount, kDependencies},
    {"text_size_bytes", kU32},
    {"content_hash", kU64},  // View::check()
};
inline constexpr Record kHeader{"header", kHeaderFields, true};

inline constexpr Field kBucketFields[] = {{"first", kU32, 1, kUpTo, kAssets}};  // where it begins: View::check()
inline constexpr Record kBucket{"bucket", kBucketFields};

inline constexpr Field kUuidFields[] = {{"uuid", kU8, 16}};  // not zero, ascending: View::check()
inline constexpr Record kUuid{"UUID", kUuidFields};

inline constexpr Field kAssetFields[] = {
    {"path_offset_bytes", kU32},  // View::check()
    {"path_size_bytes", kU16},    // View::check()
    {"type", kU8},
    {"desc_kind", kU8, 1, kRange, 0, std::variant_size_v<Desc> - 1, "kind of its Desc"},
    {"first_dependency", kU32},  // View::check()
    {"hard_count", kU16},
    {"soft_count", kU16},
    {"desc", kU32, 11},
    {"more_offset_bytes", kU32},  // View::check_more()
};
inline constexpr Record kAsset{"asset", kAssetFields};

inline constexpr Field kPathFields[] = {
    {"hash", kU64},   // ascending: View::check()
    {"asset", kU32},  // a lookup of its path finds it: View::check()
    {"path_offset_bytes", kU32},
};
inline constexpr Record kPath{"path", kPathFields};

inline constexpr Field kRedirectorFields[] = {
    {"old_uuid", kU8, 16},  // ascending: View::check()
    {"asset", kU32, 1, kIndex, kAssets},
    {"path_offset_bytes", kU32},  // View::check()
    {"path_size_bytes", kU32},
    {"reserved", kU32},
};
inline constexpr Record kRedirector{"redirector", kRedirectorFields};

// Lookups check the redirector and the text.
inline constexpr Field kOldPathFields[] = {{"hash", kU64}, {"redirector", kU32}, {"path_offset_bytes", kU32}};
inline constexpr Record kOldPath{"old path", kOldPathFields};

inline constexpr Field kDependencyFields[] = {{"asset", kU32}};  // those of an asset: View::check()
inline constexpr Record kDependency{"dependency", kDependencyFields};

// The arrays after the header, in order. Zeros after each make its size a multiple of 8. The text follows them.
struct Array {
  const Record* record;
  Count count;
  std::string_view what;  // for messages
};
enum ArrayNumber : std::size_t {
  kUuidBucketArray,
  kPathBucketArray,
  kUuidArray,
  kAssetArray,
  kPathArray,
  kRedirectorArray,
  kOldPathArray,
  kDependencyArray
};
inline constexpr Array kArrays[] = {
    {&kBucket, kBucketEnds, "the buckets of UUIDs"},
    {&kBucket, kBucketEnds, "the buckets of paths"},
    {&kUuid, kAssets, "the UUIDs"},
    {&kAsset, kAssets, "the assets"},
    {&kPath, kAssets, "the paths"},
    {&kRedirector, kRedirectors, "the redirectors"},
    {&kOldPath, kRedirectors, "the paths of redirectors"},
    {&kDependency, kDependencies, "the dependencies"},
};
inline constexpr const Record* kRecords[] = {&kHeader, &kBucket,     &kUuid,    &kAsset,
                                             &kPath,   &kRedirector, &kOldPath, &kDependency};

static_assert(table::kHeader.size_bytes == sizeof(Header) && kUuid.size_bytes == sizeof(Uuid));
static_assert(kAsset.size_bytes == sizeof(registry::Record) && kPath.size_bytes == sizeof(PathEntry));
static_assert(kOldPath.size_bytes == sizeof(PathEntry) && kRedirector.size_bytes == sizeof(RedirectorRecord));

}  // namespace assetc::registry::table
