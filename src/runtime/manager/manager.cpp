#include "assetc/runtime/manager.hpp"

#include <algorithm>

#include "runtime/manager/manager_core.hpp"
#include "runtime/mount/wrong_type.hpp"

namespace assetc::runtime {

using Stage = Record::Stage;

// ---- refs ----

AnyRef::AnyRef(const AnyRef& other) : record_(other.record_) {
  if (record_ != nullptr) record_->refs.fetch_add(1, std::memory_order_relaxed);
}

AnyRef::~AnyRef() {
  if (record_ != nullptr) Core::release(*record_);
}

AssetHandle AnyRef::handle() const { return record_->handle; }
LoadState AnyRef::state() const { return record_->state.load(std::memory_order_acquire); }
const Failure* AnyRef::failure() const {
  return state() == LoadState::kFailed ? record_->failure.load(std::memory_order_acquire) : nullptr;
}
const Failure* AnyRef::reload_failure() const {
  return is_ready() ? record_->failure.load(std::memory_order_acquire) : nullptr;
}
const void* AnyRef::value() const {
  if (record_ == nullptr) return nullptr;
  const Loaded* loaded = record_->loaded.load(std::memory_order_acquire);
  return loaded == nullptr ? nullptr : loaded->value;
}

const void* AnyRef::value_or_fallback() const {
  if (const void* loaded = value()) return loaded;
  const TypeEntry* type = record_->type;
  return type == nullptr ? nullptr : type->fallback;
}

GpuObject AnyRef::gpu() const {
  if (const Loaded* loaded = record_->loaded.load(std::memory_order_acquire)) return loaded->gpu;
  const TypeEntry* type = record_->type;
  return type != nullptr && type->has_fallback_gpu.load(std::memory_order_acquire) ? type->fallback_gpu : GpuObject{};
}

AssetHandle find_in(const Catalog& catalog, const AssetHandle& asset) {
  AssetHandle found = (asset.uuid.is_nil() ? catalog.find(asset.path_hash) : catalog.find(asset.uuid)).value_or(asset);
  found.type = type_of(found.type, asset.type);
  return found;
}

Progress Group::progress() const {
  Progress progress{.total = refs_.size()};
  for (const AnyRef& ref : refs_) {
    const LoadState state = ref.state();
    progress.ready += state == LoadState::kReady;
    progress.failed += state == LoadState::kFailed;
  }
  return progress;
}

// ---- the core ----

Core::Core(Catalog catalog, ManagerOptions options)
    : options_(std::move(options)),
      catalog_(std::make_shared<const Catalog>(std::move(catalog))),
      decode_room_(options_.in_flight_bytes / 2) {
  seen_catalog_ = catalog_.get();
  if (options_.io_thread) io_ = std::thread([this] { io_loop(); });
}

Core::~Core() {
  for (const auto& type : types_) {
    if (type->fallback == nullptr) continue;
    if (type->has_fallback_gpu && type->loader.release) type->loader.release(type->fallback_gpu);
    type->loader.destroy(type->fallback);
  }
}

void Core::add(AssetType type, AnyLoader loader) {
  auto entry = std::make_unique<TypeEntry>();
  entry->type = type;
  if (loader.fallback) entry->fallback = loader.fallback();
  entry->loader = std::move(loader);
  const std::lock_guard lock(mutex_);
  types_.push_back(std::move(entry));
}

TypeEntry* Core::entry_of(const void* type_tag) const {
  const auto found = std::ranges::find_if(types_, [&](const auto& e) { return e->loader.type_tag == type_tag; });
  return found == types_.end() ? nullptr : found->get();
}

static Error gone() { return {ErrorCode::kUsage, {}, {}, "the manager is gone", {}}; }

AnyRef Core::request(const AssetHandle& asset, int priority, const void* type_tag) {
  AssetHandle wanted = find_in(*current_catalog(), asset);
  const Lock lock(mutex_);
  TypeEntry* const asked = type_tag == nullptr ? nullptr : entry_of(type_tag);
  if (asked != nullptr && wanted.type == kUnknownType) leave_apart(wanted, *asked);
  if (asked != nullptr) wanted.type = type_of(wanted.type, asked->type);
  const auto refuse = [&](Fault fault, Error error) {
    return AnyRef(&create_failed(wanted, asked, fault, std::move(error)));
  };
  if (closing_) return refuse(Fault::kCanceled, gone());
  if (type_tag != nullptr && asked == nullptr) {
    return refuse(Fault::kNoLoader,
                  {ErrorCode::kUsage, {}, {}, "no loader makes what was asked for", "add one to the manager"});
  }
  Record& record = find_or_create(wanted, priority, 0);
  settle_idle();
  if (asked != nullptr && record.type == nullptr) record.type = asked;
  const TypeEntry* const type = record.type;
  if (type_tag == nullptr || type->loader.type_tag == type_tag) {
    wake_io();
    return AnyRef(&record);
  }
  Error error = wrong_type(type->type, name_of(asked->type));
  release_locked(record);
  settle_idle();
  Record& refused = create_failed(wanted, asked, Fault::kWrongType, std::move(error));
  set_apart(refused);
  return AnyRef(&refused);
}

// Changes concern it all the same.
void Core::set_apart(Record& record) {
  unlist(record);
  record.drop_when_idle = true;
  record.is_apart = true;
  apart_.push_back(&record);
}

// An asset whose type nobody knows is what it is asked for as: what it was for others is for them alone.
void Core::leave_apart(const AssetHandle& asset, const TypeEntry& asked) {
  const auto found = records_.find(asset);
  if (found == records_.end()) return;
  Record& record = *found->second;
  const TypeEntry* const type = record.type;
  const Failure* const failure = record.failure;
  const bool has_no_loader = type == nullptr && failure != nullptr && failure->fault == Fault::kNoLoader;
  if (type == nullptr ? !has_no_loader : type->loader.type_tag == asked.loader.type_tag) return;
  set_apart(record);
  if (!record.in_lru) return;
  lru_.erase(record.lru);
  record.in_lru = false;
  drop(record);
}

// Some at a time: whoever else wants the mutex does not wait for all of them, and nobody is woken for each.
void Core::preload(std::span<const AssetHandle> assets, int priority, std::vector<AnyRef>& out) {
  constexpr std::size_t kAtOnce = 64;
  std::vector<AssetHandle> wanted;
  while (!assets.empty()) {
    const auto some = assets.first(std::min(kAtOnce, assets.size()));
    assets = assets.subspan(some.size());
    const std::shared_ptr<const Catalog> catalog = current_catalog();
    wanted.clear();
    for (const AssetHandle& asset : some) wanted.push_back(find_in(*catalog, asset));
    const Lock lock(mutex_);
    for (const AssetHandle& asset : wanted) {
      out.push_back(AnyRef(closing_ ? &create_failed(asset, nullptr, Fault::kCanceled, gone())
                                    : &find_or_create(asset, priority, 0)));
    }
    settle_idle();
    wake_io();
  }
}

void Core::unload(const AssetHandle& asset) {
  const AssetHandle known = find_in(*current_catalog(), asset);
  const Lock lock(mutex_);
  const auto found = records_.find(known);
  if (found == records_.end()) return;
  Record& record = *found->second;
  record.drop_when_idle = true;
  if (!record.in_lru) return;
  lru_.erase(record.lru);
  record.in_lru = false;
  drop(record);
}

void Core::when_done(Record& record, std::function<void(AnyRef)> then) {
  const Lock lock(mutex_);
  if (record.state == LoadState::kLoading) {
    record.callbacks.push_back(std::move(then));
  } else {
    calls_.emplace_back(Record::ref(record), std::move(then));
  }
}

ManagerStats Core::stats() {
  const Lock lock(mutex_);
  return {cpu_, gpu_, in_flight_, peak_in_flight_, loading_ + again_.size(), lru_.size(), read_count_};
}

void Core::release(Record& record) {
  std::uint32_t refs = record.refs.load(std::memory_order_relaxed);
  while (refs > 1) {
    if (record.refs.compare_exchange_weak(refs, refs - 1, std::memory_order_acq_rel)) return;
  }
  Core& core = record.core;
  Lock lock(core.mutex_);
  core.release_locked(record);
  core.settle_idle();
  if (!core.orphaned_) return;
  PumpReport unused;
  while (core.drop_one(lock, unused)) continue;
  if (core.live_ > 0) return;
  lock.unlock();
  delete &core;
}

void Core::close() {
  Lock lock(mutex_);
  PumpReport unused;
  register_done(unused);
  closing_ = true;
  std::vector<Record*> loading = apart_;
  for (const auto& [handle, record] : records_) loading.push_back(record);
  std::erase_if(loading,
                [](const Record* record) { return record->state != LoadState::kLoading && record->reload == nullptr; });
  for (Record* record : loading) retain(*record);
  for (Record* record : loading) {
    if (record->state == LoadState::kLoading) cancel(*record);
    stop_reload(*record);
  }
  for (Record* record : loading) release_locked(*record);
  settle_idle();
  wake_io();
  if (options_.io_thread) {
    lock.unlock();
    io_.join();
    lock.lock();
  }
  while (!reads_.empty() || !again_alone_.empty()) {
    start_reads(lock);  // tells sources of what is canceled
    lock.unlock();
    on_answer(completions_.wait());
    lock.lock();
  }
  while (jobs_ > 0) {
    if (!help(lock) && jobs_ > 0) changed_.wait(lock);
  }
  auto calls = std::exchange(calls_, {});
  auto unwanted = std::exchange(unwanted_, {});
  for (Record* record : std::exchange(replaced_, {})) release_locked(*record);
  release_retired(lock, true);
  lock.unlock();
  calls.clear();
  unwanted.clear();
  lock.lock();
  do {
    while (!lru_.empty()) {
      Record& idle = *lru_.front();
      lru_.pop_front();
      idle.in_lru = false;
      drop(idle);
    }
  } while (drop_one(lock, unused) || !lru_.empty());
  orphaned_ = true;
  if (live_ > 0) return;
  lock.unlock();
  delete this;
}

// ---- the manager ----

Manager::Manager(Catalog catalog, ManagerOptions options) : core_(new Core(std::move(catalog), std::move(options))) {}
Manager::~Manager() { core_->close(); }

void Manager::add_any(AssetType type, AnyLoader loader) { core_->add(type, std::move(loader)); }
AnyRef Manager::request(const AssetHandle& asset, int priority, const void* type_tag) {
  return core_->request(asset, priority, type_tag);
}
void Manager::wait(const AnyRef& ref) { core_->wait(*ref.record_); }

void Manager::wait(const Group& group) {
  for (const AnyRef& ref : group.refs()) core_->wait(*ref.record_);
}

Group Manager::preload(std::span<const AssetHandle> assets, int priority) {
  Group group;
  group.refs_.reserve(assets.size());
  core_->preload(assets, priority, group.refs_);
  return group;
}

void Manager::set_priority(const AnyRef& ref, int priority) { core_->set_priority(*ref.record_, priority); }
void Manager::unload(const AssetHandle& asset) { core_->unload(asset); }
void Manager::when_done(const AnyRef& ref, std::function<void(AnyRef)> then) {
  core_->when_done(*ref.record_, std::move(then));
}
void Manager::changed(const Changes& changes) { core_->changed(changes); }
PumpReport Manager::pump(const PumpBudget& budget) { return core_->pump(budget); }
ManagerStats Manager::stats() const { return core_->stats(); }
const Catalog& Manager::catalog() const { return core_->catalog(); }

}  // namespace assetc::runtime
