#include "engine/store/layered_store.hpp"

#include <ranges>

namespace assetc::engine {

void LayeredStore::get(const ProductQuery& query, std::function<void(std::optional<FoundProducts>)> done) {
  behind_.get(query, [this, query, done = std::move(done)](std::optional<FoundProducts> found) {
    if (found) {
      for (const FoundProducts::Blob& blob : found->blobs) front_.keep_blob(blob.hash, blob.blob, query.batch);
      // Keep the newest product last, so that it is found first.
      for (const StoredProduct& product : found->products | std::views::reverse)
        front_.keep(query.key, product, query.batch);
      if (found->is_last_of_batch && query.batch) front_.end_batch(*query.batch);
    }
    done(std::move(found));
  });
}

void LayeredStore::get_blob(const BlobQuery& query, std::function<void(const PackedBlob&)> keep,
                            std::function<void()> done) {
  behind_.get_blob(
      query,
      [this, hash = query.hash, keep = std::move(keep)](const PackedBlob& blob) {
        front_.keep_blob(hash, blob, std::nullopt);
        keep(blob);
      },
      std::move(done));
}

void LayeredStore::put(const MadeProduct& made) {
  front_.put({made.key, made.record, made.small, made.seconds, {}});
  share({made.key, made.seconds, made.batch});
}

}  // namespace assetc::engine
