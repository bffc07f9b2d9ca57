// Several small parts of a store in one file, because creating a file takes longer than writing to it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"

namespace assetc::engine {

enum class StorePartKind : std::uint8_t {
  kProducts,    // encode_products(), named by its key
  kBlob,        // named by the hash of its bytes
  kPackedBlob,  // a Zstd frame, named by the hash of the unpacked bytes
};

struct StorePart {
  StorePartKind kind = StorePartKind::kProducts;
  ContentHash name;
  Bytes bytes;
};

ByteVector encode_parts(std::span<const StorePart> parts);
// Errors: kInvalidData if the checksum does not match. The parts are not yet validated. They share the file's bytes.
Result<std::vector<StorePart>> split_parts(const Bytes& file);

}  // namespace assetc::engine
