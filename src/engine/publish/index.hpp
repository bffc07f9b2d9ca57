// The files that the target writes last: its index, and its bundle of the whole tree.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/publish/publish.hpp"
#include "engine/state/cache.hpp"
#include "engine/state/step_set.hpp"

namespace assetc::engine {

// A reference to an asset that no step of the build makes.
struct LooseReference {
  std::string_view source;  // the source of the step that refers
  std::string_view name;
};

struct Index {
  std::vector<IndexedFile> files;  // files to list in the index
  std::vector<LooseReference> loose;
};
// Returns all outputs. Those that others refer to by name are there once more, as named ones.
Index index_of(const StepSet& steps, const Target& target);

// The name of an output in references, in lower case.
std::string referred_name(const StepRecord& record, const OutputRecord& output);

// Stores the hashes of the index files that were written last, in order, in the cache, and reads them.
Result<void> record_index(Cache& cache, std::span<const ByteVector> files);
std::vector<ContentHash> recorded_index(Cache& cache);

// Updates the bundle, unless neither the bundle nor the output tree (by its fingerprint) has changed. verify: read the
// bundle back and check it. The target must have a bundle.
Result<void> update_bundle(const Target& target, const Profile& profile, Disk& disk, Cache& cache,
                           const ContentHash& output_fingerprint, bool verify);
// Writes the bundle without these files, which are in byte order. verify: as above.
Result<void> write_bundle(const Target& target, const Profile& profile, std::span<const std::string> without,
                          Disk& disk, bool verify);

}  // namespace assetc::engine
