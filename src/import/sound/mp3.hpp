// Whether an MP3 says how many frames its encoder added at both ends.
#pragma once

#include "assetc/base/bytes.hpp"

namespace assetc::importer {

bool is_mp3(ByteSpan file);

// Whether the first frame is the one of encoders that has this number. The decoder then leaves them out. Source: the
// LAME project, Mp3 Info Tag revision 1. Requires is_mp3().
bool says_padding(ByteSpan file);

}  // namespace assetc::importer
