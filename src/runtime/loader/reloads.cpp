#include "runtime/loader/reloads.hpp"

#include <algorithm>
#include <unordered_set>

namespace assetc::runtime {

// Returns the records of these assets, under all names that they were requested by.
std::vector<Record*> Reloads::records_of(const std::vector<AssetHandle>& assets) const {
  const std::unordered_set<AssetHandle> wanted(assets.begin(), assets.end());
  std::vector<Record*> records;
  for (Record* record : graph_.listed().all()) {
    if (record->origin == Origin::kInserted) continue;
    if (wanted.contains(record->found) || wanted.contains(record->handle)) records.push_back(record);
  }
  // In the order of the requests, for an order of reads that does not depend on hashes.
  std::ranges::sort(records, {}, [](const Record* record) { return record->urgency.id; });
  for (Record* record : graph_.apart()) {
    if (record->range || record->origin == Origin::kInserted) continue;
    if (record->is_failed() ? has_become_its_type(*record) : wanted.contains(record->found)) records.push_back(record);
  }
  return records;
}

// For a request that was refused because of its type.
bool Reloads::has_become_its_type(const Record& record) const {
  if (record.type == nullptr) return false;
  const auto desc = graph_.catalog()->desc(graph_.find_in_catalog(record.handle));
  if (!desc) return false;
  const TypeEntry* const entry = graph_.entry_of(desc->handle.type);
  return entry != nullptr && entry->loader.type_tag == record.type.load()->loader.type_tag;
}

Reloads::Begun Reloads::begin(const std::vector<AssetHandle>& assets, bool is_told) {
  Begun begun;
  for (Record* at : records_of(assets)) {
    Record& record = *at;
    if (is_told) record.version_changes = 0;
    if (record.has_detail_coming()) stop(record);
    if (residency_.uncache(record)) {  // it is not in use: the next request loads it
      begun.dropped.push_back(&record);
    } else if (record.is_loading()) {
      record.after_load = AfterLoad::kLoadAgain;
    } else if (record.reload != nullptr) {
      if (!record.reload->is<stage::Expanding>()) record.after_load = AfterLoad::kLoadAgain;
    } else if (record.is_wanted()) {
      residency_.retain(record);
      begun.held.push_back(&record);
      Record& made = load_beside(record, graph_.find_in_catalog(record.handle));
      // so that it does not become coarser meanwhile
      if (record.detail) made.target_level = record.detail->levels.first;
      residency_.retain(made);
      begun.made.push_back(&made);
    }
  }
  return begun;
}

Record& Reloads::load_beside(Record& record, const AssetHandle& found) {
  Record& made = graph_.create(record.handle, found, record.urgency.priority, record.settings);
  made.reloads = &record;
  made.wanted_level = record.wanted_level;
  made.when_idle = WhenIdle::kDrop;
  record.reload = &made;
  residency_.retain(made);
  return made;
}

Record& Reloads::begin_detail(Record& record, std::uint32_t level) {
  Record& made = load_beside(record, record.found);
  made.beside = Beside::kDetail;
  made.target_level = level;
  made.urgency.sequence = graph_.next_sequence();
  return made;
}

// Updates the levels of a record whose value is replaced. The first part stays the same.
void Reloads::take_detail(Record& record, Record& made) {
  if (!made.detail) {
    record.detail.reset();
    return;
  }
  const std::uint32_t last = made.detail->levels.count - 1;
  std::unique_ptr<Detail> next = std::move(made.detail);
  if (record.detail) {
    next->coarsest = std::max(next->levels.first, std::min(record.detail->coarsest, last));
    if (made.beside == Beside::kDetail) next->reachable = std::max(next->reachable, record.detail->reachable);
    if (made.beside == Beside::kDetail) next->held = std::move(record.detail->held);
    next->coming_cpu_bytes = record.detail->coming_cpu_bytes;
    next->coming_gpu_bytes = record.detail->coming_gpu_bytes;
    next->counted = record.detail->counted;
  }
  record.detail = std::move(next);
}

std::optional<Reloads::Refusal> Reloads::expand(Record& made, std::vector<Graph::Made>& needed) {
  const Record& record = *made.reloads;
  const TypeEntry *const type = made.type, *const was = record.type;
  if (type != nullptr && was != nullptr && type->loader.type_tag != was->loader.type_tag) {
    return Refusal{
        Fault::kWrongType,
        {ErrorCode::kUsage, {}, {}, "has become a " + name_of(type->type), "load it again with its new type"}};
  }
  made.urgency.sequence = graph_.next_sequence();
  const Dependencies needs = graph_.catalog()->dependencies(made.found);
  bool is_cyclic = false;
  for (std::size_t i = 0; i < needs.hard_count(); ++i) {
    Record& other =
        graph_.find_or_create(graph_.find_in_catalog(needs[i]), made.urgency.priority, made.urgency.sequence, needed);
    if (Graph::reaches(other, made)) {
      is_cyclic = true;
    } else {
      graph_.need(made, other);
    }
    residency_.release(other);
  }
  for (std::size_t i = needs.hard_count(); i < needs.size(); ++i) made.loading->soft_wanted.push_back(needs[i]);
  if (!is_cyclic) return std::nullopt;
  return Refusal{Fault::kCycle,
                 {ErrorCode::kInvalidData, {}, {}, "depends on itself through its dependencies", "cook again"}};
}

void Reloads::add_failed(std::vector<AssetHandle>& assets) const {
  for (Record* record : graph_.listed().all()) {
    if (record->failure != nullptr && record->failure_of == FailureOf::kLoad) assets.push_back(record->handle);
  }
}

void Reloads::set_gone(std::vector<std::pair<AssetHandle, std::string>> gone) {
  const Catalog& catalog = *graph_.catalog();
  std::erase_if(
      gone_, [&](const auto& before) { return catalog.locate(graph_.find_in_catalog(before.first)).mount != nullptr; });
  for (auto& [asset, path] : gone) gone_.insert_or_assign(asset, std::move(path));
}

std::string Reloads::path_of(const Record& record) const {
  if (record.loading != nullptr && !record.loading->desc.virtual_path.empty())
    return std::string(record.loading->desc.virtual_path);
  const auto gone = gone_.find(record.handle);
  return gone == gone_.end() ? std::string() : gone->second;
}

// A broken asset stays marked until a build reports otherwise.
std::vector<Failure> Reloads::mark_unbuilt(const Changes& changes, std::uint64_t frame) {
  for (Record* record : graph_.listed().all()) {
    if (changes.leaves_broken) break;
    if (std::exchange(record->failure_of, FailureOf::kLoad) == FailureOf::kLoad || record->is_failed()) continue;
    retire(record->failure.exchange(nullptr, std::memory_order_acq_rel), frame);
  }
  std::vector<Failure> fresh;
  std::set<std::string> told = changes.leaves_broken ? unbuilt_ : std::set<std::string>();
  for (const Changes::Broken& one : changes.broken) {
    const std::string text = one.error.to_string();
    const bool is_new = !unbuilt_.contains(text) && told.insert(text).second;
    told.insert(text);
    Failure failure{fault_of(one.error.code), {}, {}, one.error};
    for (const AssetHandle& asset : graph_.catalog()->assets_in({.written = one.files})) {
      for (Record* record : graph_.find_all(asset)) {
        if (record->is_loading()) continue;
        failure.asset = record->handle;
        if (const auto desc = graph_.catalog()->desc(asset)) failure.virtual_path = desc->virtual_path;
        retire(record->failure.exchange(new Failure(failure), std::memory_order_acq_rel), frame);
        record->failure_of = FailureOf::kBuild;
      }
    }
    if (is_new) fresh.push_back(std::move(failure));
  }
  unbuilt_ = std::move(told);
  return fresh;
}

void Reloads::retire(const Failure* failure, std::uint64_t frame) {
  if (failure != nullptr) residency_.retire({.frame = frame, .failure = std::unique_ptr<const Failure>(failure)});
}

void Reloads::again(Record& record) {
  if (std::exchange(record.after_load, AfterLoad::kNothing) == AfterLoad::kLoadAgain) again_.push_back(record.handle);
}

std::vector<AssetHandle> Reloads::take_again() {
  std::vector<AssetHandle> assets = std::exchange(again_, {});
  if (assets.empty()) return assets;
  for (Record* record : graph_.listed().all()) {
    if (record->failure != nullptr && record->failure_of == FailureOf::kLoad && record->reload == nullptr)
      assets.push_back(record->handle);
  }
  return assets;
}

Record& Reloads::take_place(Record& made, std::uint64_t frame, std::vector<Failure>& told) {
  Record& record = *std::exchange(made.reloads, nullptr);
  record.reload = nullptr;
  const bool is_detail = made.beside == Beside::kDetail;
  if (made.state == LoadState::kReady) {
    const bool was_loaded = record.loaded.load() != nullptr;
    if (was_loaded) residency_.remove(record);
    residency_.remove(made);
    record.origin = made.origin;
    if (!is_detail) {
      residency_.swap_needs(record, made);
      record.found = made.found;
      graph_.swap_contents(record, made);
    }
    std::swap(record.cpu_bytes, made.cpu_bytes);
    take_detail(record, made);
    made.type = record.type.exchange(made.type);
    if (record.origin == Origin::kInserted) record.when_idle = WhenIdle::kDrop;
    const Loaded* const last = record.loaded.exchange(made.loaded, std::memory_order_acq_rel);
    // Readers may still use the one in the record.
    made.loaded = last == &record.first_loaded ? new Loaded(*last) : last;
    residency_.add(record);
    if (was_loaded) residency_.add(made);
    made.state = made.loaded == nullptr ? LoadState::kFailed : LoadState::kReady;
    record.state.store(LoadState::kReady, std::memory_order_release);
    if (record.failure_of == FailureOf::kLoad && !is_detail)
      retire(record.failure.exchange(nullptr, std::memory_order_acq_rel), frame);
    residency_.retain(record);
    (is_detail ? changed_details_ : replaced_).push_back(&record);
    if (!record.sharers.is_empty()) update_sharers(record, made, frame);
  } else {
    if (is_detail && made.target_level < record.detail->levels.first) record.detail->reachable = made.target_level + 1;
    if (is_detail && made.target_level > record.detail->levels.first) record.detail->is_stuck = true;
    const Failure* const last = record.failure;
    if (last == nullptr || last->to_string() != made.failure.load()->to_string()) {
      retire(record.failure.exchange(made.failure.exchange(nullptr), std::memory_order_acq_rel), frame);
      record.failure_of = FailureOf::kLoad;
      told.push_back(*record.failure);
    }
  }
  residency_.retire({.frame = frame, .record = &made});
  again(record);
  return record;
}

// made: has the value that the record had before.
void Reloads::update_sharers(Record& record, Record& made, std::uint64_t frame) {
  for (Record* const sharer : std::vector<Record*>(record.sharers.all())) {
    if (sharer->loaded.load() == nullptr) continue;  // it waits, or is being dropped
    // Its bytes are still the old ones, or its own reload will tell.
    if (sharer->reload != nullptr || sharer->content != record.content) {
      graph_.follow(*sharer, made);
      continue;
    }
    if (record.original != nullptr) graph_.follow(*sharer, *record.original);
    const Loaded& loaded = *record.loaded.load();
    const Loaded* const last = sharer->loaded.exchange(
        sharer->keep({.value = loaded.value, .gpu = loaded.gpu, .is_shared = true}), std::memory_order_acq_rel);
    if (last != &sharer->first_loaded)
      residency_.retire({.frame = frame, .loaded = std::unique_ptr<const Loaded>(last)});
    if (made.beside != Beside::kDetail) continue;
    residency_.retain(*sharer);
    changed_details_.push_back(sharer);
  }
}

void Reloads::stop(Record& record) {
  Record* const made = std::exchange(record.reload, nullptr);
  if (made == nullptr) return;
  made->reloads = nullptr;
  residency_.release(*made);
}

std::vector<Reloads::Event> Reloads::events_of(const std::vector<Record*>& replaced) {
  std::unordered_map<const Record*, std::vector<Record*>> users;
  for (Record* record : graph_.listed().all()) {
    for (const auto* needs : {&record->hard, &record->soft}) {
      for (const Record* needed : *needs) users[needed].push_back(record);
    }
  }
  std::vector<Event> events;
  for (Record* cause : replaced) {
    std::vector<Record*> open = {cause};
    std::set<const Record*> seen = {cause};
    while (!open.empty()) {
      Record& at = *open.back();
      open.pop_back();
      residency_.retain(at);
      residency_.retain(*cause);
      events.emplace_back(&at, cause);
      for (Record* user : users[&at]) {
        if (user->state == LoadState::kReady && seen.insert(user).second) open.push_back(user);
      }
    }
  }
  return events;
}

}  // namespace assetc::runtime
