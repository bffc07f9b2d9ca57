// Loaders: they decode assets of a type on other threads and finalize them on the thread that pumps.
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

// The object that an engine created for an asset on its device. The engine chooses the number.
struct GpuObject {
  std::uint64_t object = 0;
  std::uint64_t size_bytes = 0;  // counts toward the GPU budget
};

struct LoadInput {
  const AssetDesc& desc;
  Bytes bytes;  // the whole content, at a multiple of 8; keep a copy for values that point into it
  const Catalog& catalog;
  const std::atomic<bool>& canceled;  // may become true during the call; then the result is dropped
  // Output of decode: dependencies in addition to those of a registry. Hard ones are ready before finalize.
  std::vector<AssetHandle> hard{}, soft{};
};

// The functions that load assets of a type. All except decode are optional.
//
//   manager.add<Font>(kFontType, {.decode = [](LoadInput& in) { return parse_font(in.bytes); }});
template <class T>
struct Loader {
  // Decodes an asset. Called on threads of the job system, several at once.
  std::function<Result<T>(LoadInput&)> decode;
  // Returns the memory that decode will allocate, before decode is called. Unset: the size of the bytes.
  std::function<std::uint64_t(ByteSpan)> decoded_bytes{};
  // Returns how much of the CPU budget a value uses. Unset: decoded_bytes. Called again after finalize.
  std::function<std::uint64_t(const T&)> size_bytes{};
  // Creates the GPU object on the thread that pumps. It may remove data from the value that the device has a copy of.
  std::function<Result<GpuObject>(T&, const AssetDesc&)> finalize{};
  // Undoes finalize. Called on the thread that pumps or that destroys the manager.
  std::function<void(const GpuObject&)> release{};
  // Returns the replacement for an asset of this type that is not loaded yet or that failed. Called once for each type
  // that the loader is added for, when it is added. The value is finalized and released like any other. The AssetDesc
  // for finalize then has only the type.
  std::function<T(AssetType)> fallback{};
  // If set, assets of the type are loaded in parts, and decode and decoded_bytes are not called.
  std::optional<Parts<T>> parts{};
};

// A loader with its type erased.
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

// One address for each type, without RTTI.
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
