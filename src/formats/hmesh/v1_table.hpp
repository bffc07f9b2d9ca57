// The table of .hmesh version 1: docs/formats/hmesh-v1.md. Internal to its reader. Records that version 2 has too are
// those of table.hpp.
#pragma once

#include "assetc/formats/hmesh_v1.hpp"
#include "formats/hmesh/table.hpp"

namespace assetc::hmesh_v1::table {

using namespace formats;
using formats::Field, formats::Part, formats::Record, formats::Section, formats::Size;
using enum Type;
using enum Rule;
// The counts are those of version 2, so that records can be shared.
using hmesh::table::kCountNames;

// Arrays of vertices, indices and materials follow their count.
inline constexpr Field kVerticesFields[] = {
    {"count", kU32, 1, kCount, hmesh::table::kVertices, 0, "vertex count"},
    {"stride_bytes", kU32, 1, kEqual, sizeof(GpuVertex), 0, "vertex stride"},
};
inline constexpr Record kVerticesHeader{"vertices header", kVerticesFields, true};
inline constexpr Field kVertexFields[] = {
    {"position", kF32, 3, kInside},
    {"normal", kI16, 4},
    {"tangent", kI16, 4},
    {"uv", kF32, 2},
};
inline constexpr Record kVertex{"vertex", kVertexFields};
inline constexpr Section kVerticesSections[] = {{&kVertex, 0}};
inline constexpr Part kVerticesPart{"VTXS", &kVerticesHeader, kVerticesSections};

inline constexpr Field kIndicesFields[] = {
    {"count", kU32, 1, kCount, hmesh::table::kIndices, 3, "index count"},
    {"width_bytes", kU32, 1, kSet, 1u << 2 | 1u << 4, 0, "index width"},
};
inline constexpr Record kIndicesHeader{"indices header", kIndicesFields, true};
inline constexpr Part kIndicesPart{"IDXS", &kIndicesHeader, {}, Texts::kNone, 0,
                                   true};  // then kIndex16 or kIndex32: open_indices()

inline constexpr Field kMaterialsFields[] = {{"count", kU32, 1, kCount, hmesh::table::kMaterials}};
inline constexpr Record kMaterialsHeader{"materials header", kMaterialsFields, true};
inline constexpr Section kMaterialsSections[] = {{&hmesh::table::kMaterial, 0}};
inline constexpr Part kMaterialsPart{"MTRL", &kMaterialsHeader, kMaterialsSections};

inline constexpr const Part* kParts[] = {&kVerticesPart, &kIndicesPart, &kMaterialsPart, &hmesh::table::kNamesPart};

// A number of this list is that of a row of OpenChunks.
enum Chunk : std::size_t {
  kBoundsChunk,
  kVertexChunk,
  kIndexChunk,
  kMeshletChunk,
  kMeshletVertexChunk,
  kMeshletTriangleChunk,
  kMeshletBoundsChunk,
  kMaterialChunk,
  kNameChunk
};
inline constexpr ChunkRow kChunks[] = {
    {hmesh::kBoundsId, &hmesh::table::kBoundsRecord, Size::kOne, kNoCount, true},
    {hmesh::kVerticesId, nullptr, Size::kPart, kNoCount, true, &kVerticesPart},
    {hmesh::kIndicesId, nullptr, Size::kPart, kNoCount, true, &kIndicesPart},
    {hmesh::kMeshletsId, &hmesh::table::kMeshlet, Size::kFree, hmesh::table::kMeshlets},
    {hmesh::kMeshletVerticesId, &hmesh::table::kIndex32, Size::kFree, hmesh::table::kMeshletVertices},
    {hmesh::kMeshletTrianglesId, &hmesh::table::kMeshletTriangle, Size::kFree, hmesh::table::kMeshletTriangles},
    {hmesh::kMeshletBoundsId, &hmesh::table::kMeshletBounds, Size::kFixed, hmesh::table::kMeshlets},
    {hmesh::kMaterialsId, nullptr, Size::kPart, kNoCount, false, &kMaterialsPart},
    {hmesh::kNamesId, nullptr, Size::kPart, kNoCount, false, &hmesh::table::kNamesPart},
};
inline constexpr const Record* kRecords[] = {&hmesh::table::kIndex16};

static_assert(kVertex.size_bytes == sizeof(GpuVertex));

}  // namespace assetc::hmesh_v1::table
