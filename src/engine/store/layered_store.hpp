// A store in front of another one. It keeps what the other one returns, so that the next build finds it in front.
#pragma once

#include "engine/store/store.hpp"

namespace assetc::engine {

// Finds only what is in front. Requests go to the store behind: their callers have searched the front, and know why
// nothing there fits.
class LayeredStore final : public Store {
 public:
  // Both must outlive this object.
  LayeredStore(Store& front, Store& behind) : front_(front), behind_(behind) {}

  std::vector<StoredProduct> find(const ContentHash& key, const std::optional<ContentHash>& batch) override {
    return front_.find(key, batch);
  }
  std::optional<PackedBlob> packed_blob(const ContentHash& hash) override { return front_.packed_blob(hash); }
  bool has_blob(const ContentHash& hash) override { return front_.has_blob(hash); }
  std::optional<Bytes> blob(const ContentHash& hash, std::uint64_t size_bytes) override {
    return front_.blob(hash, size_bytes);
  }

  // Written in front. The store behind takes it from there.
  void put_blob(const ContentHash& hash, const Bytes& bytes) override { front_.put_blob(hash, bytes); }
  void put(const MadeProduct& made) override;
  void keep(const ContentHash& key, const StoredProduct& product, const std::optional<ContentHash>& batch) override {
    front_.keep(key, product, batch);
  }
  void keep_blob(const ContentHash& hash, const PackedBlob& blob, const std::optional<ContentHash>& batch) override {
    front_.keep_blob(hash, blob, batch);
  }
  void end_batch(const ContentHash& batch) override { front_.end_batch(batch); }
  void share(const Offer& offer) override { behind_.offer(offer, front_); }

  void get(const ProductQuery& query, std::function<void(std::optional<FoundProducts>)> done) override;
  void get_blob(const BlobQuery& query, std::function<void(const PackedBlob&)> keep,
                std::function<void()> done) override;
  void post(std::function<void()> task) override { behind_.post(std::move(task)); }
  bool knows_blob(const ContentHash& hash) override { return behind_.knows_blob(hash); }
  void not_found(const ContentHash& key) override { behind_.not_found(key); }
  bool is_readable() const override { return behind_.is_readable(); }
  bool races() const override { return behind_.races(); }
  Costs* costs() override { return front_.costs(); }

 private:
  Store& front_;
  Store& behind_;
};

}  // namespace assetc::engine
