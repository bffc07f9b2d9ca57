#include "engine/store/store.hpp"

#include <algorithm>

#include "compression/decode.hpp"

namespace assetc::engine {

bool holds(const PackedBlob& blob, const ContentHash& hash, std::uint64_t size_bytes) {
  const std::uint64_t bytes = blob.packed ? compression::content_size(blob.bytes).value_or(~0ull) : blob.bytes.size();
  if (bytes != size_bytes) return false;
  const auto found = blob.packed ? compression::inflated_hash(blob.bytes) : std::optional(content_hash(blob.bytes));
  return found && *found == hash;
}

std::optional<Bytes> unpacked(const PackedBlob& blob, std::uint64_t size_bytes) {
  if (!blob.packed) return blob.bytes.size() == size_bytes ? std::optional(blob.bytes) : std::nullopt;
  if (compression::content_size(blob.bytes) != size_bytes) return std::nullopt;
  auto plain = compression::inflate(blob.bytes, size_bytes);
  return plain ? std::optional(Bytes(std::move(*plain))) : std::nullopt;
}

std::optional<Bytes> Store::blob(const ContentHash& hash, std::uint64_t size_bytes) {
  const auto packed = packed_blob(hash);
  auto bytes = packed ? unpacked(*packed, size_bytes) : std::nullopt;
  return bytes && content_hash(*bytes) == hash ? bytes : std::nullopt;
}

void Store::keep(const ContentHash& key, const StoredProduct& product, const std::optional<ContentHash>& batch) {
  put({key, product.record(), product.small(), 0, batch});
}

void Store::keep_blob(const ContentHash& hash, const PackedBlob& blob, const std::optional<ContentHash>&) {
  const auto size = blob.packed ? compression::content_size(blob.bytes) : std::optional(blob.bytes.size());
  if (const auto bytes = size ? unpacked(blob, *size) : std::nullopt) put_blob(hash, *bytes);
}

void Store::offer(const Offer& offer, Store& from) {
  const std::vector<StoredProduct> products = from.find(offer.key, std::nullopt);
  if (products.empty()) return;
  for (const OutputRecord& output : products.front().record().outputs) {
    if (output.signature.size_bytes <= kInlineBytes || has_blob(output.hash)) continue;
    if (const auto blob = from.packed_blob(output.hash)) keep_blob(output.hash, *blob, offer.batch);
  }
  keep(offer.key, products.front(), offer.batch);
}

// Stores that answer later keep the functions, so they are passed by value.
// NOLINTBEGIN(performance-unnecessary-value-param)
void Store::get(const ProductQuery& query, std::function<void(std::optional<FoundProducts>)> done) {
  FoundProducts found;
  found.products = find(query.key, query.batch);
  found.is_whole = std::ranges::all_of(found.products, [](const StoredProduct& product) {
    const StepRecord& record = product.record();
    return record.children.empty() && std::ranges::all_of(record.outputs, [](const OutputRecord& output) {
             return output.signature.size_bytes <= kInlineBytes;
           });
  });
  done(found.products.empty() ? std::nullopt : std::optional(std::move(found)));
}

void Store::get_blob(const BlobQuery& query, std::function<void(const PackedBlob&)> keep, std::function<void()> done) {
  const auto blob = packed_blob(query.hash);
  if (blob && holds(*blob, query.hash, query.size_bytes)) keep(*blob);
  done();
}

void Store::post(std::function<void()> task) { task(); }
// NOLINTEND(performance-unnecessary-value-param)

}  // namespace assetc::engine
