// Changes while assets are loaded: of the catalog, of files, and values that an engine inserts.
#include "runtime/loader/core.hpp"

namespace assetc::runtime {

Expected<void> Core::remount(const std::function<Expected<void>(Catalog&)>& change) {
  const std::lock_guard one(changing_);
  const std::shared_ptr<const Catalog> last = current_catalog();
  auto next = std::make_shared<Catalog>(*last);
  if (auto done = change(*next); !done) return done;
  std::vector<AssetHandle> assets;
  std::vector<std::pair<AssetHandle, std::string>> gone;
  const auto look = [&](const AssetHandle& asset) {
    const AssetHandle was = find_in(*last, asset).asset, is = find_in(*next, asset).asset;
    const Catalog::Place from = last->locate(was), to = next->locate(is);
    if (was == is && from.mount == to.mount && from.entry == to.entry) return;
    assets.push_back(asset);
    if (to.mount != nullptr) return;
    if (const auto desc = last->desc(was, from)) gone.emplace_back(asset, desc->virtual_path);
  };
  // Lookups in the catalogs take time, so all but those for new records are made without the mutex.
  std::vector<AssetHandle> known;
  std::uint64_t last_id = 0;
  {
    const Lock lock(mutex_);
    last_id = graph_.last_id();
    graph_.each([&](const Record& record) { known.push_back(record.handle); });
  }
  for (const AssetHandle& asset : known) look(asset);
  const Lock lock(mutex_);
  if (life_ != Life::kOpen) return {};
  graph_.each([&](const Record& record) {
    if (record.urgency.id > last_id) look(record.handle);
  });
  use_catalog(std::move(next));
  reloads_.set_gone(std::move(gone));
  reloads_.add_failed(assets);
  reload(assets, true);
  return {};
}

void Core::use_catalog(std::shared_ptr<const Catalog> next) {
  residency_.retire({.frame = frame_, .catalog = graph_.exchange_catalog(std::move(next))});
  seen_catalog_.store(graph_.catalog().get(), std::memory_order_release);
}

void Core::changed(const Changes& changes) {
  const std::lock_guard one(changing_);
  const std::shared_ptr<const Catalog> last = current_catalog();
  auto next = std::make_shared<Catalog>(*last);
  Catalog::Reopened reopened = next->reopen(changes);
  std::vector<AssetHandle> assets = changes.assets;
  // Only the old catalog has an asset that was removed. Only the new one has an asset that was added.
  for (const Catalog* catalog : {last.get(), static_cast<const Catalog*>(next.get())}) {
    const std::vector<AssetHandle> in = catalog->assets_in(changes);
    assets.insert(assets.end(), in.begin(), in.end());
  }
  std::vector<std::pair<AssetHandle, std::string>> gone;
  for (const AssetHandle& asset : assets) {
    if (next->locate(find_in(*next, asset).asset).mount != nullptr) continue;
    if (const auto was = last->desc(asset)) gone.emplace_back(asset, was->virtual_path);
  }
  const Lock lock(mutex_);
  if (life_ != Life::kOpen) return;
  notices_.add(std::move(reopened.failures));
  if (reopened.any) use_catalog(std::move(next));
  reloads_.set_gone(std::move(gone));
  reloads_.add_failed(assets);
  reload(assets, true);
  notices_.add(reloads_.mark_unbuilt(changes, frame_));
}

void Core::reload(const std::vector<AssetHandle>& assets, bool is_told) {
  if (assets.empty()) return;  // begin() looks at every record
  const Reloads::Begun begun = reloads_.begin(assets, is_told);
  for (Record* record : begun.dropped) drop(*record);
  for (Record* record : begun.held) details_.update(*record);
  // Create all records before their dependencies are looked up, so that they wait for one another.
  for (Record* made : begun.made) {
    std::vector<Graph::Made> needed;
    auto refusal = reloads_.expand(*made, needed);
    start(needed);
    if (refusal) {
      fail(*made, refusal->fault, std::move(refusal->error));
    } else {
      start(*made);
    }
  }
  for (const auto* records : {&begun.made, &begun.held}) {
    for (Record* record : *records) residency_.release(*record);
  }
  settle_idle();
  if (!begun.made.empty()) wake_io();
}

// Makes the value of an asset from memory: a new record, or one that loads beside the record that has the handle.
AnyRef Core::insert(const AssetHandle& asset, void* value, void (*destroy)(void*), int priority, const void* type_tag) {
  Lock lock(mutex_);
  TypeEntry* const type = graph_.entry_of(type_tag);
  const bool is_open = life_ == Life::kOpen;
  if (type == nullptr || !is_open) {
    Error no_loader{
        ErrorCode::kUsage, {}, {}, "no loader for the type of the inserted value", "add one to the manager"};
    AnyRef ref = is_open ? refused(asset, type, Fault::kNoLoader, std::move(no_loader))
                         : refused(asset, type, Fault::kCanceled, gone());
    lock.unlock();
    destroy(value);
    return ref;
  }
  lock.unlock();
  const std::uint64_t bytes = type->loader.size_bytes ? type->loader.size_bytes(value) : 0;
  const std::uint64_t gpu_bytes = type->loader.gpu_bytes ? type->loader.gpu_bytes(value) : 0;
  lock.lock();
  AssetHandle as = asset ? graph_.find_in_catalog(asset) : asset;
  as.type = type->type;
  Record* known = as ? graph_.find(as) : nullptr;
  const bool is_replaced = known != nullptr && known->type == type && !known->is_loading() && known->is_wanted();
  if (known != nullptr && !is_replaced) {
    graph_.set_apart(*known);
    if (residency_.uncache(*known)) drop(*known);
    known = nullptr;
  }
  Record* made = nullptr;
  if (known != nullptr) {
    reloads_.stop(*known);
    details_.update(*known);
    made = &reloads_.begin_insert(*known);
  } else {
    made = &graph_.create(as, as, priority);
    made->when_idle = WhenIdle::kDrop;
  }
  made->type = type;
  made->origin = Origin::kInserted;
  made->content.reset();
  made->urgency.sequence = graph_.next_sequence();
  made->cpu_bytes = bytes;
  made->loading->expected_gpu_bytes = gpu_bytes;
  AnyRef ref(known != nullptr ? known : made);
  residency_.retain(*ref.record_);
  if (known == nullptr && as) {
    graph_.list(*made);
  } else if (known == nullptr) {
    graph_.set_apart(*made);
  }
  reserve(*made, bytes);
  advance(*made, value);
  settle_idle();
  return ref;
}

}  // namespace assetc::runtime
