// Patches: what a bundle has that the one before it lacks.
#pragma once

#include "bundle/reader.hpp"
#include "bundle/write.hpp"

namespace assetc::bundle {

struct PatchReport {
  std::uint64_t patch_bytes = 0;
  std::uint64_t block_bytes = 0;    // of the patch, that are new blocks
  std::uint64_t changed_bytes = 0;  // of content in those blocks: what no block of the old bundle holds
  std::uint64_t new_blocks = 0;
  std::uint64_t added = 0, changed = 0, removed = 0;  // entries
  bool new_dictionary = false;
};

// Writes the patch that makes `next` of `old`: Reader::mount reads it, write_patched writes what it makes. It holds
// whole blocks and the header, index and signature of next, so it needs no signature of its own. Reads the indices and
// the new blocks alone. Errors: kConflict for bundles of two names or platforms, or an older next; those of sink;
// kInvalidData.
Result<PatchReport> write_patch(const Reader& old, const Reader& next, const Sink& sink);

// The bundle that a mounted patch makes, byte for byte, every block of it verified before it is written.
Result<void> write_patched(const Reader& mounted, const Sink& sink);

}  // namespace assetc::bundle
