#include "assetc/base/hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/content_stream.hpp"

namespace assetc {

std::string ContentHash::hex() const {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(32, '0');
  for (int i = 0; i < 16; ++i) {
    text[static_cast<std::size_t>(15 - i)] = kDigits[(high >> (4 * i)) & 15];
    text[static_cast<std::size_t>(31 - i)] = kDigits[(low >> (4 * i)) & 15];
  }
  return text;
}

ContentHash content_hash(ByteSpan bytes) {
  const XXH128_hash_t h = XXH3_128bits(bytes.data(), bytes.size());
  return {h.low64, h.high64};
}

std::uint64_t xxh3_64(ByteSpan bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

ContentHasher::ContentHasher() : state_(XXH3_createState()) { XXH3_128bits_reset(static_cast<XXH3_state_t*>(state_)); }
ContentHasher::~ContentHasher() { XXH3_freeState(static_cast<XXH3_state_t*>(state_)); }

ContentHasher& ContentHasher::add(ByteSpan part) {
  const std::uint64_t size = part.size();
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state_), &size, sizeof size);
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state_), part.data(), part.size());
  return *this;
}
ContentHasher& ContentHasher::add(std::uint64_t value) { return add(object_bytes(value)); }

ContentHash ContentHasher::finish() const {
  const XXH128_hash_t h = XXH3_128bits_digest(static_cast<const XXH3_state_t*>(state_));
  return {h.low64, h.high64};
}

ContentStream::ContentStream() : state_(XXH3_createState()) { XXH3_128bits_reset(static_cast<XXH3_state_t*>(state_)); }
ContentStream::~ContentStream() { XXH3_freeState(static_cast<XXH3_state_t*>(state_)); }

void ContentStream::add(ByteSpan part) {
  XXH3_128bits_update(static_cast<XXH3_state_t*>(state_), part.data(), part.size());
}

ContentHash ContentStream::finish() const {
  const XXH128_hash_t h = XXH3_128bits_digest(static_cast<const XXH3_state_t*>(state_));
  return {h.low64, h.high64};
}

}  // namespace assetc
