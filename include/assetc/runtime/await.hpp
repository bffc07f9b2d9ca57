// Two more ways to wait for an asset: a future, and co_await.
#pragma once

#include <coroutine>
#include <future>
#include <memory>
#include <utility>

#include "assetc/runtime/manager.hpp"

namespace assetc::runtime {

// Returns a future that becomes ready in pump(). If the manager is destroyed first, it becomes ready with a canceled
// asset. The asset is loaded even if the future is destroyed.
// Constraints: the thread that calls pump() must not wait for the future.
template <class T>
std::future<AssetRef<T>> load_future(Manager& manager, const AssetHandle& asset, int priority = 0) {
  // Destroyed with the callback: after its call, or when it will never be called.
  struct Promised {
    explicit Promised(AssetRef<T> asked) : ref(std::move(asked)) {}
    Promised(const Promised&) = delete;
    Promised& operator=(const Promised&) = delete;
    ~Promised() { promise.set_value(ref); }
    AssetRef<T> ref;
    std::promise<AssetRef<T>> promise;
  };
  auto promised = std::make_shared<Promised>(manager.load_async<T>(asset, priority));
  std::future<AssetRef<T>> future = promised->promise.get_future();
  const AnyRef ref = promised->ref;
  manager.when_done(ref, [promised = std::move(promised)](const AnyRef&) {});
  return future;
}

// Waits for an asset in a coroutine.
//
//   const AssetRef<Font> font = co_await load_awaited<Font>(manager, handle);
//
// The coroutine resumes within pump() when the asset is ready or has failed. Its owner may destroy its frame while it
// waits, on the thread that pumps; then it does not resume. If the manager is destroyed, the coroutine stays suspended.
template <class T>
class Awaited {
 public:
  Awaited(Manager& manager, const AssetHandle& asset, int priority)
      : manager_(manager), ref_(manager.load_async<T>(asset, priority)) {}
  ~Awaited() { token_.cancel(); }
  Awaited(const Awaited&) = delete;
  Awaited& operator=(const Awaited&) = delete;
  bool await_ready() const { return ref_.state() != LoadState::kLoading; }
  void await_suspend(std::coroutine_handle<> waiting) {
    token_ = manager_.when_done(ref_, [waiting](const AnyRef&) { waiting.resume(); });
  }
  AssetRef<T> await_resume() { return std::move(ref_); }

 private:
  Manager& manager_;
  AssetRef<T> ref_;
  CallbackToken token_;
};
template <class T>
Awaited<T> load_awaited(Manager& manager, const AssetHandle& asset, int priority = 0) {
  return {manager, asset, priority};
}

}  // namespace assetc::runtime
