// The table of .hmesh version 2, and of the parts that other mesh formats share: docs/formats/hmesh.md. Internal to
// their readers and writers.
#pragma once

#include <array>

#include "assetc/formats/hmesh.hpp"
#include "assetc/formats/hmesh_encoded.hpp"
#include "formats/table.hpp"

namespace assetc::hmesh::table {

using namespace formats;
using formats::Field, formats::Part, formats::Record, formats::Section, formats::Size;
using enum formats::Type;
using enum formats::Rule;

// The arrays of a mesh. kNodes are the names of nodes in NAME. kPrimitiveIndices, kMoves, ... are of the part that is
// open.
enum Count : std::uint8_t {
  kVertices,
  kIndices,
  kMeshlets,
  kSubmeshes,
  kMaterials,
  kMeshletVertices,
  kMeshletTriangles,
  kSkinVertices,
  kFurtherSkinVertices,
  kJoints,
  kLodIndices,
  kPoses,
  kNodes,
  kPrimitiveIndices,
  kMoves,
  kTargets,
  kGroups,
  kChannelMoves
};
inline constexpr std::string_view kCountNames[] = {"vertices",
                                                   "indices",
                                                   "meshlets",
                                                   "submeshes",
                                                   "materials",
                                                   "meshletVertices",
                                                   "meshletTriangles",
                                                   "skinVertices",
                                                   "furtherSkinVertices",
                                                   "joints",
                                                   "lodIndices",
                                                   "poses",
                                                   "nodes",
                                                   "primitiveIndices",
                                                   "moves",
                                                   "targets",
                                                   "groups",
                                                   "channelMoves"};

inline constexpr Field kDescFields[] = {
    {"vertex_count", kU32, 1, kCount, kVertices},
    {"index_count", kU32, 1, kCount, kIndices, 3},
    {"meshlet_count", kU32, 1, kCount, kMeshlets},
    {"submesh_count", kU32, 1, kCount, kSubmeshes},
    {"material_count", kU32, 1, kCount, kMaterials},
    {"vertex_stride_bytes", kU16, 1, kEqual, sizeof(GpuVertex)},
    {"index_width_bytes", kU8, 1, kSet, 1u << 2 | 1u << 4},
    {"flags", kU8},
    {"meshlet_max_vertices", kU32},
    {"meshlet_max_triangles", kU32},
};
inline constexpr Record kDesc{"mesh descriptor", kDescFields, true};

inline constexpr Field kBoundsFields[] = {{"bounds", kF32, 10, kBounds, 0, 0, "box"}};
inline constexpr Record kBoundsRecord{"bounds", kBoundsFields};

inline constexpr Field kVertexFields[] = {
    {"position", kF32, 3, kInside},
    {"normal", kI16, 2},
    {"tangent", kI16, 2},
    {"uv", kF32, 2},
};
inline constexpr Record kVertex{"vertex", kVertexFields};

inline constexpr Field kIndex16Fields[] = {{"index", kU16, 1, kIndex, kVertices}};
inline constexpr Record kIndex16{"index of 16 bits", kIndex16Fields};
inline constexpr Field kIndex32Fields[] = {{"index", kU32, 1, kIndex, kVertices}};
inline constexpr Record kIndex32{"index", kIndex32Fields};

inline constexpr Field kSubmeshFields[] = {
    {"first_index", kU32, 1, kRun, kIndices, 3, "indices"},
    {"index_count", kU32},
    {"first_meshlet", kU32, 1, kRun, kMeshlets, 0, "meshlets"},
    {"meshlet_count", kU32},
    {"material_slot", kU32, 1, kIndexOrNone, kMaterials, 0, "material slot"},
    {"base_vertex", kU32, 1, kEqual, 0, 0, "base vertex"},
    {"bounds", kF32, 10, kBoundsInside, 0, 0, "box"},
};
inline constexpr Record kSubmesh{"submesh", kSubmeshFields};

inline constexpr Field kMaterialFields[] = {{"hash", kU64}};
inline constexpr Record kMaterial{"material", kMaterialFields};

inline constexpr Field kMeshletFields[] = {
    {"vertex_offset", kU32, 1, kSlice, kMeshletVertices, 0, "meshlet vertices"},
    {"vertex_count", kU32},
    {"triangle_offset", kU32, 1, kSlice, kMeshletTriangles, 0, "meshlet triangles"},
    {"triangle_count", kU32},
};
inline constexpr Record kMeshlet{"meshlet", kMeshletFields};
inline constexpr Field kMeshletTriangleFields[] = {{"corners", kU8, 3}};  // check_meshlets()
inline constexpr Record kMeshletTriangle{"meshlet triangle", kMeshletTriangleFields};
inline constexpr Field kMeshletBoundsFields[] = {
    {"center", kF32, 3}, {"radius", kF32}, {"cone_axis", kF32, 3}, {"cone_cutoff", kF32}};
inline constexpr Record kMeshletBounds{"meshlet bounds", kMeshletBoundsFields};

inline constexpr Field kSkinFields[] = {
    {"joints", kU16, 4, kIndex, kJoints, 0, "joint"},
    {"weights", kF32, 4, kWeights},
};
inline constexpr Record kSkin{"skin vertex", kSkinFields};
inline constexpr Field kFurtherSkinFields[] = {
    {"joints", kU16, 4, kIndex, kJoints, 0, "joint"},
    {"weights", kF32, 4, kUpToOne, 0, 0, "weight"},
};
inline constexpr Record kFurtherSkin{"further skin vertex", kFurtherSkinFields};

inline constexpr Field kJointFields[] = {
    {"inverse_bind", kF32, 16, kFinite},
    {"translation", kF32, 3, kFinite},
    {"rotation", kF32, 4, kFinite},
    {"scale", kF32, 3, kFinite},
    {"parent", kI32, 1, kParent, kJoints},  // and check_joint_loops()
    {"reserved", kU32},
};
inline constexpr Record kJoint{"joint", kJointFields};

inline constexpr Field kLodHeaderFields[] = {
    {"lod_count", kU32},
    {"submesh_count", kU32, 1, kCountOf, kSubmeshes},
};
inline constexpr Record kLodHeader{"LOD header", kLodHeaderFields, true};
inline constexpr Field kLodFields[] = {
    {"first_index", kU32, 1, kSlice, kLodIndices, 3, "LOD indices"},
    {"index_count", kU32},
};
inline constexpr Record kLod{"LOD range", kLodFields};
inline constexpr Section kLodSections[] = {{&kLod, 0, 1, 1}};
inline constexpr Part kLodPart{"LODT", &kLodHeader, kLodSections};

inline constexpr Field kNameEndFields[] = {{"end", kU32, 1, kTextEnd, 0, 0, "name"}};
inline constexpr Record kNameEnd{"name end", kNameEndFields};
inline constexpr Field kNamesFields[] = {
    {"version", kU32, 1, kVersion, 1, 0, "NAME version"},
    {"submesh_count", kU32, 1, kNoneOrCount, kSubmeshes},
    {"material_count", kU32, 1, kNoneOrCount, kMaterials},
    {"joint_count", kU32, 1, kNoneOrCount, kJoints},
    {"node_count", kU32, 1, kCount, kNodes},
    {"submesh_node_count", kU32, 1, kNoneOrCount, kSubmeshes},
};
inline constexpr Record kNamesHeader{"names header", kNamesFields, true};
inline constexpr Field kSubmeshNodeFields[] = {{"node", kU32, 1, kIndexOrNone, kNodes, 0, "node of submesh"}};
inline constexpr Record kSubmeshNode{"submesh node", kSubmeshNodeFields};
inline constexpr Section kNamesSections[] = {{&kSubmeshNode, 5}, {&kNameEnd, 1, 4}};
inline constexpr Part kNamesPart{"NAME", &kNamesHeader, kNamesSections, Texts::kRest};

inline constexpr Field kAttributesFields[] = {
    {"stride_bytes", kU32},  // FurtherAttributesView::open()
    {"attribute_count", kU32, 1, kRange, 1, kMaxFurtherAttributes},
};
inline constexpr Record kAttributesHeader{"attributes header", kAttributesFields, true};
inline constexpr Field kAttributeFields[] = {
    {"semantic", kU16, 1, kSet, 1u << 3 | 1u << 4 | 1u << 16},
    {"set", kU16},
    {"format", kU16, 1, kSet, 0x1Eu | 1u << 19 | 1u << 20, 0, "vertex format"},
    {"offset_bytes", kU16, 1, kMultiple, 4},
    {"name_end", kU32, 1, kTextEnd, 0, 0, "name"},
    {"reserved", kU32},
};
inline constexpr Record kAttribute{"attribute", kAttributeFields};
inline constexpr Section kAttributesSections[] = {{&kAttribute, 1}};
inline constexpr Part kAttributesPart{"ATTR", &kAttributesHeader, kAttributesSections, Texts::kRest};

inline constexpr Field kMorphsFields[] = {
    {"version", kU32, 1, kVersion, 1, 0, "MRPH version"},
    {"flags", kU32, 1, kSet, 1u << 0 | 1u << 1 | 1u << 3},
    {"vertex_count", kU32, 1, kCountOf, kVertices},
    {"target_count", kU32, 1, kRange, 1, kMaxMorphTargets},
    {"group_count", kU32},
    {"move_count", kU32, 1, kCount, kMoves},
    {"move_stride_bytes", kU32},   // MorphsView::open()
    {"moves_offset_bytes", kU32},  // MorphsView::open()
    {"channel_count", kU32},
    {"channel_move_count", kU32},
    {"text_bytes", kU32},
    {"reserved", kU32},
};
inline constexpr Record kMorphsHeader{"morphs header", kMorphsFields, true};
inline constexpr Field kTargetFields[] = {
    {"first_move", kU32, 1, kRun, kMoves, 0, "moves"},
    {"move_count", kU32},
    {"weight", kF32, 1, kFinite},
    {"weights", kF32, 2, kInOrder},
    {"position_step", kF32, 1, kStep},
    {"normal_step", kF32, 1, kStep},
    {"tangent_step", kF32, 1, kStep},
    {"name_end", kU32, 1, kTextEnd, 0, 0, "name"},
    {"group", kU32, 1, kIndex, kGroups},
};
inline constexpr Record kTarget{"morph target", kTargetFields};
inline constexpr Field kGroupFields[] = {
    {"first_target", kU32, 1, kRun, kTargets, 0, "targets"},
    {"target_count", kU32},
    {"node", kU32, 1, kIndexOrNone, kNodes},
    {"reserved", kU32},
};
inline constexpr Record kGroup{"morph group", kGroupFields};
inline constexpr Field kChannelFields[] = {
    {"target", kU32, 1, kIndex, kTargets},
    {"semantic", kU16, 1, kRange, 3, 4},
    {"set", kU16, 1, kRange, 0, 7},
    {"first_move", kU32, 1, kRun, kChannelMoves, 0, "moves"},
    {"move_count", kU32},
    {"step", kF32, 1, kStep},
    {"reserved", kU32},
};
inline constexpr Record kChannel{"morph channel", kChannelFields};
inline constexpr Field kChannelMoveFields[] = {{"vertex", kU32, 1, kIndex, kVertices}, {"offset", kI16, 4}};
inline constexpr Record kChannelMove{"channel move", kChannelMoveFields};
inline constexpr Section kMorphsSections[] = {{&kTarget, 3, 1, 0xFF, kTargets},
                                              {&kGroup, 4, 1, 0xFF, kGroups},
                                              {&kChannel, 8},
                                              {&kChannelMove, 9, 1, 0xFF, kChannelMoves}};
inline constexpr Part kMorphsPart{"MRPH", &kMorphsHeader, kMorphsSections, Texts::kSized, 10, true};

inline constexpr Field kPrimitivesFields[] = {
    {"version", kU32, 1, kVersion, 1, 0, "PRIM version"},
    {"primitive_count", kU32, 1, kRange, 1, 0xFFFFFFFF},
    {"index_count", kU32, 1, kCount, kPrimitiveIndices},
    {"text_bytes", kU32},
};
inline constexpr Record kPrimitivesHeader{"primitives header", kPrimitivesFields, true};
inline constexpr Field kPrimitiveFields[] = {
    {"topology", kU32, 1, kRange, 1, 2},
    {"flags", kU32},
    {"first_index", kU32, 1, kRun, kPrimitiveIndices, 0, "indices"},
    {"index_count", kU32},  // PrimitivesView::open()
    {"material_slot", kU32, 1, kIndexOrNone, kMaterials, 0, "material slot"},
    {"submeshes_before", kU32, 1, kUpTo, kSubmeshes},  // and ascending
    {"node", kU32, 1, kIndexOrNone, kNodes},
    {"name_end", kU32, 1, kTextEnd, 0, 0, "name"},
    {"bounds", kF32, 10, kBoundsInside, 0, 0, "box"},
};
inline constexpr Record kPrimitive{"primitive", kPrimitiveFields};
inline constexpr Section kPrimitivesSections[] = {{&kPrimitive, 1}, {&kIndex32, 2}};
inline constexpr Part kPrimitivesPart{"PRIM", &kPrimitivesHeader, kPrimitivesSections, Texts::kSized, 3};

inline constexpr const Part* kParts[] = {&kLodPart, &kNamesPart, &kAttributesPart, &kMorphsPart, &kPrimitivesPart};

// A number of this list is that of a row of OpenChunks.
enum Chunk : std::size_t {
  kDescChunk,
  kBoundsChunk,
  kVertexChunk,
  kIndexChunk,
  kSubmeshChunk,
  kMaterialChunk,
  kMeshletVertexChunk,
  kMeshletTriangleChunk,
  kMeshletChunk,
  kMeshletBoundsChunk,
  kJointChunk,
  kSkinChunk,
  kFurtherSkinChunk,
  kLodIndexChunk,
  kLodChunk,
  kPoseChunk,
  kNameChunk,
  kAttributeChunk,
  kFurtherVertexChunk,
  kMorphChunk,
  kPrimitiveChunk
};
// The encodings that a chunk may have.
constexpr std::uint16_t encodings(std::initializer_list<Encoding> list) {
  std::uint16_t bits = 0;
  for (const Encoding encoding : list) bits |= static_cast<std::uint16_t>(1u << static_cast<std::uint32_t>(encoding));
  return bits;
}
inline constexpr std::uint16_t kStreams = encodings({Encoding::kAttributes});
inline constexpr std::uint16_t kIndexStreams = encodings({Encoding::kAttributes, Encoding::kTriangles});
inline constexpr std::uint16_t kDerivedStreams = encodings({Encoding::kAttributes, Encoding::kDerived});

inline constexpr ChunkRow kChunks[] = {
    {kDescId, &kDesc, Size::kOne, kNoCount, true, nullptr, kStreams},
    {kBoundsId, &kBoundsRecord, Size::kOne, kNoCount, true, nullptr, kStreams},
    {kVerticesId, &kVertex, Size::kFixed, kVertices, true, nullptr,
     encodings({Encoding::kAttributes, Encoding::kGrid})},
    // kIndex16 or kIndex32, as the descriptor says.
    {kIndicesId, nullptr, Size::kPart, kNoCount, true, nullptr, kIndexStreams | kDerivedStreams},
    {kSubmeshesId, &kSubmesh, Size::kFixed, kSubmeshes, true, nullptr, kStreams},
    {kMaterialsId, &kMaterial, Size::kFixed, kMaterials, false, nullptr, kStreams},
    {kMeshletVerticesId, &kIndex32, Size::kFree, kMeshletVertices, false, nullptr, kDerivedStreams},
    {kMeshletTrianglesId, &kMeshletTriangle, Size::kFree, kMeshletTriangles, false, nullptr,
     encodings({Encoding::kAttributes, Encoding::kMeshlets})},
    {kMeshletsId, &kMeshlet, Size::kFixed, kMeshlets, false, nullptr, kDerivedStreams},
    {kMeshletBoundsId, &kMeshletBounds, Size::kFixed, kMeshlets, false, nullptr, kStreams},
    {kSkeletonId, &kJoint, Size::kFree, kJoints, false, nullptr, kStreams},
    {kSkinId, &kSkin, Size::kFree, kSkinVertices, false, nullptr, kStreams},
    {kFurtherSkinId, &kFurtherSkin, Size::kFree, kFurtherSkinVertices, false, nullptr, kStreams},
    {kLodIndicesId, &kIndex32, Size::kFree, kLodIndices, false, nullptr, kIndexStreams},
    {kLodTableId, nullptr, Size::kPart, kNoCount, false, &kLodPart, kStreams},
    {kPoseBoundsId, &kBoundsRecord, Size::kFree, kPoses, false, nullptr, kStreams},
    {kNamesId, nullptr, Size::kPart, kNoCount, false, &kNamesPart, kStreams},
    {kFurtherAttributesId, nullptr, Size::kPart, kNoCount, false, &kAttributesPart, kStreams},
    {kFurtherVerticesId, nullptr, Size::kPart, kNoCount, false, nullptr, kStreams},  // as ATTR says
    {kMorphsId, nullptr, Size::kPart, kNoCount, false, &kMorphsPart, kStreams},
    {kPrimitivesId, nullptr, Size::kPart, kNoCount, false, &kPrimitivesPart, kStreams},
};
inline constexpr const Record* kRecords[] = {&kIndex16};

static_assert(kDesc.size_bytes == sizeof(MeshDesc) && kVertex.size_bytes == sizeof(GpuVertex));
static_assert(kSubmesh.size_bytes == sizeof(SubMesh) && kMeshlet.size_bytes == sizeof(Meshlet));
static_assert(kMeshletBounds.size_bytes == sizeof(hmesh::MeshletBounds) && kSkin.size_bytes == sizeof(GpuSkinVertex));
static_assert(kJoint.size_bytes == sizeof(GpuJoint) && kLod.size_bytes == sizeof(MeshLod));
static_assert(kAttribute.size_bytes == sizeof(GpuAttribute) && kTarget.size_bytes == sizeof(GpuMorphTarget));
static_assert(kGroup.size_bytes == sizeof(GpuMorphGroup) && kChannel.size_bytes == sizeof(GpuMorphChannel));
static_assert(kChannelMove.size_bytes == sizeof(GpuChannelMove) && kPrimitive.size_bytes == sizeof(GpuPrimitive));

}  // namespace assetc::hmesh::table
