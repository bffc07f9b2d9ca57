#include "engine/store/store.hpp"

#include "bundle/zstd.hpp"

namespace assetc::engine {

bool holds(const PackedBlob& blob, const ContentHash& hash, std::uint64_t size_bytes) {
  const std::uint64_t bytes = blob.packed ? bundle::content_size(blob.bytes).value_or(~0ull) : blob.bytes.size();
  if (bytes != size_bytes) return false;
  const auto found = blob.packed ? bundle::inflated_hash(blob.bytes) : Result<ContentHash>(content_hash(blob.bytes));
  return found && *found == hash;
}

}  // namespace assetc::engine
