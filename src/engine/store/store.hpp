// Stores for compiled outputs, found by the hash of their inputs. One interface for the local store, for the shared
// store and for one in front of the other.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "engine/store/stored_product.hpp"

namespace assetc::engine {

// A blob in the form in which a store keeps it.
struct PackedBlob {
  Bytes bytes;
  bool packed = false;  // Zstd-compressed
};

// Whether a blob has this hash and size. A Zstd frame is hashed without holding its content in memory, because
// unverified content may be huge.
bool holds(const PackedBlob& blob, const ContentHash& hash, std::uint64_t size_bytes);

// Becomes true when the answer is no longer needed.
using Unwanted = std::shared_ptr<const std::atomic<bool>>;

struct ProductQuery {
  ContentHash key;
  std::optional<ContentHash> batch = {};  // look in this batch; nothing: in the key's own entry
  double worth_seconds = 0;     // in a batch: a product that took its writer less time is reported, but not returned
  double priority = 0;          // larger first
  Unwanted unwanted = nullptr;  // null: wanted
};

// The products of a key in a store.
struct FoundProducts {
  struct Blob {
    ContentHash hash;
    std::uint64_t size_bytes = 0;
    PackedBlob blob;
  };
  std::vector<StoredProduct> products;  // newest first; empty if they were not worth it
  std::vector<Blob> blobs;              // the verified blobs of products that were transferred with them
  double seconds = 0;                   // time that the writer needed for the newest; 0: unknown
  std::uint64_t blob_bytes = 0;         // total size of the newest product's blobs that were not transferred with it
  bool is_last_of_batch = false;        // all products of the batch have been requested
  bool is_whole = true;                 // all products have their blobs, and none has steps inside its source
};

struct BlobQuery {
  ContentHash hash;
  std::uint64_t size_bytes = 0;
  double priority = 0;          // larger first
  Unwanted unwanted = nullptr;  // null: wanted
};

// The result of a step.
struct MadeProduct {
  ContentHash key;
  const StepRecord& record;
  std::span<const Bytes> small;           // see StoredProduct::encode
  double seconds = 0;                     // time to make it; 0: it was not made now
  std::optional<ContentHash> batch = {};  // the batch that it may be transferred in
};

// Thread-safe. Functions never fail: a store that cannot be read or written behaves as if it had less. `done` is called
// once, before the function returns or later on a thread of the store. It is not called if the store is destroyed
// before.
class Store {
 public:
  virtual ~Store() = default;

  // Nothing if there are no products.
  virtual void get(const ProductQuery& query, std::function<void(std::optional<FoundProducts>)> done) = 0;
  // If the store has the blob and it is valid, calls `keep` with it, on any thread. Then calls `done`.
  virtual void get_blob(const BlobQuery& query, std::function<void(const PackedBlob&)> keep,
                        std::function<void()> done) = 0;
  // Stores an output larger than kInlineBytes. Call it before put() of the product that names it.
  virtual void put_blob(const ContentHash& hash, const Bytes& bytes) = 0;
  virtual void put(const MadeProduct& made) = 0;
};

}  // namespace assetc::engine
