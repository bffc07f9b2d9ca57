// What the metadata of a FLAC stream says. Source: RFC 9639.
#pragma once

#include "import/sound/facts.hpp"

namespace assetc::importer {

bool is_flac(ByteSpan file);

// Requires is_flac().
SoundFacts read_flac_facts(ByteSpan file);

}  // namespace assetc::importer
