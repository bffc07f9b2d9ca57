// Assets that are loaded once and shared: read, decoded and finished in the background, within budgets.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/handle.hpp"
#include "assetc/runtime/jobs.hpp"
#include "assetc/runtime/loader.hpp"
#include "assetc/runtime/trace.hpp"

namespace assetc::runtime {

class AnyRef;

struct ManagerOptions {
  JobSystem jobs{};  // decodes; unset: pump() does
  // false: pump() hands reads to sources and takes their answers. With no jobs either and sources that have no threads
  // nothing here makes a thread, waits for one or sleeps; load() then needs sources that answer within submit().
  bool io_thread = true;
  // Of assets between their read and their finalize: read, decoded, waiting. Beyond it goes one asset at a time, where
  // nothing else that is in flight would make room: one that becomes larger than half of it, or that another in flight
  // waits for.
  std::uint64_t in_flight_bytes = 64ull << 20;
  // Of loaded assets. To stay below, pump() drops what nobody holds, the longest unused first, if that or what nothing
  // else needs has bytes of the budget; and then the finest parts of what is held, the least urgent first. Parts beyond
  // the first are not loaded where they would exceed a budget, unless less urgent ones can go; whole assets and first
  // parts that are held may exceed it.
  std::uint64_t cpu_bytes = 512ull << 20;
  std::uint64_t gpu_bytes = 1ull << 30;
  // Larger ones are Fault::kLimit.
  std::uint64_t max_asset_bytes = 1ull << 30;
  // The callbacks below are called by pump(), within its budget. Told of every asset that failed.
  std::function<void(const Failure&)> on_failure{};
  // Told of every asset that was replaced, as its own cause, and of those that need it, directly or not.
  std::function<void(const AnyRef& asset, const AnyRef& cause)> on_reloaded{};
  // Told of every asset in parts that became finer or coarser: another get() and gpu(), as after a reload.
  std::function<void(const AnyRef& asset)> on_detail{};
  // What a reload or a part has replaced is released this many pump()s later; or, where is_over is set, once it says so
  // of the frame (PumpReport::frame) in which it was replaced: a fence's answer.
  unsigned frames_in_flight = 3;
  std::function<bool(std::uint64_t frame)> is_over{};
  Tracer trace{};
};

enum class LoadState : std::uint8_t { kLoading, kReady, kFailed };

class Core;    // what stands behind a manager
class Record;  // of one asset in it

// Keeps an asset loaded. The last one of an asset that goes away while it is loading cancels that.
// A copy is one atomic increment. Refs may outlive the manager: their values live, gpu() is none, and nothing loads any
// more.
// A reload puts another value behind the same refs; pointers to the last one hold until the frame is over
// (ManagerOptions::frames_in_flight). Without reloads they hold as long as the ref.
// Thread safety: that of shared_ptr; what is loaded is const.
class AnyRef {
 public:
  AnyRef() = default;
  AnyRef(const AnyRef& other);
  AnyRef(AnyRef&& other) noexcept : record_(std::exchange(other.record_, nullptr)) {}
  AnyRef& operator=(AnyRef other) noexcept {
    std::swap(record_, other.record_);
    return *this;
  }
  ~AnyRef();

  explicit operator bool() const { return record_ != nullptr; }
  // The fallback's until it is ready; nothing where there is none, of an empty ref, and when the manager is gone.
  GpuObject gpu() const;
  // Of a ref that is not empty:
  AssetHandle handle() const;
  LoadState state() const;
  bool is_ready() const { return state() == LoadState::kReady; }
  // Null unless it failed.
  const Failure* failure() const;
  // Why the last reload of a ready asset failed, or what was edited did not build; what was loaded before is still
  // there. Null where it did not.
  const Failure* reload_failure() const;
  // Of an asset that is loaded in parts (Loader::parts): the finest level that is wanted from now on, for all who hold
  // it. 0, the finest, until somebody says otherwise. pump() loads finer levels, and drops those that are finer than
  // that; the first part stays. Any thread.
  void want(std::uint32_t level) const;

 protected:
  const void* value() const;
  const void* value_or_fallback() const;

 private:
  friend class Manager;
  friend class Core;
  friend class Record;
  explicit AnyRef(Record* counted) : record_(counted) {}
  Record* record_ = nullptr;
};

template <class T>
class AssetRef : public AnyRef {
 public:
  AssetRef() = default;
  // Null until it is ready, and of an empty ref.
  const T* get() const { return static_cast<const T*>(value()); }
  // The fallback until it is ready; null where there is none, and of an empty ref.
  const T* get_or_fallback() const { return static_cast<const T*>(value_or_fallback()); }

 private:
  friend class Manager;
  explicit AssetRef(AnyRef ref) : AnyRef(std::move(ref)) {}
};

// A callback that a manager is to call, for whoever may have to take it back: an object that the callback refers to and
// that is destroyed before. Copies mean the same callback. It may outlive the manager.
// Thread safety: as pump(), for the thread that calls it.
class CallbackToken {
 public:
  CallbackToken() = default;
  // From now on the callback is not called; what it holds is destroyed. Nothing happens where it was called, is being
  // called, or will not be.
  void cancel();

 private:
  friend class Core;
  explicit CallbackToken(std::weak_ptr<std::function<void(AnyRef)>> callback) : callback_(std::move(callback)) {}
  std::weak_ptr<std::function<void(AnyRef)>> callback_;
};

// A range of an asset's content.
struct PartBytes {
  Bytes bytes;
};

struct Progress {
  std::size_t ready = 0, failed = 0, total = 0;
  bool is_done() const { return ready + failed == total; }
};

// Assets that are loaded together; letting go of it lets go of them.
class Group {
 public:
  Progress progress() const;
  std::span<const AnyRef> refs() const { return refs_; }

 private:
  friend class Manager;
  std::vector<AnyRef> refs_;
};

struct PumpBudget {
  std::chrono::microseconds time{2000};  // of everything that pump() does, callbacks among it
  std::uint64_t bytes = 64ull << 20;     // given to finalize, as size_bytes() has them
};
struct PumpReport {
  std::uint64_t frame = 0;  // counts the calls, from 1
  std::size_t finalized = 0, dropped = 0;
  std::size_t failed = 0;  // of which on_failure was told
  std::uint64_t finalized_bytes = 0;
  std::size_t untold = 0;  // callbacks that the next calls have to make
};

struct ManagerStats {
  std::uint64_t cpu_bytes = 0, gpu_bytes = 0;
  std::uint64_t in_flight_bytes = 0, peak_in_flight_bytes = 0;
  std::size_t loading = 0;  // assets that are neither ready nor failed, or are loaded anew
  std::size_t cached = 0;   // ready ones that nobody holds
  std::size_t reads = 0;    // that went to sources, after those next to each other were made one
};

// What an engine loads through.
//
//   Manager manager(catalog, {.jobs = pool.jobs()});
//   manager.add<TextureData>(AssetType::kTexture2D, texture_loader({.formats = device_formats}));
//   AssetRef<TextureData> wood = manager.load_async<TextureData>(*catalog.find_by_path("Engine/Textures/Wood"));
//   while (running) { manager.pump({}); draw(wood.gpu()); }
//
// An asset that several ask for is loaded once. What a registry or a loader says it needs is loaded too: hard ones are
// ready before it is, soft ones after. A hard one that fails is replaced by its type's fallback; where there is none,
// whoever needs it fails as well (kDependency). Something that needs itself fails (kCycle).
// Of everything that waits the highest priority goes first, at every stage; of equal ones what was asked for first.
// Thread safety: load_async, preload, set_priority, unload, changed and stats from any thread; add() before the first
// load; load(), wait() and pump() from one thread, which also destroys assets and the manager.
class Manager {
 public:
  explicit Manager(Catalog catalog, ManagerOptions options = {});
  // Cancels what loads, waits for jobs and reads that run, destroys what nobody holds, and calls Loader::release for
  // all that is left: refs that go later destroy values alone, and call nothing. What the functions of loaders and
  // options hold is destroyed with it.
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // The loader of a type; one loader may serve several types.
  template <class T>
  void add(AssetType type, Loader<T> loader) {
    add_any(type, erase(std::move(loader)));
  }

  // Returns at once.
  template <class T>
  AssetRef<T> load_async(const AssetHandle& asset, int priority = 0) {
    return AssetRef<T>(request(asset, priority, &kTypeTag<T>));
  }
  // then(ref) is called by pump() when the asset is ready or has failed, unless nobody holds it any more by then.
  // Others may hold it: whoever has to take the callback back calls when_done() instead.
  template <class T>
  AssetRef<T> load_async(const AssetHandle& asset, std::function<void(const AssetRef<T>&)> then, int priority = 0) {
    AssetRef<T> ref = load_async<T>(asset, priority);
    when_done(ref, [then = std::move(then)](AnyRef done) { then(AssetRef<T>(std::move(done))); });
    return ref;
  }
  // Waits until it is ready or has failed, finalizing what it needs, and drops what the budgets have no room for.
  template <class T>
  AssetRef<T> load(const AssetHandle& asset) {
    AssetRef<T> ref = load_async<T>(asset, kUrgent);
    wait(ref);
    return ref;
  }
  // All of them, whatever their types; progress() is of these alone.
  Group preload(std::span<const AssetHandle> assets, int priority = 0);
  // Waits until all are ready or have failed, and meanwhile finalizes, and runs jobs where the engine's let it: for
  // tools, and where nothing is drawn meanwhile.
  void wait(const Group& group);

  // A range of an asset's content, read as it is and loaded as an asset of its own: a chunk of a sound. It is not found
  // by others, stays the same when the asset is loaded anew, and goes with its last ref.
  AssetRef<PartBytes> load_range(const AnyRef& asset, const ContentRange& range, int priority = 0);

  // Also of what it needs, where that raises it.
  void set_priority(const AnyRef& ref, int priority);
  // Drops it from the cache as soon as nobody holds it, unless somebody asks for it before.
  void unload(const AssetHandle& asset);
  // then(ref) as above. Called by a pump() from now on where it is done already.
  CallbackToken when_done(const AnyRef& ref, std::function<void(AnyRef)> then);

  // Hot reload: loads anew what these files and assets have become, beside what is there, and replaces it in a pump()
  // behind the same refs. What nobody holds is dropped. Assets that had failed are tried again; one that fails now
  // keeps what it was, and says why (AnyRef::reload_failure). Where an index changed, that of its mount is read before
  // this returns; one that cannot be is a failure, and stays as it was.
  void changed(const Changes& changes);

  // Once a frame: calls back, in the order of what happened, finalizes, drops what the budgets have no room for. Stops
  // before the next asset would exceed a budget, by what the last ones took, and behind the callback that exceeds it;
  // one asset is finalized and one callback called however small they are, and the next call does the rest. So it does
  // where another thread that was put aside keeps it from going on until the time is over.
  PumpReport pump(const PumpBudget& budget = {});

  ManagerStats stats() const;
  // Where changed() reads indexes anew this is another one from then on; the last one holds until the frame is over.
  const Catalog& catalog() const;

 private:
  static constexpr int kUrgent = 1 << 30;
  void add_any(AssetType type, AnyLoader loader);
  AnyRef request(const AssetHandle& asset, int priority, const void* type_tag);
  void wait(const AnyRef& ref);

  Core* core_;
};

}  // namespace assetc::runtime
