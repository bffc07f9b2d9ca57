// .hanim version 1, also as vectors and to write. Specification: docs/formats/hanim.md.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assetc/formats/hanim_view.hpp"

namespace assetc::hanim {

struct Channel {
  std::uint32_t joint = 0;
  Path path = Path::kTranslation;
  Interpolation interpolation = Interpolation::kLinear;
  std::vector<float> times;   // seconds
  std::vector<float> values;  // component_count(path) floats for each key
  bool operator==(const Channel&) const = default;
};

struct Clip {
  std::string name;
  float duration_seconds = 0;  // no key is later
  std::vector<Channel> channels;
  bool operator==(const Clip&) const = default;
};

// Returns the bytes of a file that View::open accepts, or the error that it would give for a clip. Clips and channels
// keep their order. joints: as View::joints(); empty for clips of a mesh.
Result<ByteVector> write(std::span<const Clip> clips, std::span<const Joint> joints = {});

}  // namespace assetc::hanim
