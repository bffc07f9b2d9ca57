// Whether an MP3 says how many frames its encoder added at both ends.
#pragma once

#include <cstdint>

#include "assetc/base/bytes.hpp"

namespace assetc::importer {

bool is_mp3(ByteSpan file);

// Whether the first frame is the one of encoders that has this number. The decoder then leaves them out. Source: the
// LAME project, Mp3 Info Tag revision 1. Requires is_mp3().
bool says_padding(ByteSpan file);

// Where a file says how many frames of MPEG it has, the fewest frames of sound that a decoder gets from them; otherwise
// 0. Requires is_mp3().
std::uint64_t least_mp3_frames(ByteSpan file);
// Whether the last frame of MPEG is cut short. Requires is_mp3().
bool ends_inside_frame(ByteSpan file);

}  // namespace assetc::importer
