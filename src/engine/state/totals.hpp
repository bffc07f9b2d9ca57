// The numbers of a build.
#pragma once

#include <cstdint>

namespace assetc::engine {

struct Totals {
  std::uint64_t sources = 0;
  std::uint64_t taken = 0;      // of the sources: only steps of others take them
  std::uint64_t unclaimed = 0;  // files below the input root that no recipe takes and none read
  std::uint64_t steps = 0;
  std::uint64_t ran = 0;
  std::uint64_t copied = 0;    // published from an equal step's outputs, not cooked
  std::uint64_t restored = 0;  // from the store
  std::uint64_t cached = 0;
  std::uint64_t failed = 0;
  std::uint64_t not_started = 0;  // the disk took no more files
  std::uint64_t to_run = 0;       // of a dry run
  std::uint64_t outputs = 0;      // files that the tree holds, the index included
  std::uint64_t output_bytes = 0;
  std::uint64_t files_written = 0;  // whose bytes changed
  std::uint64_t bytes_written = 0;
  std::uint64_t files_removed = 0;
  double seconds = 0;
};

}  // namespace assetc::engine
