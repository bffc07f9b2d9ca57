// Counts and sizes of one build.
#pragma once

#include <cstdint>

namespace assetc::engine {

struct Totals {
  std::uint64_t sources = 0;
  std::uint64_t taken = 0;      // sources that only steps of other sources use
  std::uint64_t unclaimed = 0;  // files below the input root that no recipe handles and no step read
  std::uint64_t steps = 0;
  std::uint64_t ran = 0;
  std::uint64_t copied = 0;    // copied from the outputs of an equal step, not cooked
  std::uint64_t restored = 0;  // from a store
  std::uint64_t cached = 0;
  std::uint64_t failed = 0;
  std::uint64_t not_started = 0;  // not started because the disk accepted no more files
  std::uint64_t to_run = 0;       // in a dry run
  std::uint64_t outputs = 0;      // files in the output tree, including the index
  std::uint64_t output_bytes = 0;
  std::uint64_t files_written = 0;  // files whose bytes changed
  std::uint64_t bytes_written = 0;
  std::uint64_t files_removed = 0;
  double seconds = 0;
};

}  // namespace assetc::engine
