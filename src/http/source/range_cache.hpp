// Parts of files in memory, within a limit. The part that was used least recently is dropped first.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <utility>

#include "assetc/base/bytes.hpp"

namespace assetc::http {

// Returns a part of these bytes. A small part is a copy, so that its user does not keep all of them in memory.
inline Bytes part_of(const Bytes& bytes, std::uint64_t offset, std::uint64_t size) {
  Bytes part = bytes.slice(static_cast<std::size_t>(offset), static_cast<std::size_t>(size));
  if (size >= bytes.size() / 2) return part;
  return Bytes(ByteVector(part.span().begin(), part.span().end()));
}

class RangeCache {
 public:
  explicit RangeCache(std::uint64_t max_bytes) : max_bytes_(max_bytes) {}

  using FileId = std::uint32_t;
  // Keeps these bytes of a file. The newest part stays even if it exceeds the limit alone.
  void insert(FileId file, std::uint64_t offset, Bytes bytes) {
    if (bytes.empty()) return;
    const std::uint64_t end = offset + bytes.size();
    auto at = by_offset_.lower_bound({file, offset});
    while (at != by_offset_.end() && at->first.first == file && at->second->end() <= end) at = drop(at);
    if (at != by_offset_.end() && at->first == Key{file, offset}) return;  // a longer part is there
    total_bytes_ += bytes.size();
    parts_.push_front({{file, offset}, std::move(bytes)});
    by_offset_.emplace(parts_.front().key, parts_.begin());
    while (total_bytes_ > max_bytes_ && parts_.size() > 1) drop(by_offset_.find(parts_.back().key));
  }

  // Returns the bytes [offset, offset + size) of a file, if the part that begins last before them contains them.
  std::optional<Bytes> find(FileId file, std::uint64_t offset, std::uint64_t size) {
    auto at = by_offset_.upper_bound({file, offset});
    if (at == by_offset_.begin()) return std::nullopt;
    --at;
    const Part& part = *at->second;
    if (part.key.first != file || !range_fits(offset - part.key.second, size, part.bytes.size())) return std::nullopt;
    parts_.splice(parts_.begin(), parts_, at->second);
    return part_of(part.bytes, offset - part.key.second, size);
  }

  void forget(FileId file) {
    for (auto at = by_offset_.lower_bound({file, 0}); at != by_offset_.end() && at->first.first == file;) at = drop(at);
  }

 private:
  using Key = std::pair<FileId, std::uint64_t>;  // a file and an offset
  struct Part {
    Key key;
    Bytes bytes;
    std::uint64_t end() const { return key.second + bytes.size(); }
  };
  using ByOffset = std::map<Key, std::list<Part>::iterator>;
  ByOffset::iterator drop(ByOffset::iterator at) {
    total_bytes_ -= at->second->bytes.size();
    parts_.erase(at->second);
    return by_offset_.erase(at);
  }

  const std::uint64_t max_bytes_;
  std::uint64_t total_bytes_ = 0;
  std::list<Part> parts_;  // the most recently used first
  ByOffset by_offset_;
};

}  // namespace assetc::http
