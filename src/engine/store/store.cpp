#include "engine/store/store.hpp"

#include "compression/decode.hpp"

namespace assetc::engine {

bool holds(const PackedBlob& blob, const ContentHash& hash, std::uint64_t size_bytes) {
  const std::uint64_t bytes = blob.packed ? compression::content_size(blob.bytes).value_or(~0ull) : blob.bytes.size();
  if (bytes != size_bytes) return false;
  const auto found = blob.packed ? compression::inflated_hash(blob.bytes) : std::optional(content_hash(blob.bytes));
  return found && *found == hash;
}

}  // namespace assetc::engine
