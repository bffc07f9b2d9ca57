// The loaders of all asset types in one value, for engines that change some of them.
//
//   Loaders loaders;
//   loaders.texture.finalize = [&](TextureData& t, const AssetDesc&) { return device.upload(t); };
//   add_loaders(manager, loaders);
#pragma once

#include "assetc/runtime/assets.hpp"

namespace assetc::runtime {

struct Loaders {
  Loader<TextureData> texture = texture_loader();
  Loader<MeshData> mesh = mesh_loader();
  Loader<ClusterData> clusters = cluster_loader();
  Loader<MaterialData> material = material_loader();
  Loader<AnimationData> animation = animation_loader();
  Loader<AudioData> audio = audio_loader();
  Loader<SkeletonData> skeleton = skeleton_loader();
  Loader<SceneData> scene = scene_loader();
  Loader<ShaderData> shader = shader_loader();
  Loader<FontData> font = font_loader();
  Loader<RawData> raw = raw_loader();
};
// Registers the loaders for every type of aas1::Type that has bytes.
void add_loaders(Manager& manager, Loaders loaders);

}  // namespace assetc::runtime
