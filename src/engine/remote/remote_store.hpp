// A store that many machines share over HTTP. Products to upload are read from the local store when their upload
// starts.
//
//   ac/<SHA-256 of a key>      an Entry, or a batch of small products
//   cas/<SHA-256 of its bytes> an output of a product
//
// Paths and rules are those of Bazel's HTTP remote caches. A server may be absent, slow, full or send wrong data.
// Answers that fail verification count as misses. After a few failures in a row, the store sends no more requests.
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "engine/disk/clock.hpp"
#include "engine/remote/entry.hpp"
#include "engine/remote/listing.hpp"
#include "engine/remote/transfers.hpp"
#include "engine/remote/workers.hpp"
#include "engine/store/store.hpp"

namespace assetc::engine {

struct RemoteSettings {
  Endpoint endpoint;
  bool writes = false;
  bool races = true;                               // compile steps locally if downloading them takes longer
  std::vector<bundle::PublicKey> trust = {};       // accepted signers; empty: every product is accepted
  std::optional<bundle::SigningKey> signing = {};  // signs what is written
};

// The `done` of get() and get_blob() is called on the store's thread.
class RemoteStore final : public Store {
 public:
  // front and clock must outlive this object. front: the store of this machine, from which put() uploads.
  RemoteStore(RemoteSettings settings, std::unique_ptr<Transfers> transfers, Store& front, const Clock& clock);
  // Cancels all requests. No callback is called afterwards.
  ~RemoteStore() override;

  // Nothing is here.
  std::vector<StoredProduct> find(const ContentHash&, const std::optional<ContentHash>&) override { return {}; }
  std::optional<PackedBlob> packed_blob(const ContentHash&) override { return std::nullopt; }

  // A batch is downloaded once for all requests. If the batches together take too much memory, the batch is dropped
  // after its pending requests were answered; later requests find nothing in it.
  void get(const ProductQuery& query, std::function<void(std::optional<FoundProducts>)> done) override;
  // Only for blobs of a product that get() returned.
  void get_blob(const BlobQuery& query, std::function<void(const PackedBlob&)> keep,
                std::function<void()> done) override;
  // Does nothing: blobs are uploaded with the product that names them.
  void put_blob(const ContentHash&, const Bytes&) override {}
  // Expects that the product is in the front, too.
  void put(const MadeProduct& made) override { offer({made.key, made.seconds, made.batch}, front_); }
  // Uploads the newest product of the key, unless the server has it. It is read from the other store when the upload
  // starts, so waiting uploads take no memory. Small products with a batch are uploaded together, every half minute and
  // at the end: if the build is killed, other machines find what it compiled before.
  void offer(const Offer& offer, Store& from) override;

  bool knows_blob(const ContentHash& hash) override;
  // If all products of the key were refused, finish() reports that.
  void not_found(const ContentHash& key) override;
  void post(std::function<void()> task) override { thread_.post(std::move(task)); }
  // False after too many failures.
  bool is_readable() const override { return !read_trouble_.given_up; }
  bool races() const override { return settings_.races; }

  struct Summary {
    std::uint64_t asked = 0, found = 0;     // products
    std::uint64_t uploaded = 0;             // products
    std::uint64_t batches = 0;              // downloaded and uploaded
    std::uint64_t not_uploaded = 0;         // offered products that could not be uploaded
    std::uint64_t too_large = 0;            // of these, products with a body that is too large for the server
    std::uint64_t least_refused_bytes = 0;  // size of the smallest such body
    std::uint64_t untrusted = 0;            // products without a signature by a key of cache.trust
    std::uint64_t failures = 0;             // unusable answers
    bool given_up = false;                  // too many failures: the store stopped reading or writing
    Transfers::Totals transfers;
    std::vector<TransferRecord> records;  // if the endpoint asks for them
    std::optional<Error> trouble;         // all problems with the server, as one warning
  };
  // Waits until all uploads are finished or given up. Calls `waiting` once a second with the number of remaining
  // uploads. Call it once, after everything else.
  Summary finish(const std::function<void(std::size_t)>& waiting);

 private:
  static constexpr std::uint64_t kMaxEntryBytes = 16u << 20;
  static constexpr std::uint64_t kUsualEntryBytes = 64u << 10, kUsualBatchBytes = 512u << 10;
  static constexpr int kTooLarge = 413;  // an HTTP status
  static constexpr std::chrono::seconds kBatchTime{30};
  // Files that were written longer ago are refreshed when a build that may write uses them.
  static constexpr std::int64_t kRefreshAgeSeconds = 7 * 24 * 3600;
  // Larger blobs are not shared, because a body is held in memory while it is transferred.
  static constexpr std::uint64_t kMaxBlobBytes = 4ull << 30;

  struct Offered {
    Offer offer;
    Store* from = nullptr;
  };
  struct Gathered {  // for a batch that will be uploaded
    std::vector<Offered> offers;
    std::uint64_t bytes = 0;
  };
  struct Upload;
  struct BatchUpload;
  // The requests that wait for a batch. If none of them wants it any longer, its download can be dropped. is_over() is
  // called on the thread of the transfers.
  struct Wanting {
    std::mutex mutex;
    std::vector<Unwanted> members;
    bool is_over() {
      const std::lock_guard lock(mutex);
      return std::ranges::all_of(members, [](const Unwanted& unwanted) { return unwanted && unwanted->load(); });
    }
  };
  using Done = std::function<void(std::optional<FoundProducts>)>;
  struct Asker {
    ContentHash key;
    double worth_seconds = 0;
    Unwanted unwanted;
    Done done;
  };
  struct Batch {  // a batch that was requested
    std::shared_ptr<Wanting> wanting = std::make_shared<Wanting>();
    bool came = false;
    std::vector<Asker> askers;  // requests that wait for it
    std::vector<BatchMember> members;
    std::unordered_set<ContentHash> left;  // keys of members that were not requested yet
  };
  struct Trouble {
    std::atomic<bool> given_up = false;
    int failures = 0;  // in a row
    std::string first;
    std::string advice;  // on the first one; may be empty
  };

  void get_entry(const ProductQuery& query, Done done);
  void get_from_batch(const ProductQuery& query, Done done);
  void ask_for_blob(const BlobQuery& query, const std::function<void(const PackedBlob&)>& keep,
                    const std::function<void()>& done);
  void ask(Request request, std::function<void(Answer)> done);
  void ask_for_upload(Request request, std::function<void(Answer)> done);
  // Whether the answer can be used. Also counts failures. A miss is a usable answer.
  bool is_healthy(Trouble& trouble, const Answer& answer);
  void fault(Trouble& trouble, const std::string& what, const std::string& advice = {});
  void give_up(Trouble& trouble);
  std::optional<FoundProducts> take_entry(const ContentHash& key, const Bytes& bytes);
  void take_batch(const ContentHash& batch, const Answer& answer);
  void tell(const ContentHash& batch, const Asker& asker);
  std::optional<FoundProducts> take_members(std::span<const BatchMember> members, const Asker& asker);
  void count_blob(bool is_right);
  // Appends the product to `found` if it is usable.
  void take_product(const ContentHash& key, const SharedProduct& product, std::span<const Bytes> came,
                    std::optional<FoundProducts>& found);
  std::shared_ptr<Upload> prepare(const Offered& offered);
  void start_uploads();
  bool gather(const Offered& offered, std::uint64_t bytes);
  void find_due_batches();
  void note_use(const std::string& path, const Answer& answer);
  void refresh_used();
  void start_batch(const ContentHash& batch, const std::vector<Offered>& offers);
  void merge_batch(const std::shared_ptr<BatchUpload>& upload, const Bytes& existing);
  void merge(const std::shared_ptr<Upload>& upload, const Bytes& existing);
  static std::optional<Bytes> bytes_of(const SharedBlob& shared, const ContentHash& hash, Store& from);
  void upload_blobs(const std::shared_ptr<Upload>& upload);
  void upload_entry(const std::shared_ptr<Upload>& upload);
  struct PutResult {
    bool is_kept = false;
    std::uint64_t too_large_bytes = 0;  // size of a body that is too large for the server; 0: it is not
  };
  void put(const std::string& path, Bytes body, std::function<void(PutResult)> done);
  void count_too_large(const PutResult& put);
  void offer_one_by_one(const std::vector<Offered>& offers);
  // failed: number of its products that were not uploaded.
  void end_upload(std::uint64_t bytes, std::size_t failed);
  void end_batch_upload(const BatchUpload& upload, std::size_t failed);

  RemoteSettings settings_;
  std::optional<ListedStore> listed_;  // if it is written to, and can be trimmed by last use
  Store& front_;
  const Clock& clock_;

  std::mutex mutex_;  // guards the members up to uploads_
  std::condition_variable changed_;
  std::deque<Offered> offered_;
  std::unordered_map<ContentHash, Gathered> batches_;  // small products that wait for others
  std::unordered_map<ContentHash, Gathered> due_;      // batches that are uploaded now
  bool ending_ = false;                                // no more offers will come
  std::size_t uploads_ = 0;                            // uploads in progress, including next_
  bool refreshed_ = false;                             // refresh_used() has run

  // Members below are used only on the store's thread.
  std::unordered_map<ContentHash, SharedBlob> blobs_;
  std::unordered_set<ContentHash> got_;            // keys of products that were downloaded
  std::unordered_set<ContentHash> asked_, found_;  // each key counts once
  std::unordered_map<ContentHash, Batch> asked_batches_;
  std::uint64_t batch_bytes_ = 0;                      // total size of the batches kept in memory
  std::unordered_set<ContentHash> uploading_batches_;  // one upload would overwrite another of the same batch
  Clock::Time batches_end_;                            // when gathered batches are uploaded
  std::unordered_set<std::string> used_;               // paths of files that were written long ago, to refresh
  std::shared_ptr<Upload> next_;                       // waits until enough bytes are free
  std::uint64_t upload_bytes_ = 0;
  Trouble read_trouble_, write_trouble_;
  // Keys of which all products so far lack a trusted signature. A key moves to refused_ when no place is left to look.
  std::unordered_set<ContentHash> unsigned_, refused_;
  Summary summary_;

  Workers thread_{1};
  Workers checkers_;  // verify blobs
  std::unique_ptr<Transfers> transfers_;
};

}  // namespace assetc::engine
