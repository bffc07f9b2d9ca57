#include "engine/remote/remote_store.hpp"

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>
#include <ranges>

#include "base/plural.hpp"

namespace assetc::engine {
namespace {

// After so many in a row nothing more is asked. Each was tried several times.
constexpr int kMaxFailures = 3;
constexpr std::uint64_t kMaxEntryBytes = 16u << 20;
constexpr std::uint64_t kUsualEntryBytes = 64u << 10, kUsualBatchBytes = 512u << 10;
// Blobs of more are not shared: a body is in memory while it comes.
constexpr std::uint64_t kMaxBlobBytes = 4ull << 30;
// Under way at once, however small, and however large. There are more connections than that, for what is read.
constexpr std::size_t kMaxUploads = 48;
constexpr std::uint64_t kMaxUploadBytes = 64u << 20;
// Products of more, packed, travel alone.
constexpr std::uint64_t kMaxMemberBytes = 64u << 10;
// Of a batch that is written: older members are left out.
constexpr std::uint64_t kMaxBatchBytes = 8u << 20;
// Of all that were asked for, in memory.
constexpr std::uint64_t kMaxKeptBatchBytes = 64u << 20;
constexpr std::size_t kMaxBatchMembers = 2 * kBatchSources;
// Threads that look whether large blobs are right.
constexpr int kMaxCheckers = 4;
// What is read goes before what is written.
constexpr double kUploadPriority = -1;

// False where it is another than the product named.
bool keep_blob(LocalStore& local, const ContentHash& hash, std::uint64_t size_bytes, const SharedBlob& shared,
               const Bytes& bytes, const ContentHash* batch) {
  return bytes.size() == shared.size_bytes && bundle::sha256(bytes) == shared.name &&
         local.put_packed_blob(hash, size_bytes, {bytes, shared.packed}, batch);
}

}  // namespace

// A product on its way to the server.
struct RemoteStore::Upload {
  ContentHash key;
  SharedProduct product;
  struct Blob {
    SharedBlob shared;
    ContentHash hash;
  };
  std::vector<Blob> left;  // to be asked for, and sent
  std::vector<Bytes> others;
  bool is_there = false;  // but for blobs that may be lost
  std::uint64_t bytes = 0;
};

struct RemoteStore::BatchUpload {
  ContentHash batch;
  struct Member {
    ContentHash key;
    SharedProduct product;
    std::vector<Bytes> blobs;
  };
  std::vector<Member> members;
  std::uint64_t bytes = 0;
};

Result<std::unique_ptr<RemoteStore>> RemoteStore::open(RemoteSettings settings, LocalStore& local, Disk& disk) {
  // One believes oneself.
  if (settings.signing && !settings.trust.empty()) settings.trust.push_back(settings.signing->public_key());
  ASSETC_TRY(std::unique_ptr<Transfers> transfers, Transfers::open(settings.endpoint));
  std::unique_ptr<RemoteStore> store(new RemoteStore(std::move(settings), local, disk));
  store->transfers_ = std::move(transfers);
  return store;
}

RemoteStore::RemoteStore(RemoteSettings settings, LocalStore& local, Disk& disk)
    : settings_(std::move(settings)),
      local_(local),
      costs_(disk, local.settings().path + std::string(kCostsFile)),
      checkers_(std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, kMaxCheckers)) {}

RemoteStore::~RemoteStore() {
  // Answers that nobody took go while there are transfers that they belong to.
  checkers_.stop();
  thread_.stop();
  transfers_.reset();
}

// done: on the store's thread.
void RemoteStore::ask(Request request, std::function<void(Answer)> done) {
  request.done = [this, done = std::move(done)](Answer answer) {
    post([done, answer = std::move(answer)] { done(answer); });
  };
  transfers_->send(std::move(request));
}

void RemoteStore::ask_for_upload(Request request, std::function<void(Answer)> done) {
  request.for_upload = true;
  request.priority = kUploadPriority;
  ask(std::move(request), std::move(done));
}

void RemoteStore::fault(Trouble& trouble, const std::string& what) {
  if (trouble.first.empty()) trouble.first = what;
  if (++trouble.failures >= kMaxFailures) give_up(trouble);
}

void RemoteStore::give_up(Trouble& trouble) {
  trouble.given_up = true;
  transfers_->drop_queued(&trouble == &write_trouble_);
}

// What comes of an answer ends a row of failures, not that there is one: a page that says who to pay is an answer, too.
bool RemoteStore::is_healthy(Trouble& trouble, const Answer& answer) {
  if (answer.ok()) return true;
  if (answer.dropped) return false;
  if (answer.status == 404 || answer.status == 410) {
    if (&trouble == &read_trouble_) trouble.failures = 0;
    return true;
  }
  fault(trouble, answer.trouble);
  const bool refused = answer.status == 401 || (&trouble == &write_trouble_ &&
                                                (answer.status == 403 || answer.status == 405 || answer.status == 507));
  if (refused) give_up(trouble);
  return false;
}

std::optional<RemoteStore::Known> RemoteStore::take_entry(const ContentHash& key, const Bytes& bytes) {
  auto entry = decode_entry(key, bytes, settings_.trust);
  if (!entry) {
    fault(read_trouble_, entry.error().what);
    return std::nullopt;
  }
  if (entry->products.empty() && entry->refused > 0 && !got_.contains(key)) unsigned_.insert(key);
  std::optional<Known> known;
  // The newest last, so that the local store has it first.
  for (auto product = entry->products.rbegin(); product != entry->products.rend(); ++product) {
    auto taken = take_product(key, *product, {}, nullptr);
    if (!taken) continue;
    taken->is_whole = taken->is_whole && (!known || known->is_whole);
    known = taken;
  }
  return known;
}

// came: its blobs, if they came with it.
std::optional<RemoteStore::Known> RemoteStore::take_product(const ContentHash& key, const SharedProduct& product,
                                                            std::span<const Bytes> came, const ContentHash* batch) {
  const auto stored = StoredProduct::decode(key, product.encoded);
  if (!stored) {
    fault(read_trouble_, stored.error().what);
    return std::nullopt;
  }
  std::vector<const OutputRecord*> outputs;  // of the blobs
  for (const OutputRecord& output : stored->record().outputs) {
    const std::uint64_t bytes = output.signature.size_bytes;
    if (bytes <= kInlineBytes || outputs.size() == product.blobs.size()) continue;
    const std::uint64_t blob_bytes = product.blobs[outputs.size()].size_bytes;
    if (bytes > kMaxBlobBytes || blob_bytes > bytes) {
      fault(read_trouble_, "has an output of " + counted(bytes, "byte") + " in a blob of " +
                               std::to_string(blob_bytes) + ", expected at most " + std::to_string(kMaxBlobBytes) +
                               " and no larger blob");
      return std::nullopt;
    }
    outputs.push_back(&output);
  }
  const bool has_blobs = !outputs.empty() && came.size() != outputs.size();
  Known known{product.seconds, 0, !has_blobs && stored->record().children.empty()};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const OutputRecord& output = *outputs[i];
    blobs_[output.hash] = product.blobs[i];
    if (has_blobs) {
      known.blob_bytes += product.blobs[i].size_bytes;
    } else {
      count_blob(keep_blob(local_, output.hash, output.signature.size_bytes, product.blobs[i], came[i], batch));
    }
  }
  read_trouble_.failures = 0;
  local_.put(key, stored->record(), stored->small(), batch);
  got_.insert(key);
  unsigned_.erase(key);
  return known;
}

void RemoteStore::get_from_batch(const ContentHash& batch, const ContentHash& key, double worth_seconds,
                                 double priority, Unwanted unwanted, std::function<void(std::optional<Known>)> done) {
  const auto [asked, is_first] = asked_batches_.try_emplace(batch);
  Batch& from = asked->second;
  {
    const std::lock_guard lock(from.wanting->mutex);
    from.wanting->members.push_back(unwanted);
  }
  Asker asker{key, worth_seconds, std::move(unwanted), std::move(done)};
  if (from.came) {
    return post([this, batch, asker = std::move(asker)] { tell(batch, asker); });
  }
  from.askers.push_back(std::move(asker));
  if (!is_first) return;
  Request request{.method = Method::kGet,
                  .path = batch_path(batch),
                  .max_bytes = kMaxEntryBytes,
                  .usual_bytes = kUsualBatchBytes,
                  .priority = priority,
                  .unwanted = [wanting = from.wanting] { return wanting->is_over(); }};
  ask(std::move(request), [this, batch](const Answer& answer) { take_batch(batch, answer); });
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
  asker.done(*asker.unwanted ? std::nullopt : take_members(batch, from.members, asker));
  if (from.left.erase(asker.key) != 0 && from.left.empty()) local_.write_batch(batch);
}

std::optional<RemoteStore::Known> RemoteStore::take_members(const ContentHash& batch,
                                                            std::span<const BatchMember> members, const Asker& asker) {
  asked_.insert(asker.key);
  std::vector<const BatchMember*> of_key;
  for (const BatchMember& member : members) {
    if (member.key == asker.key && of_key.size() < kMaxSharedProducts) of_key.push_back(&member);
  }
  std::optional<Known> known;
  // The newest last, so that the local store has it first.
  for (const BatchMember* member : of_key | std::views::reverse) {
    const auto product = open_product(*member, settings_.trust);
    if (!product) {
      fault(read_trouble_, product.error().what);
    } else if (!*product) {
      if (!got_.contains(asker.key)) unsigned_.insert(asker.key);
    } else if ((*product)->seconds > 0 && (*product)->seconds < asker.worth_seconds) {
      known = Known{(*product)->seconds, 0, true, false};
    } else if (auto taken = take_product(asker.key, **product, member->blobs, &batch)) {
      taken->is_whole = taken->is_whole && (!known || known->is_whole);
      known = taken;
    }
  }
  if (known) found_.insert(asker.key);
  return known;
}

void RemoteStore::count_blob(bool is_right) {
  if (is_right) {
    read_trouble_.failures = 0;
  } else {
    fault(read_trouble_, "sent other bytes than those asked for");
  }
}

void RemoteStore::get_products(const ContentHash& key, double priority, const Unwanted& unwanted,
                               std::function<void(std::optional<Known>)> done) {
  Request request{.method = Method::kGet,
                  .path = entry_path(key),
                  .max_bytes = kMaxEntryBytes,
                  .usual_bytes = kUsualEntryBytes,
                  .priority = priority,
                  .unwanted = [unwanted] { return unwanted->load(); }};
  ask(std::move(request), [this, key, unwanted, done = std::move(done)](const Answer& answer) {
    if (*unwanted) return done(std::nullopt);
    asked_.insert(key);
    std::optional<Known> known;
    if (is_healthy(read_trouble_, answer) && answer.ok()) known = take_entry(key, answer.body);
    if (known) found_.insert(key);
    done(known);
  });
}

void RemoteStore::not_found(const ContentHash& key) {
  if (unsigned_.erase(key) != 0 && is_readable()) refused_.insert(key);
}

bool RemoteStore::knows_blob(const ContentHash& hash) const { return blobs_.contains(hash); }

void RemoteStore::get_blob(const ContentHash& hash, std::uint64_t size_bytes, double priority, const Unwanted& unwanted,
                           std::function<void()> done) {
  const SharedBlob shared = blobs_.at(hash);
  Request request{.method = Method::kGet,
                  .path = blob_path(shared.name),
                  .max_bytes = shared.size_bytes,
                  .usual_bytes = shared.size_bytes,
                  .priority = priority,
                  .unwanted = [unwanted] { return unwanted->load(); }};
  ask(std::move(request), [this, hash, size_bytes, shared, unwanted, done = std::move(done)](const Answer& answer) {
    if (*unwanted || !is_healthy(read_trouble_, answer) || !answer.ok()) return done();
    checkers_.post([this, hash, size_bytes, shared, done, answer] {
      const bool is_right = keep_blob(local_, hash, size_bytes, shared, answer.body, nullptr);
      post([this, is_right, done] {
        count_blob(is_right);
        done();
      });
    });
  });
}

void RemoteStore::offer(const ContentHash& key, double seconds, std::optional<ContentHash> batch) {
  if (!settings_.writes) return;
  {
    const std::lock_guard lock(mutex_);
    offered_.push_back({key, seconds, batch});
  }
  post([this] { start_uploads(); });
}

// What is offered next, read and described; null where there is nothing, or it is gone.
std::shared_ptr<RemoteStore::Upload> RemoteStore::prepare(const ContentHash& key, double seconds) {
  auto upload = std::make_shared<Upload>();
  upload->key = key;
  upload->product.seconds = static_cast<float>(seconds);
  const auto products = local_.find(key);
  if (products.empty()) return nullptr;
  const StoredProduct& product = products.front();
  upload->product.encoded = Bytes(StoredProduct::encode(key, product.record(), product.small()));
  upload->bytes = upload->product.encoded.size();
  for (const OutputRecord& output : product.record().outputs) {
    if (output.signature.size_bytes <= kInlineBytes) continue;
    if (output.signature.size_bytes > kMaxBlobBytes) return nullptr;
    const auto blob = local_.packed_blob(output.hash);
    if (!blob) return nullptr;
    const SharedBlob shared{bundle::sha256(blob->bytes), blob->bytes.size(), blob->packed};
    upload->product.blobs.push_back(shared);
    upload->left.push_back({shared, output.hash});
    upload->bytes += shared.size_bytes;
  }
  return upload;
}

void RemoteStore::start_uploads() {
  for (;;) {
    Offer offered;
    decltype(batches_)::node_type batch;
    {
      const std::lock_guard lock(mutex_);
      if (write_trouble_.given_up) {
        summary_.not_uploaded += offered_.size() + (next_ ? 1 : 0);
        for (const auto& [name, gathered] : batches_) summary_.not_uploaded += gathered.offers.size();
        offered_.clear();
        batches_.clear();
        if (next_) --uploads_;
        next_.reset();
      }
      const bool batch_is_next = offered_.empty() && !next_ && ending_ && !batches_.empty();
      if ((offered_.empty() && !next_ && !batch_is_next) || (uploads_ == kMaxUploads && !next_)) {
        changed_.notify_all();
        return;
      }
      if (batch_is_next) {
        if (upload_bytes_ != 0 && upload_bytes_ + batches_.begin()->second.bytes > kMaxUploadBytes) return;
        batch = batches_.extract(batches_.begin());
        ++uploads_;
      } else if (!next_) {
        offered = offered_.front();
        offered_.pop_front();
        ++uploads_;
      }
    }
    if (!batch.empty()) {
      start_batch(batch.key(), batch.mapped().offers);
      continue;
    }
    if (!next_) {
      // What was restored and came from there is there.
      const bool came = offered.seconds == 0 && got_.contains(offered.key);
      if (!came) next_ = prepare(offered.key, offered.seconds);
      const bool travels = next_ && offered.batch && gather(offered, next_->bytes);
      if (travels) next_.reset();
      if (!next_) {
        end_upload(0, came || travels ? 0 : 1);
        continue;
      }
    }
    if (upload_bytes_ != 0 && upload_bytes_ + next_->bytes > kMaxUploadBytes) return;
    const auto upload = std::exchange(next_, nullptr);
    upload_bytes_ += upload->bytes;
    ask_for_upload({.path = entry_path(upload->key), .max_bytes = kMaxEntryBytes, .usual_bytes = kUsualEntryBytes},
                   [this, upload](const Answer& answer) {
                     if (!is_healthy(write_trouble_, answer)) return end_upload(upload->bytes, 1);
                     merge(upload, answer.ok() ? answer.body : Bytes());
                   });
  }
}

// Whether it fits into its batch, to travel there.
bool RemoteStore::gather(const Offer& offer, std::uint64_t bytes) {
  if (bytes > kMaxMemberBytes) return false;
  const std::lock_guard lock(mutex_);
  Gathered& batch = batches_[*offer.batch];
  if (batch.bytes + bytes > kMaxBatchBytes || batch.offers.size() == kMaxBatchMembers) return false;
  batch.offers.push_back(offer);
  batch.bytes += bytes;
  return true;
}

// Keeps what others have written under the key.
void RemoteStore::merge(const std::shared_ptr<Upload>& upload, const Bytes& existing) {
  const auto entry =
      existing.empty() ? Entry() : decode_entry(upload->key, existing, settings_.trust).value_or(Entry());
  for (const Bytes& sealed : entry.sealed) {
    const auto product = open_product({upload->key, sealed}, settings_.trust).value_or(std::nullopt);
    if (product && std::ranges::equal(product->encoded.span(), upload->product.encoded.span())) {
      // Another compressor than ours may have packed the blobs.
      upload->is_there = upload->is_there || product->blobs == upload->product.blobs;
    } else {
      upload->others.push_back(sealed);
    }
  }
  upload_blobs(upload);
}

void RemoteStore::put(const std::string& path, Bytes body, std::function<void(bool)> done) {
  Request request{.method = Method::kPut, .path = path, .body = std::move(body)};
  ask_for_upload(std::move(request), [this, done = std::move(done)](const Answer& answer) {
    // That something is not there is fine for who asks, not for who writes.
    if (is_healthy(write_trouble_, answer) && !answer.ok()) fault(write_trouble_, answer.trouble);
    if (answer.ok()) write_trouble_.failures = 0;
    done(answer.ok());
  });
}

// Nothing where the local store has other ones by now.
std::optional<Bytes> RemoteStore::bytes_of(const SharedBlob& shared, const ContentHash& hash) {
  auto packed = local_.packed_blob(hash);
  if (!packed || bundle::sha256(packed->bytes) != shared.name) return std::nullopt;
  return std::move(packed->bytes);
}

// One after another: a product has a few, and other products are on their way too.
void RemoteStore::upload_blobs(const std::shared_ptr<Upload>& upload) {
  if (upload->left.empty()) return upload->is_there ? end_upload(upload->bytes, 0) : upload_entry(upload);
  const Upload::Blob blob = upload->left.back();
  upload->left.pop_back();
  const std::string path = blob_path(blob.shared.name);
  ask_for_upload({.method = Method::kHead, .path = path}, [this, upload, blob, path](const Answer& there) {
    if (there.ok()) return upload_blobs(upload);
    if (!is_healthy(write_trouble_, there)) return end_upload(upload->bytes, 1);
    auto bytes = bytes_of(blob.shared, blob.hash);
    if (!bytes) return end_upload(upload->bytes, 1);
    put(path, std::move(*bytes),
        [this, upload](bool kept) { kept ? upload_blobs(upload) : end_upload(upload->bytes, 1); });
  });
}

void RemoteStore::upload_entry(const std::shared_ptr<Upload>& upload) {
  std::vector<Bytes> sealed{
      seal_product(upload->key, upload->product, settings_.signing ? &*settings_.signing : nullptr)};
  std::ranges::move(upload->others, std::back_inserter(sealed));
  sealed.resize(std::min(sealed.size(), kMaxSharedProducts));
  ByteVector entry = encode_entry(sealed);
  while (entry.size() > kMaxEntryBytes && sealed.size() > 1) {
    sealed.pop_back();
    entry = encode_entry(sealed);
  }
  if (entry.size() > kMaxEntryBytes) return end_upload(upload->bytes, 1);  // nobody would read it
  put(entry_path(upload->key), Bytes(std::move(entry)), [this, upload](bool kept) {
    if (kept) ++summary_.uploaded;
    end_upload(upload->bytes, kept ? 0 : 1);
  });
}

void RemoteStore::start_batch(const ContentHash& batch, const std::vector<Offer>& offers) {
  auto upload = std::make_shared<BatchUpload>();
  upload->batch = batch;
  for (const Offer& offer : offers) {
    const auto one = prepare(offer.key, offer.seconds);
    std::vector<Bytes> blobs;
    if (one) {
      for (const Upload::Blob& blob : one->left) {
        if (auto bytes = bytes_of(blob.shared, blob.hash)) blobs.push_back(std::move(*bytes));
      }
    }
    if (one && blobs.size() == one->left.size()) {
      upload->bytes += one->bytes;
      upload->members.push_back({offer.key, std::move(one->product), std::move(blobs)});
    } else {
      ++summary_.not_uploaded;
    }
  }
  upload_bytes_ += upload->bytes;
  ask_for_upload({.path = batch_path(batch), .max_bytes = kMaxEntryBytes, .usual_bytes = kUsualBatchBytes},
                 [this, upload](const Answer& answer) {
                   if (!is_healthy(write_trouble_, answer)) return end_upload(upload->bytes, upload->members.size());
                   merge_batch(upload, answer.ok() ? answer.body : Bytes());
                 });
}

// Ours first, then as many of those that are there as fit.
void RemoteStore::merge_batch(const std::shared_ptr<BatchUpload>& upload, const Bytes& existing) {
  const auto there =
      existing.empty() ? std::vector<BatchMember>() : decode_batch(existing).value_or(std::vector<BatchMember>());
  std::unordered_map<ContentHash, const BatchUpload::Member*> ours;
  for (const BatchUpload::Member& member : upload->members) ours.emplace(member.key, &member);
  for (const BatchMember& member : there) {
    const auto of_key = ours.find(member.key);
    if (of_key == ours.end()) continue;
    const auto product = open_product(member, settings_.trust).value_or(std::nullopt);
    if (product && std::ranges::equal(product->encoded.span(), of_key->second->product.encoded.span()))
      ours.erase(of_key);
  }
  std::vector<BatchMember> members;
  std::uint64_t bytes = 0;
  for (const auto& [key, member] : ours) {
    const bundle::SigningKey* const signing = settings_.signing ? &*settings_.signing : nullptr;
    members.push_back({key, seal_product(key, member->product, signing), member->blobs});
    bytes += members.back().size();
  }
  const std::size_t count = members.size();
  if (count == 0) return end_upload(upload->bytes, 0);
  for (const BatchMember& member : there) {
    bytes += member.size();
    if (bytes > kMaxBatchBytes || members.size() >= kMaxBatchMembers) break;
    members.push_back(member);
  }
  put(batch_path(upload->batch), Bytes(encode_batch(members)), [this, upload, count](bool kept) {
    if (kept) {
      summary_.uploaded += count;
      ++summary_.batches;
    }
    end_upload(upload->bytes, kept ? 0 : count);
  });
}

void RemoteStore::end_upload(std::uint64_t bytes, std::size_t failed) {
  summary_.not_uploaded += failed;
  upload_bytes_ -= bytes;
  {
    const std::lock_guard lock(mutex_);
    --uploads_;
  }
  post([this] { start_uploads(); });
}

RemoteStore::Summary RemoteStore::finish(const std::function<void(std::size_t)>& waiting) {
  {
    std::unique_lock lock(mutex_);
    ending_ = true;
    post([this] { start_uploads(); });
    const auto left = [&] { return offered_.size() + batches_.size() + uploads_; };
    while (!changed_.wait_for(lock, std::chrono::seconds(1), [&] { return left() == 0; })) {
      const std::size_t uploads = left();
      lock.unlock();
      waiting(uploads);
      lock.lock();
    }
  }
  (void)costs_.save();  // without it the next build guesses
  Summary summary;
  std::promise<void> done;
  post([&] {
    summary = std::move(summary_);
    summary.asked = asked_.size(), summary.found = found_.size();
    summary.transfers = transfers_->totals();
    summary.records = transfers_->records();
    // A build that was done before the server had failed for good.
    if (read_trouble_.first.empty() && summary.found == 0) read_trouble_.first = summary.transfers.retrying;
    // One warning, whatever there was.
    std::string what, hint, see = "see that the shared cache is up";
    const auto add = [&what](const std::string& trouble) { what += (what.empty() ? "" : "; ") + trouble; };
    if (!read_trouble_.first.empty()) {
      add(read_trouble_.first + (read_trouble_.given_up ? "; nothing more was asked of it" : ""));
      hint = "what it did not give was compiled here; ";
    }
    if (!write_trouble_.first.empty()) {
      if (write_trouble_.first != read_trouble_.first) add(write_trouble_.first);
      if (write_trouble_.given_up) what += "; nothing more was sent to it";
      hint += "others will compile what is missing; ";
    }
    if (!refused_.empty()) {
      add("has " + counted(refused_.size(), "product") + " that no key of cache.trust has signed");
      if (read_trouble_.first.empty()) hint = "they were compiled here; " + hint;
      see = "see who writes to the shared cache";
    }
    if (!what.empty()) summary.trouble = {ErrorCode::kIo, settings_.endpoint.url, {}, what, hint + see};
    done.set_value();
  });
  done.get_future().wait();
  return summary;
}

}  // namespace assetc::engine
