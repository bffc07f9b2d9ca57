#include <algorithm>
#include <unordered_set>

#include "formats/message.hpp"
#include "runtime/manager/manager_core.hpp"

namespace assetc::runtime {

using Stage = Record::Stage;

namespace {

bool has_fallback(const Record& record) {
  const TypeEntry* type = record.type;
  return type != nullptr && type->fallback != nullptr;
}

// Why who needs that fails. However many lie between, what failed first is named.
Error needs(Failure failure) {
  if (failure.fault == Fault::kDependency) return failure.error;
  std::string hint = std::exchange(failure.error.hint, {});
  return {failure.error.code, {}, {}, "needs " + failure.to_string(), std::move(hint)};
}

}  // namespace

// What a record fails of that waits for nothing any more; null where it does not.
const Record* Core::failed_need(const Record& record) {
  const auto at = std::ranges::find_if(
      record.hard, [](const Record* needed) { return needed->state == LoadState::kFailed && !has_fallback(*needed); });
  return at == record.hard.end() ? nullptr : *at;
}

// Of a record that would fail: whether what failed is being loaded anew, and is waited for.
bool Core::awaits_reload(Record& record) {
  for (Record* needed : record.hard) {
    if (needed->state != LoadState::kFailed || needed->reload == nullptr) continue;
    needed->waiters.push_back(&record);
    ++record.unready;
    make_urgent(*needed);
  }
  if (record.unready > 0) wake_io();
  return record.unready > 0;
}

Record& Core::create(const AssetHandle& asset, int priority) {
  auto* record = new Record(*this, asset);
  record->id = ++last_record_;
  record->priority = priority;
  record->catalog = catalog_;
  const AssetHandle found = record->found = find_in(*catalog_, asset);
  record->place = catalog_->locate(found);
  record->desc = catalog_->desc(found, record->place).value_or(AssetDesc{.handle = found});
  const AssetType type = record->handle.type = record->desc.handle.type = type_of(record->desc.handle.type, asset.type);
  const auto entry = std::ranges::find_if(types_, [&](const auto& known) { return known->type == type; });
  if (entry != types_.end()) record->type = entry->get();
  ++live_;
  ++loading_;
  return *record;
}

// Of an asset that nobody else is to find: it is what one asker got wrong.
Record& Core::create_failed(const AssetHandle& asset, TypeEntry* type, Fault fault, Error error) {
  Record& record = create(asset, 0);
  record.type = type;
  record.drop_when_idle = true;
  retain(record);
  fail(record, fault, std::move(error));
  return record;
}

Record& Core::find_or_create(const AssetHandle& asset, int priority, std::uint64_t sequence) {
  if (const auto known = records_.find(asset); known != records_.end()) {
    known->second->drop_when_idle = false;
    retain(*known->second);
    raise(*known->second, priority);
    return *known->second;
  }
  struct Frame {
    Record* record;
    Dependencies needs;
    std::size_t next = 0;
    bool is_cyclic = false;
  };
  std::vector<Frame> path;
  const auto push = [&](const AssetHandle& what) -> Record& {
    Record& record = create(what, priority);
    records_.emplace(what, &record);
    record.is_listed = true;
    path.push_back({&record, catalog_->dependencies(record.found)});
    for (std::size_t i = path.back().needs.hard_count(); i < path.back().needs.size(); ++i)
      record.soft_wanted.push_back(path.back().needs[i]);
    return record;
  };
  Record& first = push(asset);
  retain(first);
  while (!path.empty()) {
    Frame& top = path.back();
    if (top.next == top.needs.hard_count()) {
      Record& record = *top.record;
      const bool is_cyclic = top.is_cyclic;
      path.pop_back();
      // What is needed has a lower sequence than who needs it: it is read first.
      enqueue(record, sequence == 0 ? ++last_sequence_ : sequence);
      if (is_cyclic && record.stage != Stage::kDone) {
        leave(read_queue_, record);
        fail(record, Fault::kCycle,
             {ErrorCode::kInvalidData, {}, {}, "needs itself, by way of what it needs", "cook again"});
      }
      continue;
    }
    const AssetHandle wanted = find_in(*catalog_, top.needs[top.next++]);
    const auto known = records_.find(wanted);
    if (known == records_.end()) {
      Record& user = *top.record;
      Record& needed = push(wanted);  // moves top
      need(user, needed);
    } else if (known->second->stage == Stage::kExpanding) {
      top.is_cyclic = true;
    } else {
      need(*top.record, *known->second);
    }
  }
  return first;
}

void Core::enqueue(Record& record, std::uint64_t sequence) {
  record.sequence = sequence;
  if (record.place.mount == nullptr) {
    fail(record, Fault::kMissing, {ErrorCode::kNotFound, {}, {}, "no mount has it", "cook it, or mount what has it"});
  } else if (record.type == nullptr) {
    fail(record, Fault::kNoLoader,
         {ErrorCode::kUnsupported, {}, {}, name_of(record.handle.type) + " has no loader", "add one to the manager"});
  } else {
    record.stage = Stage::kQueued;
    enter(read_queue_, record);
  }
}

void Core::need(Record& record, Record& needed) {
  record.hard.push_back(&needed);
  retain(needed);
  if (loading_of(needed) != nullptr) {
    needed.waiters.push_back(&record);
    ++record.unready;
    raise(needed, record.priority);
  }
}

// What those wait for who need a record that is not ready: itself, or what is loaded in its place. Null: nothing.
Record* Core::loading_of(Record& record) {
  if (record.state == LoadState::kLoading) return &record;
  return record.state == LoadState::kFailed ? record.reload : nullptr;
}

// Whether `target` is needed by `from`, now or when what is loaded anew has taken its place.
bool Core::reaches(const Record& from, const Record& target) const {
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

Queue* Core::queue_of(const Record& record) {
  switch (record.stage) {
    case Stage::kQueued:
      return &read_queue_;
    case Stage::kRead:
      return &decode_queue_;
    case Stage::kFinalizing:
      return &finalize_queue_;
    case Stage::kExpanding:
    case Stage::kReading:
    case Stage::kDecoding:
    case Stage::kWaiting:
    case Stage::kFinishing:
    case Stage::kDone:
      break;
  }
  return nullptr;
}

// Most go to the end. The node of a set goes with its record from queue to queue. leave() requires that it is there.
void Core::enter(Queue& queue, Record& record) {
  if (record.node) {
    queue.insert(queue.end(), std::move(record.node));
  } else {
    queue.insert(queue.end(), &record);
  }
}

void Core::leave(Queue& queue, Record& record) {
  record.node = *queue.begin() == &record ? queue.extract(queue.begin()) : queue.extract(&record);
}

template <class Change>
void Core::requeue(Record& record, const Change& change) {
  Queue* queue = queue_of(record);
  if (queue != nullptr) leave(*queue, record);
  change();
  if (queue != nullptr) enter(*queue, record);
}

void Core::raise(Record& record, int priority) {
  std::vector<Record*> open = {&record};
  while (!open.empty()) {
    Record& at = *open.back();
    open.pop_back();
    if (at.reload != nullptr) open.push_back(at.reload);
    if (at.state != LoadState::kLoading || at.priority >= priority) continue;
    requeue(at, [&] { at.priority = priority; });
    open.insert(open.end(), at.hard.begin(), at.hard.end());
  }
}

void Core::make_urgent(Record& record) {
  Record* const at = loading_of(record);
  if (at != nullptr && !at->is_urgent) requeue(*at, [&] { at->is_urgent = true; });
}

void Core::set_priority(Record& record, int priority) {
  const std::lock_guard lock(mutex_);
  if (record.state != LoadState::kLoading) record.priority = priority;  // of what will be loaded anew
  for (Record* at : {&record, record.reload}) {
    if (at != nullptr && at->priority > priority && at->state == LoadState::kLoading)
      requeue(*at, [&] { at->priority = priority; });
  }
  raise(record, priority);
}

void Core::reserve(Record& record, std::uint64_t bytes) {
  const bool gives_back = bytes < record.reserved_bytes;
  in_flight_ += bytes;
  in_flight_ -= record.reserved_bytes;
  record.reserved_bytes = bytes;
  if (gives_back) {
    decode_stalled_ = false;
    wake_io();
  }
  peak_in_flight_ = std::max(peak_in_flight_, in_flight_);
}

// Of a record that is loading.
void Core::set_failure(Record& record, Fault fault, Error error) {
  std::string path(record.desc.virtual_path);
  if (const auto gone = gone_.find(record.handle); path.empty() && gone != gone_.end()) path = gone->second;
  record.failure = new Failure{fault, record.handle, std::move(path), std::move(error)};
  record.state.store(LoadState::kFailed, std::memory_order_release);
  // Of what is loaded anew, take_place() tells.
  if (record.reloads == nullptr && fault != Fault::kCanceled) failures_.push_back(*record.failure);
}

void Core::fail(Record& record, Fault fault, Error error) {
  set_failure(record, fault, std::move(error));
  finish(record);
}

// The state of a record is decided: tells whoever waits for it, and whoever fails of it.
void Core::finish(Record& first) {
  std::vector<Record*> open = {&first};
  while (!open.empty()) {
    Record& record = *open.back();
    open.pop_back();
    record.stage = Stage::kDone;
    reserve(record, 0);
    record.answers.clear();
    record.content = {};
    record.desc = {};
    record.place = {};
    record.catalog.reset();
    --loading_;
    const bool failed = record.state == LoadState::kFailed;
    Record& asset = record.reloads != nullptr ? take_place(record) : record;
    for (Record* waiter : std::exchange(asset.waiters, {})) {
      if (--waiter->unready > 0 || waiter->stage != Stage::kWaiting) continue;
      const Record* const culprit = failed_need(*waiter);
      if (culprit != nullptr && awaits_reload(*waiter)) continue;
      if (culprit == nullptr) {
        waiter->stage = Stage::kFinalizing;
        enter(finalize_queue_, *waiter);
        continue;
      }
      set_failure(*waiter, Fault::kDependency, needs(*culprit->failure.load()));
      open.push_back(waiter);
    }
    if (record.refs > 0) {
      for (auto& callback : std::exchange(record.callbacks, {}))
        calls_.emplace_back(Record::ref(record), std::move(callback));
    }
    discard_callbacks(record);
    if (std::exchange(record.is_stale, false)) again_.push_back(record.handle);
    if (failed) drop_needs(record);
    if (failed && record.value != nullptr) leave_to_pump(record);
    if (record.refs == 0) note_idle(record);
  }
  settle_idle();
  wake_io();
  tell_waiters();
}

// A decoded record goes on: to finalize, or to wait for what it needs.
void Core::advance(Record& record) {
  if (record.unready > 0) {
    record.stage = Stage::kWaiting;
    return;
  }
  if (const Record* culprit = failed_need(record)) {
    if (!awaits_reload(record)) return fail(record, Fault::kDependency, needs(*culprit->failure.load()));
    record.stage = Stage::kWaiting;
    return;
  }
  record.stage = Stage::kFinalizing;
  enter(finalize_queue_, record);
  tell_waiters();
}

void Core::retain(Record& record) {
  if (record.refs.fetch_add(1, std::memory_order_relaxed) != 0 || !record.in_lru) return;
  lru_.erase(record.lru);
  record.in_lru = false;
}

void Core::release_locked(Record& record) {
  if (record.refs.fetch_sub(1, std::memory_order_acq_rel) == 1) note_idle(record);
}

void Core::note_idle(Record& record) {
  if (!std::exchange(record.is_noted, true)) idle_.push_back(&record);
}

void Core::drop_needs(Record& record) {
  for (Record* needed : std::exchange(record.hard, {})) {
    std::erase(needed->waiters, &record);
    release_locked(*needed);
  }
  for (Record* needed : std::exchange(record.soft, {})) release_locked(*needed);
  record.unready = 0;
}

// Records that nobody holds any more, and those that go with them, however deep.
void Core::settle_idle() {
  while (!idle_.empty()) {
    Record& record = *idle_.back();
    idle_.pop_back();
    record.is_noted = false;
    if (record.refs == 0) go_idle(record);
  }
}

void Core::go_idle(Record& record) {
  if (record.in_lru || record.stage == Stage::kReading || record.stage == Stage::kDecoding) {
    // Whoever has a record that is being read or decoded puts it away.
    if (record.state == LoadState::kLoading) cancel(record);
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
      if (record.drop_when_idle || closing_ || record.reload != nullptr) return drop(record);
      record.lru = lru_.insert(lru_.end(), &record);
      record.in_lru = true;
      break;
  }
}

// Nobody waits for it any more, or nobody can.
void Core::cancel(Record& record) {
  if (record.stage == Stage::kFinishing || record.stage == Stage::kExpanding) return;
  if (Queue* queue = queue_of(record)) leave(*queue, record);
  unlist(record);
  drop_needs(record);
  record.canceled = true;
  set_failure(record, Fault::kCanceled, {});
  --loading_;
  discard_callbacks(record);
  tell_waiters();
  switch (record.stage) {
    case Stage::kReading:
      return abandon_reads(record);  // freed with its last answer
    case Stage::kDecoding:
      return;  // freed by its job
    case Stage::kExpanding:
    case Stage::kQueued:
    case Stage::kRead:
    case Stage::kWaiting:
    case Stage::kFinalizing:
    case Stage::kFinishing:
    case Stage::kDone:
      break;
  }
  decode_stalled_ = false;  // it may have been all that was left to be finalized
  wake_io();
  put_away(record);
}

// A record that will never be ready, and that no queue, read or job has.
void Core::put_away(Record& record) {
  record.stage = Stage::kDone;
  reserve(record, 0);
  unlist(record);
  drop_needs(record);
  stop_reload(record);
  if (record.value != nullptr) return drop(record);
  if (record.refs == 0) free(record);
}

// Of a record that nobody holds, or that was canceled.
void Core::drop(Record& record) {
  unlist(record);
  stop_reload(record);
  if (record.state == LoadState::kReady) {
    cpu_ -= record.cpu_bytes;
    gpu_ -= record.loaded.load()->gpu.size_bytes;
    record.state = LoadState::kFailed;
  }
  leave_to_pump(record);
}

void Core::leave_to_pump(Record& record) {
  retain(record);
  dropping_.push_back({&record, &record.type.load()->loader,
                       std::unique_ptr<const Loaded>(record.loaded.exchange(nullptr)),
                       std::exchange(record.value, nullptr)});
}

void Core::unlist(Record& record) {
  if (std::exchange(record.is_listed, false)) records_.erase(record.handle);
  if (std::exchange(record.is_apart, false)) std::erase(apart_, &record);
}

void Core::free(Record& record) {
  reserve(record, 0);
  --live_;
  delete &record;
}

}  // namespace assetc::runtime
