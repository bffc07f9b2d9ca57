#include <algorithm>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "assetc/runtime/parts.hpp"

namespace assetc::runtime {

void PartContent::add(const ContentRange& range, Bytes bytes) {
  if (range.size_bytes == 0) return;
  const auto at = std::ranges::upper_bound(pieces_, range.offset_bytes, {},
                                           [](const Piece& piece) { return piece.range.offset_bytes; });
  const auto added = pieces_.insert(at, {range, std::move(bytes)});
  const auto merge = [&](auto first, auto second) {
    if (first->range.end() != second->range.offset_bytes || !first->bytes.shares_owner(second->bytes) ||
        first->bytes.data() + first->bytes.size() != second->bytes.data())
      return first;
    first->bytes = first->bytes.joined_with(second->bytes);
    first->range.size_bytes += second->range.size_bytes;
    return std::prev(pieces_.erase(second));
  };
  if (const auto next = std::next(added); next != pieces_.end()) merge(added, next);
  if (added != pieces_.begin()) merge(std::prev(added), added);
}

bool PartContent::has_one_piece(const ContentRange& range) const {
  return std::ranges::any_of(pieces_, [&](const Piece& piece) {
    return range.offset_bytes >= piece.range.offset_bytes && range.end() <= piece.range.end();
  });
}

std::optional<ByteSpan> PartContent::in_place(std::uint64_t content_bytes) const {
  if (pieces_.empty()) return std::nullopt;
  const auto start_of = [](const Piece& piece) {
    return reinterpret_cast<std::uintptr_t>(piece.bytes.data()) - static_cast<std::uintptr_t>(piece.range.offset_bytes);
  };
  const Piece& first = pieces_.front();
  for (const Piece& piece : pieces_) {
    if (start_of(piece) != start_of(first) || (&piece != &first && !piece.bytes.shares_owner(first.bytes)))
      return std::nullopt;
  }
  if (first.range.offset_bytes != 0) return std::nullopt;
  return ByteSpan(first.bytes.data(), static_cast<std::size_t>(content_bytes));
}

std::uint64_t PartContent::size_bytes() const {
  std::uint64_t size = 0;
  for (const Piece& piece : pieces_) size += piece.range.size_bytes;
  return size;
}

std::optional<Bytes> PartContent::find(const ContentRange& range) const {
  for (const auto& [there, bytes] : pieces_) {
    if (range.offset_bytes >= there.offset_bytes && range.end() <= there.end())
      return bytes.slice(static_cast<std::size_t>(range.offset_bytes - there.offset_bytes),
                         static_cast<std::size_t>(range.size_bytes));
  }
  if (range.size_bytes == 0) return Bytes();
  ByteVector joined;
  joined.reserve(static_cast<std::size_t>(std::min(range.size_bytes, size_bytes())));
  std::uint64_t at = range.offset_bytes;
  for (const auto& [there, bytes] : pieces_) {
    if (there.end() <= at) continue;
    if (there.offset_bytes > at) return std::nullopt;
    const std::uint64_t size = std::min(there.end(), range.end()) - at;
    append_bytes(joined, bytes.span().subspan(static_cast<std::size_t>(at - there.offset_bytes),
                                              static_cast<std::size_t>(size)));
    at += size;
    if (at == range.end()) return Bytes(std::move(joined));
  }
  return std::nullopt;
}

Bytes PartContent::prefix() const {
  std::uint64_t end = 0;
  for (const auto& [there, bytes] : pieces_) {
    if (there.offset_bytes > end) break;
    end = std::max(end, there.end());
  }
  return find({0, end}).value_or(Bytes());
}

std::vector<ContentRange> PartContent::lacking(std::vector<ContentRange> ranges) const {
  constexpr std::uint64_t kMaxApartBytes = 4096;
  std::ranges::sort(ranges, {}, &ContentRange::offset_bytes);
  std::vector<ContentRange> out;
  const auto add = [&](std::uint64_t from, std::uint64_t to) {
    if (from >= to) return;
    if (!out.empty() && from <= out.back().end() + kMaxApartBytes) {
      out.back().size_bytes = std::max(out.back().end(), to) - out.back().offset_bytes;
    } else {
      out.push_back({from, to - from});
    }
  };
  for (const ContentRange& range : ranges) {
    std::uint64_t from = range.offset_bytes;
    for (const auto& [had, bytes] : pieces_) {
      if (had.end() <= from || had.offset_bytes >= range.end()) continue;
      add(from, had.offset_bytes);
      from = had.end();
    }
    add(from, range.end());
  }
  return out;
}

void PartContent::copy_to(std::span<std::byte> out) const {
  for (const auto& [range, bytes] : pieces_) {
    if (!bytes.empty()) std::memcpy(out.data() + range.offset_bytes, bytes.data(), bytes.size());
  }
}

}  // namespace assetc::runtime
