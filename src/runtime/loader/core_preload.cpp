// Groups of assets that are requested in the background.
#include "runtime/loader/core.hpp"

namespace assetc::runtime {

struct Group::State {
  State(Core& of, std::size_t count) : core(of), refs(std::make_unique<AnyRef[]>(count)), total(count) {}
  ~State() {
    // A ref keeps the core.
    if (const std::size_t count = requested.load(std::memory_order_acquire); count > Core::kReleasedAtOnce)
      core.release_later(std::move(refs), count);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  bool is_complete() const { return requested.load(std::memory_order_acquire) == total; }
  std::span<const AnyRef> refs_so_far() const { return {refs.get(), requested.load(std::memory_order_acquire)}; }

  // Valid until the group is complete: close() completes it, and from then on its refs keep the core.
  Core& core;
  std::unique_ptr<AnyRef[]> refs;
  const std::size_t total;
  std::atomic<std::size_t> requested = 0;  // the refs before it do not change any more
};

std::span<const AnyRef> Group::refs() const {
  if (state_ == nullptr) return {};
  if (!state_->is_complete()) state_->core.finish_preload(*state_);
  return state_->refs_so_far();
}

Progress Group::progress() const {
  if (state_ == nullptr) return {};
  Progress progress{.total = state_->total};
  for (const AnyRef& ref : state_->refs_so_far()) {
    const LoadState state = ref.state();
    progress.ready += state == LoadState::kReady;
    progress.failed += state == LoadState::kFailed;
  }
  return progress;
}

Group Core::preload(std::span<const AssetHandle> assets, int priority) {
  Group group;
  group.state_ = std::make_shared<Group::State>(*this, assets.size());
  if (assets.empty()) return group;
  Preload preload{group.state_, {assets.begin(), assets.end()}, 0, priority};
  Lock lock(mutex_);
  preloading_ += assets.size();
  preloads_.push_back(std::move(preload));
  if (life_ == Life::kOpen) {
    wake_io();
  } else {
    finish_preloads(lock);
  }
  return group;
}

// Requests some assets. Called with the mutex, which is unlocked meanwhile. Returns whether there was one to request. A
// batch is small, so that other threads do not wait long. While the manager is destroyed, the requests are refused.
bool Core::request_preloads(Lock& lock) {
  constexpr std::size_t kAtOnce = 256;
  if (preloads_.empty() || requests_preloads_) return false;
  Preload& first = preloads_.front();
  std::shared_ptr<Group::State> group = first.group.lock();
  const std::span<const AssetHandle> rest = std::span(first.assets).subspan(first.next);
  if (group == nullptr) {
    preloading_ -= rest.size();
    preloads_.pop_front();
    return true;
  }
  requests_preloads_ = true;  // only this thread changes `first` and the group
  const std::span<const AssetHandle> some = rest.first(std::min(kAtOnce, rest.size()));
  const std::shared_ptr<const Catalog> catalog = graph_.catalog();
  std::array<Graph::Blank, kAtOnce> blanks;
  for (std::size_t i = 0; i < some.size(); ++i) blanks[i] = graph_.blank();
  lock.unlock();
  std::array<Record*, kAtOnce> prepared;
  std::vector<StoredRange> ranges;
  for (std::size_t i = 0; i < some.size(); ++i) {
    const Catalog::Found found = find_in(*catalog, some[i]);
    prepared[i] = &graph_.prepare(blanks[i], found.asset, found, catalog);
    Reads::plan_whole(*prepared[i], ranges);
  }
  lock.lock();
  if (first.next == 0) graph_.reserve(first.assets.size());
  const std::size_t before = group->requested.load(std::memory_order_relaxed);
  for (std::size_t i = 0; i < some.size(); ++i) {
    AssetHandle asset = prepared[i]->found;
    if (graph_.catalog() != catalog) {
      graph_.discard(*std::exchange(prepared[i], nullptr));
      asset = graph_.find_in_catalog(some[i]);
    }
    if (life_ != Life::kOpen) {
      if (prepared[i] != nullptr) graph_.discard(*prepared[i]);
      group->refs[before + i] = refused(asset, graph_.entry_of(asset.type), Fault::kCanceled, gone());
      continue;
    }
    const TypeEntry* const own = asset.type < kFirstEngineType ? nullptr : graph_.entry_of(asset.type);
    if (own != nullptr) leave_apart(asset, {}, *own, false);
    group->refs[before + i] = AnyRef(&find_or_start(asset, first.priority, 0, {}, prepared[i]));
  }
  group->requested.store(before + some.size(), std::memory_order_release);
  preloading_ -= some.size();
  first.next += some.size();
  if (first.next == first.assets.size()) preloads_.pop_front();
  requests_preloads_ = false;
  settle_idle();
  wake_io();
  tell_waiters();
  lock.unlock();
  group.reset();  // may destroy the refs
  lock.lock();
  return true;
}

void Core::release_later(std::unique_ptr<AnyRef[]> refs, std::size_t count) {
  const Lock lock(mutex_);
  if (life_ == Life::kOpen) leaving_.push_back({std::move(refs), count});
  // Otherwise the caller destroys them, after this function has unlocked the mutex.
}

bool Core::release_some() {
  if (leaving_.empty()) return false;
  Leaving& first = leaving_.front();
  const std::size_t end = std::min(first.count, first.next + kReleasedAtOnce);
  for (; first.next < end; ++first.next) residency_.release(*std::exchange(first.refs[first.next].record_, nullptr));
  if (first.next == first.count) leaving_.pop_front();
  settle_idle();
  return true;
}

void Core::finish_preloads(Lock& lock) {
  while (!preloads_.empty()) request_or_wait(lock);
}

void Core::finish_preload(const Group::State& group) {
  Lock lock(mutex_);
  while (!group.is_complete()) request_or_wait(lock);
}

void Core::request_or_wait(Lock& lock) {
  if (request_preloads(lock)) return;
  ++sleepers_;
  changed_.wait(lock);  // another thread requests some
  --sleepers_;
}

}  // namespace assetc::runtime
