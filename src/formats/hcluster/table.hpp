// The table of .hcluster: docs/formats/hcluster.md. Internal to its reader and writer. Joints, bounds of poses, names
// and morph targets are those of formats/hmesh/table.hpp.
#pragma once

#include "assetc/formats/hcluster.hpp"
#include "formats/hmesh/table.hpp"

namespace assetc::hcluster {

inline constexpr chunks::Format kFormat{kMagic, "hcluster"};

inline constexpr std::size_t kPageAlignment = 16;

namespace table {

using namespace formats;
using formats::Field, formats::Record, formats::Size;
using enum Type;
using enum Rule;

// The arrays of a file. kJoints has its number in formats/hmesh/table.hpp, because the record of a joint is the one
// there.
enum Count : std::uint8_t {
  kClusters,
  kLevels,
  kChannels,
  kGroups,
  kNodes,
  kPages,
  kDependencies,
  kMaterials,
  kPoses,
  kJoints,
  kRadii
};
inline constexpr std::string_view kCountNames[] = {"clusters",     "levels",    "channels", "groups", "nodes", "pages",
                                                   "dependencies", "materials", "poses",    "joints", "radii"};
static_assert(kJoints == static_cast<int>(hmesh::table::kJoints));

inline constexpr Field kDescFields[] = {
    {"source_triangle_count", kU64},  // check_counts()
    {"triangle_count", kU64},         // check_counts()
    {"cluster_count", kU32, 1, kCount, kClusters},
    {"level_count", kU32, 1, kCount, kLevels},  // 1 to the cluster count: check_counts()
    {"box_shift", kU32, 1, kRange, 0, kMaxBoxShift, "box shift"},
    {"reserved_1", kU32},
    {"normal_weight", kF32, 1, kFinite, 0, 0, "weight of normals"},
    {"texcoord_weight", kF32, 1, kFinite, 0, 0, "weight of texture coordinates"},
    {"color_weight", kF32, 1, kFinite, 0, 0, "weight of colors"},
    {"position_error", kF32, 1, kFinite, 0, 0, "error of positions"},
    {"skin_weight", kF32, 1, kFinite, 0, 0, "weight of joints"},
    {"reserved_2", kU32, 3},
};
inline constexpr Record kDesc{"descriptor", kDescFields, true};

// Not those of .hmesh: the box of the whole mesh need not be in order.
inline constexpr Field kBoundsFields[] = {
    {"box", kF32, 6, kFinite},
    {"center", kF32, 3, kFinite},
    {"radius", kF32, 1, kFromZero},
};
inline constexpr Record kMeshBounds{"bounds of the mesh", kBoundsFields, true};

inline constexpr Field kChannelFields[] = {
    {"semantic", kU16},  // check_semantic()
    {"set", kU16},       // check_semantic()
    {"components", kU8, 1, kRange, 1, 4},
    {"bits", kU8, 1, kRange, 1, kMaxComponentBits},
    {"predictor", kU8, 1, kRange, 0, 1},  // 1 of two components: check_channels()
    {"reserved", kU8},
    {"minimum", kF32, 4, kFinite},
    {"step", kF32, 1, kFromZero},  // and the largest value is finite: check_channels()
    {"error", kF32, 1, kNotNegative},
};
inline constexpr Record kChannel{"channel", kChannelFields};

inline constexpr Field kGroupFields[] = {
    {"center", kF32, 3, kFinite},
    {"radius", kF32, 1, kFromZero},
    {"error", kF32, 1, kNotNegative},
    {"level", kU32, 1, kIndex, kLevels},
    {"page", kU32},           // the page that has it: check_groups()
    {"first_cluster", kU16},  // check_groups()
    {"cluster_count", kU16, 1, kRange, 1, 0xFFFF, "cluster count"},
};
inline constexpr Record kGroup{"group", kGroupFields};

inline constexpr Field kNodeFields[] = {
    {"center", kF32, 3, kFinite},
    {"radius", kF32, 1, kFromZero},
    {"error", kF32, 1, kNotNegative},
    {"first_child", kU32},  // check_nodes()
    {"child_count", kU32, 1, kRange, 1, kMaxNodeChildren, "child count"},
    {"has_groups", kU32, 1, kRange, 0, 1},
};
inline constexpr Record kNode{"node", kNodeFields};

inline constexpr Field kPageFields[] = {
    {"offset_bytes", kU64, 1, kMultiple, kPageAlignment, 0, "offset"},
    {"size_bytes", kU32},  // check_pages()
    {"first_group", kU32, 1, kRun, kGroups, 0, "groups"},
    {"group_count", kU32, 1, kRange, 1, 0xFFFFFFFF, "group count"},
    {"dependency_end", kU32, 1, kUpTo, kDependencies, 0, "end of dependencies"},  // ascending: check_dependencies()
    {"hash", kU64},
};
inline constexpr Record kPage{"page", kPageFields};

inline constexpr Field kDependencyFields[] = {
    {"page", kU32, 1, kIndex, kPages, 0, "dependency"}};  // one before: check_dependencies()
inline constexpr Record kDependency{"dependency", kDependencyFields};

inline constexpr Field kRadiusFields[] = {{"radius", kF32, 1, kFromZero}};
inline constexpr Record kRadius{"radius", kRadiusFields};

// The chunks, in the order in which they are written. A number of this list is that of a row of OpenChunks.
enum Chunk : std::size_t {
  kDescChunk,
  kBoundsChunk,
  kChannelChunk,
  kGroupChunk,
  kNodeChunk,
  kPageChunk,
  kDependencyChunk,
  kMaterialChunk,
  kJointChunk,
  kPoseChunk,
  kNameChunk,
  kMorphChunk,
  kRadiusChunk,
  kDataChunk
};
inline constexpr ChunkRow kChunks[] = {
    {fourcc("DESC"), &kDesc, Size::kOne, kNoCount, true},
    {fourcc("BNDS"), &kMeshBounds, Size::kOne, kNoCount, true},
    {fourcc("CHNL"), &kChannel, Size::kFree, kChannels, true},
    {fourcc("GRUP"), &kGroup, Size::kFree, kGroups, true},
    {fourcc("NODE"), &kNode, Size::kFree, kNodes, true},
    {fourcc("PAGE"), &kPage, Size::kFree, kPages, true},
    {fourcc("DEPS"), &kDependency, Size::kFree, kDependencies},
    {fourcc("MTRL"), &hmesh::table::kMaterial, Size::kFree, kMaterials},
    {fourcc("SKEL"), &hmesh::table::kJoint, Size::kFree, kJoints},
    {fourcc("PBND"), &hmesh::table::kBoundsRecord, Size::kFree, kPoses},
    {fourcc("NAME"), nullptr, Size::kPart, kNoCount, false, &hmesh::table::kNamesPart},
    {fourcc("MRPH"), nullptr, Size::kPart, kNoCount, false, &hmesh::table::kMorphsPart},
    {fourcc("MRAD"), &kRadius, Size::kFree, kRadii},
    {fourcc("DATA"), nullptr, Size::kPart, kNoCount, true},  // find_data(): it may lie after the bytes that are there
};

static_assert(kDesc.size_bytes == sizeof(Desc) && kMeshBounds.size_bytes == sizeof(hmesh::MeshBounds));
static_assert(kChannel.size_bytes == sizeof(Channel) && kGroup.size_bytes == sizeof(Group));
static_assert(kNode.size_bytes == sizeof(Node) && kPage.size_bytes == sizeof(Page));

}  // namespace table
}  // namespace assetc::hcluster
