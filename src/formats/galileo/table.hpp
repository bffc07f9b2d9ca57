// The table of Galileo meshes: docs/formats/galileo.md. Internal to its reader. Joints, names and morph targets are
// those of formats/hmesh/table.hpp.
#pragma once

#include "formats/galileo/layout.hpp"
#include "formats/table.hpp"

namespace assetc::galileo::table {

using namespace formats;
using formats::Field, formats::Record;
using enum Type;
using enum Rule;

// The arrays of a file. kTopologyIndices are those of points and lines.
enum Count : std::uint8_t { kGroups, kExtensions, kMaterials, kTopologyIndices };
inline constexpr std::string_view kCountNames[] = {"groups", "extensions", "materials", "topologyIndices"};

inline constexpr Field kHeaderFields[] = {
    {"magic", kU32},  // Opener::open_header(), and the version and the type
    {"version_major", kU8}, {"version_minor", kU8}, {"version_patch", kU16},
    {"uuid", kU8, 16},      {"asset_type", kU32},   {"checksum", kU64},  // Opener::open_tables()
};
inline constexpr Record kHeader{"file header", kHeaderFields, true};

inline constexpr Field kManifestFields[] = {
    {"center", kF32, 3, kFinite, 0, 0, "center of the box"},
    {"half_extent", kF32, 3, kFromZero, 0, 0, "half extent"},
    {"vertex_group_count", kU32, 1, kCount, kGroups},  // at least 1: Opener::open_tables()
    {"extension_count", kU32, 1, kCount, kExtensions},
    {"buffer_size_bytes", kU64},    // Opener::open_tables()
    {"next_mesh_extension", kU32},  // Opener::chain()
};
inline constexpr Record kManifest{"mesh manifest", kManifestFields, true};

inline constexpr Field kGroupFields[] = {
    {"center", kF32, 3, kFinite, 0, 0, "center of the box"},
    {"half_extent", kF32, 3, kFromZero, 0, 0, "half extent"},
    {"slice_begin_bytes", kU64, 1, kMultiple, 4, 0, "begin of the slice"},  // Opener::check_slices()
    {"slice_size_bytes", kU64},                                             // Opener::check_slices()
    {"index_count", kU32, 1, kMultiple, 3, 3, "index count"},
    {"vertex_count", kU32},
    {"texcoord_channel_count", kU8},
    {"color_channel_count", kU8},
    {"joint_weight_channel_count", kU8},
    {"extension_channel_count", kU8},    // Opener::open_attribute_extensions()
    {"next_attribute_extension", kU32},  // Opener::chain()
};
inline constexpr Record kGroup{"vertex group", kGroupFields};

inline constexpr Field kExtensionFields[] = {
    {"name", kU8, 16},  // Opener::check_extension_infos()
    {"version", kU32},
    {"data_begin_bytes", kU64},  // Opener::check_extension_infos()
    {"next_extension", kU32},    // Opener::chain()
};
inline constexpr Record kExtension{"extension", kExtensionFields};

// assetc.topology: a row for each vertex group, then the indices.
inline constexpr Field kTopologyFields[] = {
    {"topology", kU32, 1, kRange, 0, 2},
    {"flags", kU32},
    {"first_index", kU32, 1, kRun, kTopologyIndices, 0, "indices"},
    {"index_count", kU32},  // Opener::open_topology()
};
inline constexpr Record kTopology{"topology of vertex group", kTopologyFields};

// assetc.materials: a slot for each vertex group, then the refs.
inline constexpr Field kSlotFields[] = {
    {"slot", kU32, 1, kIndexOrNone, kMaterials, 0, "material slot of vertex group"}};
inline constexpr Record kSlot{"material slot", kSlotFields};

inline constexpr const Record* kRecords[] = {&kHeader, &kManifest, &kGroup, &kExtension, &kTopology, &kSlot};

static_assert(kHeader.size_bytes == sizeof(FileHeader) && kManifest.size_bytes == sizeof(MeshManifest));
static_assert(kGroup.size_bytes == sizeof(VertexGroupInfo) && kExtension.size_bytes == sizeof(ExtensionInfo));
static_assert(kTopology.size_bytes == sizeof(GroupTopology));

}  // namespace assetc::galileo::table
