// Loading in parts: small levels of a texture before large ones, a coarse mesh before the whole mesh, a sound by the
// chunk.
//
// Each part is read, decoded and finalized like an asset, in the same queues, budgets and priorities. The asset is
// ready when its first part is ready. A later part replaces the value behind the same refs, as a reload does.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/handle.hpp"
#include "assetc/runtime/memory.hpp"

namespace assetc::runtime {

// A range of the content of an asset.
struct ContentRange {
  std::uint64_t offset_bytes = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t end() const { return offset_bytes + size_bytes; }
  bool operator==(const ContentRange&) const = default;
};

// The ranges of an asset's content that have been read.
class PartContent {
 public:
  struct Piece {
    ContentRange range;
    Bytes bytes;
  };
  // Adds the bytes of a range. Requires bytes.size() == range.size_bytes. Ranges that follow one another in the content
  // and in one mapped file become one.
  void add(const ContentRange& range, Bytes bytes);
  // Returns the bytes of a range, joined if they came in several reads. Returns nothing if some are missing.
  std::optional<Bytes> find(const ContentRange& range) const;
  // Returns whether find() returns the bytes of a range without joining them, which copies them.
  bool has_one_piece(const ContentRange& range) const;
  // Returns the place of the content if all bytes that were read lie in it, as in a mapped file: a span of
  // content_bytes of which only those bytes may be used. Returns nothing otherwise.
  std::optional<ByteSpan> in_place(std::uint64_t content_bytes) const;
  // Returns all bytes from the start to the first gap.
  Bytes prefix() const;
  // Returns the parts of these ranges that are missing, in order. Parts that are close together are merged.
  std::vector<ContentRange> lacking(std::vector<ContentRange> ranges) const;
  // Copies all available bytes to their places in the content. Requires out to have the size of the content.
  void copy_to(std::span<std::byte> out) const;
  std::span<const Piece> pieces() const { return {pieces_.data(), pieces_.size()}; }
  std::uint64_t size_bytes() const;

 private:
  std::vector<Piece> pieces_;
};

// The level of the first part: the finest level that the first read contains.
inline constexpr std::uint32_t kFirstLevel = 0xffffffffu;

struct PartInput {
  const AssetDesc& desc;
  const Catalog& catalog;
  const std::atomic<bool>& canceled;  // may become true during the call; then the result is dropped
  std::uint64_t content_bytes;        // of the whole asset
  const PartContent& content;         // read for this part so far
  std::uint32_t level;                // to create: 0 is the finest; or kFirstLevel
  std::uint64_t most_first_bytes;     // size limit of a first part, except its coarsest level
  // Data that the loader's plan stores for later calls.
  std::shared_ptr<void>& progress;
  const Memory& memory = kDefaultMemory;  // of the manager
  // Output of decode, as in LoadInput.
  std::vector<AssetHandle> hard{}, soft{};
};

struct PartPlan {
  std::vector<ContentRange> ranges{};  // to read next; empty: decode has all that it needs
  std::uint64_t decoded_bytes = 0;     // allocation of the following decode
};

// The levels of a value.
struct PartLevels {
  std::uint32_t first = 0;   // the finest level of the value
  std::uint32_t finest = 0;  // the finest level that can be loaded
  std::uint32_t count = 1;   // of the whole asset
  // For the budgets: for each of the `count` levels, the size of a value whose finest level is this one.
  std::vector<std::uint64_t> value_bytes{};
};

// The functions that load a type in parts. plan and decode are called on threads of the job system.
template <class T>
struct Parts {
  std::uint64_t first_read_bytes = 64u << 10;  // read from the start of an asset before plan is called
  // No value holds the whole content. ManagerOptions::max_asset_bytes then limits only what is decoded.
  bool is_never_whole = false;
  // Returns the ranges to read next. last: the current value, still in use; null for the first part and after a change.
  std::function<Result<PartPlan>(PartInput&, const T* last)> plan;
  // Returns a value that is valid on its own, with in.level as its finest level. It may share bytes with last.
  std::function<Result<T>(PartInput&, const T* last)> decode;
  std::function<PartLevels(const T&)> levels;
};

}  // namespace assetc::runtime
