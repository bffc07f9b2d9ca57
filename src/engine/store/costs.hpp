// What steps have taken on this machine, by kind: what a store is weighed against.
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

// Of a store.
inline constexpr std::string_view kCostsFile = "/costs-1";

// Thread-safe.
class Costs {
 public:
  // What a file of these remembers; nothing of one that is not there or damaged.
  Costs(Disk& disk, std::string path);

  // Seconds that a step would take; a guess where none of its kind (kind_of) was measured.
  double estimate(const ContentHash& kind, std::uint64_t input_bytes) const;
  void add(const ContentHash& kind, std::uint64_t input_bytes, double seconds);
  // Writes what was added, if anything was. Of two processes that do so at once one is forgotten.
  Result<void> save();

 private:
  struct Sum {
    double seconds = 0;
    double bytes = 0;  // of inputs, each with kStepBytes
  };
  Disk& disk_;
  std::string path_;
  mutable std::mutex mutex_;
  std::unordered_map<ContentHash, Sum> kinds_;
  bool changed_ = false;
};

}  // namespace assetc::engine
