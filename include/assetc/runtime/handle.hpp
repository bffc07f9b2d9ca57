// What names an asset, and what is said when there is none.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "assetc/formats/aas1.hpp"

namespace assetc::runtime {

// Numbers from kFirstEngineType on are an engine's own.
using AssetType = aas1::Type;
inline constexpr AssetType kUnknownType{};
inline constexpr AssetType kFirstEngineType{128};
std::string name_of(AssetType type);  // "Texture2D", or "type 130"

// An asset of a cooked tree by its UUID, or a file of a runtime/ tree by the hash of its path: one of the two is set.
// Trivial to copy, and means the same in every run.
struct AssetHandle {
  Uuid uuid{};
  std::uint64_t path_hash = 0;    // hash_embed_ref() of the path, with its extension
  AssetType type = kUnknownType;  // what a loader is chosen by; not part of who the asset is

  explicit operator bool() const { return path_hash != 0 || !uuid.is_nil(); }
  bool operator==(const AssetHandle& other) const { return uuid == other.uuid && path_hash == other.path_hash; }
};

// Why there is no asset.
enum class Fault : std::uint8_t {
  kMissing,      // no mount has it
  kWrongType,    // it is something else than was asked for
  kNoLoader,     // nobody registered one for its type
  kCorrupt,      // its bytes break a rule of their format
  kVersion,      // of a format that this program does not read
  kUnsupported,  // well-formed, but not what this build or device can do
  kUntrusted,    // not signed by whom the mount trusts
  kLocked,       // encrypted with a key that was not given
  kLimit,        // larger than a named limit
  kIo,           // the place that it is read from failed
  kCycle,        // it depends on itself
  kDependency,   // what must load before it did not
  kCanceled,
};
std::string_view to_string(Fault fault);  // "wrong_type"

struct Failure {
  Fault fault = Fault::kMissing;
  AssetHandle asset;         // nil where a mount failed
  std::string virtual_path;  // or the path in a runtime/ tree; empty where no mount knows it
  Error error;

  // "Engine/Textures/Wood (6ba7b810-...): corrupt: byte 12: found X, expected Y; do Z"
  std::string to_string() const;
};
// The fault that a format's or a source's error is.
Fault fault_of(ErrorCode code);

template <class T>
using Expected = std::expected<T, Failure>;

}  // namespace assetc::runtime

template <>
struct std::hash<assetc::runtime::AssetHandle> {
  std::size_t operator()(const assetc::runtime::AssetHandle& handle) const noexcept {
    return std::hash<assetc::Uuid>()(handle.uuid) ^ static_cast<std::size_t>(handle.path_hash);
  }
};
