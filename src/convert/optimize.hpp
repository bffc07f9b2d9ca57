// Makes an optimized glTF of any model.
#pragma once

#include <optional>

#include "convert/convert.hpp"

namespace assetc::convert {

struct OptimizeOptions {
  // mesh: the bits that attributes keep; 0 of all: exact floats. compress: kNone or kMeshopt (EXT_meshopt_compression).
  // texture: how pictures become KTX 2.
  recipes::Settings settings;
  bool keep_pictures = false;    // embed pictures as they are
  std::optional<float> ratio{};  // above 0, below 1: simplify to this share of the triangles
};

// The settings of optimize that differ from those of a build.
recipes::Settings optimize_settings();

// A .glb of the model, as small_scene.hpp, small_positions.hpp and small_pictures.hpp change it. Nodes keep their
// names, parents, extras and clips. Everything that is left out is in a diagnostic.
//
// *source_bytes: the size of the model and of the files that it refers to.
//
// Writes nothing to disk. Does not throw. Thread-safe if `read` is.
// Errors: those of convert_file for a .glb.
Result<Converted> optimize_file(const std::string& input, const std::string& output, const importer::FileReader& read,
                                const OptimizeOptions& options, std::uint64_t* source_bytes = nullptr);

}  // namespace assetc::convert
