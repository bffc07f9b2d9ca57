#include "engine/state/relations.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "engine/state/step_set.hpp"

namespace assetc::engine {
namespace {

std::uint64_t hash_of(Relations::Kind kind, std::string_view text) {
  constexpr std::uint64_t kApart = 0x9E3779B97F4A7C15;
  return xxh3_64(as_bytes(text)) + kApart * static_cast<std::uint64_t>(kind);
}

// Hashes of a record's relations, without duplicates.
std::vector<std::uint64_t> hashes_of(const StepRecord& record, const Target& target) {
  using Kind = Relations::Kind;
  std::vector<std::uint64_t> hashes;
  const auto add = [&](Kind kind, std::string_view text) { hashes.push_back(hash_of(kind, text)); };
  for (const Dependency& d : record.dependencies) {
    const bool lists = d.kind == DependencyKind::kListing || d.kind == DependencyKind::kListingAbsent;
    add(lists ? Kind::kLists : d.kind == DependencyKind::kNamed ? Kind::kSeeks : Kind::kLooksAt, d.path);
  }
  for (const std::string& file : files_of(record, target)) add(Kind::kWrites, ascii_lower(file));
  if (record.shareable) add(Kind::kHasKey, bytes_text(record.key));
  for (const ChildRecord& child : record.children) {
    add(Kind::kAsksFor, bytes_text(step_id(child.recipe, child.stem)));
    if (!child.input_path.empty()) add(Kind::kTakes, child.input_path);
  }
  std::ranges::sort(hashes);
  hashes.erase(std::ranges::unique(hashes).begin(), hashes.end());
  return hashes;
}

}  // namespace

void Relations::add(const StepId& id, const StepRecord& record, const Target& target) {
  for (const std::uint64_t hash : hashes_of(record, target)) steps_.emplace(hash, id);
  reference_count_ += record.references.size();
}

void Relations::remove(const StepId& id, const StepRecord& record, const Target& target) {
  for (const std::uint64_t hash : hashes_of(record, target)) {
    const auto [first, last] = steps_.equal_range(hash);
    const auto found = std::find_if(first, last, [&](const auto& related) { return related.second == id; });
    if (found != last) steps_.erase(found);
  }
  reference_count_ -= record.references.size();
}

std::vector<StepId> Relations::find(Kind kind, std::string_view text) const {
  std::vector<StepId> found;
  const auto [first, last] = steps_.equal_range(hash_of(kind, text));
  for (auto it = first; it != last; ++it) found.push_back(it->second);
  return found;
}

}  // namespace assetc::engine
