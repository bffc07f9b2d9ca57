// Loops of an AIFF or AIFF-C, and whether it is whole. Source: Apple, Audio Interchange File Format 1.3.
#pragma once

#include "import/sound/facts.hpp"

namespace assetc::importer {

bool is_aiff(ByteSpan file);

// Errors: kTruncated if the file ends inside of its samples. Requires is_aiff().
Result<SoundFacts> read_aiff_facts(ByteSpan file);

}  // namespace assetc::importer
