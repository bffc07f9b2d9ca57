// Imports WAV, AIFF, FLAC (also in Ogg), Ogg Vorbis, Opus and MP3 with libsndfile.
#pragma once

#include <string>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "scene/sound.hpp"

namespace assetc::importer {

// Limit of the decoded size. Half an hour of stereo at 48 kHz fits.
inline constexpr std::uint64_t kMaxSoundBytes = 1ull << 30;

// Decodes a whole sound with its loops, without the frames that an encoder added if the file says how many they are.
// Errors: kTruncated for a sound that is cut short; kInvalidData if libsndfile cannot read it or it has no frames;
// kLimit if it is larger than kMaxSoundBytes or has more channels than a blob can hold.
Result<scene::Sound> import_sound(ByteSpan file);

// Estimates the memory of import_sound() from the first bytes of the file.
std::uint64_t estimate_sound_bytes(ByteSpan head, std::uint64_t file_bytes);

std::string sound_libraries();  // "libsndfile=1.2.0\n"

}  // namespace assetc::importer
