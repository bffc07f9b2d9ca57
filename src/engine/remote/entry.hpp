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

// As many products of a key as a local store keeps.
inline constexpr std::size_t kMaxSharedProducts = 8;

struct SharedProduct {
  Bytes encoded;                  // StoredProduct::encode
  std::vector<SharedBlob> blobs;  // of its outputs above kInlineBytes, in order
  float seconds = 0;              // that the writer took to make it; 0: unknown
};

// "ac/<hex>" of a key and of a batch, and "cas/<hex>" of a blob.
std::string entry_path(const ContentHash& key);
std::string batch_path(const ContentHash& batch);
std::string blob_path(const bundle::Sha256& name);

// One product with the writer's signature, if it has a key.
Bytes seal_product(const ContentHash& key, const SharedProduct& product, const bundle::SigningKey* signing);
ByteVector encode_entry(std::span<const Bytes> sealed);

struct Entry {
  std::vector<Bytes> sealed;            // kMaxSharedProducts at most, to be written again beside another
  std::vector<SharedProduct> products;  // those of them that may be believed, in order
  std::size_t refused = 0;              // of nobody in `trust`, or of another key
};
// trust: who is believed; empty: everybody. Errors: kInvalidData for what is no entry.
Result<Entry> decode_entry(const ContentHash& key, const Bytes& bytes, std::span<const bundle::PublicKey> trust);

// About so many sources of a tree share a batch.
inline constexpr std::size_t kBatchSources = 128;

// Small products of many keys, each as in an Entry, that travel together. A batch is a hint: what it lacks is asked for
// alone or compiled, and of two who write one at once the last is kept.
struct BatchMember {
  ContentHash key;
  Bytes sealed;
  std::vector<Bytes> blobs = {};  // as they travel, of the product's, in order
  std::size_t size() const;       // bytes of them all
};
ByteVector encode_batch(std::span<const BatchMember> members);
// Errors: kInvalidData for what is no batch. The members are not yet looked into.
Result<std::vector<BatchMember>> decode_batch(const Bytes& bytes);
// Nothing where nobody of `trust` has signed it. Errors: kInvalidData.
Result<std::optional<SharedProduct>> open_product(const BatchMember& member, std::span<const bundle::PublicKey> trust);

}  // namespace assetc::engine
