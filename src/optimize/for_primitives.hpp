// A loop over the primitives of a scene.
#pragma once

#include <cstddef>

#include "parallel/parallel.hpp"
#include "scene/scene.hpp"

namespace assetc::optimize {

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
  parallel_for(scene.meshes.size(), [&](std::size_t m) {
    parallel_for(scene.meshes[m].primitives.size(), [&](std::size_t p) { run(m, p); });
  });
}

}  // namespace assetc::optimize
