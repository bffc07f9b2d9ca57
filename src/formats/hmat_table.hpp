// The table of .hmat: docs/formats/hmat.md. Internal to its reader. Rules for the bits of flags and filters are in
// hmat.cpp and hmat.js.
#pragma once

#include <cstddef>

#include "assetc/formats/hmat.hpp"
#include "formats/table.hpp"

namespace assetc::hmat::table {

using namespace formats;
using formats::Field, formats::Part, formats::Record, formats::Section, formats::Size;
using enum Type;
using enum Rule;

enum Count : std::uint8_t { kMaterials };
inline constexpr std::string_view kCountNames[] = {"materials"};

inline constexpr Field kHeaderFields[] = {
    {"magic", kU32, 1, kEqual, kMagic},
    {"version", kU32, 1, Rule::kVersion, hmat::kVersion},
    {"count", kU32, 1, kCount, kMaterials},
    {"flags", kU32},
};
inline constexpr Record kHeader{"header", kHeaderFields, true};

inline constexpr Field kMaterialFields[] = {
    {"base_color_factor", kF32, 4, kFinite, 0, 0, "base color factor"},
    {"emissive_factor", kF32, 3, kFinite, 0, 0, "emissive factor"},
    {"metallic_factor", kF32, 1, kFinite, 0, 0, "metallic factor"},
    {"roughness_factor", kF32, 1, kFinite, 0, 0, "roughness factor"},
    {"normal_scale", kF32, 1, kFinite, 0, 0, "normal scale"},
    {"occlusion_strength", kF32, 1, kFinite, 0, 0, "occlusion strength"},
    {"alpha_cutoff", kF32, 1, kFinite, 0, 0, "alpha cutoff"},
    {"flags", kU32},    // check_flags()
    {"filters", kU32},  // check_flags()
    {"textures", kU64, kSlotCount},
};
inline constexpr Record kMaterial{"material", kMaterialFields};

inline constexpr Section kSections[] = {{&kMaterial, 2, 1, 0xFF, kNoCount}};
inline constexpr Part kFile{"the file", &kHeader, kSections};
inline constexpr const Part* kParts[] = {&kFile};

static_assert(kHeader.size_bytes == sizeof(FileHeader) && kMaterial.size_bytes == sizeof(GpuMaterial));
static_assert(kMaterial.offset_of("flags") == offsetof(GpuMaterial, flags));

}  // namespace assetc::hmat::table
