// The recipe of an index: the index without data that follows from the rest, so that an edit changes only a few bytes.
#pragma once

#include <cstring>
#include <optional>
#include <unordered_map>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/pak.hpp"

namespace assetc::pak {

ByteVector recipe_of(const View& view);

// Returns header, index and footer of the bundle with this recipe, one after another. Offsets, owners and first refs
// follow from the rules of the format. Errors: kInvalidData.
Result<ByteVector> follow_recipe(ByteSpan recipe, const Header& header, const Footer& footer);

// Finds the blocks of a bundle by their stored bytes.
class BlockNumbers {
 public:
  explicit BlockNumbers(const View& view) : view_(view) {
    numbers_.reserve(view.blocks().size());
    for (std::uint32_t i = 0; i < view.blocks().size(); ++i) numbers_.try_emplace(view.blocks()[i].stored_sha256, i);
  }
  std::optional<std::uint32_t> find(const Block& block) const {
    const auto it = numbers_.find(block.stored_sha256);
    if (it == numbers_.end() || view_.blocks()[it->second].stored_size_bytes != block.stored_size_bytes)
      return std::nullopt;
    return it->second;
  }

 private:
  struct Hash {
    std::size_t operator()(const Sha256& hash) const {
      std::size_t start = 0;
      std::memcpy(&start, hash.data(), sizeof start);
      return start;
    }
  };
  View view_;
  std::unordered_map<Sha256, std::uint32_t, Hash> numbers_;
};

}  // namespace assetc::pak
