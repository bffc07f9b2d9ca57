// The files beside a compiled mesh, whatever its container: .hmat rows and .hanim clips.
#pragma once

#include <functional>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "scene/scene.hpp"

namespace assetc::importer {

// A texture of a material row: what its image is called, and its encoded bytes. Errors stop the import.
using TextureResolver = std::function<Result<scene::ImageSource>(std::uint64_t texture_ref)>;

struct Companions {
  Bytes materials = {};           // .hmat; empty: materials stay as they are
  Bytes animation = {};           // .hanim; empty: no clips
  TextureResolver textures = {};  // null: materials without pictures
};

// Fills the materials of a scene, one a slot and named, from the rows, and adds the clips to its skin 0. Clips that
// name their joints move those of these names; channels of others are dropped. Errors: those of the formats' views;
// kInvalidData where there are more or fewer rows than materials, or a clip moves a joint that is not there. Any
// alignment. Thread-safe where the resolver is.
Result<void> add_companions(const Companions& companions, scene::Scene& scene);

}  // namespace assetc::importer
