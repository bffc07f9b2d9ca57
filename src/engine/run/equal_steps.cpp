#include "engine/run/equal_steps.hpp"

#include <algorithm>

namespace assetc::engine {
namespace {

// Outputs of equal steps that are tried before cooking again.
constexpr std::size_t kMaxCopySources = 4;

}  // namespace

void EqualSteps::add(std::shared_ptr<const StepRecord> record) {
  if (!record->shareable) return;
  const std::lock_guard lock(mutex_);
  finished_[record->key].push_back(std::move(record));
}

std::vector<std::shared_ptr<const StepRecord>> EqualSteps::finished(const ContentHash& key) const {
  const std::lock_guard lock(mutex_);
  const auto it = finished_.find(key);
  if (it == finished_.end()) return {};
  const std::size_t count = std::min(it->second.size(), kMaxCopySources);
  return {it->second.end() - static_cast<std::ptrdiff_t>(count), it->second.end()};
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
  for (Node& node : waited) node.retried = true;
  return waited;
}

}  // namespace assetc::engine
