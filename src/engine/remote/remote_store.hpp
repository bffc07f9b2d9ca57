// A store that many machines share over HTTP. What it is given to keep is read from the local store when its turn to be
// sent has come.
//
//   ac/<SHA-256 of a key>      an Entry, or a batch of small products
//   cas/<SHA-256 of its bytes> an output of one
//
// The paths and rules are those of Bazel's remote caches over HTTP. A server may be absent, slow, full or lie: what
// does not verify is not there, and after a few failures in a row nothing more is asked of it.
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
#include "engine/remote/transfers.hpp"
#include "engine/remote/workers.hpp"
#include "engine/store/costs.hpp"
#include "engine/store/local_store.hpp"
#include "engine/store/store.hpp"

namespace assetc::engine {

struct RemoteSettings {
  Endpoint endpoint;
  bool writes = false;
  bool races = true;                               // steps that take longer to come than to compile are compiled
  std::vector<bundle::PublicKey> trust = {};       // whose products are taken; empty: everybody's
  std::optional<bundle::SigningKey> signing = {};  // of what is written
};

// done of get() and get_blob() is called on the store's thread.
class RemoteStore final : public Store {
 public:
  // local, disk and clock outlive it.
  RemoteStore(RemoteSettings settings, std::unique_ptr<Transfers> transfers, LocalStore& local, Disk& disk,
              const Clock& clock);
  // What is under way is given up; nothing is called any more.
  ~RemoteStore() override;

  // A batch comes once for all who ask; one that does not fit in memory beside others is forgotten, and has nothing for
  // those who ask later.
  void get(const ProductQuery& query, std::function<void(std::optional<FoundProducts>)> done) override;
  // Of a blob that a product which was got names.
  void get_blob(const BlobQuery& query, std::function<void(const PackedBlob&)> keep,
                std::function<void()> done) override;
  // It is sent with the product that names it.
  void put_blob(const ContentHash&, const Bytes&) override {}
  // Uploads the newest product that the local store has of the key, unless it is there; where it is to travel in a
  // batch and is small, at the end.
  void put(const MadeProduct& made) override { offer(made.key, made.seconds, made.batch); }
  // The same of a product that only the local store knows. seconds: that it took; 0: unknown.
  void offer(const ContentHash& key, double seconds, std::optional<ContentHash> batch);

  bool knows_blob(const ContentHash& hash) const;  // on the store's thread
  // Nothing more is asked for of a key: if all that there is was refused, finish() tells. On the store's thread.
  void not_found(const ContentHash& key);
  // Does something on the store's thread.
  void post(std::function<void()> task) { thread_.post(std::move(task)); }
  // Whether it is worth asking: it has not failed too often.
  bool is_readable() const { return !read_trouble_.given_up; }

  struct Summary {
    std::uint64_t asked = 0, found = 0;  // products
    std::uint64_t uploaded = 0;          // products
    std::uint64_t batches = 0;           // got and uploaded
    std::uint64_t not_uploaded = 0;      // products that were offered and are not there
    std::uint64_t untrusted = 0;         // products that no key of cache.trust has signed
    std::uint64_t failures = 0;          // answers that could not be used
    bool given_up = false;               // it failed too often: nothing more was asked of it, or sent
    Transfers::Totals transfers;
    std::vector<TransferRecord> records;  // where the endpoint asks for them
    std::optional<Error> trouble;         // all that was wrong with the server, as one warning
  };
  // Waits until what was offered is uploaded or given up; waiting is told once a second how many uploads are left.
  // Once, last.
  Summary finish(const std::function<void(std::size_t)>& waiting);
  const RemoteSettings& settings() const { return settings_; }
  // What is asked for is weighed against.
  Costs& costs() { return costs_; }

 private:
  static constexpr std::uint64_t kMaxEntryBytes = 16u << 20;
  static constexpr std::uint64_t kUsualEntryBytes = 64u << 10, kUsualBatchBytes = 512u << 10;
  // Blobs of more are not shared: a body is in memory while it comes.
  static constexpr std::uint64_t kMaxBlobBytes = 4ull << 30;

  struct Offer {
    ContentHash key;
    double seconds = 0;
    std::optional<ContentHash> batch;
  };
  struct Gathered {  // for a batch that will be sent
    std::vector<Offer> offers;
    std::uint64_t bytes = 0;
  };
  struct Upload;
  struct BatchUpload;
  // Who waits for a batch: once nobody does it need not come. Asked on the thread of the transfers.
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
  struct Batch {  // that was asked for
    std::shared_ptr<Wanting> wanting = std::make_shared<Wanting>();
    bool came = false;
    std::vector<Asker> askers;  // until it came
    std::vector<BatchMember> members;
    std::unordered_set<ContentHash> left;  // keys of members that nobody has asked for
  };
  struct Trouble {
    std::atomic<bool> given_up = false;
    int failures = 0;  // in a row
    std::string first;
  };

  void get_entry(const ProductQuery& query, Done done);
  void get_from_batch(const ProductQuery& query, Done done);
  void ask_for_blob(const BlobQuery& query, const std::function<void(const PackedBlob&)>& keep,
                    const std::function<void()>& done);
  void ask(Request request, std::function<void(Answer)> done);
  void ask_for_upload(Request request, std::function<void(Answer)> done);
  // Whether the answer can be used; takes note of how the server does. A miss is fine.
  bool is_healthy(Trouble& trouble, const Answer& answer);
  void fault(Trouble& trouble, const std::string& what);
  void give_up(Trouble& trouble);
  std::optional<FoundProducts> take_entry(const ContentHash& key, const Bytes& bytes);
  void take_batch(const ContentHash& batch, const Answer& answer);
  void tell(const ContentHash& batch, const Asker& asker);
  std::optional<FoundProducts> take_members(std::span<const BatchMember> members, const Asker& asker);
  void count_blob(bool is_right);
  // Adds what can be used to `found`, in front.
  void take_product(const ContentHash& key, const SharedProduct& product, std::span<const Bytes> came,
                    std::optional<FoundProducts>& found);
  std::shared_ptr<Upload> prepare(const ContentHash& key, double seconds);
  void start_uploads();
  bool gather(const Offer& offer, std::uint64_t bytes);
  void start_batch(const ContentHash& batch, const std::vector<Offer>& offers);
  void merge_batch(const std::shared_ptr<BatchUpload>& upload, const Bytes& existing);
  void merge(const std::shared_ptr<Upload>& upload, const Bytes& existing);
  std::optional<Bytes> bytes_of(const SharedBlob& shared, const ContentHash& hash);
  void upload_blobs(const std::shared_ptr<Upload>& upload);
  void upload_entry(const std::shared_ptr<Upload>& upload);
  void put(const std::string& path, Bytes body, std::function<void(bool)> done);
  // failed: products of it that are not there.
  void end_upload(std::uint64_t bytes, std::size_t failed);

  RemoteSettings settings_;
  LocalStore& local_;
  const Clock& clock_;
  Costs costs_;

  std::mutex mutex_;  // of all until uploads_
  std::condition_variable changed_;
  std::deque<Offer> offered_;
  std::unordered_map<ContentHash, Gathered> batches_;  // small products, until the end
  bool ending_ = false;                                // nothing more is offered
  std::size_t uploads_ = 0;                            // under way, next_ among them

  // Of the store's thread.
  std::unordered_map<ContentHash, SharedBlob> blobs_;
  std::unordered_set<ContentHash> got_;            // keys of products that came from the server
  std::unordered_set<ContentHash> asked_, found_;  // keys, each counted once
  std::unordered_map<ContentHash, Batch> asked_batches_;
  std::uint64_t batch_bytes_ = 0;  // of those, in memory
  std::shared_ptr<Upload> next_;   // waits for room
  std::uint64_t upload_bytes_ = 0;
  Trouble read_trouble_, write_trouble_;
  // Keys of products that nobody whom we trust has signed: where they were looked for until now, and anywhere.
  std::unordered_set<ContentHash> unsigned_, refused_;
  Summary summary_;

  Workers thread_{1};
  Workers checkers_;  // of blobs
  std::unique_ptr<Transfers> transfers_;
};

}  // namespace assetc::engine
