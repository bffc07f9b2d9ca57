// What was compiled anywhere on this machine, by what it was made of: shared by presets, outputs, branches and
// checkouts.
//
//   <path>/products-1/ab/<key>           encode_products(): who made what of what
//   <path>/blobs-1/ab/<hash>[.zst]       an output, by its bytes
//   <path>/batches-1/ab/<batch>          encode_parts(): small ones of both that came together from a shared store
//   <path>/usage                         how full it is, roughly
//
// Files appear by rename and are named by what is in them, so processes share a store without waiting for one another;
// what two write at once is the same, or costs a later miss. What is damaged is found by its hash, dropped and compiled
// again.
#pragma once

#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"
#include "engine/store/store.hpp"
#include "engine/store/store_parts.hpp"
#include "engine/store/stored_product.hpp"

namespace assetc::engine {

struct StoreSettings {
  std::string path;  // a folder; empty: there is no store
  std::uint64_t size_bytes = 10ull << 30;
};

// Answers within the call. All functions but finish() are thread-safe.
class LocalStore final : public Store {
 public:
  // disk outlives the store. Errors: kUnsupported for a folder on a network file system, whose renames and locks cannot
  // be relied on; kIo where there can be no such folder.
  static Result<std::unique_ptr<LocalStore>> open(Disk& disk, StoreSettings settings);

  void get(const ProductQuery& query, std::function<void(std::optional<FoundProducts>)> done) override;
  void get_blob(const BlobQuery& query, std::function<void(const PackedBlob&)> keep,
                std::function<void()> done) override;
  // Reads one that is there already, and writes it again where it is damaged.
  void put_blob(const ContentHash& hash, const Bytes& bytes) override;
  // batch: where it lies with others, in memory until write_batch() or finish(); nothing: in a file of its own.
  void put(const MadeProduct& made) override;

  // What get() gives: newest first; of batches, from those that were looked into.
  std::vector<StoredProduct> find(const ContentHash& key);
  // From now on finds what the batch has. Cheap but for the first time.
  void look_into(const ContentHash& batch);
  // Nothing where there are none, or where they are not those of the hash.
  std::optional<Bytes> blob(const ContentHash& hash, std::uint64_t size_bytes);

  bool has_blob(const ContentHash& hash);
  std::optional<PackedBlob> packed_blob(const ContentHash& hash);
  // Keeps what another store gave; a blob holds what it is called. Until a blob is read for the first time it is in
  // memory too, if there is room. batch: as of put().
  void keep_blob(const ContentHash& hash, const PackedBlob& blob, const std::optional<ContentHash>& batch = {});
  void keep(const ContentHash& key, const StoredProduct& product, const std::optional<ContentHash>& batch = {});
  void write_batch(const ContentHash& batch);

  // Notes what was written, and removes what was not used for longest where the store has grown too large. Once, last.
  // Errors: kIo: the first that kept something from being written.
  Result<void> finish();

  struct Usage {
    std::uint64_t products = 0, blobs = 0, batches = 0;  // files
    std::uint64_t bytes = 0;
    std::int64_t oldest_use_ns = 0;  // by the clock of Disk::now_ns; 0 of an empty store
  };
  Result<Usage> count();
  // Removes what was not used for longest until at most this much is left.
  Result<std::uint64_t> trim(std::uint64_t size_bytes);
  // Reads every byte and drops what is damaged; how many files that were.
  Result<std::uint64_t> verify();
  Result<std::uint64_t> clear();
  const StoreSettings& settings() const { return settings_; }

 private:
  LocalStore(Disk& disk, StoreSettings settings) : disk_(disk), settings_(std::move(settings)) {}
  std::string products_path(const ContentHash& key) const;
  std::string blob_path(const ContentHash& hash) const;
  std::string batch_path(const ContentHash& batch) const;
  // The parts that a batch's file has; none where it is damaged, and then it is removed.
  std::vector<StorePart> parts_of(const ContentHash& batch);
  void know(StorePart part);
  void put_encoded(const ContentHash& key, Bytes product, const std::optional<ContentHash>& batch);
  void gather(const ContentHash& batch, StorePart part);
  bool has_file(const ContentHash& hash);    // which counts as a use
  bool has_intact(const ContentHash& hash);  // the same, every byte read; what is damaged is removed
  void note_use(const std::string& path, const FileSignature& signature);
  void keep_for_reader(const ContentHash& hash, const PackedBlob& blob);
  std::optional<PackedBlob> part(const ContentHash& hash);
  std::optional<Bytes> read(const std::string& path);
  void write(const std::string& path, ByteSpan bytes);
  Result<Tree> walk();
  struct Noted {
    std::uint64_t bytes = 0;
    std::int64_t counted_ns = 0;
  };
  std::optional<Noted> noted();
  Result<void> note(const Noted& noted);
  Result<void> note_written(bool at_end);

  Disk& disk_;
  StoreSettings settings_;
  std::atomic<std::uint64_t> written_bytes_ = 0;
  std::mutex noting_;
  bool is_new_ = true;  // there was nothing in it
  std::mutex mutex_;
  std::unordered_set<ContentHash> put_;  // blobs that are there, or on their way
  std::unordered_set<ContentHash> looked_into_;
  std::unordered_map<ContentHash, std::vector<StorePart>> gathered_;  // by batch, to be written
  std::size_t gathered_bytes_ = 0;
  std::unordered_map<ContentHash, Bytes> batch_products_;
  std::unordered_map<ContentHash, PackedBlob> batch_blobs_;
  // Blobs that came and were not read yet; the queue may name some that were.
  std::unordered_map<ContentHash, PackedBlob> unread_;
  std::deque<ContentHash> unread_order_;
  std::size_t unread_bytes_ = 0;
  std::optional<Error> trouble_;
};

}  // namespace assetc::engine
