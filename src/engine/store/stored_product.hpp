// What a step made, as stores keep it: its record, and what little of its outputs fits beside that.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "engine/state/state.hpp"

namespace assetc::engine {

// Outputs of at most so many bytes lie in the record: a hundred thousand small files are as many reads, not twice that.
inline constexpr std::size_t kInlineBytes = 8u << 10;

class StoredProduct {
 public:
  // Records of one key have the same bytes wherever they are read. Signatures mean nothing here. Texts of the record
  // live as long as the product.
  const StepRecord& record() const { return record_; }
  // Of the record's outputs, those of at most kInlineBytes; empty in place of others.
  std::span<const Bytes> small() const { return small_; }

  // What it was decoded from.
  const Bytes& encoded() const { return encoded_; }

  // small: one for each output, empty in place of those above kInlineBytes.
  static ByteVector encode(const ContentHash& key, const StepRecord& record, std::span<const Bytes> small);
  // Errors: kInvalidData for what is damaged or of another key, by checksum(), and for small outputs that have not the
  // bytes that the record says.
  static Result<StoredProduct> decode(const ContentHash& key, const Bytes& encoded);
  // What stands behind a product's bytes.
  static std::uint64_t checksum(const ContentHash& key, ByteSpan bytes);

 private:
  std::shared_ptr<State> state_;  // what the record's texts lie in
  StepRecord record_;
  std::vector<Bytes> small_;
  Bytes encoded_;
};

// The products of one key, newest first: what they were made of beside what is in the key tells them apart.
ByteVector encode_products(std::span<const Bytes> encoded);
// The parts of what encode_products wrote, not yet decoded. Errors: kInvalidData for what is damaged, by a checksum.
Result<std::vector<Bytes>> split_products(const Bytes& file);

}  // namespace assetc::engine
