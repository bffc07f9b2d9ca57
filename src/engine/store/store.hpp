// What was compiled, by what it was made of: one interface for the store of this machine, for one that machines share,
// and for one in front of another.
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

// A blob as it lies in a store.
struct PackedBlob {
  Bytes bytes;
  bool packed = false;  // a Zstd frame of them
};

// Whether a blob is what it is called; a frame is not unpacked into memory: what it has in it may be anything yet.
bool holds(const PackedBlob& blob, const ContentHash& hash, std::uint64_t size_bytes);

// Set once the answer is of no use any more.
using Unwanted = std::shared_ptr<const std::atomic<bool>>;

struct ProductQuery {
  ContentHash key;
  std::optional<ContentHash> batch = {};  // where to look: with others, that travel together; nothing: on its own
  double worth_seconds = 0;               // of a batch: what took its writer less is told of, and not given
  double priority = 0;                    // larger first
  Unwanted unwanted = nullptr;            // null: wanted
};

// What a store has under a key.
struct FoundProducts {
  struct Blob {
    ContentHash hash;
    std::uint64_t size_bytes = 0;
    PackedBlob blob;
  };
  std::vector<StoredProduct> products;  // newest first; none where they were not worth it
  std::vector<Blob> blobs;              // of theirs, those that came with them: they hold what they are called
  double seconds = 0;                   // that the newest took its writer; 0: nobody knows
  std::uint64_t blob_bytes = 0;         // of its blobs that did not come with it
  bool is_last_of_batch = false;        // everything in the batch has been asked for
  bool is_whole = true;                 // none of the products lacks blobs, or has steps inside its source
};

struct BlobQuery {
  ContentHash hash;
  std::uint64_t size_bytes = 0;
  double priority = 0;          // larger first
  Unwanted unwanted = nullptr;  // null: wanted
};

// What a step made.
struct MadeProduct {
  ContentHash key;
  const StepRecord& record;
  std::span<const Bytes> small;           // as StoredProduct::encode takes them
  double seconds = 0;                     // that it took; 0: it was not made now
  std::optional<ContentHash> batch = {};  // where it may travel with others
};

// Thread-safe. Nothing fails: a store that cannot be read or written is one that has less. `done` is called once,
// within the call or later on a thread of the store; not at all where the store is gone before.
class Store {
 public:
  virtual ~Store() = default;

  // Nothing where there are no products.
  virtual void get(const ProductQuery& query, std::function<void(std::optional<FoundProducts>)> done) = 0;
  // `keep` gets the blob, on any thread, if there is one that holds what it is called; then done is called.
  virtual void get_blob(const BlobQuery& query, std::function<void(const PackedBlob&)> keep,
                        std::function<void()> done) = 0;
  // An output above kInlineBytes, before the product that names it.
  virtual void put_blob(const ContentHash& hash, const Bytes& bytes) = 0;
  virtual void put(const MadeProduct& made) = 0;
};

}  // namespace assetc::engine
