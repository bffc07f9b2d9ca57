// The table of the AAS1 type Mesh: docs/formats/aas1.md#mesh. Its extensions NAME, MRPH, PRIM and PBND are those of
// .hmesh. Internal to its reader.
#pragma once

#include "assetc/formats/aas1_mesh.hpp"
#include "formats/table.hpp"

namespace assetc::aas1::table {

using namespace formats;
using formats::Field, formats::Part, formats::Record, formats::Section, formats::Size;
using enum formats::Type;
using enum formats::Rule;

inline constexpr std::uint32_t kAnyNumber = 0xFFFFFFFF;

inline constexpr Field kMeshDescFields[] = {
    {"vertex_count", kU32, 1, kRange, 1, kAnyNumber},
    {"index_count", kU32, 1, kRange, 1, kAnyNumber},
    {"vertex_stride_bytes", kU32, 1, kMultiple, 4, 4},
    {"index_type", kU32, 1, kRange, 0, 1},
    {"attribute_count", kU32, 1, kRange, 1, kMaxAttributes},
    {"submesh_count", kU32, 1, kRange, 1, kAnyNumber},
    {"attributes_offset_bytes", kU32},
    {"submeshes_offset_bytes", kU32},
    {"vertex_data_offset_bytes", kU32},
    {"index_data_offset_bytes", kU32},
    {"vertex_data_size_bytes", kU32},
    {"index_data_size_bytes", kU32},
    {"bounds", kF32, 6},  // finite and in order if bit 1 of the flags is set: check_bounds()
    {"flags", kU32},      // bit 0 is set
};
inline constexpr Record kMeshDesc{"mesh descriptor", kMeshDescFields, true};
inline constexpr Field kLodFieldsFields[] = {
    {"lod_count", kU32, 1, kRange, 1, kMaxLevels},
    {"lod_table_offset_bytes", kU32},
};
inline constexpr Record kLodFields{"level fields", kLodFieldsFields, true};

inline constexpr Field kAttributeFields[] = {
    {"semantic", kU32},
    {"semantic_index", kU32},
    {"format", kU32, 1, kSet, 0x1Eu | 0xFu << 16, 0, "vertex format"},
    {"input_slot", kU32, 1, kEqual, 0},
    {"offset_bytes", kU32, 1, kMultiple, 4},
    {"per_instance", kU32, 1, kEqual, 0},
    {"instance_step_rate", kU32},
};
inline constexpr Record kAttribute{"attribute", kAttributeFields};

inline constexpr Field kSubmeshFields[] = {
    // check_submeshes()
    {"first_index", kU32},
    {"index_count", kU32},
    {"base_vertex", kI32},
    {"material_slot", kU32},
};
inline constexpr Record kSubmesh{"submesh", kSubmeshFields};

inline constexpr Field kLevelFields[] = {
    // read_level()
    {"vertex_count", kU32, 1, kRange, 1, kAnyNumber},
    {"index_count", kU32, 1, kRange, 1, kAnyNumber},
    {"vertex_data_offset_bytes", kU32},
    {"index_data_offset_bytes", kU32},
    {"vertex_data_size_bytes", kU32},
    {"index_data_size_bytes", kU32},
    {"submeshes_offset_bytes", kU32},
    {"submesh_count", kU32, 1, kRange, 1, kAnyNumber},
    {"screen_size", kF32},
    {"bounds", kF32, 6},
};
inline constexpr Record kLevel{"level", kLevelFields};

// Weights in the vertices: those of joints 0, and further ones.
inline constexpr Field kWeightsFields[] = {{"weights", kF32, 4, kWeights}};
inline constexpr Record kWeightsRecord{"vertex", kWeightsFields};
inline constexpr Field kFurtherWeightsFields[] = {{"weights", kF32, 4, kUpToOne, 0, 0, "weight"}};
inline constexpr Record kFurtherWeights{"vertex with more weights", kFurtherWeightsFields};

inline constexpr Field kCustomNamesFields[] = {{"count", kU32, 1, kRange, 1, kMaxAttributes}};
inline constexpr Record kCustomNames{"custom names", kCustomNamesFields, true};
inline constexpr Field kCustomNameEndFields[] = {{"end", kU32, 1, kTextEnd, 0, 0, "name"}};
inline constexpr Record kCustomNameEnd{"custom name end", kCustomNameEndFields};
inline constexpr Section kCustomNamesSections[] = {{&kCustomNameEnd}};
inline constexpr Part kCustomNamesPart{"CNAM", &kCustomNames, kCustomNamesSections, Texts::kRest};

inline constexpr const Record* kMeshRecords[] = {&kMeshDesc, &kLodFields,     &kAttribute,     &kSubmesh,
                                                 &kLevel,    &kWeightsRecord, &kFurtherWeights};
inline constexpr const Part* kMeshParts[] = {&kCustomNamesPart};

static_assert(kMeshDesc.size_bytes == sizeof(MeshDesc) && kLodFields.size_bytes == sizeof(MeshLodFields));
static_assert(kAttribute.size_bytes == sizeof(VertexAttribute) && kSubmesh.size_bytes == sizeof(SubMesh));
static_assert(kLevel.size_bytes == sizeof(LodDesc));

}  // namespace assetc::aas1::table
