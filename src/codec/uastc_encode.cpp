#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>

#include "codec/bise.hpp"
#include "codec/encode.hpp"
#include "codec/etc1_lanes.hpp"
#include "codec/uastc_block.hpp"
#include "codec/uastc_hints.hpp"
#include "codec/uastc_search.hpp"

namespace assetc::codec {
namespace {

// Blocks searched together: enough that sorting them by kind and difficulty fills the lanes, few enough
// that a tile stays in the second-level cache.
constexpr std::size_t kTileBlocks = 512;
// A channel that does not count still breaks ties, and keeps the arithmetic away from 0 / 0.
constexpr float kTieWeight = 1.0f / 1024;

struct Image {
  const std::uint8_t* texels;
  std::uint32_t width, height;
  std::size_t stride_bytes;
};

void load_block(const Image& image, std::uint32_t block_x, std::uint32_t block_y, BlockTexels& block) {
  const std::uint32_t left = block_x * 4;
  for (std::uint32_t y = 0; y < 4; ++y) {
    const std::uint8_t* row = image.texels + std::min(block_y * 4 + y, image.height - 1) * image.stride_bytes;
    if (left + 4 <= image.width) {
      std::memcpy(&block[y * 4], row + std::size_t{left} * 4, 16);
    } else {
      for (std::uint32_t x = 0; x < 4; ++x)
        std::memcpy(&block[y * 4 + x], row + std::size_t{std::min(left + x, image.width - 1)} * 4, 4);
    }
  }
}

UastcBlock to_block(const BlockChoice& choice) {
  UastcBlock block;
  const UastcMode& mode = kUastcModes[choice.mode];
  block.mode = choice.mode;
  block.pattern = choice.pattern;
  block.component_selector = choice.mode == 17 ? 3 : choice.second_plane;
  const EndpointRange& range = endpoint_range(mode.endpoint_range);
  for (unsigned k = 0; k < mode.endpoint_value_count(); ++k) block.endpoints[k] = range.by_rank[choice.endpoints[k]];
  block.weights = choice.weights;
  return block;
}

HintEffort hint_effort(Effort effort) {
  switch (effort) {
    case Effort::kFast: return HintEffort::kFast;
    case Effort::kNormal: return HintEffort::kNormal;
    default: return HintEffort::kBest;
  }
}

SearchSettings settings_of(const EncodeOptions& options) {
  SearchSettings s;
  switch (options.metric) {
    case Metric::kColor:
    case Metric::kLinear: break;
    case Metric::kColorPerceptual: s.channel_weights = {0.9f, 1.75f, 0.35f, 1.0f}; break;
    case Metric::kNormal: s.channel_weights = {1, 1, kTieWeight, kTieWeight}; break;
    case Metric::kGray: s.channel_weights = {1, kTieWeight, kTieWeight, kTieWeight}; break;
  }
  for (std::size_t c = 0; c < 4; ++c)
    s.channel_weights[c] = std::max(s.channel_weights[c] * options.channel_weights[c], kTieWeight);
  switch (options.effort) {
    case Effort::kFast:
      s.few_levels = false;
      s.heat = {1, 1, 1};
      s.final = {8, 2, 1};
      break;
    case Effort::kNormal:
      s.pattern2_candidates = 3;
      s.pattern7_candidates = 1;
      s.pattern3_candidates = 1;
      s.dual_plane_candidates = 2;
      s.heat = {8, 1, 1};
      s.finalists = 2;
      s.final = {24, 8, 3};
      break;
    case Effort::kBest:
      s.pattern2_candidates = 6;
      s.pattern7_candidates = 3;
      s.pattern3_candidates = 3;
      s.dual_plane_candidates = 4;
      s.heat = {8, 2, 1};
      s.finalists = 3;
      s.final = {32, 16, 4};
      break;
  }
  return s;
}

void encode_tile(const Image& image, std::size_t first, std::size_t count, const SearchSettings& settings, HintEffort hints,
                 std::byte* out) {
  const std::uint32_t across = (image.width + 3) / 4;
  std::array<BlockTexels, kTileBlocks> texels;
  std::array<PlanarBlock, kTileBlocks> blocks;
  std::array<BlockKind, kTileBlocks> kinds;
  for (std::size_t i = 0; i < count; ++i)
    load_block(image, static_cast<std::uint32_t>((first + i) % across), static_cast<std::uint32_t>((first + i) / across), texels[i]);
  split_blocks(std::span(texels).first(count), blocks, kinds);
  std::array<std::vector<std::uint32_t>, kBlockKinds> of_kind;
  for (std::size_t i = 0; i < count; ++i) of_kind[static_cast<std::size_t>(kinds[i])].push_back(static_cast<std::uint32_t>(i));
  for (const std::uint32_t i : of_kind[static_cast<std::size_t>(BlockKind::kSolid)]) {
    const UastcBytes bytes = pack_uastc(solid_uastc(texels[i][0]));
    std::memcpy(out + (first + i) * kUastcBlockBytes, bytes.data(), bytes.size());
  }
  const std::span<const PlanarBlock> tile = std::span(blocks).first(count);
  std::array<std::vector<FinalEntry>, kUastcModeCount> finals;
  std::vector<Finalists> finalists(count);
  for (const BlockClass block_class : {BlockClass::kOpaque, BlockClass::kAlpha, BlockClass::kGreyAlpha}) {
    const std::vector<std::uint32_t>& order = of_kind[static_cast<std::size_t>(block_class)];
    if (order.empty()) continue;
    rank_uastc(tile, order, block_class, settings, finalists);
    for (std::size_t i = 0; i < order.size(); ++i)
      for (int place = 0; place < settings.finalists; ++place) {
        const Finalist& f = finalists[i][static_cast<std::size_t>(place)];
        if (f.error > finalists[i][0].error * settings.finalist_window + 16) break;
        finals[f.mode].push_back({order[i], f.pattern, f.second_plane});
      }
  }
  std::vector<BlockChoice> choices(count), best(count);
  std::vector<bool> chosen(count);
  for (unsigned mode = 0; mode < kUastcModeCount; ++mode) {
    const std::vector<FinalEntry>& entries = finals[mode];
    if (entries.empty()) continue;
    if (choices.size() < entries.size()) choices.resize(entries.size());
    fit_uastc(tile, entries, mode, settings, choices);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const std::size_t at = entries[i].block;
      if (chosen[at] && best[at].error <= choices[i].error) continue;
      chosen[at] = true;
      best[at] = choices[i];
    }
  }
  std::vector<UastcBlock> packed;
  std::vector<BlockTexels> decoded;
  std::vector<PlanarBlock> source_planes;
  std::vector<std::uint8_t> biased;
  std::vector<std::uint32_t> at;
  for (std::size_t i = 0; i < count; ++i) {
    if (!chosen[i]) continue;
    at.push_back(static_cast<std::uint32_t>(i));
    packed.push_back(to_block(best[i]));
    decoded.push_back(decode_uastc(packed.back()));
    source_planes.push_back(blocks[i]);
    biased.push_back(kUastcModes[best[i].mode].has_etc1_bias);
  }
  std::vector<PlanarBlock> decoded_planes(at.size());
  split_blocks(decoded, decoded_planes, kinds);
  std::vector<Etc1Choice> etc1(at.size());
  search_etc1_lanes(source_planes, decoded_planes, biased, hints, etc1);
  for (std::size_t i = 0; i < at.size(); ++i) {
    set_hints(packed[i], decoded[i], texels[at[i]], etc1[i], hints);
    const UastcBytes bytes = pack_uastc(packed[i]);
    std::memcpy(out + (first + at[i]) * kUastcBlockBytes, bytes.data(), bytes.size());
  }
}

}  // namespace

Result<void> encode_uastc(std::span<const std::byte> rgba, std::uint32_t width, std::uint32_t height,
                          std::size_t stride_bytes, const EncodeOptions& options, std::span<std::byte> blocks) {
  if (width == 0 || height == 0 || width > kMaxEncodeExtent || height > kMaxEncodeExtent)
    return fail(ErrorCode::kUsage, "an image of " + std::to_string(width) + " x " + std::to_string(height) +
                                       " texels, expected 1 to " + std::to_string(kMaxEncodeExtent) + " each way");
  const std::size_t row_bytes = std::size_t{width} * 4;
  if (stride_bytes < row_bytes || rgba.size() < row_bytes ||
      (height > 1 && stride_bytes > (rgba.size() - row_bytes) / (height - 1)))
    return fail(ErrorCode::kUsage, std::to_string(rgba.size()) + " bytes of texels with a stride of " +
                                       std::to_string(stride_bytes) + ", too few for " + std::to_string(width) + " x " +
                                       std::to_string(height) + " RGBA texels");
  const std::size_t block_count = std::size_t{(width + 3) / 4} * ((height + 3) / 4);
  if (blocks.size() != block_count * kUastcBlockBytes)
    return fail(ErrorCode::kUsage, "room for " + std::to_string(blocks.size()) + " bytes of blocks, expected " +
                                       std::to_string(block_count * kUastcBlockBytes));
  for (const float weight : options.channel_weights)
    if (!(weight >= 0 && weight <= 256))
      return fail(ErrorCode::kUsage, "a channel weight of " + std::to_string(weight) + ", expected 0 to 256");

  const Image image{reinterpret_cast<const std::uint8_t*>(rgba.data()), width, height, stride_bytes};
  const SearchSettings settings = settings_of(options);
  const std::size_t tiles = (block_count + kTileBlocks - 1) / kTileBlocks;
  oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::size_t>(0, tiles, 1), [&](const auto& range) {
    for (std::size_t tile = range.begin(); tile != range.end(); ++tile) {
      const std::size_t first = tile * kTileBlocks;
      encode_tile(image, first, std::min(kTileBlocks, block_count - first), settings, hint_effort(options.effort), blocks.data());
    }
  });
  return {};
}

}  // namespace assetc::codec
