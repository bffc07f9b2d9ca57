#include "runtime/loader/residency.hpp"

#include <iterator>

namespace assetc::runtime {

Residency::Residency(const Limits& limits)
    : in_flight_limit_(limits.in_flight_bytes),
      decode_room_(limits.in_flight_bytes / 2),
      cpu_{limits.cpu_bytes, [](const Record& record) { return record.cpu_bytes; }},
      gpu_{limits.gpu_bytes, [](const Record& record) { return gpu_bytes_of(record.loaded.load()); }} {}

void Residency::set_limits(const Limits& limits) {
  in_flight_limit_ = limits.in_flight_bytes;
  decode_room_ = std::min(decode_room_, limits.in_flight_bytes / 2);
  cpu_.limit_bytes = limits.cpu_bytes;
  gpu_.limit_bytes = limits.gpu_bytes;
  look_again();
}

// ---- refs and dependencies ----

// Also applies to dependencies that nothing else keeps in use.
void Residency::set_held(Record& first, bool is_held) {
  open_.assign(1, &first);
  while (!open_.empty()) {
    Record& at = *open_.back();
    open_.pop_back();
    if (at.is_held == is_held) continue;
    const bool is_loaded = at.loaded.load() != nullptr;
    if (is_loaded) remove(at);
    at.is_held = is_held;
    if (is_loaded) count(at);
    if (is_loaded && at.detail) turned_.push_back(&at);
    if (!is_held) {
      at.last_use = ++last_use_;
      // Cached dependents that were looked at while it was in use must be looked at again: they keep it too.
      if (at.user_count > (&at == &first ? 0u : 1u)) look_again();
    }
    for (const auto* needs : {&at.hard, &at.soft}) {
      for (Record* needed : *needs) {
        if (is_held) {
          if (needed->held_user_count++ == 0) open_.push_back(needed);
        } else if (--needed->held_user_count == 0 && needed->refs == 0) {
          open_.push_back(needed);
        }
      }
    }
  }
}

void Residency::link(Record& user, Record& needed) {
  ++needed.user_count;
  uncache(needed);
  if (user.is_held) {
    ++needed.held_user_count;
    if (!needed.is_held) set_held(needed, true);
  } else if (user.user_count > 0) {
    look_again();
  }
}

void Residency::unlink(const Record& user, Record& needed) {
  --needed.user_count;
  if (user.is_held) --needed.held_user_count;
  if (needed.refs == 0 && needed.held_user_count == 0) note(needed);
}

void Residency::swap_needs(Record& a, Record& b) {
  const auto all_of = [](const Record& record) {
    std::vector<Record*> all = record.hard;
    all.insert(all.end(), record.soft.begin(), record.soft.end());
    return all;
  };
  const std::vector<Record*> of_a = all_of(a), of_b = all_of(b);
  for (Record* needed : of_a) unlink(a, *needed);
  for (Record* needed : of_b) unlink(b, *needed);
  std::swap(a.hard, b.hard);
  std::swap(a.soft, b.soft);
  for (Record* needed : of_b) link(a, *needed);
  for (Record* needed : of_a) link(b, *needed);
  look_again();
}

void Residency::note(Record& record) {
  if (std::holds_alternative<idle::Noted>(record.idle)) return;
  record.idle = idle::Noted{};
  noted_.push_back(&record);
}

Record* Residency::take_idle() {
  while (!noted_.empty()) {
    Record& record = *noted_.back();
    noted_.pop_back();
    record.idle = idle::No{};
    if (record.refs > 0) continue;
    if (record.is_held && record.held_user_count == 0) set_held(record, false);
    if (record.user_count == 0) return &record;
  }
  return nullptr;
}

Record* Residency::take_turned() {
  if (turned_.empty()) return nullptr;
  Record* const last = turned_.back();
  turned_.pop_back();
  return last;
}

// ---- the cache ----

void Residency::cache(Record& record) {
  record.idle = idle::Cached{};
  cached_.insert(&record);
  // If only an evicted record needed this one, it has been unused as long as that record. Records that were unused
  // for less time were looked at since, so the looks go back.
  for (Budget* budget : {&cpu_, &gpu_}) {
    if (budget->looked_at_use >= record.last_use) budget->looked_at_use = record.last_use - 1;
  }
}

bool Residency::uncache(Record& record) {
  if (!std::holds_alternative<idle::Cached>(record.idle)) return false;
  cached_.erase(&record);
  record.idle = idle::No{};
  return true;
}

Record* Residency::take_oldest() {
  if (cached_.empty()) return nullptr;
  Record* const oldest = *cached_.begin();
  uncache(*oldest);
  return oldest;
}

bool Residency::keeps(Record& record, const Budget& budget) {
  const std::uint64_t walk = ++walks_;
  open_.assign(1, &record);
  while (!open_.empty()) {
    Record& at = *open_.back();
    open_.pop_back();
    if (std::exchange(at.visit, walk) == walk || at.is_held) continue;
    ++look_count_;
    --looks_left_;
    if (at.loaded.load() != nullptr && budget.bytes_of(at) > 0) return true;
    for (const auto* needs : {&at.hard, &at.soft}) open_.insert(open_.end(), needs->begin(), needs->end());
  }
  return false;
}

Record* Residency::take_victim() {
  if (letting_go_ > 0) return nullptr;
  for (Budget* budget : {&cpu_, &gpu_}) {
    if (budget->used_bytes <= budget->limit_bytes || budget->loose_bytes == 0) continue;
    for (auto at = cached_.upper_bound(budget->looked_at_use); at != cached_.end() && looks_left_ > 0; ++at) {
      Record* const record = *at;
      if (keeps(*record, *budget)) {
        uncache(*record);
        return record;
      }
      budget->looked_at_use = record->last_use;
    }
  }
  return nullptr;
}

// ---- memory ----

bool Residency::reserve(Record& record, std::uint64_t bytes) {
  const bool gives_back = bytes < record.reserved_bytes;
  if (bytes == 0 && exceeding_ == &record) exceeding_ = nullptr;
  in_flight_ += bytes;
  in_flight_ -= record.reserved_bytes;
  record.reserved_bytes = bytes;
  peak_in_flight_ = std::max(peak_in_flight_, in_flight_);
  return gives_back;
}

void Residency::count(const Record& record) {
  for (Budget* budget : {&cpu_, &gpu_}) {
    const std::uint64_t bytes = budget->bytes_of(record);
    budget->used_bytes += bytes;
    if (!record.is_held) budget->loose_bytes += bytes;
  }
}

void Residency::add(const Record& record) {
  count(record);
  if (!record.is_held && record.user_count > 0) look_again();
}

void Residency::remove(const Record& record) {
  for (Budget* budget : {&cpu_, &gpu_}) {
    const std::uint64_t bytes = budget->bytes_of(record);
    budget->used_bytes -= bytes;
    if (!record.is_held) budget->loose_bytes -= bytes;
  }
}

std::int64_t Residency::room(const Budget& budget) const {
  std::uint64_t used = budget.used_bytes - budget.loose_bytes;
  for (const Retired& old : retired_) {
    if (old.record != nullptr && old.record->loaded.load() != nullptr) used -= budget.bytes_of(*old.record);
  }
  return static_cast<std::int64_t>(budget.limit_bytes) - static_cast<std::int64_t>(used);
}

// ---- destroyed later ----

void Residency::drop_later(Record& record) {
  record.refs.fetch_add(1, std::memory_order_relaxed);  // keeps the record, but not its dependencies in use
  const bool has_needs = !record.hard.empty() || !record.soft.empty();
  letting_go_ += has_needs;
  auto* const done = std::get_if<stage::Done>(&record.stage);
  const Loaded* const loaded = record.loaded.exchange(nullptr);
  const bool is_own = loaded != nullptr && !loaded->is_shared;
  dropping_.push_back({&record, &record.type.load()->loader, is_own ? std::optional(*loaded) : std::nullopt,
                       done == nullptr ? nullptr : std::exchange(done->value, nullptr), has_needs});
  record.destroy(loaded);
}

Dropping Residency::take_dropping() {
  Dropping last = std::move(dropping_.back());
  dropping_.pop_back();
  letting_go_ -= last.has_needs;
  return last;
}

void Residency::put_back(std::vector<Retired> retired) {
  retired_.insert(retired_.begin(), std::make_move_iterator(retired.begin()), std::make_move_iterator(retired.end()));
}

std::vector<Retired>::iterator Residency::split_over(std::vector<Retired>& retired,
                                                     const std::function<bool(std::uint64_t frame)>& is_over) {
  return std::stable_partition(retired.begin(), retired.end(), [&](const Retired& old) {
    // Records that are loading keep the catalog that they were found in.
    return (old.catalog != nullptr && old.catalog.use_count() > 1) || !is_over(old.frame);
  });
}

}  // namespace assetc::runtime
