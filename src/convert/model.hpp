// Any model file that assetc can open, as a scene with its pictures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/source.hpp"
#include "scene/image.hpp"
#include "scene/scene.hpp"

namespace assetc::convert {

struct LoadedModel {
  scene::Scene scene;  // every image has inline bytes, or none where its file was not there
  std::vector<Error> warnings;
};

// Whether load_model knows the extension: .gltf .glb .obj .hmesh .gali, in any case.
bool is_model_path(std::string_view path);

// Opens a model by its extension and reads everything it refers to.
//
// path and every file it refers to are '/'-separated and relative to the root that `read` serves. A .hmesh or .gali
// brings its siblings .hmat and .hanim where they are there, and its textures through the nearest assets.hman in its
// folder or above. A texture that is not there is a warning; the model is whole without it. Errors name the file.
// Thread-safe where `read` is.
Result<LoadedModel> load_model(std::string_view path, const importer::FileReader& read);

// The decoded picture of every image of a scene, in order, 8 bits a channel; one that has no bytes, cannot be decoded
// or has more than 8 bits of range is empty and, in the last two cases, a warning. Runs in parallel.
std::vector<scene::Image> decode_images(const scene::Scene& scene, std::vector<Error>& warnings);

}  // namespace assetc::convert
