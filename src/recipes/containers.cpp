#include "recipes/containers.hpp"

#include "recipes/model.hpp"

namespace assetc::recipes {

constinit const ClipContainer kHanim{".hanim", hanim::write};

constinit const ShaderContainer kSpirv{"/", ".spv", [](ByteVector spirv) -> Result<ByteVector> { return spirv; }};

constinit const ContainerSet kRuntimeContainers{.texture = kKtx2,
                                                .mesh = {&kHmesh, &kHmeshV1, &kGalileo, &kHcluster},
                                                .material = kHmat,
                                                .clips = kHanim,
                                                .shader = kSpirv,
                                                .naming = kPathNaming,
                                                .cook_model = cook_whole,
                                                .scene = &kHscene};

constinit const ContainerSet kCookedContainers{.texture = kAas1Texture,
                                               .mesh = {&kAas1Mesh, &kAas1Mesh, &kAas1Mesh, &kAas1Mesh},
                                               .material = kAas1Material,
                                               .clips = kHanim,
                                               .shader = kAas1Shader,
                                               .naming = kUuidNaming,
                                               .cook_model = cook_aas1_parts,
                                               .sound = &kAas1Audio,
                                               .data = &kAas1Data};

}  // namespace assetc::recipes
