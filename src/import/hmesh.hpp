// The way back: a compiled .hmesh and its siblings as a Scene.
#pragma once

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "import/companions.hpp"
#include "scene/scene.hpp"

namespace assetc::importer {

struct HmeshFiles {
  Bytes mesh = {};                // .hmesh, version 2 or 1
  Bytes materials = {};           // sibling .hmat; empty: submeshes keep their slots as nameless default materials
  Bytes animation = {};           // sibling .hanim; empty: no clips
  TextureResolver textures = {};  // null: materials without pictures
};

// One mesh, a primitive a submesh, each with the vertices that it uses in the order of its first use; one node that
// draws it, whose Node::lods draw the reduced levels; one node a joint. Primitive::clusters is the meshlet of every
// triangle. Positions and texture coordinates are exact; normals and tangents are as precise as two 16-bit octahedral
// coordinates; a stalled level of detail repeats the level before.
// Version 1 knows no ranges: one primitive, of the first material.
// Buffers may have any alignment. Errors: those of the formats' views; the files of `files` are not named in them.
// Thread-safe where the resolver is.
Result<scene::Scene> import_hmesh(const HmeshFiles& files);

}  // namespace assetc::importer
