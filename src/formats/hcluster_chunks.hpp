// The chunks of .hcluster, in the order in which they are written. Internal to its reader and writer.
#pragma once

#include "assetc/formats/chunks.hpp"
#include "assetc/formats/hcluster.hpp"

namespace assetc::hcluster {

inline constexpr chunks::Format kFormat{kMagic, "hcluster"};

inline constexpr std::uint32_t kDescId = fourcc("DESC");
inline constexpr std::uint32_t kBoundsId = fourcc("BNDS");
inline constexpr std::uint32_t kChannelsId = fourcc("CHNL");
inline constexpr std::uint32_t kGroupsId = fourcc("GRUP");
inline constexpr std::uint32_t kNodesId = fourcc("NODE");
inline constexpr std::uint32_t kPagesId = fourcc("PAGE");
inline constexpr std::uint32_t kDependenciesId = fourcc("DEPS");
inline constexpr std::uint32_t kMaterialsId = fourcc("MTRL");
inline constexpr std::uint32_t kSkeletonId = fourcc("SKEL");
inline constexpr std::uint32_t kPoseBoundsId = fourcc("PBND");
inline constexpr std::uint32_t kNamesId = fourcc("NAME");
inline constexpr std::uint32_t kMorphsId = fourcc("MRPH");
inline constexpr std::uint32_t kMorphRadiiId = fourcc("MRAD");
inline constexpr std::uint32_t kDataId = fourcc("DATA");

inline constexpr std::size_t kPageAlignment = 16;

}  // namespace assetc::hcluster
