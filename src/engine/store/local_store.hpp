// The compile cache of this machine. Products are found by the hash of their inputs and shared by all presets, outputs,
// branches and checkouts.
//
//   <path>/products-2/ab/<key>           encode_products(): records of steps with their small outputs
//   <path>/blobs-1/ab/<hash>[.zst]       an output, named by the hash of its bytes
//   <path>/batches-2/ab/<batch>          encode_parts(): small products and blobs that came together from a shared
//   store <path>/usage                         approximate size of the store
//
// Files are written by rename and named by their key or content, so processes share a store without locks. If two
// processes write the same file, either the bytes are equal or a later miss is the only cost. Damaged files are
// detected by their hash, deleted and compiled again.
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
#include "engine/store/costs.hpp"
#include "engine/store/store.hpp"
#include "engine/store/store_parts.hpp"
#include "engine/store/stored_product.hpp"

namespace assetc::engine {

struct StoreSettings {
  std::string path;  // a folder; empty: no store
  std::uint64_t size_bytes = 10ull << 30;
};

// All functions but finish() are thread-safe.
class LocalStore final : public Store {
 public:
  // disk must outlive the store. Errors: kUnsupported for a folder on a network file system, because renames and locks
  // there are not reliable; kIo if the folder cannot be created.
  static Result<std::unique_ptr<LocalStore>> open(Disk& disk, StoreSettings settings);

  // Only the first call for a batch reads its file. After that, its products and blobs are found without the batch,
  // too.
  std::vector<StoredProduct> find(const ContentHash& key, const std::optional<ContentHash>& batch) override;
  std::optional<PackedBlob> packed_blob(const ContentHash& hash) override;
  bool has_blob(const ContentHash& hash) override;
  // Deletes a damaged blob.
  std::optional<Bytes> blob(const ContentHash& hash, std::uint64_t size_bytes) override;
  // Reads an existing blob, and writes it again if it is damaged.
  void put_blob(const ContentHash& hash, const Bytes& bytes) override;
  // With a batch, the product stays in memory until end_batch() or finish(). Without one, it gets its own file.
  void put(const MadeProduct& made) override;
  void keep(const ContentHash& key, const StoredProduct& product, const std::optional<ContentHash>& batch) override;
  // Without a batch, and if there is room, the blob also stays in memory until it is read for the first time.
  void keep_blob(const ContentHash& hash, const PackedBlob& blob, const std::optional<ContentHash>& batch) override;
  void end_batch(const ContentHash& batch) override { write_batch(batch); }

  // Kept in a file of the store, which the first call reads and finish() writes.
  Costs* costs() override;

  // Updates the usage file. If the store is too large, removes the least recently used files. Call it once, after
  // everything else. Errors: kIo, the first write that failed.
  Result<void> finish();

  struct Usage {
    std::uint64_t products = 0, blobs = 0, batches = 0;  // number of files
    std::uint64_t bytes = 0;
    std::int64_t oldest_use_ns = 0;  // in time of Disk::now_ns; 0 for an empty store
  };
  Result<Usage> count();
  // Removes files that were last used before a time (of Disk::now_ns), and the least recently used ones until at most
  // this size is left. Returns how many were removed.
  Result<std::uint64_t> trim(std::uint64_t size_bytes, std::int64_t used_before_ns = 0);
  // Reads every byte and deletes damaged files. Returns how many were deleted.
  Result<std::uint64_t> verify();
  Result<std::uint64_t> clear();
  const StoreSettings& settings() const { return settings_; }

 private:
  LocalStore(Disk& disk, StoreSettings settings) : disk_(disk), settings_(std::move(settings)) {}
  void look_into(const ContentHash& batch);
  void write_batch(const ContentHash& batch);
  std::string products_path(const ContentHash& key) const;
  std::string blob_path(const ContentHash& hash) const;
  std::string batch_path(const ContentHash& batch) const;
  // The parts in a batch's file. A damaged file is removed and gives none.
  std::vector<StorePart> parts_of(const ContentHash& batch);
  void know(StorePart part);
  void put_encoded(const ContentHash& key, Bytes product, const std::optional<ContentHash>& batch);
  void gather(const ContentHash& batch, StorePart part);
  bool has_file(const ContentHash& hash);    // counts as a use
  bool has_intact(const ContentHash& hash);  // the same, but reads every byte and removes damaged files
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
  bool is_new_ = true;  // the store was empty when it was opened
  std::mutex mutex_;
  std::unordered_set<ContentHash> put_;  // blobs that are stored or being written
  std::unordered_set<ContentHash> looked_into_;
  std::unordered_map<ContentHash, std::vector<StorePart>> gathered_;  // by batch, still to be written
  std::size_t gathered_bytes_ = 0;
  std::unordered_map<ContentHash, Bytes> batch_products_;
  std::unordered_map<ContentHash, PackedBlob> batch_blobs_;
  // New blobs that were not read yet. The queue may still contain the names of blobs that were.
  std::unordered_map<ContentHash, PackedBlob> unread_;
  std::deque<ContentHash> unread_order_;
  std::size_t unread_bytes_ = 0;
  std::optional<Costs> costs_;
  std::optional<Error> trouble_;
};

}  // namespace assetc::engine
