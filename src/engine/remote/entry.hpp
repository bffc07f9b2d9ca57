// The value of a key in a shared store: the products of the key, each signed together with the key, and the names of
// their blobs. It is encoded as an ActionResult of Bazel's Remote Execution API v2. So servers that validate values
// accept it, and they know which blobs it needs.
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

// An output larger than kInlineBytes. Its name in the store is the SHA-256 of the bytes that are transferred.
struct SharedBlob {
  bundle::Sha256 name{};
  std::uint64_t size_bytes = 0;
  bool packed = false;  // Zstd-compressed
  bool operator==(const SharedBlob&) const = default;
};

// The same limit as in a local store.
inline constexpr std::size_t kMaxSharedProducts = 8;

struct SharedProduct {
  Bytes encoded;                  // StoredProduct::encode
  std::vector<SharedBlob> blobs;  // of its outputs larger than kInlineBytes, in order
  float seconds = 0;              // time that the writer needed to make it; 0: unknown
};

// Paths on the server: "ac/<hex>" for a key and a batch, "cas/<hex>" for a blob.
std::string entry_path(const ContentHash& key);
std::string batch_path(const ContentHash& batch);
std::string blob_path(const bundle::Sha256& name);

// Encodes one product. Adds a signature if `signing` is not null.
Bytes seal_product(const ContentHash& key, const SharedProduct& product, const bundle::SigningKey* signing);
ByteVector encode_entry(std::span<const Bytes> sealed);

struct Entry {
  // at most kMaxSharedProducts; kept so that they can be written again together with a new product
  std::vector<Bytes> sealed;
  std::vector<SharedProduct> products;  // the trusted ones, in order
  std::size_t refused = 0;              // products without a valid signature by a key of `trust` for this key
};
// trust: accepted signers; empty: every product is accepted. Errors: kInvalidData if the bytes are not an entry.
Result<Entry> decode_entry(const ContentHash& key, const Bytes& bytes, std::span<const bundle::PublicKey> trust);

// About this many sources of a tree share a batch.
inline constexpr std::size_t kBatchSources = 128;

// Small products of many keys that are transferred together, each encoded as in an Entry. A batch is only a hint:
// products that it lacks are requested separately or compiled. If two machines write a batch at once, the last one
// wins.
struct BatchMember {
  ContentHash key;
  Bytes sealed;
  std::vector<Bytes> blobs = {};  // the product's blobs as transferred, in order
  std::size_t size() const;       // total in bytes
};
ByteVector encode_batch(std::span<const BatchMember> members);
// Errors: kInvalidData if the bytes are not a batch. The members are not yet validated.
Result<std::vector<BatchMember>> decode_batch(const Bytes& bytes);
// Nothing if no key of `trust` has signed it. Errors: kInvalidData.
Result<std::optional<SharedProduct>> open_product(const BatchMember& member, std::span<const bundle::PublicKey> trust);

}  // namespace assetc::engine
