// Small files of a store that came together, in one: to make a file takes longer than to fill it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"

namespace assetc::engine {

enum class StorePartKind : std::uint8_t {
  kProducts,    // encode_products(), under their key
  kBlob,        // under the hash of its bytes
  kPackedBlob,  // a Zstd frame of them
};

struct StorePart {
  StorePartKind kind = StorePartKind::kProducts;
  ContentHash name;
  Bytes bytes;
};

ByteVector encode_parts(std::span<const StorePart> parts);
// Errors: kInvalidData for what is damaged, by a checksum. The parts are not yet looked into, and share the file's
// bytes.
Result<std::vector<StorePart>> split_parts(const Bytes& file);

}  // namespace assetc::engine
