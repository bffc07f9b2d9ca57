// AAS1 sounds, also as vectors and to write. Specification: docs/formats/aas1.md.
#pragma once

#include <cstdint>
#include <vector>

#include "assetc/formats/aas1_audio_view.hpp"

namespace assetc::aas1 {

struct Audio {
  AudioCodec codec = AudioCodec::kPcm;
  SampleFormat sample_format = SampleFormat::kS16;
  std::uint32_t channel_count = 1;
  std::uint32_t sample_rate_hz = 48000;
  std::uint32_t frame_count = 0;
  std::uint32_t frames_per_chunk = 0;
  std::vector<ByteSpan> chunks;
  std::vector<Loop> loops;
};
// Returns the bytes of a file that AudioView::open accepts, or the error that it would give for the sound.
// Deterministic.
Result<ByteVector> write(const Audio& audio);

}  // namespace assetc::aas1
