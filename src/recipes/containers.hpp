// What the values of recipes are written as. A recipe's work ends in a value: an encoded texture, a compiled model, its
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
#include "import/model.hpp"
#include "recipes/naming.hpp"
#include "recipes/recipe.hpp"
#include "scene/scene.hpp"
#include "texture/encoded.hpp"

namespace assetc::recipes {

struct CompiledMaterial;
struct CompiledMesh;
struct Skeleton;
class MeshReport;

struct TextureContainer {
  std::string_view suffix;
  Result<ByteVector> (*write)(const texture::EncodedTexture&);
};

struct MeshContainer {
  std::string_view suffix;
  std::string_view name;  // for messages
  bool keeps_channels;    // every texture coordinate and color set
  bool keeps_lods;
  bool keeps_materials;  // slots that a companion table is indexed by
  bool keeps_skin;
  bool keeps_frames = false;  // normals and tangents as floats
  // What the container cannot hold of the value is told. Takes what it needs out of the value, which nobody reads then.
  Result<Bytes> (*write)(CompiledMesh&, MeshReport&);
};

struct MaterialContainer {
  std::string_view suffix;
  bool keeps_named_textures;  // scene::Material::textures
  Result<ByteVector> (*write)(std::span<const CompiledMaterial>);
};

struct ClipContainer {
  std::string_view suffix;
  // joints: those of clips that belong to no mesh; else empty.
  Result<ByteVector> (*write)(std::span<const hanim::Clip>, std::span<const hanim::Joint> joints);
};

struct SoundContainer {
  std::string_view suffix;
  Result<ByteVector> (*write)(const audio::EncodedSound&);
};

// Files as they are.
struct DataContainers {
  std::string_view suffix;
  Result<ByteVector> (*script)(ByteSpan text);  // kInvalidData for what is not UTF-8
  Result<ByteVector> (*raw)(ByteSpan bytes);
};

struct ShaderContainer {
  std::string_view prefix;  // of a stage's file, before and behind its name
  std::string_view suffix;
  Result<ByteVector> (*write)(ByteVector spirv);
};

// Where each part of a model is an asset of its own, under a UUID: how each is written (cook_parts of model.hpp).
struct PartContainers {
  const MeshContainer& mesh;
  Result<ByteVector> (*material)(const CompiledMaterial&);
  // nodes: those of the joints.
  Result<ByteVector> (*skeleton)(const Skeleton&, std::span<const std::uint32_t> nodes);
  // The channels' joints are nodes of the model.
  Result<ByteVector> (*clip)(const hanim::Clip&, const Uuid& model);
  // meshes, skeletons: the UUIDs of the scene's, nil for those that are not written.
  Result<ByteVector> (*model)(const scene::Scene&, std::span<const Uuid> meshes, std::span<const Uuid> skeletons);
};

// The rows.
extern const TextureContainer kKtx2;           // ktx2_container.cpp
extern const MeshContainer kHmesh, kHmeshV1;   // hmesh_container.cpp
extern const MeshContainer kGalileo;           // galileo_container.cpp
extern const MaterialContainer kHmat;          // material_container.cpp
extern const ClipContainer kHanim;             // containers.cpp
extern const ShaderContainer kSpirv;           // containers.cpp
extern const TextureContainer kAas1Texture;    // aas1_texture_container.cpp
extern const MaterialContainer kAas1Material;  // aas1_containers.cpp
extern const SoundContainer kAas1Audio;        // aas1_containers.cpp
extern const DataContainers kAas1Data;         // aas1_containers.cpp
extern const ShaderContainer kAas1Shader;      // aas1_containers.cpp
extern const MeshContainer kAas1Mesh;          // aas1_mesh_container.cpp

// What a target writes: kRuntimeContainers and kCookedContainers (recipe.hpp).
struct ContainerSet {
  const TextureContainer& texture;
  std::array<const MeshContainer*, kMeshFormatCount> mesh;  // by MeshFormat: mesh.container chooses
  const MaterialContainer& material;
  const ClipContainer& clips;
  const ShaderContainer& shader;
  const Naming& naming;  // of outputs, and of what refers to them
  // A scene as outputs: one mesh with its files (cook_whole), or each part as an asset of its own. The arguments are
  // those of compile_model.
  Result<Product> (*cook_model)(const scene::Scene&, importer::ModelKind kind, const Step&, Inputs&);
  const SoundContainer* sound = nullptr;  // null: the target takes no sounds
  const DataContainers* data = nullptr;   // null: neither scripts nor data

  const MeshContainer& mesh_of(MeshFormat name) const { return *mesh[static_cast<std::size_t>(name)]; }
};

}  // namespace assetc::recipes
