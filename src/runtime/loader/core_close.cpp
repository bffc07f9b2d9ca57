// The end of a manager. Refs may outlive it, and keep their values but nothing of the engine.
#include <cassert>

#include "runtime/loader/core.hpp"
#include "runtime/loader/trace_scope.hpp"

namespace assetc::runtime {

void Core::close() {
  assert(entered_ == 0 && !Within::is(*this, Within::Call::kDecode) &&
         "the manager is destroyed in one of its calls: destroy it after pump(), load() and wait() have returned");
  Lock lock(mutex_);
  PumpReport unused;
  return_taken();
  register_done(unused);
  life_ = Life::kClosing;
  finish_preloads(lock);
  while (release_some()) continue;
  std::vector<Record*> loading = graph_.apart();
  for (Record* record : graph_.listed().all()) loading.push_back(record);
  std::erase_if(loading, [](const Record* record) { return !record->is_loading() && record->reload == nullptr; });
  for (Record* record : loading) residency_.retain(*record);
  for (Record* record : loading) {
    if (record->is_loading()) cancel(*record);
    reloads_.stop(*record);
  }
  for (Record* record : loading) residency_.release(*record);
  settle_idle();
  wake_io();
  if (options_.io_thread) {
    lock.unlock();
    io_.join();
    lock.lock();
  }
  while (!reads_.is_idle()) {
    start_reads(lock);  // cancels reads at the sources
    lock.unlock();
    on_answer(completions_.wait());
    lock.lock();
  }
  while (decodes_.job_count() > 0) {
    if (help(lock) || decodes_.job_count() == 0) continue;
    ++sleepers_;
    changed_.wait(lock);
    --sleepers_;
  }
  for (Record* record : reloads_.take_replaced()) residency_.release(*record);
  for (Record* record : reloads_.take_changed_details()) residency_.release(*record);
  release_retired(lock, true);
  const auto drop_all = [&] {
    do {
      while (Record* const oldest = residency_.take_oldest()) drop(*oldest);
    } while (drop_one(lock, unused) || residency_.cached_count() > 0);
  };
  while (!notices_.is_empty()) {
    Notices::Notice untold = notices_.take();
    lock.unlock();
    {
      const Notices::Notice gone = std::move(untold);
    }
    lock.lock();
  }
  drop_all();
  release_gpu_objects(lock);
  forget_engine(lock);
  drop_all();  // records that were released meanwhile
  life_ = Life::kOrphaned;
  if (graph_.live_count() > 0) return;
  lock.unlock();
  delete this;
}

// For assets whose refs outlive the manager. Dependents are released before their dependencies, as always.
void Core::release_gpu_objects(Lock& lock) {
  std::vector<std::pair<const AnyLoader*, GpuObject>> objects;
  for (Record* record : graph_.loaded_users_first()) {
    residency_.remove(*record);
    const Loaded* const last = record->loaded.load();
    record->loaded.store(new Loaded{last->value, {}, true, last->is_shared}, std::memory_order_release);
    residency_.add(*record);
    if (!last->is_shared) objects.emplace_back(&record->type.load()->loader, last->gpu);
    if (last != &record->first_loaded) last_loaded_.emplace_back(last);
  }
  lock.unlock();
  for (const auto& [loader, gpu] : objects) {
    const TraceScope scope(options_.trace, "release");
    if (loader->release) loader->release(gpu);
  }
  graph_.release_fallbacks();
  lock.lock();
}

// Refs that outlive the manager keep nothing of the engine: no captured objects of its functions, no sources.
void Core::forget_engine(Lock& lock) {
  std::vector<AnyLoader> loaders = graph_.take_loaders();
  ManagerOptions options = std::exchange(options_, {});
  std::shared_ptr<const Catalog> catalog = graph_.exchange_catalog(std::make_shared<const Catalog>());
  seen_catalog_.store(graph_.catalog().get(), std::memory_order_release);
  lock.unlock();
  loaders.clear();
  options = {};
  catalog.reset();
  lock.lock();
}

}  // namespace assetc::runtime
