// What the chunks of a WAV say besides its samples. Source: Microsoft and IBM, Multimedia Programming Interface and
// Data Specifications 1.0; the chunk smpl from its New Multimedia Data Types and Data Techniques.
#pragma once

#include "import/sound/facts.hpp"

namespace assetc::importer {

bool is_wav(ByteSpan file);

// Errors: kTruncated if the file ends inside of its samples. Files whose writer did not know their size are whole.
// Requires is_wav().
Result<SoundFacts> read_wav_facts(ByteSpan file);

}  // namespace assetc::importer
