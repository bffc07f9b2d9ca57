// Options for storing sounds.
#pragma once

#include <cstdint>

namespace assetc::audio {

enum class Codec : std::uint8_t {
  kAuto,  // Vorbis for more than one chunk, otherwise PCM
  kPcm,   // 16 bits if the source has no more, otherwise floats
  kVorbis,
};

struct Options {
  Codec codec = Codec::kAuto;
  double quality = 5;        // for Vorbis: 0 to 10
  double chunk_seconds = 1;  // more than 0
};

}  // namespace assetc::audio
