// Writes a Scene as one self-contained binary glTF 2.0 file, or as a .gltf with files beside it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "scene/scene.hpp"

namespace assetc::exporter {

// How vertices, triangles and clips are encoded; readers must then support the extension.
enum class GlbCoding : std::uint8_t {
  kNone,
  kMeshopt,     // EXT_meshopt_compression
  kMeshoptKhr,  // KHR_meshopt_compression, whose streams are smaller
  kDraco,       // KHR_draco_mesh_compression: triangles without morph targets; the rest is not encoded
};

// How a file becomes smaller. The default changes nothing.
struct GlbOptions {
  // Equal data is stored once, attributes of one kind share buffer views, and morph targets are dense
  // unless there are very many.
  bool packs = false;
  GlbCoding coding = GlbCoding::kNone;  // with packs
  bool has_instances = false;           // with packs: EXT_mesh_gpu_instancing, which readers must then support
  // With packs. Positions and their morph offsets that are integers of 16 bits are stored as such, and rotations of
  // instances and clips that are unit quaternions as normalized integers of 16 bits.
  bool integer_positions = false, integer_rotations = false;
  // With integer_rotations and streams of meshopt: the bits that rotations of clips keep, at most 16.
  std::uint32_t rotation_bits = 16;
  // With packs: the bits that components keep, at most 16 each; 0: floats, exact. Readers must then support
  // KHR_mesh_quantization, but not for primitives that are encoded as Draco. Only those round positions.
  std::uint32_t position_bits = 0, normal_bits = 0, texcoord_bits = 0, color_bits = 0, weight_bits = 0;
  // Readers must support KHR_texture_transform, because integer texture coordinates rely on it.
  bool needs_texture_transform = false;
};

// The scene as GLB bytes: buffers and images embedded, every float exact except in broken normals, deterministic.
//
// Chain: import (any mesh container) -> write_glb -> file.
// Errors:
// - kInvalidData: an attribute array does not have one item for each vertex, or an index refers to an item that the
//   scene does not have.
// - kUnsupported: an image has no inline bytes, or is neither PNG, JPEG, WebP nor KTX2; this program was built without
//   Draco.
// - kLimit: more than 4 GiB.
//
// Output:
// - Indices are u16 if there are at most 65,535 vertices, otherwise u32.
// - MSFT_lod is used for level-of-detail nodes, KHR_texture_basisu for KTX2 images, EXT_texture_webp for WebP (both
// required),
//   KHR_materials_unlit for unlit materials, KHR_materials_emissive_strength for emission above 1, and
//   KHR_texture_transform for texture transforms. The file names only the extensions that it uses.
// - Normals that are not of unit length are normalized. If any tangent of a primitive has no direction or sign, its
//   tangents are omitted.
// - Joints of a skin that have no common ancestor get one: a node without a transform, after the scene's nodes.
// - Texture filters that the scene does not set are linear.
// - Clips move visibility, cameras and lights through KHR_animation_pointer. A channel is omitted if the scene does not
//   have the camera, light or morph targets that it moves.
// - One scene contains every node that has no parent and is not a level of detail of another node.
// - Cameras, lights, variants, visibility and the values of material extensions use their Khronos extensions.
// - Extras and extensions that assetc does not interpret are written as in the source. Those that refer to other
// objects
//   get the new numbers (scene/extension_references.hpp), or are left out.
// - *omitted lists these extensions, omitted channels, and clips without any other channel.
//
// Thread-safe. Source: Khronos glTF 2.0 specification, sections 3 and 4 (GLB).
Result<ByteVector> write_glb(const scene::Scene& scene, std::vector<scene::Dropped>* omitted = nullptr,
                             const GlbOptions& options = {});

// The same as files: <stem>.gltf first, then <stem>.bin if there is a buffer, then one file for each picture, named
// <stem>_<name of the image>, or its number if it has no name. Names hold no folder. Requires a stem that is not empty.
struct GltfFile {
  std::string name;
  Bytes bytes;
};
Result<std::vector<GltfFile>> write_gltf(const scene::Scene& scene, const std::string& stem,
                                         std::vector<scene::Dropped>* omitted = nullptr,
                                         const GlbOptions& options = {});

}  // namespace assetc::exporter
