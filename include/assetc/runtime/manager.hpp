// The asset manager. It loads each asset once, shares it, and reads, decodes and finalizes in the background within
// budgets.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "assetc/runtime/any_loader.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/handle.hpp"
#include "assetc/runtime/jobs.hpp"
#include "assetc/runtime/trace.hpp"

namespace assetc::runtime {

class AnyRef;

struct ManagerOptions {
  JobSystem jobs{};  // runs decodes; unset: pump() decodes
  // false: pump() gives reads to sources and takes their answers. If there are also no jobs, and the sources have no
  // threads, the manager creates no thread, never waits for one and never sleeps. load() then requires sources that
  // answer within submit().
  bool io_thread = true;
  // Memory limit for assets between read and finalize: read, decoded or waiting. One asset at a time may exceed it, if
  // no other load in flight can free memory. This applies to an asset that needs more than half of the limit, and to an
  // asset that another load in flight waits for.
  std::uint64_t in_flight_bytes = 64ull << 20;
  // Memory limits for loaded assets: one for all types, whole or in parts. To stay below them, pump() frees memory in
  // this order:
  // 1. Assets that are not in use, the longest unused first, if they or assets that only they need use bytes of the
  //    exceeded budget.
  // 2. The finest parts of assets in use, the lowest priority first.
  // Assets in use are never dropped. Parts after the first are not loaded if they would exceed a budget, unless parts
  // with a lower priority can be dropped. A whole asset or a first part whose loader has gpu_bytes is finalized when
  // the manager has made room for it in gpu_bytes. If finer parts of all others are gone and there is still no room, it
  // exceeds the limit; so does load(). Values that wait for the end of their frames (frames_in_flight) do not count.
  std::uint64_t cpu_bytes = 512ull << 20;
  std::uint64_t gpu_bytes = 1ull << 30;
  // A larger asset fails with Fault::kLimit.
  std::uint64_t max_asset_bytes = 1ull << 30;
  // pump() calls the callbacks below, within its time budget. on_failure: called for every asset that failed.
  std::function<void(const Failure&)> on_failure{};
  // Called for every asset that was replaced, with itself as the cause, and for every asset that depends on it,
  // directly or indirectly.
  std::function<void(const AnyRef& asset, const AnyRef& cause)> on_reloaded{};
  // Called for every asset in parts that became finer or coarser. get() and gpu() then return new values, as after a
  // reload.
  std::function<void(const AnyRef& asset)> on_detail{};
  // When a reload or a part replaces a value, the old value is released this number of pump() calls later. If is_over
  // is set, it is released when is_over returns true for the frame (PumpReport::frame) in which it was replaced.
  // is_over can query a fence.
  unsigned frames_in_flight = 3;
  std::function<bool(std::uint64_t frame)> is_over{};
  Tracer trace{};
  Memory memory{};  // of an engine
};

// The limits of a manager that can change while it runs. The meaning is that of the members of ManagerOptions.
struct Budgets {
  std::uint64_t in_flight_bytes = 64ull << 20;
  std::uint64_t cpu_bytes = 512ull << 20;
  std::uint64_t gpu_bytes = 1ull << 30;
};

// The options of a request.
struct LoadOptions {
  int priority = 0;
  // The finest level to load, for an asset in parts: as AnyRef::want(), for all refs of this value.
  std::optional<std::uint32_t> level{};
  LoadSettings settings{};
};

enum class LoadState : std::uint8_t { kLoading, kReady, kFailed };

// What an asset waits for next.
enum class Waits : std::uint8_t {
  kNothing,       // it is ready as wanted, or has failed
  kRoomInFlight,  // until others leave ManagerOptions::in_flight_bytes
  kSource,        // an answer of its source, or its turn there
  kRetry,         // the next try of a read that failed
  kProcessor,     // a job that decodes it
  kDependency,    // an asset that must be ready first
  kCpuBudget,     // a finer part: ManagerOptions::cpu_bytes has no room
  kGpuBudget,     // ManagerOptions::gpu_bytes has no room
  kPump,          // the next pump()
  kDevice,        // its pending device object
};
std::string_view to_string(Waits what);  // "room_in_flight"

struct Waiting {
  Waits what = Waits::kNothing;
  AssetHandle dependency{};  // of kDependency: the first one that is not ready
};

class Core;    // the implementation of a manager
class Record;  // one asset in a manager

// A reference that keeps an asset loaded. If the last ref of an asset is destroyed while the asset loads, the load is
// canceled. Copying a ref is one atomic increment.
//
// A reload puts a new value behind the same refs. Pointers to the old value stay valid until the frame is over (see
// ManagerOptions::frames_in_flight). Without reloads they stay valid as long as the ref.
//
// Lifetime: refs may outlive the manager. Their values then stay valid, gpu() returns none, and nothing is loaded any
// more.
// Thread safety: that of shared_ptr. Loaded values are const.
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
  // Returns the GPU object, or that of the fallback until the asset is ready. Returns none if there is no fallback, if
  // the ref is empty, or if the manager was destroyed.
  GpuObject gpu() const;
  // The functions below require a ref that is not empty.
  AssetHandle handle() const;
  LoadState state() const;
  bool is_ready() const { return state() == LoadState::kReady; }
  // Returns null unless the asset failed.
  const Failure* failure() const;
  // Returns why the last reload of a ready asset failed, or why its edited source did not build. The previous value
  // stays loaded. Returns null if there was no such error.
  const Failure* reload_failure() const;
  // Sets the finest level to load from now on, for an asset that is loaded in parts (Loader::parts). It applies to all
  // refs of the asset. The default is 0, the finest level. pump() loads missing levels up to this one and drops finer
  // levels. The first part stays loaded. Thread safety: any thread.
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
  Handle<T> handle() const { return Handle<T>(AnyRef::handle()); }
  // Returns null until the asset is ready, and for an empty ref.
  const T* get() const { return static_cast<const T*>(value()); }
  // Returns the fallback until the asset is ready. Returns null if there is no fallback, and for an empty ref.
  const T* get_or_fallback() const { return static_cast<const T*>(value_or_fallback()); }

 private:
  friend class Manager;
  explicit AssetRef(AnyRef ref) : AnyRef(std::move(ref)) {}
};

// A registered callback that can be canceled. Use it if the callback refers to an object that may be destroyed first.
// Copies refer to the same callback. A token may outlive the manager.
// Thread safety: as pump(): call it on the thread that pumps.
class CallbackToken {
 public:
  CallbackToken() = default;
  // Cancels the callback and destroys the objects that it holds. Has no effect if the callback was called, is being
  // called, or will never be called.
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

// Assets that are loaded together. If the group is destroyed, its refs are destroyed, and assets that were not
// requested yet are not loaded. The refs of a group of more than 256 assets are destroyed in parts by later calls of
// pump(), within its budget, or by the next load() or wait() that waits, or by ~Manager.
// Thread safety: const functions, from any thread.
class Group {
 public:
  // Does not wait: an asset that was not requested yet counts in `total` only.
  Progress progress() const;
  // Returns the refs of all assets, in the order of preload(). Requests those that were not requested yet on the
  // calling thread, which takes about as long as load_async() of each. After ~Manager, they have failed (kCanceled).
  // Lifetime: valid as long as a copy of the group exists.
  std::span<const AnyRef> refs() const;

 private:
  friend class Manager;
  friend class Core;
  struct State;
  std::shared_ptr<State> state_;
};

// A time in whole microseconds. It converts from every std::chrono duration that std::chrono::microseconds converts
// from; a time that is too long becomes the longest one. A type of our own, because <chrono> takes 0.1 s to compile.
struct Microseconds {
  std::int64_t count = 0;

  constexpr explicit Microseconds(std::int64_t whole) : count(whole) {}
  template <class Duration, class Period = typename Duration::period>
    requires(std::is_integral_v<typename Duration::rep> && Period::num * 1'000'000 % Period::den == 0)
  constexpr Microseconds(const Duration& duration) {
    constexpr std::int64_t kScale = Period::num * 1'000'000 / Period::den, kMost = INT64_MAX / kScale;
    const std::int64_t n = duration.count();
    count = (n > kMost ? kMost : n < -kMost ? -kMost : n) * kScale;
  }
};
struct PumpBudget {
  Microseconds time{2000};            // for all work of pump(), including callbacks
  std::uint64_t bytes = 64ull << 20;  // passed to finalize, as counted by size_bytes()
};
struct PumpReport {
  std::uint64_t frame = 0;  // counts the calls, from 1
  std::size_t finalized = 0, dropped = 0;
  std::size_t failed = 0;  // reported to on_failure
  std::uint64_t finalized_bytes = 0;
  std::size_t untold = 0;  // callbacks left for the next calls
};

struct ManagerStats {
  std::uint64_t cpu_bytes = 0, gpu_bytes = 0;
  std::uint64_t in_flight_bytes = 0, peak_in_flight_bytes = 0;
  // Of gpu_bytes, what assets in use have, without replaced values, and how much of it the manager can free by dropping
  // parts.
  std::uint64_t gpu_in_use_bytes = 0, gpu_detail_bytes = 0;
  std::uint64_t gpu_limit_bytes = 0;  // ManagerOptions::gpu_bytes
  std::size_t coarser = 0;            // assets in parts that are coarser than wanted
  std::size_t waiting_for_room = 0;   // decoded assets and parts that wait until others are coarser
  std::size_t loading = 0;            // assets that are neither ready nor failed, or that are being reloaded
  std::size_t cached = 0;             // ready assets that are not in use
  std::size_t reads = 0;              // sent to sources, after adjacent ones were merged
  std::size_t retrying = 0;           // assets that wait until a failed read is repeated (RetryPolicy)
  std::size_t uploading = 0;          // assets whose device object is pending
  std::size_t sharing = 0;            // assets that have the value of another one with the same bytes (Loader::shares)
};

// Loads assets for an engine.
//
//   Manager manager(catalog, {.jobs = pool.jobs()});
//   manager.add<TextureData>(AssetType::kTexture2D, texture_loader({.astc = true}));
//   AssetRef<TextureData> wood = manager.load_async<TextureData>("Engine/Textures/Wood");
//   while (running) { manager.pump({}); draw(wood.gpu()); }
//
// An asset that is requested several times is loaded once. Its dependencies, from a registry or from its loader, are
// loaded too: hard ones before the asset is ready, soft ones after it.
//
// If a hard dependency fails, the fallback of its type replaces it. If there is no fallback, the dependent asset fails
// too (kDependency). An asset that depends on itself fails (kCycle).
//
// At every stage, the waiting asset with the highest priority comes first. If priorities are equal, the earliest
// request comes first.
//
// Progress: if something is loading and nothing runs that would free memory, one asset exceeds the limits, by the next
// pump() at the latest. A part is read at most three times, apart from the retries of its source. If its file is
// replaced a second time before the asset has the wanted level, and changed() was not called, the asset fails (kStale).
//
// Thread safety:
// - Any thread: load_async, find, insert, preload, set_priority, unload, changed, mount, unmount, replace, stats,
//   set_variants, set_budgets, why_waiting.
// - Before the first load: add().
// - One thread: load(), wait() and pump(). The same thread destroys assets and the manager.
//
// Functions of the engine, and which functions of the same manager they may call. "Any" are those for any thread.
// - Callbacks of ManagerOptions, load_async() and when_done(): all.
// - Loader::finalize and finalize_async: any, load() and wait(). There, pump() does nothing.
// - Loader::poll and release, is_over, destructors of values: any. There, load() fails (kCycle), pump() does nothing.
// - Loader::decode, the sizes of values, Parts::plan: the same.
// - BlockingRead, Source::submit: any. pump() and load() deadlock.
// - Functions of JobSystem, Memory and Tracer: none. All deadlock.
// Debug builds assert the first four rules.
class Manager {
 public:
  explicit Manager(Catalog catalog, ManagerOptions options = {});
  // Cancels loads, waits for running jobs and reads, destroys assets that are not in use, and calls Loader::release for
  // all remaining assets. It does not ask is_over: wait for the device first. Refs that are destroyed later only
  // destroy their values and call nothing. Objects held by the functions of loaders and options are destroyed with the
  // manager. Constraints: the device, the job system and the sources are destroyed after it. No other call runs, and no
  // function that the manager calls is on the stack. Debug builds assert this for pump(), load(), wait() and functions
  // of loaders.
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // Registers the loader of a type. One loader may serve several types.
  template <class T>
  void add(AssetType type, Loader<T> loader) {
    add_any(type, erase(std::move(loader)));
  }

  // Requests an asset and returns immediately.
  template <class T>
  AssetRef<T> load_async(const AssetHandle& asset, int priority = 0) {
    return load_async<T>(asset, LoadOptions{.priority = priority});
  }
  template <class T>
  AssetRef<T> load_async(const AssetHandle& asset, const LoadOptions& options) {
    return AssetRef<T>(request(asset, options, &kTypeTag<T>));
  }
  // The same for a typed handle.
  template <class T>
  AssetRef<T> load_async(const Handle<T>& asset, const LoadOptions& options = {}) {
    return load_async<T>(static_cast<const AssetHandle&>(asset), options);
  }
  // The same with a callback. pump() calls then(ref) when the asset is ready or has failed, unless the last ref of the
  // asset is destroyed before. To be able to cancel the callback, use when_done().
  template <class T>
  AssetRef<T> load_async(const AssetHandle& asset, std::function<void(const AssetRef<T>&)> then, int priority = 0) {
    AssetRef<T> ref = load_async<T>(asset, priority);
    when_done(ref, [then = std::move(then)](AnyRef done) { then(AssetRef<T>(std::move(done))); });
    return ref;
  }
  // The same in one step: finds the asset by its virtual path, or by its path in a runtime/ tree, and requests it. If
  // no mount has the path, the asset fails (kMissing), and is loaded once a mount with it is added.
  template <class T>
  AssetRef<T> load_async(std::string_view path, int priority = 0) {
    return load_async<T>(find<T>(path), LoadOptions{.priority = priority});
  }
  template <class T>
  AssetRef<T> load_async(std::string_view path, const LoadOptions& options) {
    return load_async<T>(find<T>(path), options);
  }
  template <class T>
  AssetRef<T> load(std::string_view path) {
    return load<T>(find<T>(path));
  }
  // Returns the handle of a path, also if no mount has it. Store it, and load it later.
  template <class T>
  Handle<T> find(std::string_view path) {
    return Handle<T>(find_path(path));
  }
  // Waits until the asset is ready or has failed. Meanwhile it finalizes the assets that it depends on. At the end it
  // drops assets that exceed the budgets.
  // Within finalize: fails with kCycle if the asset needs the one that is being finalized.
  template <class T>
  AssetRef<T> load(const AssetHandle& asset) {
    return AssetRef<T>(wait(load_async<T>(asset, kUrgent)));
  }
  template <class T>
  AssetRef<T> load(const Handle<T>& asset) {
    return load<T>(static_cast<const AssetHandle&>(asset));
  }

  // Adds a value that the engine made: procedural textures, meshes of a terrain. It is finalized like a loaded one, and
  // is ready after that. It needs a loader of its type, whose decode is not called.
  // With a handle, requests of this handle get the value as long as a ref of it exists. If the asset is already ready
  // or has failed, the value replaces it behind the same refs, as a reload does. Refs of an asset that is still loading
  // keep that asset. Changes of files do not replace an inserted value.
  template <class T>
  AssetRef<T> insert(T value, int priority = 0) {
    return insert<T>(AssetHandle(), std::move(value), priority);
  }
  template <class T>
  AssetRef<T> insert(const AssetHandle& asset, T value, int priority = 0) {
    return AssetRef<T>(insert(
        asset, std::make_unique<T>(std::move(value)).release(),
        [](void* gone) { std::default_delete<T>()(static_cast<T*>(gone)); }, priority, &kTypeTag<T>));
  }

  // Loads all these assets, of any types. progress() counts only them. Returns before it looks at them: the thread that
  // reads requests them in the background, or pump() if there is none.
  Group preload(std::span<const AssetHandle> assets, int priority = 0);
  // Waits until all assets of the group are ready or have failed. Meanwhile it finalizes assets and, if the engine's
  // job system allows it, runs jobs. For tools, and for times when nothing is drawn.
  void wait(const Group& group);

  // Reads a range of an asset's content and loads it unchanged as a separate asset: a chunk of a sound. Other requests
  // cannot find it, a reload of the asset does not change it, and it is destroyed with its last ref.
  AssetRef<PartBytes> load_range(const AnyRef& asset, const ContentRange& range, int priority = 0);

  // Changes the budgets. Assets that exceed lower ones are dropped or become coarser in the next pumps, as those of
  // ManagerOptions say. Loads that have begun go on. Thread safety: any thread.
  void set_budgets(const Budgets& budgets);

  // Returns what an asset waits for next. For a ready asset: what its reload, or its next finer part, waits for. Thread
  // safety: any thread.
  Waiting why_waiting(const AnyRef& ref) const;

  // Sets the priority of an asset. Dependencies with a lower priority are raised to it.
  void set_priority(const AnyRef& ref, int priority);
  // Drops an asset from the cache as soon as it is not in use, unless it is requested again before.
  void unload(const AssetHandle& asset);
  // Registers then(ref), as in load_async(). If the asset is already ready or failed, one of the next pump() calls
  // calls it.
  CallbackToken when_done(const AnyRef& ref, std::function<void(AnyRef)> then);

  // Hot reload: loads the new state of these files and assets, and replaces the old values in a pump() behind the same
  // refs.
  // - Assets that are not in use are dropped.
  // - Assets that had failed are retried.
  // - If a reload fails, the asset keeps its value, and AnyRef::reload_failure() returns the reason.
  // - If an index changed, the index of its mount is read again before this function returns. If that fails, the
  //   failure is reported and the old index stays in use.
  void changed(const Changes& changes);

  // Mounts and unmounts while assets are loaded, as Catalog::mount() and unmount() do: for downloaded content and mods.
  // - An asset that is now found in another place is loaded again, as by changed(). Assets that had failed are retried.
  // - An asset of an unmounted place that is in use keeps its value, and AnyRef::reload_failure() says that it is gone.
  //   If it is not in use, or no longer is, it is dropped, and the next request for it fails or returns the fallback.
  // - If a function fails, nothing changes.
  // They block while an index is read. Loads and pump() go on meanwhile.
  Expected<void> mount(const std::string& path, const MountOptions& options = {});
  Expected<void> mount(std::shared_ptr<Source> source, Layout layout, const std::string& path,
                       const MountOptions& options = {});
  Expected<void> unmount(std::string_view path);
  // Replaces a mount by another one, usually a new version of it, in one step: no lookup finds the assets of both or of
  // none. `mounted` is the path of the mount to remove, as for unmount(). The assets in use are loaded again behind the
  // same refs, and keep their values until then. If the new one cannot be mounted, nothing changes. To go back to the
  // old version, replace the new one by it.
  // Faults: kMissing if there is no mount with the path `mounted`; those of mount().
  Expected<void> replace(std::string_view mounted, const std::string& path, const MountOptions& options = {});
  Expected<void> replace(std::string_view mounted, std::shared_ptr<Source> source, Layout layout,
                         const std::string& path, const MountOptions& options = {});
  // Selects variants while assets are loaded, as Catalog::set_variants() does. An asset that now has another best
  // variant is loaded again, as by changed(), behind the same refs. Blocks while the assets of the mounts are looked
  // through.
  void set_variants(std::vector<std::string> qualifiers);

  // Does the work of one frame: calls callbacks in the order of events, finalizes assets, and drops assets that exceed
  // the budgets. Call it once a frame.
  // It stops before the next asset if that asset would exceed the time or byte budget, judging by the last ones, and
  // after the callback that exceeds the time budget. It always finalizes one asset and calls one callback, however
  // small the budget is. The next call continues.
  // It also returns if another thread holds the manager's lock for 0.1 ms, which happens if the operating system has
  // suspended that thread. If nothing was done before, the next call waits for the lock.
  PumpReport pump(const PumpBudget& budget = {});

  ManagerStats stats() const;
  // Returns a new catalog after mount(), unmount(), set_variants(), and a changed() that read an index again. The old
  // one stays valid until the frame is over.
  const Catalog& catalog() const;

 private:
  static constexpr int kUrgent = 1 << 30;
  void add_any(AssetType type, AnyLoader loader);
  AssetHandle find_path(std::string_view path);
  AnyRef request(const AssetHandle& asset, const LoadOptions& options, const void* type_tag);
  AnyRef insert(const AssetHandle& asset, void* value, void (*destroy)(void*), int priority, const void* type_tag);
  AnyRef wait(AnyRef ref);

  Core* core_;
};

}  // namespace assetc::runtime
