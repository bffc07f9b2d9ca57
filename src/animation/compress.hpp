// Compresses clips to .hanim version 2. Specification: docs/formats/hanim.md.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "assetc/base/result.hpp"
#include "assetc/formats/hanim_compressed.hpp"
#include "scene/scene.hpp"

namespace assetc::animation {

// A node or joint that clips move.
struct Node {
  std::uint32_t parent = scene::kNone;  // any index; no cycles
  scene::Transform rest;
  // The distance from the node to its farthest vertex, in the unit of the scene. 0: only the radius of the options
  // counts.
  float reach = 0;
};

struct Options {
  // The largest distance, in the unit of the scene, of a point at `radius` around a node from its place in the source.
  // 0: size / 18000, which is 0.1 mm for a human of 1.8 m.
  double error = 0;
  // 0: size / 60, which is 3 cm for a human of 1.8 m.
  double radius = 0;
  // The size of what the nodes show. 0: the largest extent of the nodes in a pose of the clips, or 1.8 if that is 0.
  double size = 0;
  // The largest error of a morph weight.
  double weight_error = 1.0 / 2048;
  bool exact_splines = false;  // keep the keys and tangents of cubic splines
  bool keeps_rest = false;     // store tracks that hold the rest transform of their node
  bool of_scene = false;       // the nodes are those of a scene or model, not the joints of a mesh
};

// The error and radius that compress() uses for a clip.
struct Bound {
  double error = 0, radius = 0;
};
Bound bound_of(std::span<const scene::Clip> clips, std::span<const Node> nodes, const Options& options);

// Returns the bytes of a clip for hanim::write_compressed. Channel::node is an index of `nodes`.
// - If several channels move one property, the last one counts.
// - Values of cameras and lights keep 1/4096 of the range of the track.
// - Requires what importers guarantee: times that ascend, finite values, at least one key a channel.
// Errors: kLimit if a clip would exceed 4 GiB or names more than 2^26 objects.
// Deterministic on every machine. Runs on all threads of oneTBB.
Result<hanim::CompressedBytes> compress(const scene::Clip& clip, std::span<const Node> nodes, const Options& options,
                                        const Bound& bound);

// Compresses all clips and returns the bytes of the file.
// - joints: for clips that belong to no mesh, model or scene: one for each node, parents first; otherwise empty.
Result<ByteVector> write_hanim(std::span<const scene::Clip> clips, std::span<const Node> nodes, const Options& options,
                               std::span<const hanim::Joint> joints = {});

}  // namespace assetc::animation
