// The result of a step as stores keep it: its record, together with its small outputs.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "engine/state/state.hpp"

namespace assetc::engine {

// Outputs up to this size are stored next to the record, so that 100,000 small files need 100,000 reads, not 200,000.
inline constexpr std::size_t kInlineBytes = 8u << 10;

// Cheap to copy: copies share their content.
class StoredProduct {
 public:
  // The bytes of a record are the same on every machine. Signatures have no meaning in it. The record's texts live as
  // long as the product.
  const StepRecord& record() const { return content_->record; }
  // One element for each output of the record. Empty for outputs larger than kInlineBytes.
  std::span<const Bytes> small() const { return content_->small; }

  // The bytes that it was decoded from.
  const Bytes& encoded() const { return content_->encoded; }

  // small: one element for each output; empty for those larger than kInlineBytes.
  static ByteVector encode(const ContentHash& key, const StepRecord& record, std::span<const Bytes> small);
  // Errors: kInvalidData if the bytes are damaged or belong to another key (see checksum()), or if a small output does
  // not match its record.
  static Result<StoredProduct> decode(const ContentHash& key, const Bytes& encoded);
  // The checksum at the end of an encoded product.
  static std::uint64_t checksum(const ContentHash& key, ByteSpan bytes);

 private:
  struct Content {
    State state;  // owns the record's texts
    StepRecord record;
    std::vector<Bytes> small;
    Bytes encoded;
  };
  explicit StoredProduct(std::shared_ptr<const Content> content) : content_(std::move(content)) {}

  std::shared_ptr<const Content> content_;
};

// The products of one key, newest first. They differ in inputs that are not part of the key.
ByteVector encode_products(std::span<const Bytes> encoded);
// Splits what encode_products wrote. The parts are not yet decoded. Errors: kInvalidData if the checksum does not
// match.
Result<std::vector<Bytes>> split_products(const Bytes& file);

}  // namespace assetc::engine
