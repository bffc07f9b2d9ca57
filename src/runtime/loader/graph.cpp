#include "runtime/loader/graph.hpp"

#include <algorithm>
#include <unordered_set>

namespace assetc::runtime {
namespace {

bool has_fallback(const Record& record) {
  const TypeEntry* type = record.type;
  return type != nullptr && type->fallback != nullptr;
}

}  // namespace

Catalog::Found find_in(const Catalog& catalog, const AssetHandle& asset) {
  Catalog::Found found{asset};
  if (const auto known = asset.uuid.is_nil() ? std::nullopt : catalog.find(asset.uuid)) {
    found.asset = *known;
  } else if (const auto placed = asset.path_hash == 0 ? std::nullopt : catalog.find_placed(asset.path_hash)) {
    found = *placed;
  }
  if (!found.asset.uuid.is_nil()) found.asset.path_hash = asset.path_hash;
  found.asset.type = type_of(found.asset, asset);
  return found;
}

void Graph::release_fallbacks() {
  using Kept = std::shared_ptr<void>;
  for (const auto& type : types_) {
    std::optional<GpuObject> gpu;
    if (type->has_fallback_gpu.exchange(false)) gpu = type->fallback_gpu;
    if (type->fallback_upload) {
      // Refs that outlive the manager may still read the value.
      auto kept = std::make_unique<Kept>(type->fallback);
      const Upload::Left left = type->fallback_upload->leave(
          kept.get(), [](void* owned) { std::default_delete<Kept>()(static_cast<Kept*>(owned)); });
      if (left.owns_value) static_cast<void>(kept.release());
      gpu = left.gpu;
      type->fallback_upload.reset();
    }
    if (gpu && type->loader.release) type->loader.release(*gpu);
  }
}

std::vector<AnyLoader> Graph::take_loaders() {
  std::vector<AnyLoader> loaders;
  for (const auto& type : types_) {
    AnyLoader left;
    left.type_tag = type->loader.type_tag;
    left.destroy = type->loader.destroy;
    loaders.push_back(std::exchange(type->loader, std::move(left)));
  }
  return loaders;
}

void Graph::add(AssetType type, AnyLoader loader) {
  auto entry = std::make_unique<TypeEntry>();
  entry->type = type;
  if (loader.fallback) entry->fallback = std::shared_ptr<void>(loader.fallback(type), loader.destroy);
  entry->loader = std::move(loader);
  types_.push_back(std::move(entry));
}

TypeEntry* Graph::entry_of(const void* type_tag) const {
  const auto found = std::ranges::find_if(types_, [&](const auto& e) { return e->loader.type_tag == type_tag; });
  return found == types_.end() ? nullptr : found->get();
}

TypeEntry* Graph::entry_of(AssetType type) const {
  const auto found = std::ranges::find_if(types_, [&](const auto& e) { return e->type == type; });
  return found == types_.end() ? nullptr : found->get();
}

Record* Graph::find(const AssetHandle& asset, const LoadSettings& settings) const {
  return listed_.find(asset, settings);
}

std::vector<Record*> Graph::find_all(const AssetHandle& asset) const {
  std::vector<Record*> all;
  if (Record* const plain = find(asset)) all.push_back(plain);
  if (listed_with_settings_ == 0) return all;
  for (Record* record : listed_.all()) {
    if (record->handle == asset && record->settings != LoadSettings{}) all.push_back(record);
  }
  return all;
}

Graph::Blank Graph::blank() { return {memory_.allocate_object<Record>(), memory_.allocate_object<Loading>()}; }

Record& Graph::prepare(const Blank& blank, const AssetHandle& asset, const Catalog::Found& found,
                       const std::shared_ptr<const Catalog>& catalog, const LoadSettings& settings) const {
  Record& record = *new (blank.record) Record(core_, asset);
  Loading& loading = *new (blank.loading) Loading();
  record.loading = &loading;
  record.settings = settings;
  record.found = found.asset;
  loading.catalog = catalog;
  loading.place = found.place.mount == nullptr ? catalog->locate(found.asset) : found.place;
  loading.desc.handle = found.asset;
  catalog->describe(loading.place, loading.desc);
  loading.desc.settings = settings;
  record.handle.type = loading.desc.handle.type = type_of(loading.desc.handle, asset);
  record.type = entry_of(record.handle.type);
  if (const TypeEntry* const type = record.type; type != nullptr && type->loader.shares)
    record.content = catalog->content(loading.place);
  return record;
}

Record& Graph::add(Record& prepared, int priority) {
  prepared.urgency.id = ++last_id_;
  prepared.urgency.priority = priority;
  ++live_;
  ++loading_;
  return prepared;
}

void Graph::discard(Record& prepared) {
  if (const auto at = prepared.content ? offered_.find(*prepared.content) : offered_.end();
      at != offered_.end() && at->second == &prepared)
    offered_.erase(at);
  end_load(prepared);
  memory_.delete_object(&prepared);
}

Record& Graph::create(const AssetHandle& asset, const AssetHandle& found, int priority, const LoadSettings& settings) {
  return add(prepare(blank(), asset, {found}, catalog_, settings), priority);
}

void Graph::end_load(Record& record) {
  if (record.loading != nullptr) memory_.delete_object(std::exchange(record.loading, nullptr));
}

Record& Graph::find_or_create(const AssetHandle& asset, int priority, std::uint64_t sequence, std::vector<Made>& made,
                              const LoadSettings& settings, Record* prepared) {
  if (Record* const known = find(asset, settings)) {
    if (prepared != nullptr) discard(*prepared);
    if (known->origin == Origin::kMount) known->when_idle = WhenIdle::kCache;
    residency_.retain(*known);
    raise(*known, priority);
    return *known;
  }
  std::vector<Frame>& path = frames_;
  const auto push = [&](Record& record) -> Record& {
    list(record);
    path.push_back({&record, catalog_->dependencies(record.found)});
    for (std::size_t i = path.back().needs.hard_count(); i < path.back().needs.size(); ++i)
      record.loading->soft_wanted.push_back(path.back().needs[i]);
    return record;
  };
  Record& first = push(prepared == nullptr ? create(asset, asset, priority, settings) : add(*prepared, priority));
  residency_.retain(first);
  while (!path.empty()) {
    Frame& top = path.back();
    if (top.next == top.needs.hard_count()) {
      // A dependency has a lower sequence than its dependents, so it is read first.
      top.record->urgency.sequence = sequence == 0 ? next_sequence() : sequence;
      made.push_back({top.record, top.is_cyclic});
      path.pop_back();
      if (!path.empty()) need(*path.back().record, *made.back().record);
      continue;
    }
    const AssetHandle wanted = find_in_catalog(top.needs[top.next++]);
    Record* const known = find(wanted);
    const auto is_open = [&] {
      return std::ranges::any_of(path, [&](const Frame& frame) { return frame.record == known; });
    };
    if (known == nullptr) {
      push(create(wanted, wanted, priority));
    } else if (is_open()) {
      top.is_cyclic = true;
    } else {
      need(*top.record, *known);
    }
  }
  return first;
}

std::vector<Record*> Graph::loaded_users_first() const {
  struct Visit {
    Record* record;
    std::size_t next = 0;
  };
  std::vector<Record*> order;  // dependencies first
  std::unordered_set<const Record*> seen;
  const auto visit = [&](Record& root) {
    std::vector<Visit> path;
    if (seen.insert(&root).second) path.push_back({&root});
    while (!path.empty()) {
      Record& at = *path.back().record;
      const std::size_t next = path.back().next++;
      if (next == at.hard.size() + at.soft.size()) {
        if (at.loaded.load() != nullptr) order.push_back(&at);
        path.pop_back();
        continue;
      }
      Record* const needed = next < at.hard.size() ? at.hard[next] : at.soft[next - at.hard.size()];
      if (seen.insert(needed).second) path.push_back({needed});
    }
  };
  for (Record* record : listed_.all()) visit(*record);
  for (Record* record : apart_) visit(*record);
  std::ranges::reverse(order);
  return order;
}

void Graph::list(Record& record) {
  listed_.insert(record);
  listed_with_settings_ += record.settings != LoadSettings{};
  record.listed = Listed::kByHandle;
}

void Graph::unlist(Record& record) {
  if (record.listed == Listed::kByHandle) {
    listed_.erase(record);
    listed_with_settings_ -= record.settings != LoadSettings{};
  }
  if (record.listed == Listed::kApart) std::erase(apart_, &record);
  record.listed = Listed::kNot;
}

void Graph::set_apart(Record& record) {
  unlist(record);
  record.when_idle = WhenIdle::kDrop;
  record.listed = Listed::kApart;
  apart_.push_back(&record);
}

void Graph::free(Record& record) {
  --live_;
  discard(record);
}

void Graph::need(Record& record, Record& needed) {
  record.hard.push_back(&needed);
  residency_.link(record, needed);
  if (loading_of(needed) == nullptr) return;
  needed.waiters.push_back(&record);
  ++record.unready;
  raise(needed, record.urgency.priority);
}

void Graph::drop_needs(Record& record) {
  if (record.original != nullptr) leave_original(record);
  for (Record* needed : std::exchange(record.hard, {})) {
    std::erase(needed->waiters, &record);
    residency_.unlink(record, *needed);
  }
  for (Record* needed : std::exchange(record.soft, {})) residency_.unlink(record, *needed);
  record.unready = 0;
}

Record* Graph::original_of(const Record& record) const {
  if (!record.content || record.range || record.origin != Origin::kMount) return nullptr;
  const auto at = offered_.find(*record.content);
  if (at == offered_.end()) return nullptr;
  Record* original = at->second;
  // If it is being loaded again, its bytes may have changed.
  if (original->reload != nullptr && original->reload->beside == Beside::kChange) original = original->reload;
  if (original->original != nullptr) original = original->original;
  const bool is_usable = original != &record && original != record.reloads && !original->is_failed() &&
                         original->content == record.content && original->type.load() == record.type.load() &&
                         original->settings == record.settings && original->origin == Origin::kMount;
  const bool needs_others = !original->hard.empty() || !original->soft.empty() || original->reload != nullptr;
  return is_usable && !(needs_others && reaches(*original, record)) ? original : nullptr;
}

void Graph::offer(Record& record) {
  if (!record.content || record.range || record.beside == Beside::kDetail) return;
  Record*& offered = offered_[*record.content];
  if (offered == nullptr || offered->is_failed() || offered->original != nullptr) offered = &record;
}

void Graph::share(Record& record, Record& original) {
  record.original = &original;
  original.sharers.add(record);
  ++sharing_;
  need(record, original);
  if (record.urgency.is_awaited) make_awaited(original);
}

void Graph::leave_original(Record& record) {
  record.original->sharers.remove(record);
  record.original = nullptr;
  --sharing_;
}

void Graph::unshare(Record& record) {
  Record& original = *record.original;
  record.hard.erase(std::ranges::find(record.hard, &original));
  leave_original(record);
  residency_.unlink(record, original);
}

void Graph::follow(Record& record, Record& original) {
  Record& before = *std::exchange(record.original, &original);
  before.sharers.remove(record);
  original.sharers.add(record);
  *std::ranges::find(record.hard, &before) = &original;
  residency_.link(record, original);
  residency_.unlink(record, before);
}

void Graph::swap_contents(Record& record, Record& made) {
  for (Record* const one : {&record, &made}) {
    if (one->original != nullptr) one->original->sharers.remove(*one);
  }
  std::swap(record.original, made.original);
  std::swap(record.content, made.content);
  for (Record* const one : {&record, &made}) {
    if (one->original != nullptr) one->original->sharers.add(*one);
  }
  for (Record* const one : {&record, &made}) {
    if (!one->content) continue;
    const auto at = offered_.find(*one->content);
    if (at == offered_.end() || (at->second != &record && at->second != &made)) continue;
    offered_.erase(at);
  }
  if (record.original == nullptr && record.origin == Origin::kMount) offer(record);
}

void Graph::need_softly(Record& record, Record& needed) {
  record.soft.push_back(&needed);
  residency_.link(record, needed);
}

Record* Graph::loading_of(Record& record) {
  if (record.is_loading()) return &record;
  return record.is_failed() ? record.reload : nullptr;
}

bool Graph::reaches(const Record& from, const Record& target) {
  std::vector<const Record*> open = {&from};
  std::unordered_set<const Record*> seen = {&from};
  while (!open.empty()) {
    const Record* at = open.back();
    open.pop_back();
    if (at == &target || at == target.reloads) return true;
    if (at->reload != nullptr && seen.insert(at->reload).second) open.push_back(at->reload);
    for (const auto* needs : {&at->hard, &at->soft}) {
      for (const Record* next : *needs) {
        if (seen.insert(next).second) open.push_back(next);
      }
    }
  }
  return false;
}

bool Graph::awaits(Record& from, const Record& target) {
  std::vector<Record*> open = {&from};
  std::unordered_set<const Record*> seen;
  while (!open.empty()) {
    Record* const at = loading_of(*open.back());
    open.pop_back();
    if (at == &target) return true;
    if (at != nullptr && seen.insert(at).second) open.insert(open.end(), at->hard.begin(), at->hard.end());
  }
  return false;
}

const Record* Graph::failed_need(const Record& record) {
  const auto at = std::ranges::find_if(
      record.hard, [](const Record* needed) { return needed->is_failed() && !has_fallback(*needed); });
  return at == record.hard.end() ? nullptr : *at;
}

bool Graph::awaits_reload(Record& record) {
  for (Record* needed : record.hard) {
    if (!needed->is_failed() || needed->reload == nullptr) continue;
    needed->waiters.push_back(&record);
    ++record.unready;
    make_awaited(*needed);
  }
  return record.unready > 0;
}

std::vector<Record*> Graph::settle(Record& asset) {
  std::vector<Record*> free;
  if (asset.waiters.empty()) return free;
  for (Record* waiter : std::exchange(asset.waiters, {})) {
    if (--waiter->unready == 0 && waiter->is<stage::Waiting>()) free.push_back(waiter);
  }
  return free;
}

void Graph::raise(Record& record, int priority) {
  std::vector<Record*> open = {&record};
  while (!open.empty()) {
    Record& at = *open.back();
    open.pop_back();
    if (at.reload != nullptr) open.push_back(at.reload);
    if (!at.is_loading() || at.urgency.priority >= priority) continue;
    Queue::reorder(at, [&](Urgency& urgency) { urgency.priority = priority; });
    open.insert(open.end(), at.hard.begin(), at.hard.end());
  }
}

void Graph::set_priority(Record& record, int priority) {
  if (!record.is_loading())  // for the record that will be loaded beside it
    Queue::reorder(record, [&](Urgency& urgency) { urgency.priority = priority; });
  for (Record* at : {&record, record.reload}) {
    if (at != nullptr && at->urgency.priority > priority && at->is_loading())
      Queue::reorder(*at, [&](Urgency& urgency) { urgency.priority = priority; });
  }
  raise(record, priority);
}

void Graph::make_awaited(Record& record) {
  Record* const at = loading_of(record);
  if (at == nullptr || at->urgency.is_awaited) return;
  Queue::reorder(*at, [](Urgency& urgency) { urgency.is_awaited = true; });
  if (at->original != nullptr) make_awaited(*at->original);
}

}  // namespace assetc::runtime
