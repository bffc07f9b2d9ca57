// The files beside a compiled mesh of any container: .hmat materials and .hanim clips.
#pragma once

#include <functional>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/hmat.hpp"
#include "scene/scene.hpp"

namespace assetc::importer {

// Returns the image of a texture reference: its name and its encoded bytes. An error stops the import.
using TextureResolver = std::function<Result<scene::ImageSource>(std::uint64_t texture_ref)>;

struct Companions {
  Bytes materials = {};           // .hmat; if empty, materials stay as they are
  Bytes animation = {};           // .hanim; empty: no clips
  TextureResolver textures = {};  // if null, materials get no pictures
};

// Sets the factors, the alpha mode and the flags of a material; not its textures.
void set_factors(const hmat::GpuMaterial& row, scene::Material& material);

// Fills the materials of a scene from the rows of the .hmat, which are in the same order, and adds the clips to skin 0.
// The materials keep their names. If the clips name their joints, each channel moves the joint of that name, and
// channels of missing joints are dropped.
//
// Errors: those of the formats' views; kInvalidData if the number of rows differs from that of the materials, or if a
// clip moves a joint that does not exist. Any alignment. Thread-safe if the resolver is.
Result<void> add_companions(const Companions& companions, scene::Scene& scene);

}  // namespace assetc::importer
