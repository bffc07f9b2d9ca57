// Encodes the chunks of a .hmesh: see assetc/formats/hmesh_encoded.hpp.
#pragma once

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "mesh/mesh.hpp"

namespace assetc::hmesh {

struct HmeshEncoding {
  bool zstd = false;  // Zstd over each stream that becomes smaller
};

// Encodes a finished file, not a mesh: `assetc convert` encodes files that exist (convert/carry.cpp), and the result is
// checked by decoding it to these bytes, so they are needed anyway. Opening them takes no copy.
// Returns a file that decodes to exactly `plain`. A chunk that would not be smaller stays plain.
// Deterministic: the same bytes on any number of threads.
// Constraints: plain is a valid .hmesh version 2 without encoded chunks, at a multiple of 8.
Result<ByteVector> encode_hmesh(ByteSpan plain, const HmeshEncoding& encoding);

// Rotates the corners of triangles and orders the vertices of meshlets so that encode_hmesh() needs no bytes for
// either. The order of triangles and their winding do not change. Requires meshlets in the order of the triangles:
// mesh::MeshOptions::has_meshlet_order.
void rotate_for_encoding(mesh::Mesh& mesh);

}  // namespace assetc::hmesh
