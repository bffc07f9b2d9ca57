// Transcodes batches of UASTC blocks to the targets that need texels. Included where AVX2 is the target, in a
// namespace of its own, after the encoders; see uastc_batch_texels.cpp.

using Planes = std::array<std::uint8_t, 4 * kBlockTexels>;

// Decodes channels of blocks of one mode, to planes side by side. Not inlined, because several targets share it.
template <unsigned kMode, unsigned kWanted>
[[gnu::noinline]] void decode_queue(const std::uint8_t* blocks, const std::uint8_t* queue, unsigned count,
                                    const std::array<unsigned, kWanted>& wanted, Planes* planes) {
  for (unsigned i = 0; i < count; ++i)
    decode_planes<kMode, kWanted>(Bits128::load(blocks + queue[i] * 16), wanted, planes[i].data());
}

// Where the hints of the blocks of a mode are, all within the first 64 bits.
struct HintField {
  unsigned at = 0, mask = 0, added = 0;
};
// Sets outputs and hints of blocks that were decoded to `waiting` from `first` on. stride: from one block to the next
// in out.
[[gnu::noinline]] void add_waiting(const std::uint8_t* blocks, const std::uint8_t* queue, unsigned count,
                                   HintField field, WaitingBlocks& waiting, std::uint8_t* out, unsigned stride) {
  const unsigned first = waiting.count;
  for (unsigned i = 0; i < count; ++i) {
    std::uint64_t low;
    std::memcpy(&low, blocks + queue[i] * 16, sizeof low);
    waiting.hints[first + i] = static_cast<std::uint16_t>((low >> field.at & field.mask) | field.added);
    waiting.out[first + i] = out + queue[i] * stride;
  }
  waiting.count = first + count;
}

// Decodes blocks of one mode to `waiting`. Calls complete(queue, first, count) for those from `first` on, and encode()
// whenever `group` blocks wait.
template <unsigned kMode, unsigned kWanted, class Complete, class Encode>
[[gnu::always_inline]] inline void queue_to_waiting(const std::uint8_t* blocks, const std::uint8_t* queue,
                                                    unsigned count, const std::array<unsigned, kWanted>& wanted,
                                                    HintField field, unsigned group, WaitingBlocks& waiting,
                                                    std::uint8_t* out, unsigned stride, const Complete& complete,
                                                    const Encode& encode) {
  while (count != 0) {
    const unsigned first = waiting.count, taken = std::min(count, group - first);
    decode_queue<kMode, kWanted>(blocks, queue, taken, wanted, &waiting.planes[first]);
    add_waiting(blocks, queue, taken, field, waiting, out, stride);
    complete(queue, first, taken);
    if (waiting.count == group) encode();
    queue += taken, count -= taken;
  }
}
constexpr auto kComplete = [](const std::uint8_t*, unsigned, unsigned) {};

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

// The bytes of encode_bc4_solid(255).
constexpr std::uint64_t kOpaqueBc4 = 0xffff;

// Writes the BC1 of the blocks whose hint selects endpoints and weights. The others wait: in the first queue those
// whose hint selects weights, in the second queue those without such hints. stride: from one block to the next in out;
// if it is 16, the BC4 of opaque alpha is written before each block of a mode without alpha.
template <unsigned kMode>
void queue_to_bc1(const std::uint8_t* blocks, const std::uint8_t* queue, unsigned count, const BatchKernels& kernels,
                  BatchState& state, std::uint8_t* out, unsigned stride) {
  constexpr UastcMode mode = kUastcModes[kMode];
  std::array<std::uint8_t, kBatchBlocks + 1> direct, levels, free;
  unsigned direct_count = 0, levels_count = 0, free_count = 0;
  for (unsigned i = 0; i < count; ++i) {
    const std::uint8_t n = queue[i];
    std::uint16_t start;
    std::memcpy(&start, blocks + n * 16, sizeof start);
    const unsigned hints = static_cast<unsigned>(start) >> mode.code_bits;
    // In arithmetic: branches on hints are hard to predict.
    const unsigned is_direct = hints & 1, has_levels = mode.has_bc1_hint1 ? (hints & 3) >> 1 & ~is_direct : 0;
    direct[direct_count] = levels[levels_count] = free[free_count] = n;
    direct_count += is_direct;
    levels_count += has_levels;
    free_count += 1 - is_direct - has_levels;
    if (!mode.has_alpha() && stride == 16) std::memcpy(out + n * 16 - 8, &kOpaqueBc4, 8);
  }
  for (unsigned i = 0; i < direct_count; ++i)
    direct_to_bc1<kMode>(Bits128::load(blocks + direct[i] * 16), out + direct[i] * stride);
  constexpr std::array<unsigned, 3> wanted = {0, 1, 2};
  auto& [with_levels, without] = state.waiting;
  queue_to_waiting<kMode, 3>(
      blocks, levels.data(), levels_count, wanted, {}, kBc1Group, with_levels, out, stride,
      [&](const std::uint8_t* decoded, unsigned first, unsigned size) {
        for (unsigned i = 0; i < size; ++i) {
          const Bits128 in = Bits128::load(blocks + decoded[i] * 16);
          const unsigned partition = mode.partitions != PartitionList::kNone ? UastcFields<kMode>::partition(in) : 0;
          _mm_store_si128(reinterpret_cast<__m128i*>(&with_levels.planes[first + i][3 * kBlockTexels]),
                          bc1_levels_of<kMode>(in, partition));
        }
      },
      [&] { kernels.encode_bc1_levels(with_levels); });
  queue_to_waiting<kMode, 3>(blocks, free.data(), free_count, wanted, {}, kBc1Group, without, out, stride, kComplete,
                             [&] { kernels.encode_bc1(without); });
}

void batch_to_bc1(const std::uint8_t* blocks, const UastcBatch& batch, const BatchKernels& kernels, BatchState& state,
                  std::uint8_t* out, unsigned stride) {
  for_each_mode(batch, [&]<unsigned kMode>(const std::uint8_t* queue, unsigned count) {
    queue_to_bc1<kMode>(blocks, queue, count, kernels, state, out, stride);
  });
}

// Writes a plane of decoded blocks as BC4. stride: from one block to the next in out.
[[gnu::noinline]] void store_bc4(const Planes* planes, unsigned plane, const std::uint8_t* queue, unsigned count,
                                 std::uint8_t* out, unsigned stride) {
  for (unsigned i = 0; i < count; ++i) planes_to_bc4(&planes[i][kBlockTexels * plane], out + queue[i] * stride);
}
[[gnu::noinline]] void store_opaque_bc4(const std::uint8_t* queue, unsigned count, std::uint8_t* out, unsigned stride) {
  for (unsigned i = 0; i < count; ++i) std::memcpy(out + queue[i] * stride, &kOpaqueBc4, 8);
}
// Writes kCount blocks of 8 bytes side by side, one of each channel. kOpaque: modes without alpha too.
// Not inlined, because its planes are on the stack.
template <unsigned kCount, bool kOpaque = true>
[[gnu::noinline]] void batch_to_bc4(const std::uint8_t* blocks, const UastcBatch& batch,
                                    const std::array<unsigned, kCount>& channels, std::uint8_t* out, unsigned stride) {
  alignas(32) std::array<Planes, kMaxGroup> planes;
  for_each_mode(batch, [&]<unsigned kMode>(const std::uint8_t* queue, unsigned count) {
    constexpr bool has_alpha = kUastcModes[kMode].has_alpha();
    if (!kOpaque && !has_alpha) return;
    for (unsigned first = 0; first < count; first += kMaxGroup) {
      const unsigned size = std::min(kMaxGroup, count - first);
      if (has_alpha || kCount == 2 || channels[0] != 3)
        decode_queue<kMode, kCount>(blocks, queue + first, size, channels, planes.data());
      for (unsigned c = 0; c < kCount; ++c) {
        if (!has_alpha && channels[c] == 3)
          store_opaque_bc4(queue + first, size, out + 8 * c, stride);
        else
          store_bc4(planes.data(), c, queue + first, size, out + 8 * c, stride);
      }
    }
  });
}

void batch_to_etc1(const std::uint8_t* blocks, const UastcBatch& batch, WaitingBlocks& waiting, std::uint8_t* out,
                   unsigned stride) {
  for_each_mode(batch, [&]<unsigned kMode>(const std::uint8_t* queue, unsigned count) {
    constexpr UastcMode mode = kUastcModes[kMode];
    // From the flip bit on.
    constexpr HintField hints = {mode.code_bits + 1u + mode.has_bc1_hint1, kWithoutBias - 1,
                                 mode.has_etc1_bias ? 0 : kWithoutBias};
    queue_to_waiting<kMode, 3>(blocks, queue, count, {0, 1, 2}, hints, kLaneBlocks, waiting, out, stride, kComplete,
                               [&] { encode_etc1(waiting); });
  });
}

// Encodes kCount channels of blocks that wait. Alpha has hints.
template <unsigned kCount>
void encode_eac(WaitingBlocks& waiting, const BatchKernels& kernels, const std::array<unsigned, kCount>& channels,
                EacKind kind) {
  for (unsigned c = 0; c < kCount; ++c) {
    if (channels[c] == 3)
      kernels.encode_eac_hinted(waiting, c, kind, 8 * c);
    else
      kernels.encode_r11(waiting, c, 8 * c);
  }
  waiting.count = 0;
}
// Writes kCount blocks of EAC side by side, one of each channel. Two channels must be R, G or B.
template <unsigned kCount>
void batch_to_eac(const std::uint8_t* blocks, const UastcBatch& batch, const BatchKernels& kernels,
                  const std::array<unsigned, kCount>& channels, EacKind kind, WaitingBlocks& waiting, std::uint8_t* out,
                  unsigned stride) {
  for_each_mode(batch, [&]<unsigned kMode>(const std::uint8_t* queue, unsigned count) {
    constexpr UastcMode mode = kUastcModes[kMode];
    if (!mode.has_alpha() && channels[0] == 3) {
      for (unsigned i = 0; i < count; ++i) encode_eac_solid(255, kind, out + queue[i] * stride);
      return;
    }
    constexpr HintField hints = {mode.has_alpha() ? mode.code_bits + mode.hint_bits() - 8u : 0, 255};
    queue_to_waiting<kMode, kCount>(blocks, queue, count, channels, hints, kernels.eac_group, waiting, out, stride,
                                    kComplete, [&] { encode_eac<kCount>(waiting, kernels, channels, kind); });
  });
}

void batch_to_texels(const std::uint8_t* blocks, const UastcBatch& batch, const UastcTarget& target,
                     const BatchKernels& kernels, BatchState& state, std::uint8_t* out) {
  using enum BlockFormat;
  const unsigned first = target.first_channel, second = target.second_channel;
  auto& waiting = state.waiting;
  switch (target.format) {
    case kRgba8:
      return for_each_mode(batch, [&]<unsigned kMode>(const std::uint8_t* queue, unsigned count) {
        queue_to_rgba8<kMode>(blocks, queue, count, out);
      });
    case kBc1:
      return batch_to_bc1(blocks, batch, kernels, state, out, 8);
    case kBc3:
      batch_to_bc4<1, false>(blocks, batch, {3}, out, 16);
      return batch_to_bc1(blocks, batch, kernels, state, out + 8, 16);
    case kBc4:
      return batch_to_bc4<1>(blocks, batch, {first}, out, 8);
    case kBc5:
      return batch_to_bc4<2>(blocks, batch, {first, second}, out, 16);
    case kEtc1:
      return batch_to_etc1(blocks, batch, waiting[0], out, 8);
    case kEtc2Rgba:
      batch_to_eac<1>(blocks, batch, kernels, {3}, EacKind::kAlpha, waiting[1], out, 16);
      return batch_to_etc1(blocks, batch, waiting[0], out + 8, 16);
    case kEacR11:
      return batch_to_eac<1>(blocks, batch, kernels, {first}, EacKind::kR11, waiting[0], out, 8);
    case kEacRg11:
      if (first != 3 && second != 3)
        return batch_to_eac<2>(blocks, batch, kernels, {first, second}, EacKind::kR11, waiting[0], out, 16);
      batch_to_eac<1>(blocks, batch, kernels, {first}, EacKind::kR11, waiting[0], out, 16);
      return batch_to_eac<1>(blocks, batch, kernels, {second}, EacKind::kR11, waiting[1], out + 8, 16);
    default:
      return;
  }
}

// Writes the blocks that wait.
void finish_texels(const UastcTarget& target, const BatchKernels& kernels, BatchState& state) {
  using enum BlockFormat;
  auto& waiting = state.waiting;
  const bool first = waiting[0].count != 0, second = waiting[1].count != 0;
  switch (target.format) {
    case kBc1:
    case kBc3:
      if (first) kernels.encode_bc1_levels(waiting[0]);
      if (second) kernels.encode_bc1(waiting[1]);
      return;
    case kEtc1:
    case kEtc2Rgba:
      if (first) encode_etc1(waiting[0]);
      if (second) encode_eac<1>(waiting[1], kernels, {3}, EacKind::kAlpha);
      return;
    case kEacR11:
    case kEacRg11: {
      const unsigned channels[2] = {target.first_channel, target.second_channel};
      if (target.format == kEacRg11 && channels[0] != 3 && channels[1] != 3) {
        if (first) encode_eac<2>(waiting[0], kernels, {channels[0], channels[1]}, EacKind::kR11);
        return;
      }
      if (first) encode_eac<1>(waiting[0], kernels, {channels[0]}, EacKind::kR11);
      if (second) encode_eac<1>(waiting[1], kernels, {channels[1]}, EacKind::kR11);
      return;
    }
    default:
      return;
  }
}
