// Patches: the difference between a bundle and the previous one.
#pragma once

#include "bundle/reader.hpp"
#include "bundle/write.hpp"

namespace assetc::bundle {

struct PatchReport {
  std::uint64_t patch_bytes = 0;
  std::uint64_t block_bytes = 0;    // new blocks in the patch
  std::uint64_t changed_bytes = 0;  // content in those blocks that is in no block of the old bundle
  std::uint64_t new_blocks = 0;
  std::uint64_t added = 0, changed = 0, removed = 0;  // entries
  bool new_dictionary = false;
};

// Writes the patch that turns `old` into `next`. Reader::mount reads the patch, write_patched writes the resulting
// bundle. The patch contains whole blocks, and the header, index and signature of next, so it needs no signature of its
// own. Reads only the indices and the new blocks. Errors: kConflict if the bundles have different names or platforms,
// or next is older; errors of sink; kInvalidData.
Result<PatchReport> write_patch(const Reader& old, const Reader& next, const Sink& sink);

// Writes the bundle that a mounted patch gives, byte for byte. Every block is verified before it is written.
Result<void> write_patched(const Reader& mounted, const Sink& sink);

}  // namespace assetc::bundle
