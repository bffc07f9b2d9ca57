// Prints loaded assets.
#pragma once

#include <assetc/runtime/animation.hpp>
#include <assetc/runtime/assets.hpp>
#include <string>

#include "world.hpp"

namespace example {

// Returns the path of an asset, or its UUID if no mount has it.
std::string path_of(const assetc::runtime::Catalog& catalog, const assetc::runtime::AssetHandle& asset);

// Prints the mesh of an object, its materials and its textures.
void print(const assetc::runtime::Catalog& catalog, const World::Object& object);
// Prints the clips of an animation.
void print(const assetc::runtime::Catalog& catalog,
           const assetc::runtime::AssetRef<assetc::runtime::AnimationData>& animation);

// Returns the color of the first texel of an RGBA8 texture that kept its levels: "ff8000". Otherwise "none".
std::string color_of(const assetc::runtime::AssetRef<assetc::runtime::TextureData>& texture);

}  // namespace example
