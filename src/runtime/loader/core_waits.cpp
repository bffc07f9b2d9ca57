// What the assets of a manager wait for: for one asset, and for the trace of each pump.
#include <algorithm>

#include "runtime/loader/core.hpp"

namespace assetc::runtime {

Waiting Core::why_waiting(const Record& asset) {
  const Lock lock(mutex_);
  return waiting_of(asset);
}

// Requires the mutex.
Waiting Core::waiting_of(const Record& asset) const {
  const bool is_over = !asset.is_loading();
  if (is_over && asset.reload == nullptr) {
    const bool is_finer_wanted = asset.detail && asset.is_held && Details::is_coarser(asset);
    return {is_finer_wanted ? details_.waits_of(asset) : Waits::kNothing};
  }
  const Record& record = is_over ? *asset.reload : asset;
  if (record.is<stage::Queued>() || record.is<stage::Reading>()) return {reads_.waits_of(record)};
  if (record.is<stage::Read>()) return {decodes_.is_stalled() ? Waits::kRoomInFlight : Waits::kProcessor};
  if (record.is<stage::Decoding>()) return {Waits::kProcessor};
  if (record.is<stage::Waiting>()) {
    const auto needed =
        std::ranges::find_if(record.hard, [](Record* one) { return Graph::loading_of(*one) != nullptr; });
    return needed == record.hard.end() ? Waiting{Waits::kPump} : Waiting{Waits::kDependency, (*needed)->handle};
  }
  if (record.is<stage::Decoded>()) return {record.queue == &room_queue_ ? Waits::kGpuBudget : Waits::kPump};
  return {record.is<stage::Pending>() ? Waits::kDevice : Waits::kPump};
}

std::vector<Core::Waiter> Core::waiters() const {
  std::vector<Waiter> all;
  if (options_.trace.event == nullptr) return all;
  const auto add = [&](const Record& first, std::size_t count) {
    // A record that loads beside another is not in the refs of an engine.
    const Waiting why = waiting_of(first.reloads == nullptr ? first : *first.reloads);
    all.push_back({trace_name(why.what), std::string(first.loading->desc.virtual_path), count});
  };
  reads_.each_queue(add);
  if (!decodes_.is_empty()) add(decodes_.queue().first(), decodes_.queue().size());
  if (!room_queue_.is_empty()) add(room_queue_.first(), room_queue_.size());
  if (!uploads_.empty()) add(*uploads_.front(), uploads_.size());
  return all;
}

}  // namespace assetc::runtime
