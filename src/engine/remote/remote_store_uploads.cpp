// The writing part of RemoteStore: uploads products that were made here, a few at a time.
#include <algorithm>
#include <iterator>
#include <utility>

#include "engine/remote/remote_store.hpp"

namespace assetc::engine {
namespace {

// Limits on uploads in progress. There are more connections than that, so that downloads can continue.
constexpr std::size_t kMaxUploads = 48;
constexpr std::uint64_t kMaxUploadBytes = 64u << 20;
// Packed products larger than this are uploaded individually.
constexpr std::uint64_t kMaxMemberBytes = 64u << 10;
// Limits of an uploaded batch. Older members that do not fit are left out.
constexpr std::uint64_t kMaxBatchBytes = 8u << 20;
constexpr std::size_t kMaxBatchMembers = 2 * kBatchSources;
// Downloads have priority over uploads.
constexpr double kUploadPriority = -1;

}  // namespace

// A product that is being uploaded.
struct RemoteStore::Upload {
  ContentHash key;
  Store* from = nullptr;
  SharedProduct product;
  struct Blob {
    SharedBlob shared;
    ContentHash hash;
  };
  std::vector<Blob> left;  // still to be checked and uploaded
  std::vector<Bytes> others;
  bool is_there = false;  // the server has the product; its blobs may still be missing
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
  std::vector<Offered> offers;
  std::uint64_t bytes = 0;
};

void RemoteStore::ask_for_upload(Request request, std::function<void(Answer)> done) {
  request.for_upload = true;
  request.priority = kUploadPriority;
  ask(std::move(request), std::move(done));
}

void RemoteStore::offer(const Offer& offer, Store& from) {
  if (!settings_.writes) return;
  {
    const std::lock_guard lock(mutex_);
    offered_.push_back({offer, &from});
  }
  post([this] { start_uploads(); });
}

// Reads the product to upload next. Null if the other store no longer has it.
std::shared_ptr<RemoteStore::Upload> RemoteStore::prepare(const Offered& offered) {
  auto upload = std::make_shared<Upload>();
  upload->key = offered.offer.key;
  upload->from = offered.from;
  upload->product.seconds = static_cast<float>(offered.offer.seconds);
  const auto products = offered.from->find(offered.offer.key, std::nullopt);
  if (products.empty()) return nullptr;
  const StoredProduct& product = products.front();
  upload->product.encoded = product.encoded();
  upload->bytes = upload->product.encoded.size();
  for (const OutputRecord& output : product.record().outputs) {
    if (output.signature.size_bytes <= kInlineBytes) continue;
    if (output.signature.size_bytes > kMaxBlobBytes) return nullptr;
    const auto blob = offered.from->packed_blob(output.hash);
    if (!blob) return nullptr;
    const SharedBlob shared{bundle::sha256(blob->bytes), blob->bytes.size(), blob->packed};
    upload->product.blobs.push_back(shared);
    upload->left.push_back({shared, output.hash});
    upload->bytes += shared.size_bytes;
  }
  return upload;
}

// Gathered batches are due every kBatchTime, and at the end.
void RemoteStore::find_due_batches() {
  const Clock::Time now = clock_.now();
  if (!ending_ && now < batches_end_) return;
  batches_end_ = now + kBatchTime;
  due_.merge(batches_);  // a batch that is due already stays, and is due again later
}

void RemoteStore::start_uploads() {
  for (;;) {
    Offered offered;
    decltype(batches_)::node_type batch;
    {
      const std::lock_guard lock(mutex_);
      if (write_trouble_.given_up) {
        summary_.not_uploaded += offered_.size() + (next_ ? 1 : 0);
        for (const auto* batches : {&batches_, &due_}) {
          for (const auto& [name, gathered] : *batches) summary_.not_uploaded += gathered.offers.size();
        }
        offered_.clear();
        batches_.clear();
        due_.clear();
        if (next_) --uploads_;
        next_.reset();
      }
      if (offered_.empty()) find_due_batches();
      const auto due =
          std::ranges::find_if(due_, [&](const auto& one) { return !uploading_batches_.contains(one.first); });
      const bool batch_is_next = offered_.empty() && !next_ && due != due_.end();
      if ((offered_.empty() && !next_ && !batch_is_next) || (uploads_ >= kMaxUploads && !next_)) {
        if (ending_ && uploads_ == 0) refresh_used();
        changed_.notify_all();
        return;
      }
      if (batch_is_next) {
        if (upload_bytes_ != 0 && upload_bytes_ + due->second.bytes > kMaxUploadBytes) return;
        batch = due_.extract(due);
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
      // A product that was restored from the server is already there.
      const bool came = offered.offer.seconds == 0 && got_.contains(offered.offer.key);
      if (!came) next_ = prepare(offered);
      const bool travels = next_ && offered.offer.batch && gather(offered, next_->bytes);
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
                     note_use(entry_path(upload->key), answer);
                     merge(upload, answer.ok() ? answer.body : Bytes());
                   });
  }
}

// Adds the product to its batch if it fits.
bool RemoteStore::gather(const Offered& offered, std::uint64_t bytes) {
  if (bytes > kMaxMemberBytes) return false;
  const std::lock_guard lock(mutex_);
  Gathered& batch = batches_[*offered.offer.batch];
  if (batch.bytes + bytes > kMaxBatchBytes || batch.offers.size() == kMaxBatchMembers) return false;
  batch.offers.push_back(offered);
  batch.bytes += bytes;
  return true;
}

// Keeps the products that others have written for the same key.
void RemoteStore::merge(const std::shared_ptr<Upload>& upload, const Bytes& existing) {
  const auto entry =
      existing.empty() ? Entry() : decode_entry(upload->key, existing, settings_.trust).value_or(Entry());
  for (const Bytes& sealed : entry.sealed) {
    const auto product = open_product({upload->key, sealed}, settings_.trust).value_or(std::nullopt);
    if (product && std::ranges::equal(product->encoded.span(), upload->product.encoded.span())) {
      // Another machine may have packed the blobs with a different compressor.
      upload->is_there = upload->is_there || product->blobs == upload->product.blobs;
    } else {
      upload->others.push_back(sealed);
    }
  }
  upload_blobs(upload);
}

void RemoteStore::note_use(const std::string& path, const Answer& answer) {
  if (listed_ && answer.ok() && answer.age_s > kRefreshAgeSeconds) used_.insert(path);
}

// Tells the server which files were used, when nothing else will write them: a copy of a file to itself could undo
// that. The caller holds mutex_.
void RemoteStore::refresh_used() {
  refreshed_ = true;
  if (write_trouble_.given_up) used_.clear();
  for (const std::string& path : used_) {
    ++uploads_;
    ask_for_upload(listed_->refresh(path), [this](const Answer& answer) {
      (void)is_healthy(write_trouble_, answer);
      end_upload(0, 0);
    });
  }
  used_.clear();
}

void RemoteStore::put(const std::string& path, Bytes body, std::function<void(PutResult)> done) {
  const std::uint64_t bytes = body.size();
  used_.erase(path);
  Request request{.method = Method::kPut, .path = path, .body = std::move(body)};
  ask_for_upload(std::move(request), [this, bytes, done = std::move(done)](const Answer& answer) {
    if (answer.status == kTooLarge && !answer.ok() && !answer.dropped) return done({.too_large_bytes = bytes});
    // "Not found" is a normal answer to a read, but an error for a write.
    if (is_healthy(write_trouble_, answer) && !answer.ok()) fault(write_trouble_, answer.trouble);
    if (answer.ok()) write_trouble_.failures = 0;
    done({.is_kept = answer.ok()});
  });
}

// Nothing if the other store has other bytes by now.
std::optional<Bytes> RemoteStore::bytes_of(const SharedBlob& shared, const ContentHash& hash, Store& from) {
  auto packed = from.packed_blob(hash);
  if (!packed || bundle::sha256(packed->bytes) != shared.name) return std::nullopt;
  return std::move(packed->bytes);
}

// Uploads blobs one after another. A product has few blobs, and other products are uploaded at the same time.
void RemoteStore::upload_blobs(const std::shared_ptr<Upload>& upload) {
  if (upload->left.empty()) return upload->is_there ? end_upload(upload->bytes, 0) : upload_entry(upload);
  const Upload::Blob blob = upload->left.back();
  upload->left.pop_back();
  const std::string path = blob_path(blob.shared.name);
  ask_for_upload({.method = Method::kHead, .path = path}, [this, upload, blob, path](const Answer& there) {
    note_use(path, there);
    if (there.ok()) return upload_blobs(upload);
    if (!is_healthy(write_trouble_, there)) return end_upload(upload->bytes, 1);
    auto bytes = bytes_of(blob.shared, blob.hash, *upload->from);
    if (!bytes) return end_upload(upload->bytes, 1);
    put(path, std::move(*bytes), [this, upload](PutResult put) {
      if (put.is_kept) return upload_blobs(upload);
      count_too_large(put);
      end_upload(upload->bytes, 1);
    });
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
  if (entry.size() > kMaxEntryBytes) return end_upload(upload->bytes, 1);  // readers would refuse it
  put(entry_path(upload->key), Bytes(std::move(entry)), [this, upload](PutResult put) {
    if (put.is_kept) ++summary_.uploaded;
    count_too_large(put);
    end_upload(upload->bytes, put.is_kept ? 0 : 1);
  });
}

void RemoteStore::count_too_large(const PutResult& put) {
  if (put.too_large_bytes == 0) return;
  const std::uint64_t least = summary_.too_large == 0 ? put.too_large_bytes : summary_.least_refused_bytes;
  summary_.least_refused_bytes = std::min(least, put.too_large_bytes);
  ++summary_.too_large;
}

// The members of a batch that is too large for the server may fit one by one.
void RemoteStore::offer_one_by_one(const std::vector<Offered>& offers) {
  const std::lock_guard lock(mutex_);
  for (Offered offered : offers) {
    offered.offer.batch.reset();
    offered_.push_back(std::move(offered));
  }
}

void RemoteStore::start_batch(const ContentHash& batch, const std::vector<Offered>& offers) {
  auto upload = std::make_shared<BatchUpload>();
  upload->batch = batch;
  uploading_batches_.insert(batch);
  for (const Offered& offered : offers) {
    const auto one = prepare(offered);
    std::vector<Bytes> blobs;
    if (one) {
      for (const Upload::Blob& blob : one->left) {
        if (auto bytes = bytes_of(blob.shared, blob.hash, *one->from)) blobs.push_back(std::move(*bytes));
      }
    }
    if (one && blobs.size() == one->left.size()) {
      upload->bytes += one->bytes;
      upload->members.push_back({offered.offer.key, std::move(one->product), std::move(blobs)});
      upload->offers.push_back(offered);
    } else {
      ++summary_.not_uploaded;
    }
  }
  upload_bytes_ += upload->bytes;
  ask_for_upload({.path = batch_path(batch), .max_bytes = kMaxEntryBytes, .usual_bytes = kUsualBatchBytes},
                 [this, upload](const Answer& answer) {
                   note_use(batch_path(upload->batch), answer);
                   if (!is_healthy(write_trouble_, answer)) return end_batch_upload(*upload, upload->members.size());
                   merge_batch(upload, answer.ok() ? answer.body : Bytes());
                 });
}

// Writes our members first, then as many of the existing ones as fit.
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
  if (count == 0) return end_batch_upload(*upload, 0);
  for (const BatchMember& member : there) {
    bytes += member.size();
    if (bytes > kMaxBatchBytes || members.size() >= kMaxBatchMembers) break;
    members.push_back(member);
  }
  put(batch_path(upload->batch), Bytes(encode_batch(members)), [this, upload, count](PutResult put) {
    if (put.is_kept) {
      summary_.uploaded += count;
      ++summary_.batches;
    }
    if (put.too_large_bytes != 0) offer_one_by_one(upload->offers);
    end_batch_upload(*upload, put.is_kept || put.too_large_bytes != 0 ? 0 : count);
  });
}

void RemoteStore::end_batch_upload(const BatchUpload& upload, std::size_t failed) {
  uploading_batches_.erase(upload.batch);
  end_upload(upload.bytes, failed);
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

}  // namespace assetc::engine
