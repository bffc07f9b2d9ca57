// Containers: the file formats of recipe results. A recipe produces a value: an encoded texture, a compiled model, its
// materials, its clips. A container is a row here, which turns one kind of value into the bytes of one file.
//
// To add a container: write its row, declare it below, and name it in a set of containers.cpp.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "assetc/formats/hanim.hpp"
#include "audio/encode.hpp"
#include "import/model/model.hpp"
#include "recipes/naming.hpp"
#include "recipes/recipe.hpp"
#include "scene/scene.hpp"
#include "texture/encoded.hpp"

namespace assetc::recipes {

struct CompiledMaterial;
struct CompiledMesh;
struct SceneFiles;
struct Skeleton;
class MeshReport;

struct TextureContainer {
  std::string_view suffix;
  Result<ByteVector> (*write)(const texture::EncodedTexture&);
};

struct MeshContainer {
  std::string_view suffix;
  std::string_view name;  // for messages
  bool keeps_channels;    // stores every texture coordinate and color set, without their numbers
  bool keeps_lods;
  bool keeps_materials;  // stores material slots, which index a companion material table
  bool keeps_skin;
  bool keeps_frames = false;      // can store normals and tangents as floats
  bool keeps_attributes = false;  // stores texture coordinate and color sets by number, and custom attributes
  bool keeps_morphs = false;
  bool cuts_triangles = false;  // orders and cuts the triangles in its own way (MeshOptions::streams_alone)
  // Reports losses: everything in the value that the container cannot store. May move data out of the value, which is
  // not used afterwards.
  Result<Bytes> (*write)(CompiledMesh&, MeshReport&);
};

// A mesh, as far as the choice of its container depends on it.
struct MeshExtent {
  std::uint64_t triangle_count = 0;
  std::uint64_t primitive_count = 0;
  bool has_variants = false;      // of materials, which clusters cannot hold
  bool has_large_morphs = false;  // whose offsets may not fit the pages of clusters
  bool fits_clusters() const { return !has_variants && !has_large_morphs; }
};

// The containers of a mesh: with whole levels of detail, and as clusters.
struct MeshRows {
  const MeshContainer& levels;
  const MeshContainer& clusters;
  // The container that mesh.lod selects.
  const MeshContainer& of(const MeshSettings& settings, const MeshExtent& mesh) const;
};

struct MaterialContainer {
  std::string_view suffix;
  Result<ByteVector> (*write)(std::span<const CompiledMaterial>);
};

struct ClipContainer {
  std::string_view suffix;
  // joints: for clips that belong to no mesh, the joints that they move; otherwise empty.
  Result<ByteVector> (*write)(std::span<const hanim::Clip>, std::span<const hanim::Joint> joints);
};

struct SoundContainer {
  std::string_view suffix;
  Result<ByteVector> (*write)(const audio::EncodedSound&);
};

// files: where the parts of the scene are.
struct SceneContainer {
  std::string_view suffix;
  Result<ByteVector> (*write)(const scene::Scene&, const SceneFiles& files);
};

// Containers for files whose bytes are not changed.
struct DataContainers {
  std::string_view suffix;
  Result<ByteVector> (*script)(ByteSpan text);  // kInvalidData if the text is not UTF-8
  Result<ByteVector> (*raw)(ByteSpan bytes);
};

struct ShaderContainer {
  std::string_view prefix;  // the name of a stage's file is prefix, stage, suffix
  std::string_view suffix;
  Result<ByteVector> (*write)(ByteVector spirv);
};

// How to write each part of a model if each part is a separate asset with a UUID (cook_parts of model.hpp).
struct PartContainers {
  MeshRows mesh;
  Result<ByteVector> (*material)(const CompiledMaterial&);
  // nodes: the nodes of the joints.
  Result<ByteVector> (*skeleton)(const Skeleton&, std::span<const std::uint32_t> nodes);
  // The joint numbers of the channels are nodes of the model.
  Result<ByteVector> (*clip)(const hanim::Clip&, const Uuid& model);
  Result<ByteVector> (*compressed_clip)(ByteSpan hanim, const Uuid& model);  // .hanim version 2
  Result<ByteVector> (*model)(const scene::Scene&, const SceneFiles&);
};

// All containers.
extern const TextureContainer kKtx2;           // containers.cpp
extern const MeshContainer kHmesh, kHmeshV1;   // hmesh.cpp
extern const MeshContainer kGalileo;           // galileo.cpp
extern const MeshContainer kHcluster;          // hcluster.cpp
extern const MaterialContainer kHmat;          // material.cpp
extern const ClipContainer kHanim;             // containers.cpp
extern const SceneContainer kHscene;           // scene_value.cpp
extern const ShaderContainer kSpirv;           // containers.cpp
extern const TextureContainer kAas1Texture;    // aas1_texture.cpp
extern const MaterialContainer kAas1Material;  // aas1.cpp
extern const SoundContainer kAas1Audio;        // aas1.cpp
extern const DataContainers kAas1Data;         // aas1.cpp
extern const ShaderContainer kAas1Shader;      // aas1.cpp
extern const MeshContainer kAas1Mesh;          // aas1_mesh.cpp
extern const MeshContainer kAas1Clusters;      // hcluster.cpp

// The containers of a target: kRuntimeContainers and kCookedContainers (recipe.hpp).
struct ContainerSet {
  const TextureContainer& texture;
  std::array<const MeshContainer*, kMeshFormatCount> mesh;  // indexed by MeshFormat (mesh.container)
  const MeshContainer& clusters;
  const MaterialContainer& material;
  const ClipContainer& clips;
  const ShaderContainer& shader;
  const Naming& naming;  // names of outputs and of references to them
  // Turns a scene into outputs: one mesh with its files (cook_whole), or each part as a separate asset. The arguments
  // are those of compile_model.
  Result<Product> (*cook_model)(scene::Scene&, importer::ModelKind kind, const Step&, Inputs&);
  const SceneContainer* scene = nullptr;  // null: the target writes no scenes beside meshes
  const SoundContainer* sound = nullptr;  // null: the target accepts no sounds
  const DataContainers* data = nullptr;   // null: the target accepts neither scripts nor data

  MeshRows mesh_rows(MeshFormat name) const { return {*mesh[static_cast<std::size_t>(name)], clusters}; }
};

}  // namespace assetc::recipes
