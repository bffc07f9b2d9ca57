// Downloads products of a build's steps while its threads do other work.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/restore/restorer.hpp"
#include "engine/store/store.hpp"

namespace assetc::engine {

// Thread-safe. The restorer is used where the store answers until this object is destroyed.
class Fetcher {
 public:
  // store: keeps what it gets where the restorer finds it.
  Fetcher(Store& store, const Restorer& restorer) : store_(store), restorer_(restorer) {}
  // Cancels requests in flight.
  ~Fetcher();

  struct Question {
    Lacking lacking;
    double seconds = 0;                // estimated compile time of the step
    std::optional<ContentHash> batch;  // the batch in which its product may travel
    // The highest rank is requested first. Where compiling is faster, the lowest rank is compiled first.
    double rank = 0;
  };
  // The question to ask, if it is worth it: the step is not in the local store and takes longer than a request.
  std::optional<Question> question(Node& node, double seconds) const;

  struct Listener {
    // Called once. Null if the restorer will not find the complete product. Otherwise it does, and the received
    // products are passed.
    std::function<void(std::shared_ptr<const std::vector<StoredProduct>>)> arrived;
    std::function<void(double, double)> expects;  // the time that it took elsewhere, and the rank by that
  };
  // Set to true when the answer is no longer needed.
  using Unwanted = std::shared_ptr<std::atomic<bool>>;
  void start(const Node& node, Question question, Unwanted unwanted, Listener listener);

 private:
  struct Fetch;
  void learn(const std::shared_ptr<Fetch>& fetch, const ContentHash& key, FoundProducts found) const;
  void ask_for_batch(const std::shared_ptr<Fetch>& fetch);
  void go_on(const std::shared_ptr<Fetch>& fetch);
  void end(const std::shared_ptr<Fetch>& fetch);
  bool ask(const std::shared_ptr<Fetch>& fetch, const Lacking& lacking);

  Store& store_;
  const Restorer& restorer_;
  // Fetches that wait for a running fetch of the same key. Guarded by Life::mutex.
  std::unordered_map<ContentHash, std::vector<std::shared_ptr<Fetch>>> equal_;
  struct Life {
    std::recursive_mutex mutex;  // a store may answer within the request
    bool over = false;
  };
  std::shared_ptr<Life> life_ = std::make_shared<Life>();
};

// The batch for a small product of a step that takes so long; nullopt: alone.
std::optional<ContentHash> batch_for(const Restorer& restorer, const Node& node, double seconds);

}  // namespace assetc::engine
