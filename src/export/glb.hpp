// Writes a Scene as one self-contained binary glTF 2.0 file.
#pragma once

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "scene/scene.hpp"

namespace assetc::exporter {

// The scene as GLB bytes: buffers and images embedded, every float exact but for broken normals, deterministic.
//
// Chain: import (any mesh container) -> write_glb -> file.
// Errors: kInvalidData when an attribute array does not have one item a vertex or an index is out of range;
// kUnsupported when an image has no inline bytes, or is neither PNG, JPEG, WebP nor KTX2; kLimit past 4 GiB.
// - Indices become u16 where 65,535 or fewer vertices allow it, else u32.
// - Level-of-detail nodes are written with MSFT_lod, KTX2 images with KHR_texture_basisu, WebP with EXT_texture_webp,
//   unlit materials with KHR_materials_unlit, emission above 1 with KHR_materials_emissive_strength, texture
//   transforms with KHR_texture_transform; what a file does not use it does not name.
// - Normals are brought to unit length where a source's are not; tangents of a primitive are left out where one of them
//   has no direction or sign.
// - Joints of a skin that have no common ancestor get one: a node that moves nothing, behind the scene's nodes.
// - Texture filters that the scene does not say are linear.
// - Animated morph weights are left out, as a Scene holds no morph targets.
// - One scene holds every node that has no parent and is no other node's level of detail.
// Thread-safe. Source: Khronos glTF 2.0 specification, sections 3 and 4 (GLB).
Result<ByteVector> write_glb(const scene::Scene& scene);

}  // namespace assetc::exporter
