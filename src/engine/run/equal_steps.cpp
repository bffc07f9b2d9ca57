#include "engine/run/equal_steps.hpp"

#include <algorithm>
#include <tuple>

namespace assetc::engine {
namespace {

// At most so many equal steps are tried before the step is cooked again.
constexpr std::size_t kMaxCopySources = 4;

}  // namespace

void EqualSteps::add(const StepRecord& record) {
  if (!record.shareable) return;
  const std::lock_guard lock(mutex_);
  finished_[record.key].emplace_back(record);
}

std::vector<StepRef> EqualSteps::finished(const ContentHash& key) {
  const std::lock_guard lock(mutex_);
  std::vector<StepRef> found;
  if (const auto it = finished_.find(key); it != finished_.end()) {
    const std::size_t count = std::min(it->second.size(), kMaxCopySources);
    found.assign(it->second.end() - static_cast<std::ptrdiff_t>(count), it->second.end());
  }
  if (earlier_ != nullptr) find_earlier(key, found);
  return found;
}

void EqualSteps::find_earlier(const ContentHash& key, std::vector<StepRef>& found) {
  StepRecord scratch;
  if (relations_ != nullptr) {
    for (const StepId& id : relations_->find(Relations::Kind::kHasKey, bytes_text(key))) {
      const auto position = earlier_->find(id);
      if (!position || found.size() == kMaxCopySources) continue;
      const StepRecord& record = (*earlier_)[*position].read(scratch);
      if (record.shareable && record.key == key) found.push_back((*earlier_)[*position]);
    }
    return;
  }
  const auto words = [](const Earlier& e) { return std::tuple(e.key.low, e.key.high, e.position); };
  if (!earlier_by_key_) {
    earlier_by_key_.emplace();
    for (std::uint32_t i = 0; i < earlier_->size(); ++i) {
      const StepRecord& record = (*earlier_)[i].read(scratch);
      if (record.shareable) earlier_by_key_->push_back({record.key, i});
    }
    std::ranges::sort(*earlier_by_key_, {}, words);
  }
  auto at = std::ranges::lower_bound(*earlier_by_key_, std::tuple(key.low, key.high, std::uint32_t{0}), {}, words);
  for (; at != earlier_by_key_->end() && at->key == key && found.size() < kMaxCopySources; ++at)
    found.push_back((*earlier_)[at->position]);
}

bool EqualSteps::wait(const ContentHash& key, const Node& node) {
  const std::lock_guard lock(mutex_);
  const auto [it, first] = waiting_.try_emplace(key);
  if (first) return false;
  it->second.push_back(node);
  return true;
}

std::vector<Node> EqualSteps::end(const ContentHash& key) {
  std::vector<Node> waited;
  const std::lock_guard lock(mutex_);
  const auto it = waiting_.find(key);
  if (it == waiting_.end()) return waited;
  waited = std::move(it->second);
  waiting_.erase(it);
  for (Node& node : waited) node.to_run().has_waited = true;
  return waited;
}

}  // namespace assetc::engine
