// One Ogg Vorbis stream, whole.
#pragma once

#include <span>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::audio {

// samples: interleaved; quality: 0 to 1.
Result<ByteVector> encode_vorbis(std::span<const float> samples, std::uint32_t channel_count,
                                 std::uint32_t sample_rate_hz, double quality);

// Gives every page of an Ogg stream the serial number 1, and the checksum that goes with it: encoders draw theirs.
// Requires whole pages.
void settle_serials(std::span<std::byte> stream);

}  // namespace assetc::audio
