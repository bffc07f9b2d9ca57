// Images of the same bytes.
#pragma once

#include "scene/scene.hpp"

namespace assetc::scene {

// Makes one image of those with the same bytes. names_matter: only of those with the same name.
void merge_images(Scene& scene, bool names_matter);

}  // namespace assetc::scene
