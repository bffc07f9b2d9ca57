// The chunks of .hscene, in the order in which they are written. Internal to its reader and writer.
#pragma once

#include "assetc/formats/chunks.hpp"
#include "assetc/formats/hscene.hpp"

namespace assetc::hscene {

inline constexpr chunks::Format kFormat{kMagic, "hscene"};

inline constexpr std::uint32_t kDescId = fourcc("DESC");
inline constexpr std::uint32_t kNodesId = fourcc("NODE");
inline constexpr std::uint32_t kMatricesId = fourcc("MTRX");
inline constexpr std::uint32_t kWeightsId = fourcc("WGHT");
inline constexpr std::uint32_t kByNameId = fourcc("BYNM");
inline constexpr std::uint32_t kMeshesId = fourcc("MESH");
inline constexpr std::uint32_t kSkinsId = fourcc("SKIN");
inline constexpr std::uint32_t kJointsId = fourcc("JNTS");
inline constexpr std::uint32_t kInverseBindId = fourcc("IBMT");
inline constexpr std::uint32_t kCamerasId = fourcc("CAMR");
inline constexpr std::uint32_t kLightsId = fourcc("LGHT");
inline constexpr std::uint32_t kMaterialsId = fourcc("MTRL");
inline constexpr std::uint32_t kParametersId = fourcc("MPAR");
inline constexpr std::uint32_t kTexturesId = fourcc("MTEX");
inline constexpr std::uint32_t kVariantsId = fourcc("VRNT");
inline constexpr std::uint32_t kVariantMaterialsId = fourcc("VMAP");
inline constexpr std::uint32_t kClipsId = fourcc("CLIP");
inline constexpr std::uint32_t kClipNodesId = fourcc("CNOD");
inline constexpr std::uint32_t kTextsId = fourcc("TEXT");

}  // namespace assetc::hscene
