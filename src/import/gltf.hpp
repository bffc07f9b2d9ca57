// glTF 2.0 and GLB to a scene.
#pragma once

#include <string_view>

#include "assetc/base/bytes.hpp"
#include "import/source.hpp"

namespace assetc::importer {

// Reads a .gltf or .glb, told apart by content. Buffers are read through `read`; images are only located.
//
// Chain it with decode_image() for the scene's images and with the mesh builder for its primitives.
//
// Errors have a JSON pointer as their place ("/accessors/3"), or "byte N" in a GLB's container, or "line N, column M"
// where the text is not JSON. kUnsupported names an extension that the file requires and assetc does not know.
//
// What the scene cannot hold is listed in Scene::dropped; what it holds and an output format cannot is for the caller
// to report. Nodes outside the default scene lose their mesh (and are listed). Attributes that break a rule of glTF
// but can be made again (normals, tangents with NaN) are left empty with a warning.
//
// Read: all accessor types, sparse and normalized; strips and fans as triangle lists; data URIs; the extensions
// KHR_mesh_quantization, KHR_meshopt_compression, EXT_meshopt_compression, KHR_draco_mesh_compression,
// EXT_mesh_gpu_instancing, KHR_texture_transform, KHR_texture_basisu, EXT_texture_webp,
// KHR_materials_emissive_strength, KHR_materials_unlit.
//
// Thread safety: pure but for `read`. Source: the glTF 2.0 specification, Khronos 2021.
Result<Imported> import_gltf(std::string_view source_path, const Bytes& file, const FileReader& read,
                             const ImportLimits& limits = {});

// What is in a glTF file, each mesh as often as nodes and instances draw it, each clip as often as channels name it.
struct GltfSize {
  std::uint64_t bytes = 0;           // of the buffers and of what is decoded from them
  std::uint64_t document_bytes = 0;  // of the parsed JSON
  std::uint64_t corners = 0;         // of triangles
  std::uint64_t flat_corners = 0;    // of those, without normals: each may become a vertex of its own
  // Of pictures inside the file, as they lie there: PNG, KTX 2, and all others, which are thought to be JPEG or WebP.
  std::uint64_t png_bytes = 0, ktx2_bytes = 0, other_picture_bytes = 0;
};
// At most, from the JSON alone: zeros will do for the rest of the file. Nothing where that is broken.
GltfSize estimate_gltf(const Bytes& file);
// How many bytes from its start hold a glTF file's JSON; head: its first kGltfHeadBytes, or all of a smaller one.
inline constexpr std::size_t kGltfHeadBytes = 64 << 10;
std::size_t gltf_json_end(ByteSpan head);
// That JSON; empty where the file has not so many bytes or it is longer than importers read.
std::string_view gltf_json_text(const Bytes& file);

// The two parts of a glTF file: its JSON text and, in a GLB, its binary chunk.
struct GltfContainer {
  std::string_view json;
  bool has_binary = false;
  Bytes binary;
};
Result<GltfContainer> open_gltf_container(const Bytes& file);

}  // namespace assetc::importer
