#include "recipes/container/containers.hpp"

#include "recipes/container/ktx2.hpp"
#include "recipes/mesh/model.hpp"

namespace assetc::recipes {

const MeshContainer& MeshRows::of(const MeshSettings& settings, const MeshExtent& mesh) const {
  if (settings.lod == MeshLod::kLevels || !mesh.fits_clusters() || mesh.triangle_count == 0) return levels;
  return settings.lod == MeshLod::kCluster || mesh.triangle_count >= settings.cluster_triangles ? clusters : levels;
}

constinit const TextureContainer kKtx2{".ktx2", write_ktx2};

constinit const ClipContainer kHanim{".hanim", hanim::write};

constinit const ShaderContainer kSpirv{"/", ".spv", [](ByteVector spirv) -> Result<ByteVector> { return spirv; }};

namespace {

using MeshContainers = decltype(ContainerSet::mesh);

constexpr ContainerSet files_with(const MeshContainers& mesh, const SceneContainer* scene) {
  return {.texture = kKtx2,
          .mesh = mesh,
          .clusters = kHcluster,
          .material = kHmat,
          .clips = kHanim,
          .shader = kSpirv,
          .naming = kPathNaming,
          .cook_model = cook_whole,
          .scene = scene};
}

constexpr MeshContainers kMeshFiles{&kHmesh, &kHmeshV1, &kGalileo};
constexpr MeshContainers kClusterFiles{&kHcluster, &kHcluster, &kHcluster};

}  // namespace

constinit const ContainerSet kRuntimeContainers = files_with(kMeshFiles, &kHscene);
constinit const ContainerSet kMeshContainers = files_with(kMeshFiles, nullptr);
constinit const ContainerSet kClusterContainers = files_with(kClusterFiles, nullptr);

constinit const ContainerSet kCookedContainers{.texture = kAas1Texture,
                                               .mesh = {&kAas1Mesh, &kAas1Mesh, &kAas1Mesh},
                                               .clusters = kAas1Clusters,
                                               .material = kAas1Material,
                                               .clips = kHanim,
                                               .shader = kAas1Shader,
                                               .naming = kUuidNaming,
                                               .cook_model = cook_aas1_parts,
                                               .sound = &kAas1Audio,
                                               .data = &kAas1Data};

}  // namespace assetc::recipes
