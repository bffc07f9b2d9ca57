// Handles, which identify assets, and failures, which say why an asset could not be loaded.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "assetc/formats/aas1_type.hpp"
#include "assetc/formats/texel_format.hpp"

namespace assetc::runtime {

// Numbers from kFirstEngineType on are for an engine's own types.
using AssetType = aas1::Type;
inline constexpr AssetType kUnknownType{};
inline constexpr AssetType kFirstEngineType{128};
std::string name_of(AssetType type);  // "Texture2D", or "type 130"

// Identifies an asset of a cooked tree by its UUID, or a file of a runtime/ tree by the hash of its path. Trivial to
// copy. It has the same meaning in every run.
struct AssetHandle {
  Uuid uuid{};
  // hash_embed_ref() of the path, with its extension. With a UUID: hash_asset_ref() of the virtual path that it was
  // found by, for when another asset gets that path; not part of the identity then.
  std::uint64_t path_hash = 0;
  AssetType type = kUnknownType;  // selects the loader; not part of the asset's identity

  explicit operator bool() const { return path_hash != 0 || !uuid.is_nil(); }
  bool operator==(const AssetHandle& other) const {
    return uuid == other.uuid && (!uuid.is_nil() || path_hash == other.path_hash);
  }
};

// A handle of an asset that loads as a T. Requests take T from it. It has the size, the meaning and the hash of an
// AssetHandle.
template <class T>
struct Handle : AssetHandle {
  Handle() = default;
  explicit Handle(const AssetHandle& asset) : AssetHandle(asset) {}
};

// Settings that give an asset a value of its own: requests with equal settings share a value, requests with other
// settings load the asset again beside it. Dependencies are loaded without settings. Loaders read them from
// AssetDesc::settings.
struct LoadSettings {
  // Asks finalize to keep the data that it clears otherwise, for a caller that reads it.
  bool keep_data = false;
  // The format that a texture must have. Its loader converts to it, or fails (kUnsupported).
  std::optional<TexelFormat> format{};
  bool operator==(const LoadSettings&) const = default;
};

// Why an asset could not be loaded.
enum class Fault : std::uint8_t {
  kMissing,      // no mount has the asset
  kWrongType,    // the asset has another type than the requested one
  kNoLoader,     // no loader is registered for its type
  kCorrupt,      // its bytes break a rule of their format
  kVersion,      // a version of its format that this program does not read
  kUnsupported,  // valid, but this build or device does not support it
  kUntrusted,    // not signed by the signer that the mount trusts
  kLocked,       // encrypted, and the key was not given
  kLimit,        // larger than a named limit
  kIo,           // reading from its source failed
  kCycle,        // the asset depends on itself
  kDependency,   // a dependency that must load first failed
  kCanceled,
  kStale,  // its file was replaced on the server or the disk since it was mounted: mount it again
};
std::string_view to_string(Fault fault);  // "wrong_type"

struct Failure {
  Fault fault = Fault::kMissing;
  AssetHandle asset;         // nil if a mount failed
  std::string virtual_path;  // or the path in a runtime/ tree; empty if no mount has the asset
  Error error;

  // Returns one line: "Engine/Textures/Wood (6ba7b810-...): corrupt: byte 12: found X, expected Y; do Z".
  std::string to_string() const;
};
// Returns the fault for an error of a format or a source.
Fault fault_of(ErrorCode code);

template <class T>
using Expected = std::expected<T, Failure>;

}  // namespace assetc::runtime

template <>
struct std::hash<assetc::runtime::AssetHandle> {
  std::size_t operator()(const assetc::runtime::AssetHandle& handle) const noexcept {
    return handle.uuid.is_nil() ? static_cast<std::size_t>(handle.path_hash) : std::hash<assetc::Uuid>()(handle.uuid);
  }
};
template <class T>
struct std::hash<assetc::runtime::Handle<T>> : std::hash<assetc::runtime::AssetHandle> {};
