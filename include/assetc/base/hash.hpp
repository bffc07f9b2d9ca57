// The two hashes of this library: FNV-1a 64 hashes names (refs in files), XXH3 hashes contents.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"

namespace assetc {

// Returns the FNV-1a 64 hash of the bytes of text, with ASCII A-Z lowered first.
// Source: Fowler, Noll, Vo; draft-eastlake-fnv.
constexpr std::uint64_t fnv1a64_lower(std::string_view text) {
  std::uint64_t h = 0xcbf29ce484222325ull;
  for (char c : text) {
    const auto u = static_cast<unsigned char>(c);
    h ^= (u >= 'A' && u <= 'Z') ? u + 32u : u;
    h *= 0x100000001b3ull;
  }
  return h;
}

// Returns the hash of a ref.
// Constraints: ref is '/'-separated, relative to the input root, without extension and without a leading "runtime/".
constexpr std::uint64_t hash_asset_ref(std::string_view ref) { return fnv1a64_lower(ref); }
// Returns the id of a whole file: the same hash over its runtime-relative path, with the extension.
constexpr std::uint64_t hash_embed_ref(std::string_view path) { return fnv1a64_lower(path); }

// A 128-bit hash (XXH3-128) that detects different contents. It is not a signature and gives no protection from
// forgery.
struct ContentHash {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  auto operator<=>(const ContentHash&) const = default;
  // Returns 32 lower-case hex digits, high half first.
  std::string hex() const;
};
ContentHash content_hash(ByteSpan bytes);
std::uint64_t xxh3_64(ByteSpan bytes);

// Computes a ContentHash over a sequence of parts. The boundaries between parts change the hash.
class ContentHasher {
 public:
  ContentHasher();
  ~ContentHasher();
  ContentHasher(const ContentHasher&) = delete;
  ContentHasher& operator=(const ContentHasher&) = delete;
  ContentHasher& add(ByteSpan part);
  ContentHasher& add(std::string_view part) { return add(as_bytes(part)); }
  ContentHasher& add(std::uint64_t value);
  ContentHasher& add(const ContentHash& h) { return add(h.low).add(h.high); }
  ContentHash finish() const;

 private:
  void* state_;
};

}  // namespace assetc

template <>
struct std::hash<assetc::ContentHash> {
  std::size_t operator()(const assetc::ContentHash& h) const noexcept { return h.low; }
};
