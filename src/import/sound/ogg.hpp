// Whether an Ogg file is whole, and what the comments of its Vorbis or Opus stream say. Source: RFC 3533, RFC 7845;
// Xiph.Org, Vorbis I.
#pragma once

#include "import/sound/facts.hpp"

namespace assetc::importer {

bool is_ogg(ByteSpan file);

// Errors: kTruncated if the file ends inside of a page, or before the last page of its stream. Requires is_ogg().
Result<SoundFacts> read_ogg_facts(ByteSpan file);

}  // namespace assetc::importer
