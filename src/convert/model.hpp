// Opens any model file that assetc can read, as a scene with its pictures.
#pragma once

#include <string>
#include <vector>

#include "import/model/model.hpp"
#include "scene/image.hpp"
#include "scene/scene.hpp"

namespace assetc::convert {

// Opens a model by its extension and reads all files that it refers to. Every image of the scene then has inline bytes,
// or none if its file does not exist. Normals are those that a compiled mesh would have.
//
// path and all files that it refers to are '/'-separated and relative to the root that `read` serves, or absolute. For
// a .hmesh or .gali, the companions .hmat and .hanim are read if they exist, and textures are found through the nearest
// assets.hman in the model's folder or above. A missing texture is a warning; the model is complete without it. Errors
// name the file. Thread-safe if `read` is.
//
// cut: of a .hcluster. Meshes of a scene that are clusters are opened as their source.
Result<importer::Imported> load_model(const std::string& path, const importer::FileReader& read,
                                      const importer::ClusterCut& cut = {});

// The decoded picture of every image of a scene, in order, with 8 bits a channel. An image is empty if it has no bytes,
// if it cannot be decoded, if its range exceeds 8 bits, or if it and the images before it have more than max_texels
// together. All cases but the first give a warning. Runs in parallel.
std::vector<scene::Image> decode_images(const scene::Scene& scene, std::vector<Warning>& warnings,
                                        std::uint64_t max_texels = scene::kMaxImageTexels);

}  // namespace assetc::convert
