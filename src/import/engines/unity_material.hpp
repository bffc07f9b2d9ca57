// Materials of Unity: .mat files in YAML, the only place that says which pictures a material of an FBX has.
#pragma once

#include <string>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/uuid.hpp"
#include "import/model/source.hpp"

namespace assetc::importer {

// Whether the text has a material of Unity: an object of class 21.
bool is_unity_material(std::string_view text);

// One material, from the properties of Unity's own shaders (Standard, URP, HDRP), and its pictures. Each picture is
// named by its GUID: asset_name() of its path is unity_name() of it. Warnings name the line of what is not taken.
// Errors: those of unity_lines(); kLimit.
Result<Imported> import_unity_material(std::string_view text);

// The name of a source for which Unity has this GUID: "unity:01234567-...". Alone, it asks whether the project takes
// from Unity: Inputs::uuid() has then a UUID.
inline constexpr std::string_view kUnityName = "unity:";

}  // namespace assetc::importer
