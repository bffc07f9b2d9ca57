#include "recipes/containers.hpp"

namespace assetc::recipes {

constinit const TextureContainer kKtx2{".ktx2", texture::write_ktx2};
constinit const ClipContainer kHanim{".hanim", hanim::write};

constinit const ContainerSet kRuntimeContainers{
    .texture = kKtx2, .mesh = {&kHmesh, &kHmeshV1, &kGalileo}, .material = kHmat, .clips = kHanim};

constinit const ContainerSet kCookedContainers{.texture = kAas1Texture,
                                               .mesh = {&kAas1Mesh, &kAas1Mesh, &kAas1Mesh},
                                               .material = kAas1Material,
                                               .clips = kHanim,
                                               .parts = &kAas1Parts,
                                               .sound = &kAas1Audio,
                                               .data = &kAas1Data};

}  // namespace assetc::recipes
