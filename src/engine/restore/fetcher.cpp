#include "engine/restore/fetcher.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>
#include <utility>

namespace assetc::engine {
namespace {

// Twice the processor time of a fetch (measured: 1.2 ms), for its request and for its bytes. A step that takes less is
// compiled at once.
constexpr double kSecondsPerFetch = 2.5e-3;
constexpr double kSecondsPerByte = 1 / 400e6;
// The same for a product that comes with others in a batch.
constexpr double kSecondsPerMember = 0.3e-3;
// Products of steps that take longer travel alone. The writer of a product has measured the time. The reader only has
// an estimate, and therefore looks into the batch up to kGuessFactor times the limit.
constexpr double kMaxBatchedSeconds = 50e-3;
constexpr double kGuessFactor = 2;
// Products are small and tell what the rest is worth, so they are requested first.
constexpr double kProductPriority = 1e9;

// Only one product is lacking.
bool is_all(const Lacking& lacking) { return lacking.blobs.empty() && lacking.keys.size() == 1; }

bool may_travel(const std::optional<ContentHash>& batch, double seconds) {
  return batch && seconds < kMaxBatchedSeconds * kGuessFactor;
}

// The rank is the power of two of the step's time; within one power, the batch decides. Downloads from above and
// compilations from below then meet between batches, not inside all of them.
double rank_of(const std::optional<ContentHash>& batch, double seconds) {
  const double place = may_travel(batch, seconds) ? std::ldexp(static_cast<double>(batch->high >> 32), -32) : 0;
  return std::floor(std::log2(std::max(seconds, 1e-6))) + place;
}

}  // namespace

struct Fetcher::Fetch {
  Node node;
  double seconds = 0;
  double rank = 0;
  Listener listener;
  Unwanted unwanted;
  bool is_all = false;  // only `key` was lacking
  // Used where the store answers, from here on:
  ContentHash key;
  std::unordered_set<ContentHash> asked;
  std::size_t under_way = 0;
  std::optional<ContentHash> batch;
  bool may_ask_for_batch = false;    // the batch was not asked for yet
  bool settled = false;              // nothing more will be asked for
  std::vector<StoredProduct> found;  // products of the node itself
  bool is_here = false;              // the restorer finds the complete product
};

Fetcher::~Fetcher() {
  const std::lock_guard lock(life_->mutex);
  life_->over = true;
}

std::optional<ContentHash> batch_for(const Restorer& restorer, const Node& node, double seconds) {
  return seconds < kMaxBatchedSeconds ? restorer.batch(node) : std::nullopt;
}

std::optional<Fetcher::Question> Fetcher::question(Node& node, double seconds) const {
  const bool cheap = store_.races() && seconds < (node.input_path.empty() ? kSecondsPerFetch : kSecondsPerMember);
  if (cheap || !store_.is_readable()) return std::nullopt;
  restorer_.look_up_key(node);
  auto lacking = restorer_.lacking(node);
  if (!lacking || lacking->nothing()) return std::nullopt;
  Question question{std::move(*lacking), seconds, std::nullopt, 0};
  // A product that is already here but lacks blobs is not small.
  if (is_all(question.lacking)) question.batch = restorer_.batch(node);
  question.rank = rank_of(question.batch, seconds);
  return question;
}

void Fetcher::start(const Node& node, Question question, Unwanted unwanted, Listener listener) {
  auto fetch = std::make_shared<Fetch>();
  fetch->node = node;
  fetch->node.inline_input = {};
  fetch->seconds = question.seconds;
  fetch->rank = question.rank;
  fetch->unwanted = std::move(unwanted);
  fetch->listener = std::move(listener);
  fetch->is_all = is_all(question.lacking);
  fetch->batch = question.batch;
  fetch->may_ask_for_batch = question.batch.has_value();
  const bool in_batch = may_travel(fetch->batch, fetch->seconds);
  store_.post([this, life = life_, fetch, lacking = std::move(question.lacking), in_batch] {
    const std::lock_guard lock(life->mutex);
    if (life->over) return;
    fetch->key = lacking.keys.empty() ? lacking.blobs.front().key : lacking.keys.front();
    const auto [equal, is_first] = equal_.try_emplace(fetch->key);
    if (!is_first) {
      equal->second.push_back(fetch);
      return;
    }
    if (in_batch) {
      ask_for_batch(fetch);
    } else {
      ask(fetch, lacking);
    }
    if (fetch->under_way == 0) go_on(fetch);
  });
}

// Takes over products that were received.
void Fetcher::learn(const std::shared_ptr<Fetch>& fetch, const ContentHash& key, FoundProducts found) const {
  const std::size_t count = found.products.size();
  if (fetch->node.key && key == fetch->node.key->stored) fetch->found = std::move(found.products);
  if (!fetch->is_all || key != fetch->key) return;  // only a part of what is lacking
  if (found.seconds > 0) {
    fetch->seconds = found.seconds;
    fetch->listener.expects(found.seconds, rank_of(fetch->batch, found.seconds));
    const double costs = kSecondsPerFetch + kSecondsPerByte * static_cast<double>(found.blob_bytes);
    if (store_.races() && found.seconds < costs) fetch->settled = true;
  }
  if (!found.is_whole) return;
  fetch->settled = true;
  fetch->is_here = count > 0;
}

// A store may answer before ask_for_batch() and ask() return. They count as a request of their own, so that such an
// answer does not continue the fetch: their caller does.
void Fetcher::ask_for_batch(const std::shared_ptr<Fetch>& fetch) {
  fetch->under_way += 2;
  fetch->may_ask_for_batch = false;
  store_.get({.key = fetch->key,
              .batch = fetch->batch,
              .worth_seconds = store_.races() ? kSecondsPerMember : 0,
              .priority = kProductPriority + fetch->rank,
              .unwanted = fetch->unwanted},
             [this, life = life_, fetch](std::optional<FoundProducts> found) {
               const std::lock_guard lock(life->mutex);
               --fetch->under_way;
               if (life->over) return;
               if (found) {
                 fetch->asked.insert(fetch->key);
                 learn(fetch, fetch->key, std::move(*found));
               } else if (store_.races() && fetch->seconds < kSecondsPerFetch) {
                 fetch->settled = true;
               }
               if (fetch->under_way == 0) go_on(fetch);
             });
  --fetch->under_way;
}

void Fetcher::end(const std::shared_ptr<Fetch>& fetch) {
  if (!*fetch->unwanted) {
    if (!fetch->settled) {
      for (const ContentHash& key : fetch->asked) store_.not_found(key);
    }
    using Found = std::vector<StoredProduct>;
    fetch->listener.arrived(fetch->is_here ? std::make_shared<const Found>(std::move(fetch->found)) : nullptr);
  }
  const auto equal = equal_.extract(fetch->key);
  if (equal.empty()) return;
  for (const auto& other : equal.mapped()) go_on(other);
}

void Fetcher::go_on(const std::shared_ptr<Fetch>& fetch) {
  bool asked = true;
  while (asked && fetch->under_way == 0) {
    if (*fetch->unwanted) break;
    asked = false;
    if (fetch->settled || !store_.is_readable()) break;
    const auto lacking = restorer_.lacking(fetch->node, fetch->found);
    fetch->is_here = lacking && lacking->nothing();
    // It may have taken its writer less time than estimated here.
    const bool missed = lacking && fetch->asked.contains(fetch->key) &&
                        std::ranges::find(lacking->keys, fetch->key) != lacking->keys.end();
    if (missed && fetch->may_ask_for_batch) {
      ask_for_batch(fetch);
      asked = true;
    } else if (lacking) {
      asked = ask(fetch, *lacking);
    }
  }
  if (fetch->under_way == 0) end(fetch);
}

// Requests everything that was not requested before. Returns false if that is nothing.
bool Fetcher::ask(const std::shared_ptr<Fetch>& fetch, const Lacking& lacking) {
  ++fetch->under_way;
  bool asked = false;
  // The answer to the last request continues the fetch.
  const auto one_less = [this, life = life_, fetch] {
    const std::lock_guard lock(life->mutex);
    if (--fetch->under_way == 0 && !life->over) go_on(fetch);
  };
  const auto ask_for_products = [&](const ContentHash& key) {
    if (!fetch->asked.insert(key).second) return;
    asked = true;
    ++fetch->under_way;
    store_.get({.key = key, .priority = kProductPriority + fetch->rank, .unwanted = fetch->unwanted},
               [this, life = life_, fetch, key, one_less](std::optional<FoundProducts> found) {
                 {
                   const std::lock_guard lock(life->mutex);
                   if (found && !life->over) learn(fetch, key, std::move(*found));
                 }
                 one_less();
               });
  };
  std::uint64_t bytes = 1;
  for (const Lacking::Blob& blob : lacking.blobs) bytes += blob.size_bytes;
  for (const ContentHash& key : lacking.keys) ask_for_products(key);
  for (const Lacking::Blob& blob : lacking.blobs) {
    if (!store_.knows_blob(blob.hash)) {
      ask_for_products(blob.key);
    } else if (fetch->asked.insert(blob.hash).second) {
      asked = true;
      ++fetch->under_way;
      store_.get_blob(
          {blob.hash, blob.size_bytes, fetch->seconds / static_cast<double>(bytes), fetch->unwanted},
          [](const PackedBlob&) {}, one_less);
    }
  }
  --fetch->under_way;
  return asked;
}

}  // namespace assetc::engine
