// Cuts long contents into chunks, so that an edit moves only a few cuts.
//
// FastCDC with normalized chunking: a gear hash of the last 64 bytes decides. The mask before the average size is
// stricter than the mask after it. Source: Xia et al., "FastCDC: a Fast and Efficient Content-Defined Chunking Approach
// for Data Deduplication", USENIX ATC 2016.
#pragma once

#include <vector>

#include "assetc/base/bytes.hpp"

namespace assetc::bundle {

inline constexpr std::size_t kMinChunkBytes = 16u << 10, kAverageChunkBytes = 64u << 10, kMaxChunkBytes = 256u << 10;

// Returns the sizes of the chunks of content, in order; their sum is its size. All are within the bounds above, except
// the last, which may be smaller. The bytes of bundles depend on the cuts: they never change within a version of the
// format.
std::vector<std::size_t> chunk_sizes(ByteSpan content);

}  // namespace assetc::bundle
