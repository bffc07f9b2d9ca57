// Gets what a build's steps made elsewhere while its threads do something else, and offers what they made here.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "engine/remote/layered_store.hpp"
#include "engine/restore/restorer.hpp"

namespace assetc::engine {

// Thread-safe. The restorer is used on the remote store's thread until this is gone.
class Fetcher {
 public:
  Fetcher(LayeredStore& stores, const Restorer& restorer)
      : stores_(stores), remote_(stores.behind()), restorer_(restorer) {}
  // Gives up what is under way.
  ~Fetcher();

  struct Question {
    Lacking lacking;
    double seconds = 0;                // that the step takes
    std::optional<ContentHash> batch;  // where its product may travel
    // In what order steps are asked for, the highest first, and compiled where that is sooner, the lowest first.
    double rank = 0;
  };
  // What there is to ask for that is worth it: the step is not in the local store, and costs more than a question.
  std::optional<Question> question(Node& node, double seconds) const;

  struct Listener {
    // Once. Null where the store in front will not have all of it; else it does, and what came of it is handed on.
    std::function<void(std::shared_ptr<const std::vector<StoredProduct>>)> arrived;
    std::function<void(double, double)> expects;  // the seconds that it took elsewhere, and its rank by that
  };
  // To be set when the answer is of no use any more.
  using Unwanted = std::shared_ptr<std::atomic<bool>>;
  void start(const Node& node, Question question, Unwanted unwanted, Listener listener);

 private:
  struct Fetch;
  void learn(const std::shared_ptr<Fetch>& fetch, const ContentHash& key, FoundProducts found) const;
  void ask_for_batch(const std::shared_ptr<Fetch>& fetch);
  void go_on(const std::shared_ptr<Fetch>& fetch);
  void end(const std::shared_ptr<Fetch>& fetch);
  void ask(const std::shared_ptr<Fetch>& fetch, const Lacking& lacking);

  LayeredStore& stores_;
  RemoteStore& remote_;  // behind
  const Restorer& restorer_;
  // Of the remote store's thread: fetches that wait for another one of the same key, which is under way.
  std::unordered_map<ContentHash, std::vector<std::shared_ptr<Fetch>>> equal_;
  struct Life {
    std::mutex mutex;
    bool over = false;
  };
  std::shared_ptr<Life> life_ = std::make_shared<Life>();
};

// Where a small product of a step travels that takes so long; nothing: alone.
std::optional<ContentHash> batch_for(const Restorer& restorer, const Node& node, double seconds);

}  // namespace assetc::engine
