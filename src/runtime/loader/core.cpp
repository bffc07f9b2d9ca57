#include "runtime/loader/core.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

namespace assetc::runtime {
namespace {

// The error of an asset whose dependency failed. In a chain of dependencies, the message names the first one that
// failed.
Error needs(Failure failure) {
  if (failure.fault == Fault::kDependency) return failure.error;
  std::string hint = std::exchange(failure.error.hint, {});
  return {failure.error.code, {}, {}, "needs " + failure.to_string(), std::move(hint)};
}

// The value of a record that no queue and no job has.
void* value_of(Record& record) {
  if (const auto* waiting = std::get_if<stage::Waiting>(&record.stage)) return waiting->value;
  if (const auto* decoded = std::get_if<stage::Decoded>(&record.stage)) return decoded->value;
  if (const auto* finalizing = std::get_if<stage::Finalizing>(&record.stage)) return finalizing->value;
  if (const auto* pending = std::get_if<stage::Pending>(&record.stage)) return pending->value;
  const auto* done = std::get_if<stage::Done>(&record.stage);
  return done == nullptr ? nullptr : done->value;
}

}  // namespace

Core::Core(Catalog catalog, ManagerOptions options)
    : options_(std::move(options)),
      engine_memory_(options_.memory),
      residency_({options_.in_flight_bytes, options_.cpu_bytes, options_.gpu_bytes}),
      graph_(this, residency_, std::move(catalog), memory_),
      reads_(residency_, options_.max_asset_bytes, memory_),
      decodes_(residency_, options_.max_asset_bytes, options_.trace, options_.memory, memory_),
      reloads_(graph_, residency_),
      details_(residency_, memory_),
      finalize_queue_(memory_),
      room_queue_(memory_) {
  ranges_.type = AssetType::kRaw;
  ranges_.loader =
      erase(Loader<PartBytes>{.decode = [](LoadInput& in) -> Result<PartBytes> { return PartBytes{in.bytes}; },
                              .decoded_bytes = [](ByteSpan) -> std::uint64_t { return 0; },
                              .size_bytes = [](const PartBytes& part) -> std::uint64_t { return part.bytes.size(); }});
  seen_catalog_ = graph_.catalog().get();
  if (options_.io_thread) io_ = std::thread([this] { io_loop(); });
}

Error Core::gone() { return {ErrorCode::kUsage, {}, {}, "the manager is gone", {}}; }

void Core::add(AssetType type, AnyLoader loader) {
  const Lock lock(mutex_);
  graph_.add(type, std::move(loader));
}

std::shared_ptr<const Catalog> Core::current_catalog() {
  const Lock lock(mutex_);
  return graph_.catalog();
}

AssetHandle Core::find(std::string_view path) {
  if (const auto asset = current_catalog()->find_by_path(path)) return *asset;
  const AssetHandle unknown{.path_hash = hash_asset_ref(path)};
  const Lock lock(mutex_);
  reloads_.set_gone({{unknown, std::string(path)}});
  return unknown;
}

AnyRef Core::request(const AssetHandle& asset, const LoadOptions& options, const void* type_tag) {
  const std::shared_ptr<const Catalog> catalog = current_catalog();
  AssetHandle wanted = find_in(*catalog, asset).asset;
  const Lock lock(mutex_);
  if (graph_.catalog() != catalog) wanted = graph_.find_in_catalog(asset);
  TypeEntry* const asked = type_tag == nullptr ? nullptr : graph_.entry_of(type_tag);
  if (asked != nullptr) {
    const bool is_unknown = wanted.type == kUnknownType;
    wanted.type = type_of(wanted.type, asked->type);
    if (is_unknown || wanted.type == asked->type) leave_apart(wanted, options.settings, *asked, is_unknown);
  }
  if (life_ != Life::kOpen) return refused(wanted, asked, Fault::kCanceled, gone());
  if (type_tag != nullptr && asked == nullptr) {
    return refused(wanted, asked, Fault::kNoLoader,
                   {ErrorCode::kUsage, {}, {}, "no loader for the requested type", "add one to the manager"});
  }
  Record& record = find_or_start(wanted, options.priority, 0, options.settings);
  if (options.level) set_wanted(record, *options.level);
  settle_idle();
  if (asked != nullptr && record.type == nullptr) record.type = asked;
  const TypeEntry* const type = record.type;
  if (type_tag == nullptr || type->loader.type_tag == type_tag) {
    wake_io();
    return AnyRef(&record);
  }
  Error error{ErrorCode::kUsage,
              {},
              {},
              "is " + name_of(type->type) + ", but was requested as " + name_of(asked->type),
              "request it with its own type, or cook it as the requested type"};
  residency_.release(record);
  settle_idle();
  AnyRef ref = refused(wanted, asked, Fault::kWrongType, std::move(error));
  graph_.set_apart(*ref.record_);  // changes must still find it
  return ref;
}

// Creates the record of a wrong request. Other requests must not find it.
AnyRef Core::refused(const AssetHandle& asset, TypeEntry* type, Fault fault, Error error) {
  Record& record = graph_.create(asset, asset, 0);
  record.type = type;
  record.when_idle = WhenIdle::kDrop;
  residency_.retain(record);
  fail(record, fault, std::move(error));
  return AnyRef(&record);
}

// An asset of unknown type gets the requested type. Refs with another type keep theirs. A file that a registry lists as
// Raw may be of an engine's own type. It is replaced only if it is not in use.
void Core::leave_apart(const AssetHandle& asset, const LoadSettings& settings, const TypeEntry& asked,
                       bool is_unknown) {
  Record* const known = graph_.find(asset, settings);
  if (known == nullptr) return;
  Record& record = *known;
  const TypeEntry* const type = record.type;
  const Failure* const failure = record.failure;
  const bool has_no_loader = type == nullptr && failure != nullptr && failure->fault == Fault::kNoLoader;
  if (type == nullptr ? !has_no_loader : type->loader.type_tag == asked.loader.type_tag) return;
  if (!is_unknown && record.refs > 0 && !has_no_loader) return;
  graph_.set_apart(record);
  if (residency_.uncache(record)) drop(record);
}

Record& Core::find_or_start(const AssetHandle& asset, int priority, std::uint64_t sequence,
                            const LoadSettings& settings, Record* prepared) {
  std::vector<Graph::Made> made = std::exchange(made_, {});  // this function may be called within start()
  Record& record = graph_.find_or_create(asset, priority, sequence, made, settings, prepared);
  start(made);
  made.clear();
  made_ = std::move(made);
  details_.update(record);  // it may have been cached
  return record;
}

void Core::start(const std::vector<Graph::Made>& made) {
  for (const auto& [record, is_cyclic] : made) {
    if (is_cyclic && record->loading->place.mount != nullptr && record->type != nullptr) {
      fail(*record, Fault::kCycle,
           {ErrorCode::kInvalidData, {}, {}, "depends on itself through its dependencies", "cook again"});
    } else {
      start(*record);
    }
  }
}

void Core::start(Record& record) {
  if (record.loading->place.mount == nullptr) {
    fail(record, Fault::kMissing,
         {ErrorCode::kNotFound,
          {},
          {},
          "no mount has this asset",
          "cook it, or mount the folder or bundle that contains it"});
  } else if (record.type == nullptr && record.handle.type == kUnknownType) {
    fail(record, Fault::kNoLoader,
         {ErrorCode::kUnsupported,
          {},
          {},
          "no mounted registry has the type of this asset",
          "mount the Registry/ of its cook, or load it with a type"});
  } else if (record.type == nullptr) {
    fail(record, Fault::kNoLoader,
         {ErrorCode::kUnsupported, {}, {}, name_of(record.handle.type) + " has no loader", "add one to the manager"});
  } else if (Record* const original = graph_.original_of(record)) {
    graph_.share(record, *original);
    record.become(stage::Waiting{nullptr});
    if (record.unready == 0 && adopt(record)) finish(record);
  } else {
    graph_.offer(record);
    reads_.enter(record);
  }
}

// For a record whose original is ready or has failed. Returns whether it is ready, too. Otherwise it is loaded on its
// own, so that its failure is about its own place.
bool Core::adopt(Record& record) {
  if (Record* const first = record.original->original) graph_.follow(record, *first);
  const Loaded* const loaded = record.original->is_failed() ? nullptr : record.original->loaded.load();
  if (loaded == nullptr) {
    graph_.unshare(record);
    record.become(stage::Expanding{});
    start(record);
    return false;
  }
  record.loading->transfer.clear();
  become_ready(record, {.value = loaded->value, .gpu = loaded->gpu, .is_shared = true});
  return true;
}

void Core::set_priority(Record& record, int priority) {
  const Lock lock(mutex_);
  Graph::set_priority(record, priority);
}

void Core::unload(const AssetHandle& asset) {
  const AssetHandle known = find_in(*current_catalog(), asset).asset;
  const Lock lock(mutex_);
  for (Record* record : graph_.find_all(known)) {
    record->when_idle = WhenIdle::kDrop;
    if (residency_.uncache(*record)) drop(*record);
  }
}

CallbackToken Core::when_done(Record& record, Callback then) {
  auto callback = std::make_shared<Callback>(std::move(then));
  CallbackToken token(callback);
  const Lock lock(mutex_);
  if (record.is_loading()) {
    record.loading->callbacks.push_back(std::move(callback));
  } else {
    residency_.retain(record);
    notices_.add_call(record, AnyRef(&record), std::move(callback));
  }
  return token;
}

void Core::want(Record& record, std::uint32_t level) {
  const Lock lock(mutex_);
  set_wanted(record, level);
}

// A record without levels of its own has those of its original.
void Core::set_wanted(Record& record, std::uint32_t level) {
  if (record.original == nullptr) {
    record.wanted_level = level;
    return details_.update(record);
  }
  record.original->sharers.set_wanted(record, level);
  details_.update(*record.original);
}

AnyRef Core::load_range(Record& asset, const ContentRange& range, int priority) {
  const Lock lock(mutex_);
  if (life_ != Life::kOpen) return refused(asset.handle, &ranges_, Fault::kCanceled, gone());
  Record& record = graph_.create(asset.handle, asset.found, priority);
  record.type = &ranges_;
  record.range = range;
  record.urgency.sequence = graph_.next_sequence();
  residency_.retain(record);
  graph_.set_apart(record);
  graph_.need(record, asset);
  if (record.loading->place.mount == nullptr) {
    start(record);
  } else {
    const Record& loaded = asset.original == nullptr ? asset : *asset.original;
    if (loaded.detail) record.loading->transfer.make_ranged().versions = loaded.detail->versions;
    reads_.enter(record);
  }
  wake_io();
  return AnyRef(&record);
}

void Core::set_budgets(const Budgets& budgets) {
  const Lock lock(mutex_);
  residency_.set_limits({budgets.in_flight_bytes, budgets.cpu_bytes, budgets.gpu_bytes});
  decodes_.retry();
  wake_io();
}

ManagerStats Core::stats() {
  const Lock lock(mutex_);
  const Details::Totals& details = details_.totals();
  return {.cpu_bytes = residency_.cpu_bytes(),
          .gpu_bytes = residency_.gpu_bytes(),
          .in_flight_bytes = residency_.in_flight_bytes(),
          .peak_in_flight_bytes = residency_.peak_in_flight_bytes(),
          .gpu_in_use_bytes = residency_.gpu_in_use_bytes(),
          .gpu_detail_bytes = details.gpu_bytes,
          .gpu_limit_bytes = residency_.gpu_limit_bytes(),
          .coarser = details.coarser,
          .waiting_for_room = room_queue_.size(),
          .loading = graph_.loading_count() + reloads_.again_count() + preloading_,
          .cached = residency_.cached_count(),
          .reads = reads_.count(),
          .retrying = reads_.retrying_count(),
          .uploading = uploads_.size(),
          .sharing = graph_.sharing_count()};
}

// The bytes of the GPU budget that a record needs in addition to the value that it replaces. Those of parts are counted
// by Details.
std::uint64_t Core::more_gpu_bytes(const Record& record) {
  if (record.reloads != nullptr && record.beside == Beside::kDetail) return 0;
  const Loaded* const last = record.reloads == nullptr ? nullptr : record.reloads->loaded.load();
  return record.loading->expected_gpu_bytes - std::min(record.loading->expected_gpu_bytes, gpu_bytes_of(last));
}

// A finer part waits, like a whole asset, until the coarser parts that make room for it have replaced their values.
void Core::enter_finalize(Record& record) {
  const bool is_detail = record.reloads != nullptr && record.beside == Beside::kDetail;
  const bool needs_room =
      is_detail ? record.reloads->detail && record.reloads->detail->coming_gpu_bytes > 0 : more_gpu_bytes(record) > 0;
  (needs_room ? room_queue_ : finalize_queue_).enter(record);
}

void Core::reserve(Record& record, std::uint64_t bytes) {
  if (!residency_.reserve(record, bytes)) return;
  decodes_.retry();
  wake_io();
}

// Requires a record that is loading.
void Core::set_failure(Record& record, Fault fault, Error error) {
  record.failure = new Failure{fault, record.handle, reloads_.path_of(record), std::move(error)};
  record.state.store(LoadState::kFailed, std::memory_order_release);
  // Reloads::take_place() reports failures of reloads
  if (record.reloads == nullptr && fault != Fault::kCanceled) notices_.add(*record.failure);
}

void Core::fail(Record& record, Fault fault, Error error) {
  set_failure(record, fault, std::move(error));
  finish(record);
}

// The state of a record is final: notifies its dependents, and fails those that fail because of it.
void Core::finish(Record& first) {
  std::vector<Record*> open = std::exchange(open_, {});
  open.push_back(&first);
  bool is_news = !options_.io_thread;  // for a thread in wait(): it must read more, or its record is over
  while (!open.empty()) {
    Record& record = *open.back();
    open.pop_back();
    is_news |= awaited_ == &record;
    const bool failed = record.is_failed();
    record.become(stage::Done{failed ? value_of(record) : nullptr});
    reserve(record, 0);
    residency_.promise_gpu(record, 0);
    graph_.stopped_loading();
    std::vector<Failure> told;
    const bool is_detail = record.reloads != nullptr && record.beside == Beside::kDetail;
    const bool leaves_parts = record.reloads != nullptr && !failed && !record.detail;
    if (leaves_parts) details_.remove(*record.reloads);
    Record& asset = record.reloads != nullptr ? reloads_.take_place(record, frame_, told) : record;
    notices_.add(std::move(told));
    details_.update(asset);
    if (is_detail && !failed && asset.detail && Details::is_at_goal(asset)) asset.version_changes = 0;
    for (Record* needed : asset.hard) details_.update(*needed);
    std::vector<Record*> waiters = Graph::settle(asset);
    if (&asset != &record) {
      for (Record* sharer : Graph::settle(record)) {
        if (!failed) graph_.follow(*sharer, asset);
        waiters.push_back(sharer);
      }
    }
    for (Record* waiter : waiters) {
      if (waiter->original != nullptr) {
        if (adopt(*waiter)) open.push_back(waiter);
        continue;
      }
      const Record* const culprit = Graph::failed_need(*waiter);
      if (culprit != nullptr && Graph::awaits_reload(*waiter)) continue;
      if (culprit == nullptr) {
        waiter->become(stage::Decoded{waiter->as<stage::Waiting>().value});
        enter_finalize(*waiter);
        is_news = true;
        continue;
      }
      set_failure(*waiter, Fault::kDependency, needs(*culprit->failure.load()));
      open.push_back(waiter);
    }
    if (record.is_wanted()) {
      for (auto& callback : std::exchange(record.loading->callbacks, {})) {
        residency_.retain(record);
        notices_.add_call(record, AnyRef(&record), std::move(callback));
      }
    }
    discard_callbacks(record);
    graph_.end_load(record);
    reloads_.again(record);
    if (failed) graph_.drop_needs(record);
    if (failed && value_of(record) != nullptr) residency_.drop_later(record);
    if (!record.is_wanted()) residency_.note(record);
  }
  open_ = std::move(open);
  settle_idle();
  wake_io();
  if (is_news) tell_waiters();
}

// Moves a decoded record on: to finalize, or to wait for dependencies.
void Core::advance(Record& record, void* value) {
  record.become(stage::Waiting{value});
  if (record.unready > 0) return;
  if (const Record* culprit = Graph::failed_need(record)) {
    if (!Graph::awaits_reload(record)) return fail(record, Fault::kDependency, needs(*culprit->failure.load()));
    return wake_io();  // its dependency is now read first, and may be read without free memory
  }
  record.become(stage::Decoded{value});
  enter_finalize(record);
  tell_waiters();
}

// Called after finalize, if the loader has one. finish() must follow.
void Core::become_ready(Record& record, const Loaded& loaded) {
  record.loaded.store(record.keep(loaded), std::memory_order_release);
  residency_.add(record);
  record.state.store(LoadState::kReady, std::memory_order_release);
  if (!record.is_wanted()) discard_callbacks(record);
  request_soft(record);
}

void Core::request_soft(Record& record) {
  if (record.loading->soft_wanted.empty()) return;
  residency_.retain(record);
  // After this asset, and after others of the same urgency.
  const int priority = std::max(record.urgency.priority, std::numeric_limits<int>::min() + 1) - 1;
  for (const AssetHandle& wanted : std::exchange(record.loading->soft_wanted, {})) {
    Record& needed = find_or_start(graph_.find_in_catalog(wanted), priority);
    if (!Graph::reaches(needed, record)) graph_.need_softly(record, needed);
    residency_.release(needed);
  }
  residency_.release(record);
}

void Core::settle_all_idle() {
  while (true) {
    Record* const record = residency_.take_idle();
    while (Record* const turned = residency_.take_turned()) details_.update(*turned);
    if (record == nullptr) return;
    go_idle(*record);
  }
}

void Core::go_idle(Record& record) {
  if (record.is<stage::Reading>() || record.is<stage::Decoding>()) {
    // Records that are being read or decoded are put away when that ends.
    if (record.is_loading()) cancel(record);
    return;
  }
  switch (record.state.load(std::memory_order_relaxed)) {
    case LoadState::kLoading:
      cancel(record);
      break;
    case LoadState::kFailed:
      put_away(record);
      break;
    case LoadState::kReady:
      if (record.has_detail_coming()) {
        reloads_.stop(record);
        details_.update(record);
      }
      if (record.when_idle == WhenIdle::kDrop || life_ != Life::kOpen || record.reload != nullptr || record.is_gone())
        return drop(record);
      residency_.cache(record);
      details_.update(record);
      break;
  }
}

// Nothing waits for the record any more, or the manager is closing.
void Core::cancel(Record& record) {
  if (record.is<stage::Finalizing>() || record.is<stage::Expanding>()) return;
  if (record.queue != nullptr) Queue::leave(record);
  if (record.is<stage::Pending>()) leave_upload(record);
  graph_.unlist(record);
  graph_.drop_needs(record);
  record.canceled = true;
  set_failure(record, Fault::kCanceled, {});
  graph_.stopped_loading();
  discard_callbacks(record);
  tell_waiters();
  if (record.is<stage::Reading>()) {  // freed with its last answer
    reads_.abandon(record);
    wake_io();
    return;
  }
  if (record.is<stage::Decoding>()) return;  // freed by its job
  decodes_.retry();                          // it may have been the last record to be finalized
  wake_io();
  put_away(record);
}

// Requires a record that will never be ready, and that no queue, read or job has.
void Core::put_away(Record& record) {
  record.become(stage::Done{value_of(record)});
  reserve(record, 0);
  residency_.promise_gpu(record, 0);
  graph_.end_load(record);
  graph_.unlist(record);
  graph_.drop_needs(record);
  reloads_.stop(record);
  if (value_of(record) != nullptr || record.loaded.load() != nullptr) return drop(record);
  if (!record.is_wanted()) free(record);
}

// Requires a record that is not in use, or was canceled.
void Core::drop(Record& record) {
  graph_.unlist(record);
  reloads_.stop(record);
  details_.remove(record);
  if (record.state == LoadState::kReady) {
    residency_.remove(record);
    record.state = LoadState::kFailed;
  }
  residency_.drop_later(record);
}

void Core::free(Record& record) {
  reserve(record, 0);
  residency_.promise_gpu(record, 0);
  graph_.free(record);
}

// The captured objects of callbacks must not be destroyed under the mutex.
void Core::discard_callbacks(Record& record) {
  for (auto& callback : std::exchange(record.loading->callbacks, {}))
    notices_.add(Notices::Unwanted{std::move(callback)});
}

void Core::release(Record& record) {
  std::uint32_t refs = record.refs.load(std::memory_order_relaxed);
  while (refs > 1) {
    if (record.refs.compare_exchange_weak(refs, refs - 1, std::memory_order_acq_rel)) return;
  }
  Core& core = *record.core;
  Lock lock(core.mutex_);
  core.residency_.release(record);
  core.settle_idle();
  if (core.life_ != Life::kOrphaned) return;
  PumpReport unused;
  while (core.drop_one(lock, unused)) continue;
  if (core.graph_.live_count() > 0) return;
  lock.unlock();
  delete &core;
}

// Without an I/O thread, waiting threads sleep on completions_.
void Core::tell_waiters() {
  if (sleepers_ > 0) changed_.notify_all();
  if (!awaits_answers_ || wake_pending_) return;
  wake_pending_ = true;
  completions_.post(wake_up());
}

}  // namespace assetc::runtime
