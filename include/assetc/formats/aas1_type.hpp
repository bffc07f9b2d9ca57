// The types of AAS1 blobs. Specification: docs/formats/aas1.md.
#pragma once

#include <cstdint>
#include <string_view>

namespace assetc::aas1 {

// Types from 16 on are additions of assetc.
enum class Type : std::uint8_t {
  kTexture2D = 1,
  kMesh = 2,
  kMaterial = 3,
  kAudio = 4,
  kScript = 5,
  kRedirector = 6,
  kTextureCube = 16,
  kTexture2DArray = 17,
  kTextureCubeArray = 18,
  kTexture3D = 19,
  kSkeleton = 20,
  kAnimation = 21,
  kShader = 22,
  kRaw = 23,
  kModel = 24,
  kClusters = 25,
  kFont = 26,  // no blob: a .hfont of the runtime folder
};
// Returns the name of a type in a .meta and a registry: "Texture2D", "Mesh". Returns "" for an unknown number.
std::string_view type_name(Type type);
bool is_texture(Type type);

}  // namespace assetc::aas1
