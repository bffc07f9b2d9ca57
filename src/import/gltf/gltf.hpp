// Imports glTF 2.0 and GLB as a scene.
#pragma once

#include <string_view>

#include "assetc/base/bytes.hpp"
#include "import/model/source.hpp"

namespace assetc::importer {

// Reads a .gltf or .glb, distinguished by content. Buffers are read through `read`. Images are located but not read.
//
// Next steps: decode_image() for the images of the scene, the mesh builder for its primitives.
//
// Errors have a JSON pointer as their place ("/accessors/3"). In the container of a GLB it is "byte N". If the text is
// not JSON it is "line N, column M". kUnsupported names an extension that the file requires and assetc does not
// support.
//
// Scene::dropped lists everything that the scene cannot hold. If the scene holds data that an output format cannot, the
// caller must report it. Nodes outside the default scene lose their mesh and are listed. Attributes that break a rule
// of glTF but can be generated again (normals or tangents with NaN) are left empty, with a warning.
//
// Supported: all accessor types, sparse and normalized; strips and fans, as triangle lists; data URIs; the extensions
// KHR_mesh_quantization, KHR_meshopt_compression, EXT_meshopt_compression, KHR_draco_mesh_compression,
// EXT_mesh_gpu_instancing, KHR_texture_transform, KHR_texture_basisu, EXT_texture_webp,
// KHR_materials_emissive_strength, KHR_materials_unlit.
//
// Thread safety: pure except for `read`. Source: the glTF 2.0 specification, Khronos 2021.
Result<Imported> import_gltf(std::string_view source_path, const Bytes& file, const FileReader& read,
                             const ImportLimits& limits = {});

// The most primitives that the nodes and instances of a file draw together. Each takes about 3 KiB while it compiles.
inline constexpr std::uint64_t kMaxDraws = 1u << 20;

// The content of a glTF file.
struct GltfGeometry {
  std::uint64_t primitives = 0;
  std::uint64_t bytes = 0;         // of the data decoded from buffers
  std::uint64_t corners = 0;       // of triangles
  std::uint64_t flat_corners = 0;  // of these, without normals: each may become a separate vertex
};
struct GltfSize {
  GltfGeometry meshes;               // each mesh counts once
  GltfGeometry drawn;                // each mesh counts once per node and instance that draws it, and at least once
  std::uint64_t nodes = 0;           // and instances
  std::uint64_t data_bytes = 0;      // of the buffers and of the clips; each clip counts once per channel
  std::uint64_t document_bytes = 0;  // of the parsed JSON
  // Encoded size of embedded pictures: PNG, KTX 2, and all others, which are assumed to be JPEG or WebP.
  std::uint64_t png_bytes = 0, ktx2_bytes = 0, other_picture_bytes = 0;
  std::uint64_t pictures = 0;  // how many are embedded
};
// An upper bound from the JSON alone; the rest of the file may be zeros. Nothing is counted if the JSON is broken.
GltfSize estimate_gltf(const Bytes& file);
// The number of bytes from the start of a glTF file that contain its JSON. head: the first kGltfHeadBytes, or the whole
// file if it is smaller.
inline constexpr std::size_t kGltfHeadBytes = 64 << 10;
std::size_t gltf_json_end(ByteSpan head);
// That JSON. Empty if the file is too short, or if the JSON is longer than importers accept.
std::string_view gltf_json_text(const Bytes& file);

// The two parts of a glTF file: its JSON text and, in a GLB, its binary chunk.
struct GltfContainer {
  std::string_view json;
  bool has_binary = false;
  Bytes binary;
};
Result<GltfContainer> open_gltf_container(const Bytes& file);

}  // namespace assetc::importer
