#include "engine/remote/remote_store.hpp"

#include <algorithm>
#include <future>
#include <iterator>

#include "base/plural.hpp"

namespace assetc::engine {
namespace {

// After so many in a row nothing more is asked. Each was tried several times.
constexpr int kMaxFailures = 3;
constexpr std::uint64_t kMaxEntryBytes = 4u << 20;
constexpr std::uint64_t kUsualEntryBytes = 64u << 10;
// Under way at once, however small, and however large.
constexpr std::size_t kMaxUploads = 64;
constexpr std::uint64_t kMaxUploadBytes = 64u << 20;
// As many products of a key as a local store keeps.
constexpr std::size_t kMaxProducts = 8;
// What is read goes before what is written.
constexpr double kUploadPriority = -1;

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
  std::uint64_t bytes = 0;
};

Result<std::unique_ptr<RemoteStore>> RemoteStore::open(RemoteSettings settings, LocalStore& local, Disk& disk) {
  // One believes oneself.
  if (settings.signing && !settings.trust.empty()) settings.trust.push_back(settings.signing->public_key());
  ASSETC_TRY(std::unique_ptr<Transfers> transfers, Transfers::open(settings.endpoint));
  std::unique_ptr<RemoteStore> store(new RemoteStore(std::move(settings), local, disk));
  store->transfers_ = std::move(transfers);
  store->thread_ = std::thread([raw = store.get()] { raw->run(); });
  return store;
}

RemoteStore::~RemoteStore() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
  transfers_.reset();
}

void RemoteStore::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stopping_ || !tasks_.empty(); });
    if (stopping_) return;
    const auto task = std::move(tasks_.front());
    tasks_.pop_front();
    lock.unlock();
    task();
    lock.lock();
  }
}

void RemoteStore::post(std::function<void()> task) {
  {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  changed_.notify_all();
}

// done: on the store's thread.
void RemoteStore::ask(Request request, std::function<void(Answer)> done) {
  request.done = [this, done = std::move(done)](Answer answer) {
    post([done, answer = std::move(answer)] { done(answer); });
  };
  transfers_->send(std::move(request));
}

void RemoteStore::fault(Trouble& trouble, const std::string& what) {
  if (trouble.first.empty()) trouble.first = what;
  if (++trouble.failures >= kMaxFailures) give_up(trouble);
}

void RemoteStore::give_up(Trouble& trouble) {
  trouble.given_up = true;
  transfers_->drop_queued();
}

bool RemoteStore::is_healthy(Trouble& trouble, const Answer& answer) {
  if (answer.ok() || answer.status == 404 || answer.status == 410) {
    trouble.failures = 0;
    return true;
  }
  fault(trouble, answer.trouble);
  if (answer.status == 401) give_up(trouble);
  return false;
}

std::optional<RemoteStore::Known> RemoteStore::take_entry(const ContentHash& key, const Bytes& bytes) {
  auto entry = decode_entry(key, bytes, settings_.trust);
  if (!entry) {
    fault(read_trouble_, entry.error().what);
    return std::nullopt;
  }
  if (entry->products.empty()) refused_ += entry->refused;
  std::optional<Known> known;
  // The newest last, so that the local store has it first.
  for (auto product = entry->products.rbegin(); product != entry->products.rend(); ++product) {
    const auto stored = StoredProduct::decode(product->encoded);
    if (!stored) {
      fault(read_trouble_, stored.error().what);
      continue;
    }
    known = Known{product->seconds, 0,
                  (!known || known->is_whole) && product->blobs.empty() && stored->record().children.empty()};
    std::size_t next = 0;
    for (const OutputRecord& output : stored->record().outputs) {
      if (output.signature.size_bytes <= kInlineBytes || next == product->blobs.size()) continue;
      known->blob_bytes += product->blobs[next].size_bytes;
      blobs_[output.hash] = product->blobs[next++];
    }
    local_.put(key, stored->record(), stored->small());
    got_.insert(key);
  }
  return known;
}

void RemoteStore::get_products(const ContentHash& key, double priority, Unwanted unwanted,
                               std::function<void(std::optional<Known>)> done) {
  Request request{Method::kGet, entry_path(key), {}, kMaxEntryBytes, kUsualEntryBytes, priority, unwanted, {}};
  ask(std::move(request), [this, key, unwanted, done = std::move(done)](const Answer& answer) {
    if (*unwanted) return done(std::nullopt);
    ++summary_.asked;
    std::optional<Known> known;
    if (is_healthy(read_trouble_, answer) && answer.ok()) known = take_entry(key, answer.body);
    if (known) ++summary_.found;
    done(known);
  });
}

bool RemoteStore::knows_blob(const ContentHash& hash) const { return blobs_.contains(hash); }

void RemoteStore::get_blob(const ContentHash& hash, std::uint64_t size_bytes, double priority, Unwanted unwanted,
                           std::function<void()> done) {
  const SharedBlob shared = blobs_.at(hash);
  Request request{
      Method::kGet, blob_path(shared.name), {}, shared.size_bytes, shared.size_bytes, priority, unwanted, {}};
  ask(std::move(request), [this, hash, size_bytes, shared, unwanted, done = std::move(done)](const Answer& answer) {
    if (!*unwanted && is_healthy(read_trouble_, answer) && answer.ok()) {
      const bool same = answer.body.size() == shared.size_bytes && bundle::sha256(answer.body) == shared.name;
      if (!same || !local_.put_packed_blob(hash, size_bytes, {answer.body, shared.packed}))
        fault(read_trouble_, "sent other bytes than those asked for");
    }
    done();
  });
}

void RemoteStore::offer(const ContentHash& key, double seconds) {
  if (!settings_.writes) return;
  {
    const std::lock_guard lock(mutex_);
    offered_.emplace_back(key, seconds);
  }
  post([this] { start_uploads(); });
}

// What is offered next, read and described; null where there is nothing, or it is gone.
std::shared_ptr<RemoteStore::Upload> RemoteStore::prepare(const ContentHash& key, double seconds) {
  auto upload = std::make_shared<Upload>();
  upload->key = key;
  upload->product.seconds = static_cast<float>(seconds);
  const auto products = got_.contains(key) ? std::vector<StoredProduct>() : local_.find(key);
  if (products.empty()) return nullptr;
  const StoredProduct& product = products.front();
  upload->product.encoded = Bytes(StoredProduct::encode(product.record(), product.small()));
  upload->bytes = upload->product.encoded.size();
  for (const OutputRecord& output : product.record().outputs) {
    if (output.signature.size_bytes <= kInlineBytes) continue;
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
    std::pair<ContentHash, double> offered;
    {
      const std::lock_guard lock(mutex_);
      if (write_trouble_.given_up) {
        offered_.clear();
        next_.reset();
      }
      if ((offered_.empty() && !next_) || uploads_ == kMaxUploads) {
        changed_.notify_all();
        return;
      }
      if (!next_) {
        offered = offered_.front();
        offered_.pop_front();
        ++uploads_;
      }
    }
    if (!next_) next_ = prepare(offered.first, offered.second);
    if (!next_) {
      end_upload(0);
      continue;
    }
    if (upload_bytes_ != 0 && upload_bytes_ + next_->bytes > kMaxUploadBytes) return;
    const auto upload = std::exchange(next_, nullptr);
    upload_bytes_ += upload->bytes;
    ask({Method::kGet, entry_path(upload->key), {}, kMaxEntryBytes, kUsualEntryBytes, kUploadPriority, nullptr, {}},
        [this, upload](const Answer& answer) {
          if (!is_healthy(write_trouble_, answer)) return end_upload(upload->bytes);
          merge(upload, answer.ok() ? answer.body : Bytes());
        });
  }
}

// Keeps what others have written under the key.
void RemoteStore::merge(const std::shared_ptr<Upload>& upload, const Bytes& existing) {
  const auto entry =
      existing.empty() ? Entry() : decode_entry(upload->key, existing, settings_.trust).value_or(Entry());
  const auto same = [&](const SharedProduct& product) {
    return std::ranges::equal(product.encoded.span(), upload->product.encoded.span());
  };
  if (std::ranges::any_of(entry.products, same)) return end_upload(upload->bytes);
  const std::size_t kept = std::min(entry.sealed.size(), kMaxProducts - 1);
  upload->others.assign(entry.sealed.begin(), entry.sealed.begin() + static_cast<std::ptrdiff_t>(kept));
  upload_blobs(upload);
}

// One after another: a product has a few, and other products are on their way too.
void RemoteStore::upload_blobs(const std::shared_ptr<Upload>& upload) {
  if (upload->left.empty()) return upload_entry(upload);
  const Upload::Blob blob = upload->left.back();
  upload->left.pop_back();
  const std::string path = blob_path(blob.shared.name);
  ask({Method::kHead, path, {}, 0, 0, kUploadPriority, nullptr, {}}, [this, upload, blob, path](const Answer& there) {
    if (there.ok()) return upload_blobs(upload);
    if (!is_healthy(write_trouble_, there)) return end_upload(upload->bytes);
    auto bytes = local_.packed_blob(blob.hash);
    if (!bytes || bundle::sha256(bytes->bytes) != blob.shared.name) return end_upload(upload->bytes);
    ask({Method::kPut, path, std::move(bytes->bytes), 0, 0, kUploadPriority, nullptr, {}},
        [this, upload](const Answer& answer) {
          if (!answer.ok()) {
            fault(write_trouble_, answer.trouble);
            return end_upload(upload->bytes);
          }
          write_trouble_.failures = 0;
          upload_blobs(upload);
        });
  });
}

void RemoteStore::upload_entry(const std::shared_ptr<Upload>& upload) {
  std::vector<Bytes> sealed{
      seal_product(upload->key, upload->product, settings_.signing ? &*settings_.signing : nullptr)};
  std::ranges::move(upload->others, std::back_inserter(sealed));
  ask({Method::kPut, entry_path(upload->key), Bytes(encode_entry(sealed)), 0, 0, kUploadPriority, nullptr, {}},
      [this, upload](const Answer& answer) {
        if (answer.ok()) {
          write_trouble_.failures = 0;
          ++summary_.uploaded;
        } else {
          fault(write_trouble_, answer.trouble);
        }
        end_upload(upload->bytes);
      });
}

void RemoteStore::end_upload(std::uint64_t bytes) {
  upload_bytes_ -= bytes;
  {
    const std::lock_guard lock(mutex_);
    --uploads_;
  }
  post([this] { start_uploads(); });
}

RemoteStore::Summary RemoteStore::finish() {
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return offered_.empty() && uploads_ == 0; });
  }
  // Without it the next build guesses.
  (void)costs_.save();
  Summary summary;
  std::promise<void> done;
  post([&] {
    summary = std::move(summary_);
    summary.transfers = transfers_->totals();
    summary.records = transfers_->records();
    // A build that was done before the server had failed for good.
    if (read_trouble_.first.empty() && summary.found == 0) read_trouble_.first = summary.transfers.retried;
    const auto tell = [&](const std::string& what, const std::string& hint) {
      summary.troubles.push_back({ErrorCode::kIo, settings_.endpoint.url, {}, what, hint});
    };
    const auto said = [](const Trouble& trouble, const char* verb) {
      return trouble.first + (trouble.given_up ? std::string("; nothing more was ") + verb : std::string());
    };
    if (!read_trouble_.first.empty()) {
      tell(said(read_trouble_, "asked of it"),
           "what it did not give was compiled here; see that the shared cache is up");
    } else if (!write_trouble_.first.empty()) {
      tell(said(write_trouble_, "sent to it"), "others will compile what is missing; see that the shared cache is up");
    }
    if (refused_ > 0) {
      tell("has " + counted(refused_, "product") + " that no key of cache.trust has signed",
           "they were compiled here; see who writes to the shared cache");
    }
    done.set_value();
  });
  done.get_future().wait();
  return summary;
}

}  // namespace assetc::engine
