// How sounds are stored.
#pragma once

#include <cstdint>

namespace assetc::audio {

enum class Codec : std::uint8_t {
  kAuto,  // Vorbis for more than one chunk, else PCM
  kPcm,   // 16 bits where the source has no more, else floats
  kVorbis,
};

struct Options {
  Codec codec = Codec::kAuto;
  double quality = 5;        // of Vorbis: 0 to 10
  double chunk_seconds = 1;  // more than 0
};

}  // namespace assetc::audio
