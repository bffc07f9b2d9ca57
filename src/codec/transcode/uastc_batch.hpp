// Sorts UASTC blocks by mode, so that a transcoder processes the blocks of one mode in a loop without branches. The
// next mode of a picture is hard to predict, and a mispredicted branch costs as much as half of a transcoded block.
// The functions here give the bytes of uastc_to_target (uastc_transcode.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "codec/block/uastc_tables.hpp"
#include "codec/transcode/uastc_transcode.hpp"

namespace assetc::codec {

// The most blocks of a batch. Queues and texels of a batch are on the stack, and engines use small stacks: the header
// of the public functions promises a limit.
inline constexpr unsigned kBatchBlocks = 240;
// The queue of invalid blocks.
inline constexpr unsigned kInvalidQueue = kUastcModeCount;

// The numbers of the blocks of a batch, by mode, ascending.
struct UastcBatch {
  std::array<std::array<std::uint8_t, kBatchBlocks>, kUastcModeCount + 1> queue;
  std::array<std::uint16_t, kUastcModeCount + 1> count;
};

// Sorts count blocks of 16 bytes. count <= kBatchBlocks.
void sort_by_mode(const std::uint8_t* blocks, unsigned count, UastcBatch& batch);

// Calls visit.template operator()<mode>(queue, count) for each mode except the solid one that has blocks.
template <class Visit>
[[gnu::always_inline]] inline void for_each_mode(const UastcBatch& batch, Visit&& visit) {
  [&]<unsigned... kModes>(std::integer_sequence<unsigned, kModes...>) {
    const auto one = [&]<unsigned kMode>() {
      if constexpr (kMode != kUastcSolidMode) {
        if (batch.count[kMode] != 0) visit.template operator()<kMode>(batch.queue[kMode].data(), batch.count[kMode]);
      }
    };
    (one.template operator()<kModes>(), ...);
  }(std::make_integer_sequence<unsigned, kUastcModeCount>());
}

// Calls visit(number) for each solid block.
template <class Visit>
void for_each_solid(const UastcBatch& batch, const Visit& visit) {
  for (unsigned i = 0; i < batch.count[kUastcSolidMode]; ++i) visit(std::size_t{batch.queue[kUastcSolidMode][i]});
}

// Transcode the valid blocks of a batch. `blocks` and `out` are the first block of the batch in the source and in the
// target. The invalid blocks are not written.
void batch_to_bc7(const std::uint8_t* blocks, const UastcBatch& batch, std::uint8_t* out);
void batch_to_astc(const std::uint8_t* blocks, const UastcBatch& batch, std::uint8_t* out);

// The instruction sets of the functions below. Each has those before it.
enum class BatchSimd : std::uint8_t { kNone, kAvx2, kAvx512 };
// The best one that the processor and the build have.
BatchSimd best_batch_simd();

// Blocks whose texels are decoded, and which wait until all lanes of a group have a block.
inline constexpr unsigned kMaxGroup = 32;
struct WaitingBlocks {
  // [block] -> 16 bytes of each channel. With three channels, the fourth ones are BC1 levels.
  alignas(64) std::array<std::array<std::uint8_t, 4 * kBlockTexels>, kMaxGroup> planes{};
  std::array<std::uint8_t*, kMaxGroup> out{};
  std::array<std::uint16_t, kMaxGroup> hints{};
  unsigned count = 0;
};
// Two queues: blocks of BC1 with and without given levels, or the halves of blocks of 16 bytes.
struct BatchState {
  std::array<WaitingBlocks, 2> waiting;
};

// The same for the targets that need texels, which are all others. Solid blocks are not written either. The last blocks
// of a batch may wait in the state, and are written by finish_texels() or with the next batch; only then may out be
// read. Requires simd <= best_batch_simd(), and the same target for all batches. The bytes do not depend on simd.
void batch_to_texels(const std::uint8_t* blocks, const UastcBatch& batch, const UastcTarget& target, BatchSimd simd,
                     BatchState& state, std::uint8_t* out);
void finish_texels(const UastcTarget& target, BatchSimd simd, BatchState& state);
// Transcodes a block of the solid mode to a target that needs texels.
void solid_to_target(const std::uint8_t* block, const UastcTarget& target, std::uint8_t* out);

}  // namespace assetc::codec
