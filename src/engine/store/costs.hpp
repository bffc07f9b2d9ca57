// Measured compile times on this machine, by kind of step. Used to decide whether downloading is faster than compiling.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

// Its file in a store.
inline constexpr std::string_view kCostsFile = "/costs-1";

// Thread-safe.
class Costs {
 public:
  // Loads the file. If it is missing or damaged, starts empty.
  Costs(Disk& disk, std::string path);

  // Expected seconds of a step whose kind was never measured.
  static double guess(std::uint64_t input_bytes);
  // Expected seconds of a step. If its kind (kind_of) was never measured, guess().
  double estimate(const ContentHash& kind, std::uint64_t input_bytes) const;
  void add(const ContentHash& kind, std::uint64_t input_bytes, double seconds);
  // Writes the file if anything was added. If two processes save at once, the measurements of one are lost.
  Result<void> save();

 private:
  struct Sum {
    double seconds = 0;
    double bytes = 0;  // of inputs, plus kStepBytes for each step
  };
  Disk& disk_;
  std::string path_;
  mutable std::mutex mutex_;
  std::unordered_map<ContentHash, Sum> kinds_;
  bool changed_ = false;
};

}  // namespace assetc::engine
