#include "engine/remote/remote_store.hpp"

#include <algorithm>
#include <chrono>
#include <future>

#include "base/plural.hpp"
#include "text/format.hpp"

namespace assetc::engine {
namespace {

// After this many failures in a row, nothing more is requested. Each failed request was tried several times.
constexpr int kMaxFailures = 3;
// Memory limit for all downloaded batches together.
constexpr std::uint64_t kMaxKeptBatchBytes = 64u << 20;
// If the server did not answer for this long, report it even if no request failed.
constexpr double kTellingSilenceSeconds = 1;
// Threads that verify large blobs.
constexpr int kMaxCheckers = 4;
bool is_unwanted(const Unwanted& unwanted) { return unwanted && unwanted->load(); }

// Whether downloaded bytes are those that a product names.
bool is_named_blob(const ContentHash& hash, std::uint64_t size_bytes, const SharedBlob& shared, const Bytes& bytes) {
  return bytes.size() == shared.size_bytes && bundle::sha256(bytes) == shared.name &&
         holds({bytes, shared.packed}, hash, size_bytes);
}

}  // namespace

RemoteStore::RemoteStore(RemoteSettings settings, std::unique_ptr<Transfers> transfers, Store& front,
                         const Clock& clock)
    : settings_(std::move(settings)),
      front_(front),
      clock_(clock),
      batches_end_(clock.now() + kBatchTime),
      checkers_(std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxCheckers)),
      transfers_(std::move(transfers)) {
  if (settings_.writes && settings_.endpoint.is_listed()) {
    if (auto listed = ListedStore::find(settings_.endpoint)) listed_ = std::move(*listed);
  }
  // Products signed with the own key are always accepted.
  if (settings_.signing && !settings_.trust.empty()) settings_.trust.push_back(settings_.signing->public_key());
}

RemoteStore::~RemoteStore() {
  // Answers refer to the transfers, so they must be destroyed first.
  checkers_.stop();
  thread_.stop();
  transfers_.reset();
}

// `done` is called on the store's thread.
void RemoteStore::ask(Request request, std::function<void(Answer)> done) {
  request.done = [this, done = std::move(done)](Answer answer) {
    post([done, answer = std::move(answer)] { done(answer); });
  };
  transfers_->send(std::move(request));
}

void RemoteStore::fault(Trouble& trouble, const std::string& what, const std::string& advice) {
  if (trouble.first.empty()) {
    trouble.first = what;
    trouble.advice = advice;
  }
  ++summary_.failures;
  if (++trouble.failures >= kMaxFailures) give_up(trouble);
}

void RemoteStore::give_up(Trouble& trouble) {
  trouble.given_up = true;
  transfers_->drop_queued(&trouble == &write_trouble_);
}

// A success alone does not end a row of failures, only usable content does: a captive portal's page is a success, too.
bool RemoteStore::is_healthy(Trouble& trouble, const Answer& answer) {
  if (answer.ok()) return true;
  if (answer.dropped) return false;
  if ((answer.status == 404 || answer.status == 410) && !answer.refused) {
    if (&trouble == &read_trouble_) trouble.failures = 0;
    return true;
  }
  const bool writes = &trouble == &write_trouble_;
  // Only this body is too large for the server. A full server may still have room for a smaller one.
  if (writes && answer.status == kTooLarge) return false;
  fault(trouble, answer.trouble, answer.advice);
  const bool refused =
      answer.refused || answer.status == 401 || (writes && (answer.status == 403 || answer.status == 405));
  if (refused) give_up(trouble);
  return false;
}

std::optional<FoundProducts> RemoteStore::take_entry(const ContentHash& key, const Bytes& bytes) {
  const auto entry = decode_entry(key, bytes, settings_.trust);
  if (!entry) {
    fault(read_trouble_, entry.error().what);
    return std::nullopt;
  }
  if (entry->products.empty() && entry->refused > 0 && !got_.contains(key)) unsigned_.insert(key);
  std::optional<FoundProducts> found;
  for (const SharedProduct& product : entry->products) take_product(key, product, {}, found);
  return found;
}

// came: the product's blobs, if they were transferred with it.
void RemoteStore::take_product(const ContentHash& key, const SharedProduct& product, std::span<const Bytes> came,
                               std::optional<FoundProducts>& found) {
  auto stored = StoredProduct::decode(key, product.encoded);
  if (!stored) return fault(read_trouble_, stored.error().what);
  std::vector<const OutputRecord*> outputs;  // the outputs that are blobs
  for (const OutputRecord& output : stored->record().outputs) {
    const std::uint64_t bytes = output.signature.size_bytes;
    if (bytes <= kInlineBytes || outputs.size() == product.blobs.size()) continue;
    const std::uint64_t blob_bytes = product.blobs[outputs.size()].size_bytes;
    if (bytes > kMaxBlobBytes || blob_bytes > bytes) {
      return fault(read_trouble_, "has an output of " + counted(bytes, "byte") + " in a blob of " +
                                      std::to_string(blob_bytes) + ", expected at most " +
                                      std::to_string(kMaxBlobBytes) + " and no larger blob");
    }
    outputs.push_back(&output);
  }
  if (!found) {
    found.emplace();
    found->seconds = product.seconds;
  }
  const bool is_newest = found->products.empty();
  const bool lacks_blobs = !outputs.empty() && came.size() != outputs.size();
  found->is_whole = found->is_whole && !lacks_blobs && stored->record().children.empty();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OutputRecord& output = *outputs[i];
    const std::uint64_t size_bytes = output.signature.size_bytes;
    blobs_[output.hash] = product.blobs[i];
    if (lacks_blobs) {
      if (is_newest) found->blob_bytes += product.blobs[i].size_bytes;
      continue;
    }
    const bool is_right = is_named_blob(output.hash, size_bytes, product.blobs[i], came[i]);
    count_blob(is_right);
    if (is_right) found->blobs.push_back({output.hash, size_bytes, {came[i], product.blobs[i].packed}});
  }
  read_trouble_.failures = 0;
  found->products.push_back(std::move(*stored));
  got_.insert(key);
  unsigned_.erase(key);
}

void RemoteStore::get(const ProductQuery& query, Done done) {
  if (!query.batch) return get_entry(query, std::move(done));
  post([this, query, done = std::move(done)] { get_from_batch(query, done); });
}

void RemoteStore::get_from_batch(const ProductQuery& query, Done done) {
  const ContentHash batch = *query.batch;
  const auto [asked, is_first] = asked_batches_.try_emplace(batch);
  Batch& from = asked->second;
  {
    const std::lock_guard lock(from.wanting->mutex);
    from.wanting->members.push_back(query.unwanted);
  }
  Asker asker{query.key, query.worth_seconds, query.unwanted, std::move(done)};
  if (from.came) {
    return post([this, batch, asker = std::move(asker)] { tell(batch, asker); });
  }
  from.askers.push_back(std::move(asker));
  if (!is_first) return;
  Request request{.method = Method::kGet,
                  .path = batch_path(batch),
                  .max_bytes = kMaxEntryBytes,
                  .usual_bytes = kUsualBatchBytes,
                  .priority = query.priority,
                  .unwanted = [wanting = from.wanting] { return wanting->is_over(); }};
  ask(std::move(request), [this, batch](const Answer& answer) {
    note_use(batch_path(batch), answer);
    take_batch(batch, answer);
  });
}

void RemoteStore::take_batch(const ContentHash& batch, const Answer& answer) {
  Batch& came = asked_batches_.at(batch);
  came.came = true;
  if (is_healthy(read_trouble_, answer) && answer.ok()) {
    if (auto members = decode_batch(answer.body)) {
      came.members = std::move(*members);
      ++summary_.batches;
    } else {
      fault(read_trouble_, members.error().what);
    }
  }
  for (const BatchMember& member : came.members) came.left.insert(member.key);
  for (const Asker& asker : std::exchange(came.askers, {})) tell(batch, asker);
  if (batch_bytes_ + answer.body.size() > kMaxKeptBatchBytes) {
    came.members = {};
  } else {
    batch_bytes_ += answer.body.size();
  }
}

void RemoteStore::tell(const ContentHash& batch, const Asker& asker) {
  Batch& from = asked_batches_.at(batch);
  auto found = is_unwanted(asker.unwanted) ? std::nullopt : take_members(from.members, asker);
  const bool is_last = from.left.erase(asker.key) != 0 && from.left.empty();
  if (found) found->is_last_of_batch = is_last;
  asker.done(std::move(found));
}

std::optional<FoundProducts> RemoteStore::take_members(std::span<const BatchMember> members, const Asker& asker) {
  asked_.insert(asker.key);
  std::optional<FoundProducts> found;
  std::size_t of_key = 0;
  for (const BatchMember& member : members) {
    if (member.key != asker.key || of_key++ >= kMaxSharedProducts) continue;
    const auto product = open_product(member, settings_.trust);
    if (!product) {
      fault(read_trouble_, product.error().what);
    } else if (!*product) {
      if (!got_.contains(asker.key)) unsigned_.insert(asker.key);
    } else if ((*product)->seconds > 0 && (*product)->seconds < asker.worth_seconds) {
      if (!found) found = FoundProducts{.products = {}, .blobs = {}, .seconds = (*product)->seconds};
    } else {
      take_product(asker.key, **product, member.blobs, found);
    }
  }
  if (found) found_.insert(asker.key);
  return found;
}

void RemoteStore::count_blob(bool is_right) {
  if (is_right) {
    read_trouble_.failures = 0;
  } else {
    fault(read_trouble_, "sent bytes that do not match their hash");
  }
}

void RemoteStore::get_entry(const ProductQuery& query, Done done) {
  Request request{.method = Method::kGet,
                  .path = entry_path(query.key),
                  .max_bytes = kMaxEntryBytes,
                  .usual_bytes = kUsualEntryBytes,
                  .priority = query.priority,
                  .unwanted = [unwanted = query.unwanted] { return is_unwanted(unwanted); }};
  ask(std::move(request),
      [this, key = query.key, unwanted = query.unwanted, done = std::move(done)](const Answer& answer) {
        if (is_unwanted(unwanted)) return done(std::nullopt);
        asked_.insert(key);
        std::optional<FoundProducts> found;
        if (is_healthy(read_trouble_, answer) && answer.ok()) found = take_entry(key, answer.body);
        if (found) {
          found_.insert(key);
          note_use(entry_path(key), answer);
        }
        done(std::move(found));
      });
}

void RemoteStore::not_found(const ContentHash& key) {
  if (unsigned_.erase(key) != 0 && is_readable()) refused_.insert(key);
}

bool RemoteStore::knows_blob(const ContentHash& hash) { return blobs_.contains(hash); }

void RemoteStore::get_blob(const BlobQuery& query, std::function<void(const PackedBlob&)> keep,
                           std::function<void()> done) {
  post([this, query, keep = std::move(keep), done = std::move(done)] { ask_for_blob(query, keep, done); });
}

void RemoteStore::ask_for_blob(const BlobQuery& query, const std::function<void(const PackedBlob&)>& keep,
                               const std::function<void()>& done) {
  const auto known = blobs_.find(query.hash);
  if (known == blobs_.end()) return done();
  const SharedBlob shared = known->second;
  Request request{.method = Method::kGet,
                  .path = blob_path(shared.name),
                  .max_bytes = shared.size_bytes,
                  .usual_bytes = shared.size_bytes,
                  .priority = query.priority,
                  .unwanted = [unwanted = query.unwanted] { return is_unwanted(unwanted); }};
  ask(std::move(request), [this, query, shared, keep, done](const Answer& answer) {
    if (is_unwanted(query.unwanted) || !is_healthy(read_trouble_, answer) || !answer.ok()) return done();
    checkers_.post([this, query, shared, keep, done, answer] {
      const bool is_right = is_named_blob(query.hash, query.size_bytes, shared, answer.body);
      if (is_right) keep({answer.body, shared.packed});
      post([this, is_right, done, shared, answer] {
        count_blob(is_right);
        if (is_right) note_use(blob_path(shared.name), answer);
        done();
      });
    });
  });
}

RemoteStore::Summary RemoteStore::finish(const std::function<void(std::size_t)>& waiting) {
  {
    std::unique_lock lock(mutex_);
    ending_ = true;
    post([this] { start_uploads(); });
    const auto left = [&] { return offered_.size() + batches_.size() + due_.size() + uploads_; };
    while (!clock_.wait(changed_, lock, std::chrono::seconds(1), [&] { return left() == 0 && refreshed_; })) {
      const std::size_t uploads = left();
      lock.unlock();
      waiting(uploads);
      lock.lock();
    }
  }
  Summary summary;
  std::promise<void> done;
  post([&] {
    summary = std::move(summary_);
    summary.asked = asked_.size(), summary.found = found_.size();
    summary.untrusted = refused_.size();
    summary.given_up = read_trouble_.given_up || write_trouble_.given_up;
    summary.transfers = transfers_->totals();
    summary.records = transfers_->records();
    // The build may have finished before the requests to the server failed for good.
    if (read_trouble_.first.empty() && summary.found == 0) {
      read_trouble_.first = summary.transfers.retrying;
      if (const double seconds = summary.transfers.unanswered_seconds; seconds >= kTellingSilenceSeconds)
        read_trouble_.first = formatted("did not answer in {:.1f} s", seconds);
    }
    // All problems become one warning.
    std::string what, hint, see = "check that the shared cache is running";
    const auto add = [&what](const std::string& trouble) { what += (what.empty() ? "" : "; ") + trouble; };
    if (!read_trouble_.first.empty()) {
      add(read_trouble_.first + (read_trouble_.given_up ? "; no further requests were sent" : ""));
      hint = "missing outputs were compiled here; ";
    }
    if (!write_trouble_.first.empty()) {
      if (write_trouble_.first != read_trouble_.first) add(write_trouble_.first);
      if (write_trouble_.given_up) what += "; no further uploads were sent";
      hint += "other machines will compile the missing outputs; ";
    }
    for (const Trouble* trouble : {&write_trouble_, &read_trouble_}) {
      if (!trouble->advice.empty()) see = trouble->advice;
    }
    if (summary.too_large > 0) {
      add("does not take " + counted(summary.too_large, "product") + ", of at least " +
          counted(summary.least_refused_bytes, "byte") + " (answer 413)");
      hint += write_trouble_.first.empty() ? "other machines will compile them; " : "";
      see = "raise its limit for bodies, such as client_max_body_size of nginx";
    }
    if (!refused_.empty()) {
      add("has " + counted(refused_.size(), "product") + " without a valid signature by a key of cache.trust");
      if (read_trouble_.first.empty()) hint = "they were compiled here; " + hint;
      see = "check who can write to the shared cache";
    }
    if (!what.empty()) summary.trouble = {ErrorCode::kIo, settings_.endpoint.url, {}, what, hint + see};
    done.set_value();
  });
  done.get_future().wait();
  return summary;
}

}  // namespace assetc::engine
