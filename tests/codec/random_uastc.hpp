// Random valid UASTC blocks, for tests.
#pragma once

#include <random>

#include "codec/block/bise.hpp"
#include "codec/block/uastc_block.hpp"

namespace assetc::codec {

inline unsigned below(std::mt19937& random, unsigned bound) { return static_cast<unsigned>(random() % bound); }

// Draws every field from its whole range, including hints and endpoint orders that no encoder would choose.
inline UastcBlock random_uastc(std::mt19937& random, unsigned mode_index) {
  const auto draw = [&](unsigned bound) { return static_cast<std::uint8_t>(below(random, bound)); };
  UastcBlock b;
  b.mode = static_cast<std::uint8_t>(mode_index);
  if (mode_index == kUastcSolidMode) {
    b.solid_color = {draw(256), draw(256), draw(256), draw(256)};
    b.solid_hints.etc1_diff = draw(2) != 0;
    b.solid_hints.etc1_table = draw(8);
    b.solid_hints.etc1_selector = draw(4);
    for (auto& c : b.solid_hints.etc1_base) c = draw(b.solid_hints.etc1_diff ? 32 : 16);
    return b;
  }
  const UastcMode& mode = kUastcModes[mode_index];
  b.hints.bc1_endpoints = draw(2) != 0;
  if (mode.has_bc1_hint1) b.hints.bc1_weights = draw(2) != 0;
  b.hints.etc1_flip = draw(2) != 0;
  b.hints.etc1_diff = draw(2) != 0;
  b.hints.etc1_table = {draw(8), draw(8)};
  if (mode.has_etc1_bias) b.hints.etc1_bias = draw(32);
  if (mode.has_alpha()) {
    b.hints.etc2_table = draw(16);
    b.hints.etc2_multiplier = static_cast<std::uint8_t>(1 + draw(15));
  }
  if (mode.partitions != PartitionList::kNone)
    b.partition = draw(static_cast<unsigned>(uastc_partitions(mode.partitions).size()));
  if (mode.stores_selector)
    b.component_selector = draw(4);
  else if (mode.plane_count == 2)
    b.component_selector = 3;
  for (unsigned i = 0; i < mode.endpoint_value_count(); ++i)
    b.endpoints[i] = draw(endpoint_range(mode.endpoint_range).levels);
  for (unsigned i = 0; i < mode.weight_count(); ++i) b.weights[i] = draw(1u << mode.weight_bits);
  return b;
}

}  // namespace assetc::codec
