#include "codec/encode/rdo/block_rdo.hpp"

#include <algorithm>
#include <cstring>

#include "codec/encode/common/thread_memory.hpp"
#include "parallel/parallel.hpp"

namespace assetc::codec {
namespace {

// The least number of blocks in a segment. Matches found within such segments cost Zstd's tables little more than
// matches found in the whole picture.
constexpr std::size_t kSegmentBlocks = 8192;
constexpr std::size_t kMostFamilies = 2;

class Segment {
 public:
  Segment(const TexelView& image, std::size_t first, const EncodeOptions& options, std::span<const RdoFamily> families,
          unsigned block_bytes, std::span<std::byte> blocks)
      : image_(image),
        first_(first),
        lambda_(options.rdo),
        families_(families),
        block_bytes_(block_bytes),
        blocks_(blocks),
        cost_(blocks, block_bytes),
        windows_{RdoWindow(rdo_search_of(options.effort)), RdoWindow(rdo_search_of(options.effort))} {}

  void run() {
    const std::size_t count = blocks_.size() / block_bytes_;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Choice choice = choose(i);
      std::memcpy(&blocks_[i * block_bytes_], choice.bytes.data(), block_bytes_);
      cost_.accept(choice.bytes, choice.parse);
      remember(i, choice.bytes);
    }
  }

 private:
  struct Choice {
    RdoBytes bytes{};
    ZstdCost::Parse parse;
    float cost = 0;
  };

  std::uint32_t family_count() const { return static_cast<std::uint32_t>(families_.size()); }
  const RdoFamily& family_of(std::uint32_t at) const { return families_[at % family_count()]; }

  RdoBytes bytes_at(std::uint32_t at) const {
    RdoBytes bytes{};
    std::memcpy(bytes.data(), &blocks_[at * block_bytes_], block_bytes_);
    return bytes;
  }

  ZstdCost::Parse parse(std::uint32_t at, const RdoBytes& bytes, MatchDistance distance) const {
    const MatchDistance step = family_count();
    return cost_.parse(at, bytes, std::array{distance, step, image_.blocks_across() * step});
  }

  Choice choose(std::uint32_t at) {
    const RdoFamily& family = family_of(at);
    RdoTexels source(family.load(image_, first_ + at / family_count()), family.weights);
    Choice best{.bytes = bytes_at(at), .parse = {}};
    best.parse = parse(at, best.bytes, 0);
    if (std::ranges::count(source.texels, source.texels[0]) == kBlockTexels) return best;
    if (family.channels != 0) source.channels = family.channels;
    const float lambda = lambda_ / smooth_factor(source);
    best.cost = measure_rdo_error(source, family.decode(best.bytes)) + lambda * best.parse.bits;
    const auto candidates = windows_[at % family_count()].find(
        {source, at, lambda, best.cost}, cost_,
        [&](std::uint8_t kind, RdoReuse reuse) { return family.allows(source, kind, reuse); },
        [&](std::uint8_t kind) { return (family.tail_bit(kind) + 7) / 8; },
        [&](std::uint8_t kind) { return block_bytes_ - family.tail_bit(kind) / 8; });
    for (const auto& [expected, reuse, from] : candidates) {
      if (expected >= best.cost) break;
      RdoBytes bytes = bytes_at(from);
      if (reuse == RdoReuse::kHead) family.fit_weights(bytes, source);
      if (reuse == RdoReuse::kTail && !family.fit_ends(bytes, source)) continue;
      const float error = measure_rdo_error(source, family.decode(bytes));
      if (error >= best.cost) continue;
      const ZstdCost::Parse parsed = parse(at, bytes, at - from);
      if (const float cost = error + lambda * parsed.bits; cost < best.cost) best = {bytes, parsed, cost};
    }
    return best;
  }

  void remember(std::uint32_t at, const RdoBytes& bytes) {
    const RdoFamily& family = family_of(at);
    RdoWindow& window = windows_[at % family_count()];
    const BlockTexels decoded = family.decode(bytes);
    const std::uint8_t kind = family.kind(bytes, decoded);
    const Bits128 bits = Bits128::load(bytes.data());
    window.add_whole(at, bits, kind, [&] { return decoded; });
    const unsigned tail_bit = family.tail_bit(kind);
    if (tail_bit == 0) return;
    window.add_parts(at, bits, kind, tail_bit, [&] { return family.line(bytes, family.weights); }, family.weights);
  }

  const TexelView& image_;
  std::size_t first_;
  float lambda_;
  std::span<const RdoFamily> families_;
  unsigned block_bytes_;  // of a family's blocks
  std::span<std::byte> blocks_;
  ZstdCost cost_;
  std::array<RdoWindow, kMostFamilies> windows_;
};

}  // namespace

std::uint32_t rdo_segment_rows(std::uint32_t width) {
  const std::size_t across = (std::size_t{width} + 3) / 4;
  return static_cast<std::uint32_t>((kSegmentBlocks + across - 1) / across) * 4;
}

void for_each_rdo_segment(const TexelView& image, std::span<std::byte> blocks, std::size_t block_bytes,
                          const std::function<void(std::size_t first, std::span<std::byte> blocks)>& rewrite) {
  const std::size_t segment = std::size_t{rdo_segment_rows(image.width)} / 4 * image.blocks_across();
  const std::size_t segments = (image.block_count() + segment - 1) / segment;
  parallel_for(segments, [&](std::size_t i) {
    const std::size_t first = i * segment, count = std::min(segment, image.block_count() - first);
    rewrite(first, blocks.subspan(first * block_bytes, count * block_bytes));
  });
}

void apply_block_rdo(const TexelView& image, const EncodeOptions& options, std::span<const RdoFamily> families,
                     std::size_t block_bytes, std::span<std::byte> blocks) {
  for_each_rdo_segment(image, blocks, block_bytes, [&](std::size_t first, std::span<std::byte> some) {
    const auto bytes = static_cast<unsigned>(block_bytes / families.size());
    OnThread<Segment>(image, first, options, families, bytes, some)->run();
  });
}

}  // namespace assetc::codec
