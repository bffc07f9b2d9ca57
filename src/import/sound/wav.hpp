// What the chunks of a WAV say besides its samples. Source: Microsoft and IBM, Multimedia Programming Interface and
// Data Specifications 1.0; the chunk smpl from its New Multimedia Data Types and Data Techniques.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "assetc/base/result.hpp"
#include "assetc/formats/aas1_audio.hpp"

namespace assetc::importer {

struct WavFacts {
  // Frames before the padding of the last block. Only for blocks of ADPCM, whose frames the size of `data` does not
  // say.
  std::optional<std::uint64_t> frame_count;
  std::vector<aas1::Loop> loops;  // of smpl, as stored: they may end outside of the sound
};

bool is_wav(ByteSpan file);

// Errors: kTruncated if the file ends inside of its samples. Files whose writer did not know their size are whole.
// Requires is_wav().
Result<WavFacts> read_wav_facts(ByteSpan file);

}  // namespace assetc::importer
