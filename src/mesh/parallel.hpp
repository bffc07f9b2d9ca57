// Parallel loops over fixed blocks. The start of a block depends on the data alone, never on the number of threads, so
// the result of a block is the same on every machine.
#pragma once

#include <algorithm>
#include <cstddef>

#include "parallel/parallel.hpp"

namespace assetc::mesh {

constexpr std::size_t block_count(std::size_t count, std::size_t block_size) {
  return (count + block_size - 1) / block_size;
}

// Calls body(begin, end, block) for every block of [0, count). Blocks run in any order, on any thread.
template <class Body>
void for_blocks(std::size_t count, std::size_t block_size, const Body& body) {
  const std::size_t blocks = block_count(count, block_size);
  const auto run = [&](std::size_t block) {
    const std::size_t begin = block * block_size;
    body(begin, std::min(count, begin + block_size), block);
  };
  if (blocks <= 1) {
    if (blocks == 1) run(0);
    return;
  }
  parallel_blocks(blocks, 1, [&](std::size_t first, std::size_t) { run(first); });
}

}  // namespace assetc::mesh
