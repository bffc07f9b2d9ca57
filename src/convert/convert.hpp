// One file to one file, the kinds by extension.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "filetypes/filetypes.hpp"
#include "import/ktx2.hpp"
#include "import/source.hpp"
#include "recipes/recipe.hpp"

namespace assetc::convert {

struct ConvertOptions {
  recipes::Settings settings;  // of the recipe that makes the output
  // Of a compiled mesh: build it again by the settings, even where the output could hold it as it is.
  bool rebuild = false;
  // The output has the input's folder and stem: the .hmat and .hanim there are those that the input is opened with, and
  // stay.
  bool beside_input = false;
  std::optional<std::uint32_t> most_lods;  // in a .glb: no more levels of detail than that; unset: all there are
  bool keep_ktx2 = false;      // in a .glb: KTX2 images as they are (KHR_texture_basisu), not decoded to PNG
  importer::ImageIndex image;  // which image of a .ktx2 becomes a .png
};

struct ConvertedFile {
  std::string path;  // the output that was asked for, or a sibling of it (.hmat, .hanim)
  Bytes bytes;
};

struct Converted {
  std::vector<ConvertedFile> files;  // the output that was asked for first
  std::vector<recipes::Diagnostic> diagnostics;
};

// Converts input (as `read` serves it) to what the extension of output asks for:
//   .glb          from .gltf .glb .obj .hmesh .gali
//   .hmesh .gali  from the same
//   .ktx2         from .png .jpg .jpeg .webp .tga .bmp .hdr .exr .ktx2
//                 and, of a panorama (is_environment_path), .specular.ktx2 and .irradiance.ktx2 beside it
//   .png          from .ktx2 and the same pictures
// A .hmesh that becomes a container which holds no more than it is carried over, not built again: see carry.hpp.
// Nothing is written. Errors: kUnsupported for another pair, naming what the input can become; else those of the
// importer, recipe or exporter, with the file; no exception leaves. Thread-safe where `read` is.
Result<Converted> convert_file(const std::string& input, const std::string& output, const importer::FileReader& read,
                               const ConvertOptions& options);

// Whether files of that type can be the input.
bool is_convertible(const filetypes::Row& type);

// Whether a picture's name says that it is a panorama to be lit by: sky.env.hdr.
bool is_environment_path(std::string_view path);

}  // namespace assetc::convert
