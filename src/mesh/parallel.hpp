// Parallel loops over fixed blocks. The start of a block depends on the data alone, never on the number of threads, so
// the result of a block is the same on every machine.
#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>

#include "scene/scene.hpp"

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
  tbb::parallel_for(std::size_t{0}, blocks, run, tbb::simple_partitioner());
}

// Calls body(primitive, mesh number, number in the mesh) for every primitive of the scene: in any order, on any thread,
// or on this thread alone if the scene is so small that starting threads would take longer.
template <class Body>
void for_primitives(scene::Scene& scene, const Body& body) {
  constexpr std::size_t kFewVertices = 1u << 14;
  std::size_t vertices = 0;
  for (const scene::Mesh& mesh : scene.meshes) {
    for (const scene::Primitive& primitive : mesh.primitives) vertices += primitive.positions.size();
  }
  const auto run = [&](std::size_t m, std::size_t p) { body(scene.meshes[m].primitives[p], m, p); };
  if (vertices < kFewVertices) {
    for (std::size_t m = 0; m < scene.meshes.size(); ++m) {
      for (std::size_t p = 0; p < scene.meshes[m].primitives.size(); ++p) run(m, p);
    }
    return;
  }
  tbb::parallel_for(std::size_t{0}, scene.meshes.size(), [&](std::size_t m) {
    tbb::parallel_for(std::size_t{0}, scene.meshes[m].primitives.size(), [&](std::size_t p) { run(m, p); });
  });
}

}  // namespace assetc::mesh
