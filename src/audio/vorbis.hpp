// Encodes one complete Ogg Vorbis stream.
#pragma once

#include <span>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::audio {

// samples: interleaved; quality: 0 to 1.
Result<ByteVector> encode_vorbis(std::span<const float> samples, std::uint32_t channel_count,
                                 std::uint32_t sample_rate_hz, double quality);

// Sets the serial number of every page of an Ogg stream to 1, and updates the checksums. Encoders choose random
// numbers. Requires whole pages.
void settle_serials(std::span<std::byte> stream);

}  // namespace assetc::audio
