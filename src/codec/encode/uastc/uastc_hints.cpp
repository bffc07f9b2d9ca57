#include "codec/encode/uastc/uastc_hints.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "codec/block/bc_block.hpp"
#include "codec/block/etc1_solid.hpp"
#include "codec/block/etc_block.hpp"
#include "codec/encode/uastc/uastc_hints_bc1.hpp"
#include "codec/encode/uastc/uastc_hints_eac.hpp"
#include "codec/encode/uastc/uastc_hints_etc1.hpp"
#include "codec/transcode/uastc_transcode.hpp"

namespace assetc::codec {
namespace {

// Hint 0 is the cheapest to transcode. It is chosen if its squared error is at most 3 % (0.13 dB) above that of the
// other ways.
constexpr std::uint64_t kEndpointsNumerator = 103, kEndpointsDenominator = 100;

// Whether a mode has a single line through the block. Then its weights are those that a fresh encoding would find.
// Several lines or a split channel do not match BC1's single line, so a fresh encoding serves these modes best.
bool on_one_line(const UastcMode& mode) {
  return mode.subset_count() == 1 && mode.plane_count == 1 && mode.weight_bits >= 2;
}

void choose_bc1(std::span<UastcBlock> blocks, std::span<const PlanarBlock> decoded, std::span<const PlanarBlock> source,
                std::span<const std::uint32_t> order, HintEffort effort) {
  std::array<std::vector<Bc1Line>, 2> lines;  // of modes that do not store the second hint, and of modes that do
  for (const std::uint32_t i : order) {
    UastcBlock& block = blocks[i];
    const UastcMode& mode = kUastcModes[block.mode];
    const bool one_line = on_one_line(mode);
    block.hints.bc1_endpoints = false;
    block.hints.bc1_weights = one_line && mode.has_bc1_hint1;
    if (!one_line || effort == HintEffort::kFast) continue;
    const std::array<Rgba8, 2> ends = uastc_endpoints(block, 0);
    lines[mode.has_bc1_hint1].push_back({i, static_cast<std::uint32_t>(pack_indices(bc1_levels(block).data(), 2)),
                                         bc1_color(ends[0]), bc1_color(ends[1])});
  }
  std::vector<Bc1Errors> errors;
  for (const bool stores_weights : {false, true}) {
    const bool fresh = !stores_weights || effort == HintEffort::kBest;
    errors.resize(lines[stores_weights].size());
    measure_bc1_hints(source, decoded, lines[stores_weights], stores_weights, fresh, errors);
    for (std::size_t k = 0; k < errors.size(); ++k) {
      UastcHints& h = blocks[lines[stores_weights][k].block].hints;
      std::uint64_t best = stores_weights ? errors[k].by_weights : UINT64_MAX;
      if (fresh && errors[k].fresh < best) {
        h.bc1_weights = false;
        best = errors[k].fresh;
      }
      h.bc1_endpoints = std::uint64_t{errors[k].by_endpoints} * kEndpointsDenominator <= best * kEndpointsNumerator;
    }
  }
}

void choose_alpha(std::span<UastcBlock> blocks, std::span<const PlanarBlock> decoded,
                  std::span<const PlanarBlock> source, std::span<const std::uint32_t> order, HintEffort effort) {
  std::vector<std::uint32_t> with_alpha;
  for (const std::uint32_t i : order)
    if (kUastcModes[blocks[i].mode].has_alpha()) with_alpha.push_back(i);
  if (with_alpha.empty()) return;
  std::vector<EacChoice> choices(blocks.size());
  search_eac_hints(source, decoded, with_alpha, effort, choices);
  for (const std::uint32_t i : with_alpha) {
    blocks[i].hints.etc2_table = choices[i].table;
    blocks[i].hints.etc2_multiplier = choices[i].multiplier;
  }
}

}  // namespace

UastcBlock make_solid_uastc(Rgba8 color) {
  UastcBlock b;
  b.solid_color = color;
  b.solid_hints = solid_etc1_hints(color);
  return b;
}

void choose_hints(std::span<UastcBlock> blocks, std::span<const PlanarBlock> decoded,
                  std::span<const PlanarBlock> source, std::span<const std::uint32_t> order, HintEffort effort) {
  std::vector<std::uint8_t> biased(blocks.size());
  std::vector<Etc1Choice> etc1(blocks.size());
  for (const std::uint32_t i : order) biased[i] = kUastcModes[blocks[i].mode].has_etc1_bias;
  search_etc1_hints(source, decoded, biased, order, effort, etc1);
  choose_bc1(blocks, decoded, source, order, effort);
  choose_alpha(blocks, decoded, source, order, effort);
  for (const std::uint32_t i : order) {
    UastcHints& h = blocks[i].hints;
    h.etc1_flip = etc1[i].flip;
    h.etc1_diff = etc1[i].diff;
    h.etc1_table = etc1[i].table;
    h.etc1_bias = etc1[i].bias;
  }
}

void choose_hints(UastcBlock& block, const BlockTexels& decoded, const BlockTexels& source, HintEffort effort) {
  if (block.mode == kUastcSolidMode) {
    block.solid_hints = solid_etc1_hints(block.solid_color);
    return;
  }
  const std::array texels = {decoded, source};
  std::array<PlanarBlock, 2> planes;
  std::array<BlockKind, 2> kinds;
  split_blocks(texels, planes, kinds);
  constexpr std::array<std::uint32_t, 1> order = {0};
  choose_hints(std::span(&block, 1), std::span(planes).first(1), std::span(planes).last(1), order, effort);
}

}  // namespace assetc::codec
