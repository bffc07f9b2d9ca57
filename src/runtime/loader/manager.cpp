#include "assetc/runtime/manager.hpp"

#include <tuple>

#include "runtime/loader/core.hpp"

namespace assetc::runtime {

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
  if (record_ == nullptr) return nullptr;
  if (const void* loaded = value()) return loaded;
  const TypeEntry* type = record_->type;
  return type == nullptr ? nullptr : type->fallback.get();
}

GpuObject AnyRef::gpu() const {
  if (record_ == nullptr) return {};
  if (const Loaded* loaded = record_->loaded.load(std::memory_order_acquire)) return loaded->gpu;
  const TypeEntry* type = record_->type;
  return type != nullptr && type->has_fallback_gpu.load(std::memory_order_acquire) ? type->fallback_gpu : GpuObject{};
}

void AnyRef::want(std::uint32_t level) const { record_->core->want(*record_, level); }

void CallbackToken::cancel() {
  const auto callback = std::exchange(callback_, {}).lock();
  if (callback == nullptr) return;
  const Callback gone = std::exchange(*callback, nullptr);  // destroys its captured objects here
}

// ---- the manager ----

std::string_view to_string(Waits what) { return trace_name(what); }

const char* trace_name(Waits what) {
  switch (what) {
    case Waits::kNothing:
      return "nothing";
    case Waits::kRoomInFlight:
      return "room_in_flight";
    case Waits::kSource:
      return "source";
    case Waits::kRetry:
      return "retry";
    case Waits::kProcessor:
      return "processor";
    case Waits::kDependency:
      return "dependency";
    case Waits::kCpuBudget:
      return "cpu_budget";
    case Waits::kGpuBudget:
      return "gpu_budget";
    case Waits::kPump:
      return "pump";
    case Waits::kDevice:
      return "device";
  }
  return "";
}

Manager::Manager(Catalog catalog, ManagerOptions options) : core_(new Core(std::move(catalog), std::move(options))) {}
Manager::~Manager() { core_->close(); }

void Manager::add_any(AssetType type, AnyLoader loader) { core_->add(type, std::move(loader)); }
AssetHandle Manager::find_path(std::string_view path) { return core_->find(path); }
AnyRef Manager::request(const AssetHandle& asset, const LoadOptions& options, const void* type_tag) {
  return core_->request(asset, options, type_tag);
}
AnyRef Manager::insert(const AssetHandle& asset, void* value, void (*destroy)(void*), int priority,
                       const void* type_tag) {
  return core_->insert(asset, value, destroy, priority, type_tag);
}
Expected<void> Manager::mount(const std::string& path, const MountOptions& options) {
  return core_->remount([&](Catalog& catalog) { return catalog.mount(path, options); });
}
Expected<void> Manager::mount(std::shared_ptr<Source> source, Layout layout, const std::string& path,
                              const MountOptions& options) {
  return core_->remount([&](Catalog& catalog) { return catalog.mount(std::move(source), layout, path, options); });
}
Expected<void> Manager::unmount(std::string_view path) {
  return core_->remount([&](Catalog& catalog) { return catalog.unmount(path); });
}
Expected<void> Manager::replace(std::string_view mounted, const std::string& path, const MountOptions& options) {
  return core_->remount([&](Catalog& catalog) -> Expected<void> {
    if (auto removed = catalog.unmount(mounted); !removed) return removed;
    return catalog.mount(path, options);
  });
}
Expected<void> Manager::replace(std::string_view mounted, std::shared_ptr<Source> source, Layout layout,
                                const std::string& path, const MountOptions& options) {
  return core_->remount([&](Catalog& catalog) -> Expected<void> {
    if (auto removed = catalog.unmount(mounted); !removed) return removed;
    return catalog.mount(std::move(source), layout, path, options);
  });
}
void Manager::set_variants(std::vector<std::string> qualifiers) {
  // The change cannot fail.
  std::ignore = core_->remount([&](Catalog& catalog) -> Expected<void> {
    catalog.set_variants(std::move(qualifiers));
    return {};
  });
}
AnyRef Manager::wait(AnyRef ref) { return core_->wait(std::move(ref)); }

void Manager::wait(const Group& group) {
  const std::span<const AnyRef> refs = group.refs();
  for (const AnyRef& ref : refs) {
    if (ref.state() == LoadState::kLoading || &ref == &refs.back()) core_->wait(ref);
  }
}

Group Manager::preload(std::span<const AssetHandle> assets, int priority) { return core_->preload(assets, priority); }

void Manager::set_priority(const AnyRef& ref, int priority) { core_->set_priority(*ref.record_, priority); }
AssetRef<PartBytes> Manager::load_range(const AnyRef& asset, const ContentRange& range, int priority) {
  return AssetRef<PartBytes>(core_->load_range(*asset.record_, range, priority));
}
void Manager::unload(const AssetHandle& asset) { core_->unload(asset); }
CallbackToken Manager::when_done(const AnyRef& ref, std::function<void(AnyRef)> then) {
  return core_->when_done(*ref.record_, std::move(then));
}
void Manager::changed(const Changes& changes) { core_->changed(changes); }
PumpReport Manager::pump(const PumpBudget& budget) { return core_->pump(budget); }
void Manager::set_budgets(const Budgets& budgets) { core_->set_budgets(budgets); }
Waiting Manager::why_waiting(const AnyRef& ref) const { return core_->why_waiting(*ref.record_); }
ManagerStats Manager::stats() const { return core_->stats(); }
const Catalog& Manager::catalog() const { return core_->catalog(); }

}  // namespace assetc::runtime
