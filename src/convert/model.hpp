// Any model file that assetc can open, as a scene with its pictures.
#pragma once

#include <string>
#include <vector>

#include "import/source.hpp"
#include "scene/image.hpp"
#include "scene/scene.hpp"

namespace assetc::convert {

// Opens a model by its extension and reads everything it refers to: every image of the scene has inline bytes, or none
// where its file was not there. Normals are those that a compiled mesh would have.
//
// path and every file it refers to are '/'-separated and relative to the root that `read` serves, or absolute. A .hmesh
// or .gali brings its siblings .hmat and .hanim where they are there, and its textures through the nearest assets.hman
// in its folder or above. A texture that is not there is a warning; the model is whole without it. Errors name the
// file. Thread-safe where `read` is.
Result<importer::Imported> load_model(const std::string& path, const importer::FileReader& read);

// The decoded picture of every image of a scene, in order, 8 bits a channel; one that has no bytes, cannot be decoded
// or has more than 8 bits of range is empty and, in the last two cases, a warning. Runs in parallel.
std::vector<scene::Image> decode_images(const scene::Scene& scene, std::vector<Warning>& warnings);

}  // namespace assetc::convert
