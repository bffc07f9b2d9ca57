// Encodes sounds as a runtime needs them: in chunks that decode independently.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/aas1_audio.hpp"
#include "audio/options.hpp"
#include "scene/sound.hpp"

namespace assetc::audio {

struct EncodedSound {
  aas1::AudioCodec codec = aas1::AudioCodec::kPcm;
  aas1::SampleFormat sample_format = aas1::SampleFormat::kS16;
  std::uint32_t channel_count = 0;
  std::uint32_t sample_rate_hz = 0;
  std::uint32_t frame_count = 0;
  std::uint32_t frames_per_chunk = 0;
  std::vector<ByteVector> chunks;
  std::vector<aas1::Loop> loops;
};

// Errors: kLimit for more frames than 32 bits can count, kUnsupported if libsndfile cannot encode that many channels.
// The same bytes for the same libsndfile, libvorbis and processor.
Result<EncodedSound> encode(const scene::Sound& sound, const Options& options);

// The encoder that libsndfile uses. The importer reports the version of libsndfile itself.
std::string libraries();

}  // namespace assetc::audio
