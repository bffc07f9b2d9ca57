// Paths and hashes to the numbers of entries, in one sorted table: no two inputs make it slow.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "assetc/runtime/handle.hpp"

namespace assetc::runtime {

// What a file of a runtime/ tree is, by its extension.
AssetType type_of_path(std::string_view path);

class PathIndex {
 public:
  void reserve(std::size_t count) { rows_.reserve(count); }
  // The entry at a path; and what else an entry, of which this is the path, is called.
  void add_path(std::string_view path, std::uint32_t entry) {
    rows_.push_back({hash_embed_ref(path), entry, type_of_path(path), true});
  }
  void add_name(std::uint64_t hash, std::string_view path, std::uint32_t entry) {
    rows_.push_back({hash, entry, type_of_path(path), false});
  }
  // Once, behind the last add().
  void sort();

  struct Row {
    std::uint64_t hash;
    std::uint32_t entry;
    AssetType type;
    bool is_path;  // that the hash is of
  };
  // The first entry of a hash, or null.
  const Row* find(std::uint64_t hash) const;
  // The entry whose path, path_of(entry), is this one but for letter case; exactly this one, if there is such.
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
