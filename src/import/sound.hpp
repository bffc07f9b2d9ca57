// WAV, AIFF, FLAC, Ogg Vorbis, Opus and MP3, by libsndfile.
#pragma once

#include <string>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "scene/sound.hpp"

namespace assetc::importer {

// Decoded: half an hour of stereo at 48 kHz.
inline constexpr std::uint64_t kMaxSoundBytes = 1ull << 30;

// All of a sound with its loops. Errors: kInvalidData for what libsndfile does not read and for a sound without frames,
// kLimit for one that is larger than kMaxSoundBytes or has more channels than a blob holds.
Result<scene::Sound> import_sound(ByteSpan file);

// The bytes that import_sound() takes, from the first of the file; for estimates.
std::uint64_t estimate_sound_bytes(ByteSpan head, std::uint64_t file_bytes);

std::string sound_libraries();  // "libsndfile=1.2.0\n"

}  // namespace assetc::importer
