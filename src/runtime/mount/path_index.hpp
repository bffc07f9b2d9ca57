// Maps paths and hashes to entry numbers in one sorted table. No input makes it slow.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "assetc/runtime/handle.hpp"

namespace assetc::runtime {

// Returns the asset type of a file in a runtime/ tree by its extension.
AssetType type_of_path(std::string_view path);

class PathIndex {
 public:
  void reserve(std::size_t count) { rows_.reserve(count); }
  // Adds the path of an entry, or another name of the entry with this path.
  void add_path(std::string_view path, std::uint32_t entry) {
    rows_.push_back({hash_embed_ref(path), entry, type_of_path(path), true});
  }
  void add_name(std::uint64_t hash, std::string_view path, std::uint32_t entry) {
    rows_.push_back({hash, entry, type_of_path(path), false});
  }
  // Call it once, after the last add.
  void sort();

  struct Row {
    std::uint64_t hash;
    std::uint32_t entry;
    AssetType type;
    bool is_path;  // the hash is of the path
  };
  // Returns the first entry with a hash, or null.
  const Row* find(std::uint64_t hash) const;
  // Returns the entry whose path_of(entry) equals the path, ignoring letter case. An exact match is preferred.
  template <class PathOf>
  std::optional<std::uint32_t> find_path(std::string_view path, const PathOf& path_of) const {
    std::optional<std::uint32_t> found;
    const std::uint64_t hash = hash_embed_ref(path);
    for (std::size_t at = first(hash); at < rows_.size() && rows_[at].hash == hash; ++at) {
      const std::string_view other = path_of(rows_[at].entry);
      if (other == path) return rows_[at].entry;
      if (!found && equal_ignoring_case(other, path)) found = rows_[at].entry;
    }
    return found;
  }

 private:
  static_assert(sizeof(Row) == 16);
  std::size_t first(std::uint64_t hash) const;
  static bool equal_ignoring_case(std::string_view a, std::string_view b);

  std::vector<Row> rows_;
};

}  // namespace assetc::runtime
