// Converts FLAC in Ogg pages to plain FLAC.
#pragma once

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::importer {

bool is_ogg_flac(ByteSpan file);

// Returns the FLAC stream inside the Ogg pages of a file: libsndfile 1.2 fails on most Ogg FLAC files and reads all
// plain ones. Requires is_ogg_flac(). Other streams in the file are ignored. kInvalidData if a page or packet is
// damaged or missing. Source: Xiph.Org, Ogg FLAC mapping 1.0; RFC 3533.
Result<ByteVector> unwrap_ogg_flac(ByteSpan file);

}  // namespace assetc::importer
