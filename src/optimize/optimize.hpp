// Makes an optimized glTF of any model.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "convert/convert.hpp"
#include "optimize/keep.hpp"
#include "optimize/pictures.hpp"

namespace assetc::optimize {

// How vertices, triangles and clips are encoded if mesh.compress is kMeshopt.
enum class Coding : std::uint8_t {
  kUsual,       // kSmallest for a source with Draco, whose readers know it; otherwise kMeshopt
  kSmallest,    // kMeshopt or kDraco: what makes smaller files
  kMeshopt,     // EXT_meshopt_compression
  kMeshoptKhr,  // KHR_meshopt_compression
  kDraco,       // KHR_draco_mesh_compression, for triangles without morph targets
};

struct OptimizeOptions {
  // mesh: the bits that attributes keep; 0 of all: exact floats. compress: kNone or kMeshopt. texture: how pictures
  // become KTX 2. animation.error: of reduce_clips().
  recipes::Settings settings;
  Keep keep{};
  Coding coding = Coding::kUsual;
  bool keep_pictures = false;    // embed pictures as they are
  PictureOptions pictures{};     // otherwise
  bool removes_keys = false;     // of clips, within an error
  std::optional<float> ratio{};  // above 0, below 1: simplify to this share of the triangles
  // A .glb of one file that would grow is the output, unchanged. For callers that ask for nothing but a small file.
  bool may_keep_source = false;
};

// The usual options: for small files. Their settings differ from those of a build. If this program was built without
// WebP, pictures become UASTC.
OptimizeOptions optimize_options();
// The same for a purpose: "web", "headset" or "phone". Errors: kUsage for another word.
Result<OptimizeOptions> optimize_options_for(std::string_view purpose);

using SourceSizes = std::map<std::string, std::uint64_t, std::less<>>;  // by path

// A glTF of the model, as keep.hpp, scene.hpp, positions.hpp, pictures.hpp and clips.hpp
// change it. Everything that is left out is in a diagnostic. An output that is larger than its sources is a warning
// with the causes.
//
// output: .glb, or .gltf, which has its buffer and pictures as files beside it: <stem>.bin and <stem>_<picture>.
// *sources: the model and the files that it refers to, with their sizes in bytes.
//
// inputs: reads the files, and makes the steps of pictures.
//
// Writes nothing to disk. Does not throw. Thread-safe if different inputs are used.
// Errors: those of convert_file for a .glb.
Result<convert::Converted> optimize_file(const std::string& input, const std::string& output, recipes::Inputs& inputs,
                                         const OptimizeOptions& options, SourceSizes* sources = nullptr);

}  // namespace assetc::optimize
