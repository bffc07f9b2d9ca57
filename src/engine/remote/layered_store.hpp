// A local store in front of a remote store. It keeps what the remote store returns, so that the next build finds it
// locally.
#pragma once

#include "engine/remote/remote_store.hpp"
#include "engine/store/local_store.hpp"

namespace assetc::engine {

// Does not search the front store: callers must have done that. Returns the answers of the store behind.
class LayeredStore final : public Store {
 public:
  // Both must outlive this object.
  LayeredStore(LocalStore& front, RemoteStore& behind) : front_(front), behind_(behind) {}

  void get(const ProductQuery& query, std::function<void(std::optional<FoundProducts>)> done) override;
  void get_blob(const BlobQuery& query, std::function<void(const PackedBlob&)> keep,
                std::function<void()> done) override;
  // Writes to both stores.
  void put_blob(const ContentHash& hash, const Bytes& bytes) override;
  void put(const MadeProduct& made) override;

  RemoteStore& behind() { return behind_; }

 private:
  LocalStore& front_;
  RemoteStore& behind_;
};

}  // namespace assetc::engine
