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
inline constexpr unsigned kBatchBlocks = 128;
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

// The same for the targets that need texels, which are all others. Solid blocks are not written either. use_avx2
// requires has_avx2(). The bytes do not depend on it.
void batch_to_texels(const std::uint8_t* blocks, const UastcBatch& batch, const UastcTarget& target, bool use_avx2,
                     std::uint8_t* out);
// Whether the processor and the build have the AVX2 code.
bool has_avx2();

}  // namespace assetc::codec
