// What a shared store holds under a key: the products of it, each signed together with the key, and where their bytes
// are. Laid out as an ActionResult of Bazel's Remote Execution API v2, so that servers which look at what they keep
// take it, and know that it needs its blobs.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "bundle/crypto.hpp"

namespace assetc::engine {

// An output of more than kInlineBytes as the store has it: under the SHA-256 of the bytes that travel.
struct SharedBlob {
  bundle::Sha256 name{};
  std::uint64_t size_bytes = 0;
  bool packed = false;  // a Zstd frame
  bool operator==(const SharedBlob&) const = default;
};

struct SharedProduct {
  Bytes encoded;                  // StoredProduct::encode
  std::vector<SharedBlob> blobs;  // of its outputs above kInlineBytes, in order
  float seconds = 0;              // that the writer took to make it; 0: unknown
};

// "ac/<hex>" of a key, and "cas/<hex>" of a blob.
std::string entry_path(const ContentHash& key);
std::string blob_path(const bundle::Sha256& name);

// One product with the writer's signature, if it has a key.
Bytes seal_product(const ContentHash& key, const SharedProduct& product, const bundle::SigningKey* signing);
ByteVector encode_entry(std::span<const Bytes> sealed);

struct Entry {
  std::vector<Bytes> sealed;            // all of them, to be written again beside another
  std::vector<SharedProduct> products;  // those that may be believed, in order
  std::size_t refused = 0;              // of nobody in `trust`, or of another key
};
// trust: who is believed; empty: everybody. Errors: kInvalidData for what is no entry.
Result<Entry> decode_entry(const ContentHash& key, const Bytes& bytes, std::span<const bundle::PublicKey> trust);

}  // namespace assetc::engine
