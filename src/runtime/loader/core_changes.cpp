// Changes of the catalog and of files while assets are loaded.
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
    const AssetHandle was = find_in(*last, asset), is = find_in(*next, asset);
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
  reload(assets);
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
    if (next->locate(find_in(*next, asset)).mount != nullptr) continue;
    if (const auto was = last->desc(asset)) gone.emplace_back(asset, was->virtual_path);
  }
  const Lock lock(mutex_);
  if (life_ != Life::kOpen) return;
  notices_.add(std::move(reopened.failures));
  if (reopened.any) use_catalog(std::move(next));
  reloads_.set_gone(std::move(gone));
  reloads_.add_failed(assets);
  reload(assets);
  notices_.add(reloads_.mark_unbuilt(changes, frame_));
}

void Core::reload(const std::vector<AssetHandle>& assets) {
  if (assets.empty()) return;  // begin() looks at every record
  const Reloads::Begun begun = reloads_.begin(assets);
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

}  // namespace assetc::runtime
