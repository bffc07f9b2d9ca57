// Loaders: they decode assets of a type on other threads and finalize them on the thread that pumps.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/handle.hpp"
#include "assetc/runtime/memory.hpp"
#include "assetc/runtime/parts.hpp"

namespace assetc::runtime {

// The object that an engine created for an asset on its device. The engine chooses the number.
struct GpuObject {
  std::uint64_t object = 0;
  std::uint64_t size_bytes = 0;  // counts toward the GPU budget
  bool is_pending = false;       // the device still creates it; see Loader::poll
};

// Completes an upload that Loader::finalize_async began. Copies complete the same upload. If the last copy is destroyed
// before complete() was called, the asset fails (kCanceled).
// Do not keep a token in its own value: it would keep itself.
// Lifetime: a token may outlive the manager. The value that finalize_async got stays valid and unchanged until
// complete() returns or the last token is destroyed.
// Thread safety: any thread.
class FinalizeToken {
 public:
  // Makes the asset ready with this object in the next pump(), or fails it. Returns false if the object is not needed
  // any more: the load was canceled, the manager was destroyed, or the upload was completed before. The caller must
  // then destroy the object.
  bool complete(Result<GpuObject> made) const;

 private:
  friend class Upload;
  class Owner;
  explicit FinalizeToken(std::shared_ptr<Owner> owner) : owner_(std::move(owner)) {}
  std::shared_ptr<Owner> owner_;
};

struct LoadInput {
  const AssetDesc& desc;
  Bytes bytes;  // the whole content, at a multiple of 8; values that point into it keep a copy, or take it
  const Catalog& catalog;
  const std::atomic<bool>& canceled;      // may become true during the call; then the result is dropped
  const Memory& memory = kDefaultMemory;  // of the manager
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
  // Returns how much of the GPU budget the object of a value will use, before it is created. The manager then makes
  // room first. Unset: unknown, and the budget may be exceeded until the manager has lowered detail.
  std::function<std::uint64_t(const T&)> gpu_bytes{};
  // Creates the GPU object on the thread that pumps. It may remove data from the value that the device has a copy of.
  // If the object that it returns is pending, the asset is not ready before poll returns it without is_pending.
  std::function<Result<GpuObject>(T&, const AssetDesc&)> finalize{};
  // Returns the state of a pending object: the same, or another one that replaces it. Called once in each pump(), on
  // the thread that pumps.
  std::function<Result<GpuObject>(const GpuObject& pending)> poll{};
  // Instead of finalize, for uploads that end on another thread or queue: begins the upload on the thread that pumps,
  // and returns. The asset is ready after token.complete(). Until then nothing else uses the value.
  std::function<void(T&, const AssetDesc&, FinalizeToken token)> finalize_async{};
  // Undoes finalize. Called on the thread that pumps or that destroys the manager. If a load is canceled while its
  // object is pending, release gets the pending object.
  std::function<void(const GpuObject&)> release{};
  // Returns the replacement for an asset of this type that is not loaded yet or that failed. Called once for each type
  // that the loader is added for, when it is added. The value is finalized and released like any other. The AssetDesc
  // for finalize then has only the type.
  std::function<T(AssetType)> fallback{};
  // Assets whose bytes are stored once, like files with equal contents in a pack, get one value and one GPU object,
  // which count once in the budgets. The functions above get the AssetDesc of one of them. Set it to false if the value
  // or the object depends on the AssetDesc, or if it is changed after finalize.
  bool shares = true;
  // If parts.decode is set, assets of the type are loaded in parts, and decode and decoded_bytes above are not called.
  Parts<T> parts{};
};

}  // namespace assetc::runtime
