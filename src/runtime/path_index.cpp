#include "runtime/path_index.hpp"

#include <algorithm>

#include "assetc/formats/hpack.hpp"
#include "base/ascii.hpp"
#include "formats/search.hpp"

namespace assetc::runtime {

void PathIndex::sort() {
  std::ranges::sort(rows_,
                    [](const Row& a, const Row& b) { return a.hash != b.hash ? a.hash < b.hash : a.entry < b.entry; });
}

std::size_t PathIndex::first(std::uint64_t hash) const {
  return formats::first_not_below(rows_.size(), hash, hash, [&](std::size_t i) { return rows_[i].hash; });
}

const PathIndex::Row* PathIndex::find(std::uint64_t hash) const {
  const std::size_t at = first(hash);
  return at == rows_.size() || rows_[at].hash != hash ? nullptr : &rows_[at];
}

bool PathIndex::equal_ignoring_case(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

AssetType type_of_path(std::string_view path) {
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
    case hpack::PackKind::kOther:
    case hpack::PackKind::kManifest:
    case hpack::PackKind::kFont:
      break;
  }
  return path.ends_with(".gali") ? AssetType::kMesh : AssetType::kRaw;
}

}  // namespace assetc::runtime
