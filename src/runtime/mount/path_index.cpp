#include "runtime/mount/path_index.hpp"

#include <algorithm>

#include "assetc/formats/hpack.hpp"
#include "base/ascii.hpp"

namespace assetc::runtime {

void PathIndex::sort() {
  std::ranges::sort(rows_,
                    [](const Row& a, const Row& b) { return a.hash != b.hash ? a.hash < b.hash : a.entry < b.entry; });
}

// Hashes are evenly distributed, so a guess from the hash is about sqrt(count) / 2 rows off, and a guess from the
// distance to that row about the square root of that: 13 rows of 100,000. If a table was made to defeat that, bisection
// is used.
std::size_t PathIndex::first(std::uint64_t hash) const {
  const std::size_t count = rows_.size();
  const auto is_below = [&](std::size_t i) { return rows_[i].hash < hash; };
  constexpr std::size_t kNear = 16;
  if (count == 0) return 0;
  std::size_t low = 0, high = count;
  // The rows that a distance between hashes spans. A table has less than 2^32 rows.
  const auto rows_in = [&](std::uint64_t span) {
    return static_cast<std::size_t>((span >> 32) * std::uint64_t{count} >> 32);
  };
  const std::size_t guess = rows_in(hash);
  const std::uint64_t found = rows_[guess].hash;
  std::size_t step = kNear;
  const std::size_t middle =
      found < hash ? std::min(guess + rows_in(hash - found), count) : guess - std::min(guess, rows_in(found - hash));
  if (middle < count && is_below(middle)) {
    low = middle + 1;
    while (low < count && step < count && is_below(std::min(middle + step, count - 1))) {
      low = std::min(middle + step, count - 1) + 1;
      step *= 4;
    }
    high = std::min(count, middle + step + 1);
  } else {
    high = middle;
    while (high > 0 && middle > step && !is_below(middle - step)) {
      high = middle - step;
      step *= 4;
    }
    low = middle > step ? middle - step : 0;
    low = std::min(low, high);
  }
  // Without branches, because the processor cannot predict them.
  for (std::size_t size = high - low; size > 0;) {
    const std::size_t half = size / 2;
    const std::size_t below = is_below(low + half) ? 1 : 0;
    low += below * (half + 1);
    size = half - below * (1 - size % 2);  // size - half - 1 if below
  }
  return low;
}

const PathIndex::Row* PathIndex::find(std::uint64_t hash) const {
  const std::size_t at = first(hash);
  return at == rows_.size() || rows_[at].hash != hash ? nullptr : &rows_[at];
}

bool PathIndex::equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

AssetType type_of_path(std::string_view path) {
  if (path.ends_with(".hcluster")) return AssetType::kClusters;  // hpack::kind_of calls it a mesh
  switch (hpack::kind_of(path)) {
    case hpack::PackKind::kMesh:
      return AssetType::kMesh;
    case hpack::PackKind::kMaterial:
      return AssetType::kMaterial;
    case hpack::PackKind::kAnimation:
      return AssetType::kAnimation;
    case hpack::PackKind::kTexture:
      return AssetType::kTexture2D;
    case hpack::PackKind::kShader:
      return AssetType::kShader;
    case hpack::PackKind::kScene:
      return AssetType::kModel;
    case hpack::PackKind::kFont:
      return AssetType::kFont;
    case hpack::PackKind::kOther:
    case hpack::PackKind::kManifest:
      break;
  }
  return path.ends_with(".gali") ? AssetType::kMesh : AssetType::kRaw;
}

}  // namespace assetc::runtime
