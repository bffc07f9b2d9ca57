#include <algorithm>
#include <unordered_set>

#include "runtime/manager/manager_core.hpp"

namespace assetc::runtime {

using Stage = Record::Stage;

std::shared_ptr<const Catalog> Core::current_catalog() {
  const Lock lock(mutex_);
  return catalog_;
}

void Core::changed(const Changes& changes) {
  const std::lock_guard one(changing_);
  const std::shared_ptr<const Catalog> last = current_catalog();
  auto next = std::make_shared<Catalog>(*last);
  Catalog::Reopened reopened = next->reopen(changes);
  std::vector<AssetHandle> assets = changes.assets;
  // What is gone only the last one knows, and what is new only the next.
  for (const Catalog* catalog : {last.get(), static_cast<const Catalog*>(next.get())}) {
    const std::vector<AssetHandle> in = catalog->assets_in(changes);
    assets.insert(assets.end(), in.begin(), in.end());
  }
  const auto is_there = [&next](const AssetHandle& asset) {
    return next->locate(find_in(*next, asset)).mount != nullptr;
  };
  std::vector<std::pair<AssetHandle, std::string>> gone;
  for (const AssetHandle& asset : assets) {
    const auto was = is_there(asset) ? std::nullopt : last->desc(asset);
    if (was) gone.emplace_back(asset, was->virtual_path);
  }
  const Lock lock(mutex_);
  if (closing_) return;
  std::erase_if(gone_, [&](const auto& before) { return is_there(before.first); });
  for (auto& [asset, path] : gone) gone_.insert_or_assign(asset, std::move(path));
  std::ranges::move(reopened.failures, std::back_inserter(failures_));
  if (reopened.any) {
    retired_.push_back({.frame = frame_, .catalog = std::move(catalog_)});
    catalog_ = std::move(next);
    seen_catalog_.store(catalog_.get(), std::memory_order_release);
  }
  for (const auto& [handle, record] : records_) {
    if (record->failure != nullptr && !record->is_unbuilt) assets.push_back(handle);
  }
  reload(assets);
  mark_unbuilt(changes, *catalog_);
}

// What is broken is so until a build says otherwise.
void Core::mark_unbuilt(const Changes& changes, const Catalog& catalog) {
  for (const auto& [handle, record] : records_) {
    if (changes.leaves_broken) break;
    if (!std::exchange(record->is_unbuilt, false) || record->state == LoadState::kFailed) continue;
    retire(record->failure.exchange(nullptr, std::memory_order_acq_rel));
  }
  std::set<std::string> told = changes.leaves_broken ? unbuilt_ : std::set<std::string>();
  for (const Changes::Broken& one : changes.broken) {
    const std::string text = one.error.to_string();
    const bool is_new = !unbuilt_.contains(text) && told.insert(text).second;
    told.insert(text);
    Failure failure{fault_of(one.error.code), {}, {}, one.error};
    for (const AssetHandle& asset : catalog.assets_in({.written = one.files})) {
      const auto found = records_.find(asset);
      if (found == records_.end() || found->second->state == LoadState::kLoading) continue;
      Record& record = *found->second;
      failure.asset = record.handle;
      if (const auto desc = catalog.desc(asset)) failure.virtual_path = desc->virtual_path;
      retire(record.failure.exchange(new Failure(failure), std::memory_order_acq_rel));
      record.is_unbuilt = true;
    }
    if (is_new) failures_.push_back(std::move(failure));
  }
  unbuilt_ = std::move(told);
}

void Core::retire(const Failure* failure) {
  if (failure != nullptr) retired_.push_back({.frame = frame_, .failure = std::unique_ptr<const Failure>(failure)});
}

// What changed while it was loaded, and everything that has failed: of that, perhaps.
void Core::reload_again() {
  if (again_.empty()) return;
  std::vector<AssetHandle> assets = std::exchange(again_, {});
  for (const auto& [handle, record] : records_) {
    if (record->failure != nullptr && !record->is_unbuilt && record->reload == nullptr) assets.push_back(handle);
  }
  reload(assets);
}

// The records of such assets, by whatever name they were asked for.
std::vector<Record*> Core::records_of(const std::vector<AssetHandle>& assets) const {
  std::unordered_set<AssetHandle> wanted;
  std::vector<Record*> records;
  for (const AssetHandle& asset : assets) {
    const auto known = records_.find(asset);
    if (wanted.insert(asset).second && known != records_.end()) records.push_back(known->second);
  }
  for (const auto& [handle, record] : records_) {
    if (wanted.contains(record->found) && !wanted.contains(handle)) records.push_back(record);
  }
  for (Record* record : apart_) {
    const bool is_failed = record->state == LoadState::kFailed;
    if (is_failed ? has_become_its_type(*record) : wanted.contains(record->found)) records.push_back(record);
  }
  return records;
}

// Of one that was refused.
bool Core::has_become_its_type(const Record& record) const {
  if (record.type == nullptr) return false;
  const auto desc = catalog_->desc(find_in(*catalog_, record.handle));
  if (!desc) return false;
  const auto entry = std::ranges::find_if(types_, [&](const auto& known) { return known->type == desc->handle.type; });
  return entry != types_.end() && (*entry)->loader.type_tag == record.type.load()->loader.type_tag;
}

void Core::reload(const std::vector<AssetHandle>& assets) {
  std::vector<Record*> held, begun;
  for (Record* at : records_of(assets)) {
    Record& record = *at;
    if (record.in_lru) {  // nobody holds it: whoever asks for it next loads it
      lru_.erase(record.lru);
      record.in_lru = false;
      drop(record);
    } else if (record.state == LoadState::kLoading) {
      record.is_stale = true;
    } else if (record.reload != nullptr) {
      record.is_stale |= record.reload->stage != Stage::kExpanding;
    } else if (record.refs > 0) {
      retain(record);
      held.push_back(&record);
      Record& made = create(record.handle, record.priority);
      made.reloads = &record;
      made.drop_when_idle = true;
      retain(made);
      record.reload = &made;
      retain(made);
      begun.push_back(&made);
    }
  }
  // All of them are known before what they need is looked up, so that they wait for one another.
  for (Record* made : begun) expand_reload(*made);
  for (Record* made : begun) release_locked(*made);
  for (Record* record : held) release_locked(*record);
  settle_idle();
  if (!begun.empty()) wake_io();
}

void Core::expand_reload(Record& made) {
  const Record& record = *made.reloads;
  const TypeEntry *const type = made.type, *const was = record.type;
  if (type != nullptr && was != nullptr && type->loader.type_tag != was->loader.type_tag) {
    return fail(made, Fault::kWrongType,
                {ErrorCode::kUsage, {}, {}, "has become a " + name_of(type->type), "load it anew as what it is"});
  }
  const std::uint64_t sequence = ++last_sequence_;
  const Dependencies needs = catalog_->dependencies(made.found);
  bool is_cyclic = false;
  for (std::size_t i = 0; i < needs.hard_count(); ++i) {
    Record& needed = find_or_create(find_in(*catalog_, needs[i]), made.priority, sequence);
    if (reaches(needed, made)) {
      is_cyclic = true;
    } else {
      need(made, needed);
    }
    release_locked(needed);
  }
  for (std::size_t i = needs.hard_count(); i < needs.size(); ++i) made.soft_wanted.push_back(needs[i]);
  if (is_cyclic) {
    return fail(made, Fault::kCycle,
                {ErrorCode::kInvalidData, {}, {}, "needs itself, by way of what it needs", "cook again"});
  }
  enqueue(made, sequence);
}

// What was loaded anew is what is behind the refs from now on, or says why it is not. Returns whose refs those are.
Record& Core::take_place(Record& made) {
  Record& record = *std::exchange(made.reloads, nullptr);
  record.reload = nullptr;
  if (made.state == LoadState::kReady) {
    std::swap(record.hard, made.hard);
    std::swap(record.soft, made.soft);
    std::swap(record.cpu_bytes, made.cpu_bytes);
    record.found = made.found;
    made.type = record.type.exchange(made.type);
    made.loaded = record.loaded.exchange(made.loaded, std::memory_order_acq_rel);
    made.state = made.loaded == nullptr ? LoadState::kFailed : LoadState::kReady;
    record.state.store(LoadState::kReady, std::memory_order_release);
    if (!record.is_unbuilt) retire(record.failure.exchange(nullptr, std::memory_order_acq_rel));
    retain(record);
    replaced_.push_back(&record);
  } else {
    const Failure* const last = record.failure;
    if (last == nullptr || last->to_string() != made.failure.load()->to_string()) {
      retire(record.failure.exchange(made.failure.exchange(nullptr), std::memory_order_acq_rel));
      record.is_unbuilt = false;
      failures_.push_back(*record.failure);
    }
  }
  retired_.push_back({.frame = frame_, .record = &made});
  if (std::exchange(record.is_stale, false)) again_.push_back(record.handle);
  return record;
}

void Core::stop_reload(Record& record) {
  Record* const made = std::exchange(record.reload, nullptr);
  if (made == nullptr) return;
  made->reloads = nullptr;
  release_locked(*made);
}

// Who needs what was replaced, directly or not, is told of it too: what it made of the last one is of no use.
void Core::tell_reloaded(Lock& lock) {
  const std::vector<Record*> replaced = std::exchange(replaced_, {});
  if (replaced.empty()) return;
  std::vector<std::pair<AnyRef, AnyRef>> events;
  if (options_.on_reloaded) {
    std::unordered_map<const Record*, std::vector<Record*>> users;
    for (const auto& [handle, record] : records_) {
      for (const auto* needs : {&record->hard, &record->soft}) {
        for (const Record* needed : *needs) users[needed].push_back(record);
      }
    }
    for (Record* cause : replaced) {
      std::vector<Record*> open = {cause};
      std::set<const Record*> seen = {cause};
      while (!open.empty()) {
        Record& at = *open.back();
        open.pop_back();
        retain(at);
        retain(*cause);
        events.emplace_back(AnyRef(&at), AnyRef(cause));
        for (Record* user : users[&at]) {
          if (user->state == LoadState::kReady && seen.insert(user).second) open.push_back(user);
        }
      }
    }
  }
  for (Record* record : replaced) release_locked(*record);
  settle_idle();
  lock.unlock();
  for (const auto& [asset, cause] : events) options_.on_reloaded(asset, cause);
  events.clear();
  lock.lock();
}

// Called with the mutex, which is let go while is_over and destructors run.
void Core::release_retired(Lock& lock, bool all) {
  if (retired_.empty()) return;
  std::vector<Retired> retired = std::exchange(retired_, {});
  const std::uint64_t now = frame_;
  lock.unlock();
  const auto over = [&](const Retired& old) {
    // Records that are being loaded keep the catalog that they were found in.
    if (old.catalog != nullptr && old.catalog.use_count() > 1) return false;
    if (all) return true;
    return options_.is_over ? options_.is_over(old.frame) : old.frame + options_.frames_in_flight <= now;
  };
  const auto kept = std::stable_partition(retired.begin(), retired.end(), over);
  std::vector<Record*> records;
  for (auto old = retired.begin(); old != kept; ++old) {
    if (old->record != nullptr) records.push_back(old->record);
  }
  retired.erase(retired.begin(), kept);
  // Catalogs and failures go here, without the mutex.
  lock.lock();
  for (Record* record : records) release_locked(*record);
  retired_.insert(retired_.begin(), std::make_move_iterator(retired.begin()), std::make_move_iterator(retired.end()));
  settle_idle();
}

}  // namespace assetc::runtime
