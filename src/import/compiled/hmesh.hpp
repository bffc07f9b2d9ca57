// Imports a compiled .hmesh and the files beside it as a Scene.
#pragma once

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "import/compiled/companions.hpp"
#include "scene/scene.hpp"

namespace assetc::importer {

struct HmeshFiles {
  Bytes mesh = {};                // .hmesh, version 2 or 1
  Bytes materials = {};           // .hmat beside it; if empty, slots become unnamed default materials
  Bytes animation = {};           // .hanim beside it; if empty, there are no clips
  TextureResolver textures = {};  // if null, materials get no pictures
};

// The scene has one mesh with a primitive per submesh, one node that draws it, and one node per joint. Node::lods of
// the first node draw the reduced levels. Each primitive has the vertices that it uses, in the order of first use.
// Primitive::clusters is the meshlet of each triangle.
//
// Positions and texture coordinates are exact. Normals and tangents have the precision of two 16-bit octahedral
// coordinates. A level of detail that could not be reduced further repeats the level before. Version 1 has no submesh
// ranges: it becomes one primitive with the first material.
//
// Buffers may have any alignment. Errors: those of the formats' views; they do not name the file of `files`.
// Thread-safe if the resolver is.
Result<scene::Scene> import_hmesh(const HmeshFiles& files);

}  // namespace assetc::importer
