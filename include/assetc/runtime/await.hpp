// The other two ways to wait for an asset: a future, and co_await.
#pragma once

#include <coroutine>
#include <future>
#include <memory>
#include <utility>

#include "assetc/runtime/manager.hpp"

namespace assetc::runtime {

// Ready with pump(), so the thread that pumps must not wait for it. The asset is loaded even where the future is
// dropped.
template <class T>
std::future<AssetRef<T>> load_future(Manager& manager, const AssetHandle& asset, int priority = 0) {
  auto promise = std::make_shared<std::promise<AssetRef<T>>>();
  std::future<AssetRef<T>> future = promise->get_future();
  const AssetRef<T> ref = manager.load_async<T>(asset, priority);
  manager.when_done(ref, [promise, ref](const AnyRef&) { promise->set_value(ref); });
  return future;
}

// const AssetRef<Font> font = co_await load_awaited<Font>(manager, handle);
// The coroutine goes on within pump(), whether the asset is ready or has failed.
template <class T>
class Awaited {
 public:
  Awaited(Manager& manager, const AssetHandle& asset, int priority)
      : manager_(manager), ref_(manager.load_async<T>(asset, priority)) {}
  bool await_ready() const { return ref_.state() != LoadState::kLoading; }
  void await_suspend(std::coroutine_handle<> waiting) {
    manager_.when_done(ref_, [waiting](const AnyRef&) { waiting.resume(); });
  }
  AssetRef<T> await_resume() { return std::move(ref_); }

 private:
  Manager& manager_;
  AssetRef<T> ref_;
};
template <class T>
Awaited<T> load_awaited(Manager& manager, const AssetHandle& asset, int priority = 0) {
  return {manager, asset, priority};
}

}  // namespace assetc::runtime
