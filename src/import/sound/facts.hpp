// What a file says of its sound besides the samples. Each container has a reader that needs no library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/aas1_audio.hpp"

namespace assetc::importer {

struct SoundFacts {
  // Frames before the padding of the last block. Only for blocks of ADPCM in a WAV, whose frames the size of `data`
  // does not say.
  std::optional<std::uint64_t> frame_count;
  // A decoder that finds fewer frames has read a file that is cut short. 0: the file does not say.
  std::uint64_t least_frames = 0;
  std::vector<aas1::Loop> loops;  // as stored: they may end outside of the sound
  std::string left_out = {};      // loops and data that are not kept, for a warning
};

// The most loops of a sound. Samplers use one or two.
inline constexpr std::size_t kMaxLoops = 16;

// The loop that Vorbis comments describe: LOOPSTART, and LOOPLENGTH or LOOPEND (the frame after the last). Game engines
// write them; no standard has them. block: the vendor's name and the comments. Source: Xiph.Org, Vorbis I comment
// field.
void read_comment_loop(ByteSpan block, SoundFacts& facts);

}  // namespace assetc::importer
