// The variants of assets: which one stands for an asset.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/runtime/handle.hpp"

namespace assetc::runtime {

// An order of assets by their identity.
inline bool comes_before(const AssetHandle& a, const AssetHandle& b) {
  return a.uuid != b.uuid ? a.uuid < b.uuid : a.uuid.is_nil() && a.path_hash < b.path_hash;
}

// "Engine/UI+de/Logo+low" is "engine/ui/logo" with the qualifiers "de" and "low".
struct VariantPath {
  std::string asset;                    // the path without qualifiers, in lower case
  std::vector<std::string> qualifiers;  // in lower case
};
// Returns nothing if the path has no qualifiers. A qualifier reaches from a '+' to the next '+', '/' or '.', or to the
// end of the path. A path with an empty qualifier or an empty name before one has none.
std::optional<VariantPath> parse_variant(std::string_view path);

// Immutable.
class Variants {
 public:
  explicit Variants(std::vector<std::string> qualifiers);

  struct Member {
    AssetHandle asset;
    std::string path;
  };
  // Makes the table from all assets whose path has qualifiers, in any order. find: looks up the asset without
  // qualifiers by its path, in lower case.
  template <class Find>
  void fill(std::span<const Member> members, const Find& find);

  std::span<const std::string> qualifiers() const { return qualifiers_; }
  // Returns the best variant of an asset: the asset itself if it has none. Does not allocate.
  AssetHandle best(const AssetHandle& asset) const;
  // Adds the assets that this one stands for.
  void add_replaced(const AssetHandle& asset, std::vector<AssetHandle>& out) const;

 private:
  struct Row {
    AssetHandle asset, best;
  };
  struct Candidate {
    std::string path;  // without qualifiers
    AssetHandle asset;
    std::uint64_t rank = 0;  // higher is better; 0: does not fit
    std::string full_path;
  };
  std::uint64_t rank_of(std::span<const std::string> qualifiers) const;
  std::vector<Candidate> candidates_of(std::span<const Member> members) const;
  void add_group(const AssetHandle& plain, std::span<const Candidate> group);
  void sort();

  std::vector<std::string> qualifiers_;  // in lower case
  std::vector<Row> rows_;                // ascending by asset
};

template <class Find>
void Variants::fill(std::span<const Member> members, const Find& find) {
  rows_.clear();
  const std::vector<Candidate> all = candidates_of(members);
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end].path == all[begin].path) ++end;
    if (const std::optional<AssetHandle> plain = find(std::string_view(all[begin].path)))
      add_group(*plain, std::span(all).subspan(begin, end - begin));
    begin = end;
  }
  sort();
}

}  // namespace assetc::runtime
