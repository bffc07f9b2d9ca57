// Stores for compiled outputs, found by the hash of their inputs. One interface for the store of this machine, for the
// store on other machines and for one in front of another. Builds know only this interface, so another kind of store is
// one class.
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
#include "engine/store/costs.hpp"
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
// The content of a blob, not verified; nothing if it does not have this size.
std::optional<Bytes> unpacked(const PackedBlob& blob, std::uint64_t size_bytes);

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

// A product that is in one store, for another store.
struct Offer {
  ContentHash key;
  double seconds = 0;
  std::optional<ContentHash> batch = {};
};

// Thread-safe. Functions never fail: a store that cannot be read or written behaves as if it had less. A store of this
// machine implements the four functions without a default. The other functions matter for stores that answer later, and
// for those that can do something faster than the default.
class Store {
 public:
  virtual ~Store() = default;

  // ---- What is here: answers within the call. A store on other machines has nothing here. ----

  // The products of a key, newest first. batch: also look in this batch.
  virtual std::vector<StoredProduct> find(const ContentHash& key, const std::optional<ContentHash>& batch) = 0;
  // A blob, not verified.
  virtual std::optional<PackedBlob> packed_blob(const ContentHash& hash) = 0;
  virtual bool has_blob(const ContentHash& hash) { return packed_blob(hash).has_value(); }
  // The verified bytes of a blob. Nothing if the blob is missing or damaged.
  virtual std::optional<Bytes> blob(const ContentHash& hash, std::uint64_t size_bytes);

  // ---- Writing ----

  // Stores an output larger than kInlineBytes. Call it before put() of the product that names it.
  virtual void put_blob(const ContentHash& hash, const Bytes& bytes) = 0;
  virtual void put(const MadeProduct& made) = 0;
  // Keeps what another store returned and verified. With a batch, the product or blob may stay in memory until
  // end_batch() or the end of the build.
  virtual void keep(const ContentHash& key, const StoredProduct& product, const std::optional<ContentHash>& batch);
  virtual void keep_blob(const ContentHash& hash, const PackedBlob& blob, const std::optional<ContentHash>& batch);
  virtual void end_batch(const ContentHash&) {}
  // Takes the newest product of a key, with its blobs, from a store that has it here. `from` outlives this store.
  virtual void offer(const Offer& offer, Store& from);
  // Call for a product that is here and was not put by this build: other machines may lack it.
  virtual void share(const Offer&) {}

  // ---- Requests. `done` is called once, before the function returns or later on a thread of the store. It is not
  // called if the store is destroyed before. ----

  // Nothing if there are no products.
  virtual void get(const ProductQuery& query, std::function<void(std::optional<FoundProducts>)> done);
  // If the store has the blob and it is valid, calls `keep` with it, on any thread. Then calls `done`.
  virtual void get_blob(const BlobQuery& query, std::function<void(const PackedBlob&)> keep,
                        std::function<void()> done);
  // Runs a task where `done` is called, or at once if answers come within the call.
  virtual void post(std::function<void()> task);
  // Whether get_blob() can find the blob. If not, request the product that names it first. Only within post() or done.
  virtual bool knows_blob(const ContentHash& hash) { return has_blob(hash); }
  // Call within post() or done when a key will not be requested again and nothing usable was found.
  virtual void not_found(const ContentHash&) {}
  // False if further requests are pointless.
  virtual bool is_readable() const { return true; }
  // Whether steps are compiled here while their products are requested, if that takes less time.
  virtual bool races() const { return false; }
  // Compile times measured on this machine. Null: the store keeps none.
  virtual Costs* costs() { return nullptr; }
};

}  // namespace assetc::engine
