// Converts one file to another; extensions select the conversion.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "filetypes/filetypes.hpp"
#include "import/model/source.hpp"
#include "import/texture/ktx2.hpp"
#include "recipes/recipe.hpp"
#include "scene/scene.hpp"

namespace assetc::convert {

struct ConvertOptions {
  recipes::Settings settings;  // for the recipe that makes the output
  // For a compiled mesh: build it again with the settings, even if the output could hold it unchanged.
  bool rebuild = false;
  // For a compiled mesh that becomes a .hmesh version 2: encode or decode its chunks as settings.mesh.compress says.
  bool recompress = false;
  // The output has the input's folder and stem. The .hmat and .hanim there were used to open the input, and are kept.
  bool beside_input = false;
  std::optional<std::uint32_t> most_lods;  // in a .glb: keep at most this many levels of detail; unset: all
  float max_error = 0;                     // of a .hcluster: the cut to convert, as import_hcluster takes it
  bool keep_ktx2 = false;      // in a .glb: embed KTX2 images (KHR_texture_basisu) instead of decoding them to PNG
  importer::ImageIndex image;  // which image of a .ktx2 becomes a .png
};

struct ConvertedFile {
  std::string path;  // the requested output, or a companion of it (.hmat, .hanim)
  Bytes bytes;
};

struct Converted {
  std::vector<ConvertedFile> files;  // the requested output comes first
  std::vector<recipes::Diagnostic> diagnostics;
};

// Converts input (as `read` serves it) to the format that the extension of output names:
//   .glb          from .gltf .glb .obj .hmesh .gali
//   .hmesh .gali  from the same
//   .ktx2         from .png .jpg .jpeg .webp .tga .bmp .hdr .exr .ktx2
//                 and, for a panorama (is_environment_path), .specular.ktx2 and .irradiance.ktx2 next to it
//   .png          from .ktx2 and the same pictures
// A .hmesh is copied instead of built if the output's format holds no more than .hmesh does: see carry.hpp.
// Writes nothing to disk. Does not throw. Thread-safe if `read` is.
// Errors: kUnsupported for another pair of types, naming the possible outputs; otherwise those of the importer, recipe
// or exporter, with the file.
Result<Converted> convert_file(const std::string& input, const std::string& output, const importer::FileReader& read,
                               const ConvertOptions& options);

// Adds warnings of an importer, which are then removed from the list.
void add_warnings(std::vector<Warning>& warnings, Converted& out);
// Adds a warning for everything that the scene's importer or a GLB (omitted) could not hold.
void add_dropped_warnings(scene::Scene& scene, const std::vector<scene::Dropped>& omitted, const std::string& input,
                          Converted& out);

// Whether files of that type can be the input.
bool is_convertible(const filetypes::Row& type);

// Whether a picture's name says that it is an environment for lighting: sky.env.hdr.
bool is_environment_path(std::string_view path);

}  // namespace assetc::convert
