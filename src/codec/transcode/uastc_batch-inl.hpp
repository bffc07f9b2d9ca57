// Transcodes batches of UASTC blocks to the targets that need texels. Included where AVX2 is the target, in a
// namespace of its own, after uastc_texels-inl.hpp; see uastc_batch_texels.cpp.

// The planes of the blocks of a batch.
template <unsigned kWanted>
using BatchPlanes = std::array<std::array<std::uint8_t, kWanted * kBlockTexels>, kBatchBlocks>;

// Not inlined, because several targets share it.
template <unsigned kMode, unsigned kWanted>
[[gnu::noinline]] void decode_queue(const std::uint8_t* blocks, const std::uint8_t* queue, unsigned count,
                                    const std::array<unsigned, kWanted>& wanted, BatchPlanes<kWanted>& planes) {
  for (unsigned i = 0; i < count; ++i)
    decode_planes<kMode, kWanted>(Bits128::load(blocks + queue[i] * 16), wanted, planes[queue[i]].data());
}
template <unsigned kWanted>
void decode_batch(const std::uint8_t* blocks, const UastcBatch& batch, const std::array<unsigned, kWanted>& wanted,
                  BatchPlanes<kWanted>& planes) {
  for_each_mode(batch, [&]<unsigned kMode>(const std::uint8_t* queue, unsigned count) {
    decode_queue<kMode, kWanted>(blocks, queue, count, wanted, planes);
  });
}

template <unsigned kMode>
void queue_to_rgba8(const std::uint8_t* blocks, const std::uint8_t* queue, unsigned count, std::uint8_t* out) {
  constexpr std::array<unsigned, 4> wanted = {0, 1, 2, 3};
  for (unsigned i = 0; i < count; ++i) {
    alignas(32) std::array<std::uint8_t, 64> planes;
    decode_planes<kMode, 4>(Bits128::load(blocks + queue[i] * 16), wanted, planes.data());
    const Lanes red_green = load_lanes(&planes[0]) | load_lanes(&planes[16]) << 8;
    const Lanes blue_alpha = load_lanes(&planes[32]) | load_lanes(&planes[48]) << 8;
    const Lanes upper =
        __builtin_shufflevector(red_green, blue_alpha, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
    const Lanes lower =
        __builtin_shufflevector(red_green, blue_alpha, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
    std::memcpy(out + queue[i] * 64, &upper, 32);
    std::memcpy(out + queue[i] * 64 + 32, &lower, 32);
  }
}

// What the hints of blocks select for BC1.
struct Bc1Queues {
  std::array<std::uint8_t, kBatchBlocks> direct, levels, free;
  unsigned direct_count = 0, levels_count = 0, free_count = 0;
};
using BatchLevels = std::array<Bc1Levels, kBatchBlocks>;

// Writes the BC1 of the blocks whose hint selects endpoints and weights. The others are decoded and added to `rest`.
// stride: from one block to the next in out.
template <unsigned kMode>
void queue_to_bc1(const std::uint8_t* blocks, const std::uint8_t* queue, unsigned count, BatchPlanes<3>& planes,
                  BatchLevels& levels, Bc1Queues& rest, std::uint8_t* out, unsigned stride) {
  constexpr UastcMode mode = kUastcModes[kMode];
  const unsigned levels_before = rest.levels_count, free_before = rest.free_count;
  rest.direct_count = 0;
  for (unsigned i = 0; i < count; ++i) {
    const unsigned hints = static_cast<unsigned>(Bits128::load(blocks + queue[i] * 16).low >> mode.code_bits);
    const bool direct = hints & 1, by_levels = !direct && mode.has_bc1_hint1 && (hints & 2);
    rest.direct[rest.direct_count] = rest.levels[rest.levels_count] = rest.free[rest.free_count] = queue[i];
    rest.direct_count += direct;
    rest.levels_count += by_levels;
    rest.free_count += !direct && !by_levels;
  }
  for (unsigned i = 0; i < rest.direct_count; ++i)
    direct_to_bc1<kMode>(Bits128::load(blocks + rest.direct[i] * 16), out + rest.direct[i] * stride);
  constexpr std::array<unsigned, 3> wanted = {0, 1, 2};
  decode_queue<kMode, 3>(blocks, rest.levels.data() + levels_before, rest.levels_count - levels_before, wanted, planes);
  for (unsigned i = levels_before; i < rest.levels_count; ++i) {
    const Bits128 in = Bits128::load(blocks + rest.levels[i] * 16);
    const unsigned partition = mode.partitions != PartitionList::kNone ? UastcFields<kMode>::partition(in) : 0;
    store_lanes(bc1_levels_of(plane_weights<kMode>(in, partition).first), levels[rest.levels[i]].data());
  }
  decode_queue<kMode, 3>(blocks, rest.free.data() + free_before, rest.free_count - free_before, wanted, planes);
}

void batch_to_bc1(const std::uint8_t* blocks, const UastcBatch& batch, std::uint8_t* out, unsigned stride) {
  alignas(32) BatchPlanes<3> planes;
  alignas(32) BatchLevels levels;
  Bc1Queues rest;
  for_each_mode(batch, [&]<unsigned kMode>(const std::uint8_t* queue, unsigned count) {
    queue_to_bc1<kMode>(blocks, queue, count, planes, levels, rest, out, stride);
  });
  Bc1Group group;
  const auto take = [&](const std::uint8_t* queue, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      group.planes[i] = planes[queue[i]].data();
      group.out[i] = out + queue[i] * stride;
    }
  };
  for (unsigned i = 0; i < rest.levels_count; i += kBc1Group) {
    const unsigned count = std::min(kBc1Group, rest.levels_count - i);
    std::array<const std::uint8_t*, kBc1Group> first_levels;
    for (unsigned k = 0; k < count; ++k) first_levels[k] = levels[rest.levels[i + k]].data();
    take(&rest.levels[i], count);
    encode_group_levels(group, first_levels.data(), count);
  }
  for (unsigned i = 0; i < rest.free_count; i += kBc1Group) {
    const unsigned count = std::min(kBc1Group, rest.free_count - i);
    take(&rest.free[i], count);
    encode_group(group, count);
  }
}

// Writes the BC4 of one channel.
void batch_to_bc4(const std::uint8_t* blocks, const UastcBatch& batch, unsigned channel, std::uint8_t* out,
                  unsigned stride) {
  alignas(32) BatchPlanes<1> planes;
  decode_batch<1>(blocks, batch, {channel}, planes);
  for (unsigned m = 0; m < kUastcModeCount; ++m) {
    if (m == kUastcSolidMode) continue;
    for (unsigned i = 0; i < batch.count[m]; ++i) {
      const unsigned n = batch.queue[m][i];
      if (channel == 3 && !kUastcModes[m].has_alpha())
        encode_bc4_solid(255, out + n * stride);
      else
        planes_to_bc4(planes[n].data(), out + n * stride);
    }
  }
}

void batch_to_etc1(const std::uint8_t* blocks, const UastcBatch& batch, std::uint8_t* out, unsigned stride) {
  alignas(32) BatchPlanes<3> planes;
  decode_batch<3>(blocks, batch, {0, 1, 2}, planes);
  for (unsigned m = 0; m < kUastcModeCount; ++m) {
    if (m == kUastcSolidMode) continue;
    const UastcMode& mode = kUastcModes[m];
    const unsigned hints_at = mode.code_bits + 1u + mode.has_bc1_hint1;
    for (unsigned i = 0; i < batch.count[m]; ++i) {
      const unsigned n = batch.queue[m][i];
      const unsigned hints = Bits128::load(blocks + n * 16).get(hints_at, 13);
      if (mode.has_etc1_bias)
        planes_to_etc1<true>(hints, planes[n].data(), out + n * stride);
      else
        planes_to_etc1<false>(hints, planes[n].data(), out + n * stride);
    }
  }
}

template <unsigned kMode>
void queue_to_eac_alpha(const std::uint8_t* blocks, const std::uint8_t* queue, unsigned count, EacKind kind,
                        std::uint8_t* out, unsigned stride) {
  for (unsigned i = 0; i < count; ++i) {
    if constexpr (kUastcModes[kMode].has_alpha()) {
      const Bits128 in = Bits128::load(blocks + queue[i] * 16);
      TexelIndices alpha;
      decode_planes<kMode, 1>(in, {3}, alpha.data());
      const EacHints hints = eac_hints<kMode>(in);
      encode_eac_hinted(alpha, kind, hints.table, hints.multiplier, out + queue[i] * stride);
    } else {
      encode_eac_solid(255, kind, out + queue[i] * stride);
    }
  }
}
// Writes the EAC of alpha by the hints.
void batch_to_eac_alpha(const std::uint8_t* blocks, const UastcBatch& batch, EacKind kind, std::uint8_t* out,
                        unsigned stride) {
  for_each_mode(batch, [&]<unsigned kMode>(const std::uint8_t* queue, unsigned count) {
    queue_to_eac_alpha<kMode>(blocks, queue, count, kind, out, stride);
  });
}
// Writes the EAC R11 of one channel.
void batch_to_eac_r11(const std::uint8_t* blocks, const UastcBatch& batch, unsigned channel, std::uint8_t* out,
                      unsigned stride) {
  if (channel == 3) return batch_to_eac_alpha(blocks, batch, EacKind::kR11, out, stride);
  alignas(32) BatchPlanes<1> planes;
  decode_batch<1>(blocks, batch, {channel}, planes);
  for (unsigned m = 0; m < kUastcModeCount; ++m) {
    if (m == kUastcSolidMode) continue;
    for (unsigned i = 0; i < batch.count[m]; ++i)
      encode_eac(planes[batch.queue[m][i]], EacKind::kR11, out + batch.queue[m][i] * stride);
  }
}

void batch_to_texels(const std::uint8_t* blocks, const UastcBatch& batch, const UastcTarget& target,
                     std::uint8_t* out) {
  using enum BlockFormat;
  switch (target.format) {
    case kRgba8:
      return for_each_mode(batch, [&]<unsigned kMode>(const std::uint8_t* queue, unsigned count) {
        queue_to_rgba8<kMode>(blocks, queue, count, out);
      });
    case kBc1:
      return batch_to_bc1(blocks, batch, out, 8);
    case kBc3:
      batch_to_bc4(blocks, batch, 3, out, 16);
      return batch_to_bc1(blocks, batch, out + 8, 16);
    case kBc4:
      return batch_to_bc4(blocks, batch, target.first_channel, out, 8);
    case kBc5:
      batch_to_bc4(blocks, batch, target.first_channel, out, 16);
      return batch_to_bc4(blocks, batch, target.second_channel, out + 8, 16);
    case kEtc1:
      return batch_to_etc1(blocks, batch, out, 8);
    case kEtc2Rgba:
      batch_to_eac_alpha(blocks, batch, EacKind::kAlpha, out, 16);
      return batch_to_etc1(blocks, batch, out + 8, 16);
    case kEacR11:
      return batch_to_eac_r11(blocks, batch, target.first_channel, out, 8);
    case kEacRg11:
      batch_to_eac_r11(blocks, batch, target.first_channel, out, 16);
      return batch_to_eac_r11(blocks, batch, target.second_channel, out + 8, 16);
    default:
      return;
  }
}
