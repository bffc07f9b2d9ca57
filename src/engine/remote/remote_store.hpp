// A store that many machines share over HTTP, in front of the local one: what it has is put there, and what is compiled
// here is offered to it.
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

#include "engine/remote/entry.hpp"
#include "engine/remote/transfers.hpp"
#include "engine/remote/workers.hpp"
#include "engine/store/costs.hpp"
#include "engine/store/local_store.hpp"

namespace assetc::engine {

struct RemoteSettings {
  Endpoint endpoint;
  bool writes = false;
  bool races = true;                          // steps that take longer to come than to compile are compiled
  std::vector<bundle::PublicKey> trust;       // whose products are taken; empty: everybody's
  std::optional<bundle::SigningKey> signing;  // of what is written
};

// Thread-safe.
class RemoteStore {
 public:
  using Unwanted = std::shared_ptr<const std::atomic<bool>>;

  // local and disk outlive it. Errors: kUnsupported without libcurl.
  static Result<std::unique_ptr<RemoteStore>> open(RemoteSettings settings, LocalStore& local, Disk& disk);
  // What is under way is given up; nothing is called any more.
  ~RemoteStore();

  // Puts the products of a key into the local store. done is called on the store's thread: how long the newest took
  // its writer (0: nobody knows) and how many bytes its blobs have; nothing where there is none.
  struct Known {
    double seconds = 0;
    std::uint64_t blob_bytes = 0;
    bool is_whole = true;  // none of the products has blobs, or steps inside its source
    bool is_kept = true;   // by the local store; else it was not worth that
  };
  void get_products(const ContentHash& key, double priority, const Unwanted& unwanted,
                    std::function<void(std::optional<Known>)> done);
  // Puts a blob there, if a product that was got names it. done: on the store's thread.
  void get_blob(const ContentHash& hash, std::uint64_t size_bytes, double priority, const Unwanted& unwanted,
                std::function<void()> done);
  // Puts those products of the key there that a batch has, as get_products does. A batch comes once for all who ask;
  // one that does not fit in memory beside others is forgotten, and has nothing for those who ask later.
  // A product that took its writer less than worth_seconds is left there, and only what is known of it said.
  void get_from_batch(const ContentHash& batch, const ContentHash& key, double worth_seconds, double priority,
                      Unwanted unwanted, std::function<void(std::optional<Known>)> done);
  bool knows_blob(const ContentHash& hash) const;  // on the store's thread
  // Nothing more is asked for of a key: if all that there is was refused, finish() tells. On the store's thread.
  void not_found(const ContentHash& key);
  // Does something on the store's thread.
  void post(std::function<void()> task) { thread_.post(std::move(task)); }
  // Whether it is worth asking: it has not failed too often.
  bool is_readable() const { return !read_trouble_.given_up; }

  // Uploads the newest product of a key, unless it is there. seconds: that it took; 0: unknown. batch: where it travels
  // if it is small, when the build has ended.
  void offer(const ContentHash& key, double seconds, std::optional<ContentHash> batch);

  struct Summary {
    std::uint64_t asked = 0, found = 0;  // products
    std::uint64_t uploaded = 0;          // products
    std::uint64_t batches = 0;           // got and uploaded
    std::uint64_t not_uploaded = 0;      // products that were offered and are not there
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
      return std::ranges::all_of(members, [](const Unwanted& unwanted) { return unwanted->load(); });
    }
  };
  struct Asker {
    ContentHash key;
    double worth_seconds = 0;
    Unwanted unwanted;
    std::function<void(std::optional<Known>)> done;
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

  RemoteStore(RemoteSettings settings, LocalStore& local, Disk& disk);
  void ask(Request request, std::function<void(Answer)> done);
  void ask_for_upload(Request request, std::function<void(Answer)> done);
  // Whether the answer can be used; takes note of how the server does. A miss is fine.
  bool is_healthy(Trouble& trouble, const Answer& answer);
  void fault(Trouble& trouble, const std::string& what);
  void give_up(Trouble& trouble);
  std::optional<Known> take_entry(const ContentHash& key, const Bytes& bytes);
  void take_batch(const ContentHash& batch, const Answer& answer);
  void tell(const ContentHash& batch, const Asker& asker);
  std::optional<Known> take_members(const ContentHash& batch, std::span<const BatchMember> members, const Asker& asker);
  void count_blob(bool is_right);
  std::optional<Known> take_product(const ContentHash& key, const SharedProduct& product, std::span<const Bytes> came,
                                    const ContentHash* batch);
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
