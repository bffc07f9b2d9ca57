// Memory that the device reads: textures are decoded into it, and the upload queue copies them from there.
#pragma once

#include <assetc/runtime/assets.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

namespace example {

// Rows of a texture begin at multiples of this in staging memory, as in Direct3D 12.
constexpr std::uint64_t kRowPitchBytes = 256;

// A heap of a fixed size. Thread safety: all functions, from any thread. Must outlive the memory that it gave.
class StagingHeap {
 public:
  explicit StagingHeap(std::size_t size_bytes) : memory_(size_bytes) {}
  StagingHeap(const StagingHeap&) = delete;
  StagingHeap& operator=(const StagingHeap&) = delete;

  // Returns memory for a level of a texture. If the heap is full, it is memory outside the heap: decoding goes on, and
  // the device needs one more copy.
  assetc::Result<assetc::runtime::LevelMemory> allocate(const assetc::runtime::LevelRequest& level);

  struct Counts {
    std::size_t levels = 0;        // given so far
    std::size_t outside = 0;       // of these, outside the heap
    std::uint64_t used_bytes = 0;  // of the heap, now
  };
  Counts counts() const;

 private:
  void free(std::byte* memory);

  mutable std::mutex mutex_;
  std::vector<std::byte> memory_;
  std::map<std::uint64_t, std::uint64_t> used_;  // the end of each range by its begin
  Counts counts_;
};

}  // namespace example
