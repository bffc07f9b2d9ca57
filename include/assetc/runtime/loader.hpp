// How assets of a type become what an engine uses: decoded on other threads, finished on the one that pumps.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/handle.hpp"
#include "assetc/runtime/parts.hpp"

namespace assetc::runtime {

// What an engine made of an asset on its device; the number is the engine's.
struct GpuObject {
  std::uint64_t object = 0;
  std::uint64_t size_bytes = 0;  // counts into the GPU budget
};

struct LoadInput {
  const AssetDesc& desc;
  Bytes bytes;  // all of the asset, at a multiple of 8; what points into it keeps a copy
  const Catalog& catalog;
  const std::atomic<bool>& canceled;  // may turn true meanwhile; then the result is dropped
  // For decode to fill: what the asset needs beside what a registry says of it. Hard ones are ready before finalize.
  std::vector<AssetHandle> hard{}, soft{};
};

// All but decode may be left out.
//
//   manager.add<Font>(kFontType, {.decode = [](LoadInput& in) { return parse_font(in.bytes); }});
template <class T>
struct Loader {
  // On threads of the job system, several at once.
  std::function<Result<T>(LoadInput&)> decode;
  // What decode will allocate, from the bytes alone and before it is called; unset: as much as they are.
  std::function<std::uint64_t(ByteSpan)> decoded_bytes{};
  // What a value holds of the CPU budget; unset: decoded_bytes. Asked again after finalize.
  std::function<std::uint64_t(const T&)> size_bytes{};
  // On the thread that pumps. It may drop from the value what the device has a copy of.
  std::function<Result<GpuObject>(T&, const AssetDesc&)> finalize{};
  // On the thread that pumps, or that destroys the manager: undoes finalize.
  std::function<void(const GpuObject&)> release{};
  // What is used in place of an asset of this type that is not there (yet). Called once for each type that the loader
  // is added for, when it is added; it is finalized and released as any other, with an AssetDesc that has the type
  // alone.
  std::function<T(AssetType)> fallback{};
  // Assets of the type are loaded in parts, and decode and decoded_bytes are not called.
  std::optional<Parts<T>> parts{};
};

// A loader whose type only it knows.
struct AnyLoader {
  const void* type_tag = nullptr;
  std::function<Result<void*>(LoadInput&)> decode;
  std::function<std::uint64_t(ByteSpan)> decoded_bytes;
  std::function<std::uint64_t(const void*)> size_bytes;
  std::function<Result<GpuObject>(void*, const AssetDesc&)> finalize;
  std::function<void(const GpuObject&)> release;
  std::function<void*(AssetType)> fallback;
  std::optional<AnyParts> parts;
  void (*destroy)(void*) = nullptr;
};

// One address a type, without RTTI.
template <class T>
inline constexpr char kTypeTag = 0;

template <class T>
AnyLoader erase(Loader<T> loader) {
  AnyLoader any;
  any.type_tag = &kTypeTag<T>;
  any.decode = [decode = std::move(loader.decode)](LoadInput& in) -> Result<void*> {
    auto value = decode(in);
    if (!value) return std::unexpected(std::move(value).error());
    return std::make_unique<T>(std::move(*value)).release();
  };
  any.decoded_bytes = std::move(loader.decoded_bytes);
  if (loader.size_bytes) {
    any.size_bytes = [size = std::move(loader.size_bytes)](const void* value) {
      return size(*static_cast<const T*>(value));
    };
  }
  if (loader.finalize) {
    any.finalize = [finalize = std::move(loader.finalize)](void* value, const AssetDesc& desc) {
      return finalize(*static_cast<T*>(value), desc);
    };
  }
  any.release = std::move(loader.release);
  if (loader.fallback) {
    any.fallback = [make = std::move(loader.fallback)](AssetType type) -> void* {
      return std::make_unique<T>(make(type)).release();
    };
  }
  if (loader.parts) any.parts = erase(std::move(*loader.parts));
  any.destroy = [](void* value) { std::default_delete<T>()(static_cast<T*>(value)); };
  return any;
}

}  // namespace assetc::runtime
