// The names of textures in the slots of a material, in cooked materials and in scenes (docs/formats/aas1.md).
#pragma once

#include <array>
#include <string_view>

#include "recipes/material/compiled_material.hpp"

namespace assetc::recipes {

inline constexpr std::array<std::string_view, kMaterialSlots.size()> kTextureNames = {
    "BaseColorTex", "MetallicRoughnessTex", "NormalTex", "OcclusionTex", "EmissiveTex"};

}  // namespace assetc::recipes
