// Imports a compiled scene (.hscene) with its meshes, materials and clips.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "import/compiled/companions.hpp"

namespace assetc::importer {

// Finds the files of a scene.
struct SceneFinder {
  // The bytes of a file by the hash of its path. what: the file for messages, such as "mesh 3".
  std::function<Result<Bytes>(std::uint64_t hash, const std::string& what)> file;
  TextureResolver textures;  // if null, materials get no pictures
};

// Opens a .hscene of a runtime folder. Levels of detail of meshes become nodes (Node::lods) beside each node that shows
// the mesh.
// Errors: those of the finder and of the formats' views; kUnsupported for a scene of a cook; kInvalidData if a mesh,
// row or clip that the scene names is not in its file. Any alignment. Thread-safe if the finder is.
Result<scene::Scene> import_hscene(const Bytes& file, const SceneFinder& finder);

}  // namespace assetc::importer
