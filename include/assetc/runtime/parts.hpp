// Assets in parts: small levels of a texture before large ones, a coarse mesh before the whole one, a sound by the
// chunk.
//
// A part is read, decoded and finalized as an asset is: in the same queues, budgets and priorities. An asset in parts
// is ready when its first part is; a part that comes later takes the place of what is there behind the same refs, as a
// reload does.
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
  // Requires as many bytes as the range has.
  void add(const ContentRange& range, Bytes bytes);
  // The bytes of a range, joined where several reads had them; nothing where some are missing.
  std::optional<Bytes> find(const ContentRange& range) const;
  // All that is there without a gap from the start on.
  Bytes prefix() const;
  // The parts of these ranges that are missing, in order; those that lie close together are one.
  std::vector<ContentRange> lacking(std::vector<ContentRange> ranges) const;
  // Copies all that is there to its place in the content. Requires out to be as large as the content.
  void copy_to(std::span<std::byte> out) const;
  std::span<const Piece> pieces() const { return pieces_; }
  std::uint64_t size_bytes() const;

 private:
  std::vector<Piece> pieces_;
};

// The level of the first part: the finest that the first read has.
inline constexpr std::uint32_t kFirstLevel = 0xffffffffu;

struct PartInput {
  const AssetDesc& desc;
  const Catalog& catalog;
  const std::atomic<bool>& canceled;  // may turn true meanwhile; then the result is dropped
  std::uint64_t content_bytes;        // of the whole asset
  const PartContent& content;         // that was read for this part
  std::uint32_t level;                // to be made: 0 is the finest; or kFirstLevel
  std::uint64_t most_first_bytes;     // that a first part is to become, but for its coarsest level
  // Of the loader: what plan found out, for the calls that follow.
  std::shared_ptr<void>& progress;
  // For decode to fill, as of LoadInput.
  std::vector<AssetHandle> hard{}, soft{};
};

struct PartPlan {
  std::vector<ContentRange> ranges{};  // to be read first; empty: decode has all that it needs
  std::uint64_t decoded_bytes = 0;     // that decode will allocate
};

// The levels of a value.
struct PartLevels {
  std::uint32_t first = 0;   // the finest that it has
  std::uint32_t finest = 0;  // that there can be
  std::uint32_t count = 1;   // of the whole asset
  // What a value holds whose finest level is that, for the budgets; of `count` levels.
  std::vector<std::uint64_t> value_bytes{};
};

// How a type is loaded in parts. plan and decode are called on threads of the job system.
template <class T>
struct Parts {
  std::uint64_t first_read_bytes = 64u << 10;  // from the start of an asset, before plan is called
  // What else to read. last: the value that is there, and is still used; null for the first part and after a change.
  std::function<Result<PartPlan>(PartInput&, const T* last)> plan;
  // A value that is valid in itself, with in.level as its finest level. It may share bytes with the last one.
  std::function<Result<T>(PartInput&, const T* last)> decode;
  std::function<PartLevels(const T&)> levels;
};

// The same of a loader whose type only it knows.
struct AnyParts {
  std::uint64_t first_read_bytes = 0;
  std::function<Result<PartPlan>(PartInput&, const void* last)> plan;
  std::function<Result<void*>(PartInput&, const void* last)> decode;
  std::function<PartLevels(const void*)> levels;
};

template <class T>
AnyParts erase(Parts<T> parts) {
  AnyParts any{.first_read_bytes = parts.first_read_bytes, .plan = {}, .decode = {}, .levels = {}};
  any.plan = [plan = std::move(parts.plan)](PartInput& in, const void* last) {
    return plan(in, static_cast<const T*>(last));
  };
  any.decode = [decode = std::move(parts.decode)](PartInput& in, const void* last) -> Result<void*> {
    auto value = decode(in, static_cast<const T*>(last));
    if (!value) return std::unexpected(std::move(value).error());
    return std::make_unique<T>(std::move(*value)).release();
  };
  any.levels = [levels = std::move(parts.levels)](const void* value) { return levels(*static_cast<const T*>(value)); };
  return any;
}

}  // namespace assetc::runtime
