#include "runtime/loader/residency.hpp"

#include <iterator>

namespace assetc::runtime {

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
    if (record.refs == 0) return &record;
  }
  return nullptr;
}

void Residency::cache(Record& record) {
  record.idle = idle::Cached{cached_.insert(cached_.end(), &record)};
  cached_cpu_ += record.cpu_bytes;
  cached_gpu_ += record.loaded.load()->gpu.size_bytes;
}

bool Residency::uncache(Record& record) {
  const auto* const cached = std::get_if<idle::Cached>(&record.idle);
  if (cached == nullptr) return false;
  cached_.erase(cached->at);
  record.idle = idle::No{};
  cached_cpu_ -= record.cpu_bytes;
  cached_gpu_ -= record.loaded.load()->gpu.size_bytes;
  return true;
}

Record* Residency::take_oldest() {
  if (cached_.empty()) return nullptr;
  Record* const oldest = cached_.front();
  uncache(*oldest);
  return oldest;
}

bool Residency::helps(const Record& record) const {
  return (cpu_ > limits_.cpu_bytes && record.cpu_bytes > 0) ||
         (gpu_ > limits_.gpu_bytes && record.loaded.load()->gpu.size_bytes > 0);
}

Record* Residency::take_victim() {
  if (cpu_ <= limits_.cpu_bytes && gpu_ <= limits_.gpu_bytes) return nullptr;
  const auto found = std::ranges::find_if(cached_, [&](const Record* record) { return helps(*record); });
  if (found == cached_.end()) return nullptr;
  Record* const victim = *found;
  uncache(*victim);
  return victim;
}

bool Residency::reserve(Record& record, std::uint64_t bytes) {
  const bool gives_back = bytes < record.reserved_bytes;
  in_flight_ += bytes;
  in_flight_ -= record.reserved_bytes;
  record.reserved_bytes = bytes;
  peak_in_flight_ = std::max(peak_in_flight_, in_flight_);
  return gives_back;
}

void Residency::add(const Record& record) {
  cpu_ += record.cpu_bytes;
  gpu_ += record.loaded.load()->gpu.size_bytes;
}

void Residency::remove(const Record& record) {
  cpu_ -= record.cpu_bytes;
  gpu_ -= record.loaded.load()->gpu.size_bytes;
}

std::int64_t Residency::cpu_room() const {
  std::uint64_t used = cpu_ - cached_cpu_;
  for (const Retired& old : retired_) {
    if (old.record != nullptr && old.record->loaded.load() != nullptr) used -= old.record->cpu_bytes;
  }
  return static_cast<std::int64_t>(limits_.cpu_bytes) - static_cast<std::int64_t>(used);
}

std::int64_t Residency::gpu_room() const {
  std::uint64_t used = gpu_ - cached_gpu_;
  for (const Retired& old : retired_) {
    const Loaded* const loaded = old.record == nullptr ? nullptr : old.record->loaded.load();
    if (loaded != nullptr) used -= loaded->gpu.size_bytes;
  }
  return static_cast<std::int64_t>(limits_.gpu_bytes) - static_cast<std::int64_t>(used);
}

void Residency::drop_later(Record& record) {
  retain(record);
  auto* const done = std::get_if<stage::Done>(&record.stage);
  dropping_.push_back({&record, &record.type.load()->loader,
                       std::unique_ptr<const Loaded>(record.loaded.exchange(nullptr)),
                       done == nullptr ? nullptr : std::exchange(done->value, nullptr)});
}

Dropping Residency::take_dropping() {
  Dropping last = std::move(dropping_.back());
  dropping_.pop_back();
  return last;
}

void Residency::put_back(std::vector<Retired> retired) {
  retired_.insert(retired_.begin(), std::make_move_iterator(retired.begin()), std::make_move_iterator(retired.end()));
}

std::vector<Retired>::iterator Residency::split_over(std::vector<Retired>& retired,
                                                     const std::function<bool(std::uint64_t frame)>& is_over) {
  return std::stable_partition(retired.begin(), retired.end(), [&](const Retired& old) {
    // Records that are being loaded keep the catalog that they were found in.
    return (old.catalog != nullptr && old.catalog.use_count() > 1) || !is_over(old.frame);
  });
}

}  // namespace assetc::runtime
