// What the target writes last: its index, and its bundle of the whole tree.
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
  std::string_view source;  // of the step that refers
  std::string_view name;
};

struct Index {
  std::vector<IndexedFile> files;  // those that the index is to hold
  std::vector<LooseReference> loose;
};
// Listed outputs, or all of them where the target wants that, and those that others refer to by name.
Index index_of(const StepSet& steps, const Target& target);

// The hashes of the index files that were written last, in their order, on their way through the cache.
Result<void> record_index(Cache& cache, std::span<const ByteVector> files);
std::vector<ContentHash> recorded_index(Cache& cache);

// Brings the bundle up to date, at a glance where neither it nor the output tree (by its fingerprint) has changed.
// verify: read it again. Requires a target that has one.
Result<void> update_bundle(const Target& target, const Profile& profile, Disk& disk, Cache& cache,
                           const ContentHash& output_fingerprint, bool verify);

}  // namespace assetc::engine
