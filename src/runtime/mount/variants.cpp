#include "runtime/mount/variants.hpp"

#include <algorithm>
#include <tuple>

#include "base/ascii.hpp"

namespace assetc::runtime {
namespace {

constexpr std::size_t kMaxQualifiers = 64;

}  // namespace

std::optional<VariantPath> parse_variant(std::string_view path) {
  if (!path.contains('+')) return std::nullopt;
  VariantPath out;
  for (std::size_t at = 0; at < path.size();) {
    if (path[at] != '+') {
      out.asset += ascii_lower(path[at++]);
      continue;
    }
    const std::size_t end = std::min(path.find_first_of("+/.", at + 1), path.size());
    if (out.asset.empty() || out.asset.ends_with('/') || end == at + 1) return std::nullopt;
    out.qualifiers.push_back(ascii_lower(path.substr(at + 1, end - at - 1)));
    at = end;
  }
  return out;
}

Variants::Variants(std::vector<std::string> qualifiers) : qualifiers_(std::move(qualifiers)) {
  if (qualifiers_.size() > kMaxQualifiers) qualifiers_.resize(kMaxQualifiers);
  for (std::string& qualifier : qualifiers_) qualifier = ascii_lower(qualifier);
}

// The bit of the first qualifier is the highest.
std::uint64_t Variants::rank_of(std::span<const std::string> qualifiers) const {
  std::uint64_t rank = 0;
  for (const std::string& qualifier : qualifiers) {
    const auto at = std::ranges::find(qualifiers_, qualifier);
    if (at == qualifiers_.end()) return 0;
    rank |= std::uint64_t{1} << (kMaxQualifiers - 1 - static_cast<std::size_t>(at - qualifiers_.begin()));
  }
  return rank;
}

std::vector<Variants::Candidate> Variants::candidates_of(std::span<const Member> members) const {
  std::vector<Candidate> all;
  for (const Member& member : members) {
    auto parsed = parse_variant(member.path);
    if (!parsed) continue;
    all.push_back({std::move(parsed->asset), member.asset, rank_of(parsed->qualifiers), ascii_lower(member.path)});
  }
  // Two variants of equal rank differ only in the order or the place of their qualifiers.
  std::ranges::sort(all, [](const Candidate& a, const Candidate& b) {
    return std::tie(a.path, b.rank, a.full_path) < std::tie(b.path, a.rank, b.full_path);
  });
  return all;
}

void Variants::add_group(const AssetHandle& plain, std::span<const Candidate> group) {
  AssetHandle best = plain;
  for (const Candidate& one : group) {
    if (one.asset.type != plain.type || one.rank == 0) continue;
    best = one.asset;
    break;
  }
  if (!(best == plain)) rows_.push_back({plain, best});
  for (const Candidate& one : group) {
    if (one.asset.type == plain.type && !(one.asset == best)) rows_.push_back({one.asset, best});
  }
}

void Variants::sort() { std::ranges::sort(rows_, comes_before, &Row::asset); }

void Variants::add_replaced(const AssetHandle& asset, std::vector<AssetHandle>& out) const {
  for (const Row& row : rows_) {
    if (row.best == asset) out.push_back(row.asset);
  }
}

AssetHandle Variants::best(const AssetHandle& asset) const {
  const auto at = std::ranges::lower_bound(rows_, asset, comes_before, &Row::asset);
  return at == rows_.end() || !(at->asset == asset) ? asset : at->best;
}

}  // namespace assetc::runtime
