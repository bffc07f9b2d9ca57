// A store in front of another: what that one gives is kept by the one in front, where the next build finds it.
#pragma once

#include "engine/remote/remote_store.hpp"
#include "engine/store/local_store.hpp"

namespace assetc::engine {

// Whoever asks it has looked into the store in front. Answers as the one behind does.
class LayeredStore final : public Store {
 public:
  // Both outlive it.
  LayeredStore(LocalStore& front, RemoteStore& behind) : front_(front), behind_(behind) {}

  void get(const ProductQuery& query, std::function<void(std::optional<FoundProducts>)> done) override;
  void get_blob(const BlobQuery& query, std::function<void(const PackedBlob&)> keep,
                std::function<void()> done) override;
  // Into both.
  void put_blob(const ContentHash& hash, const Bytes& bytes) override;
  void put(const MadeProduct& made) override;

  RemoteStore& behind() { return behind_; }

 private:
  LocalStore& front_;
  RemoteStore& behind_;
};

}  // namespace assetc::engine
