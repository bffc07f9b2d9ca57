// The table of .hscene: docs/formats/hscene.md. Internal to its reader and writer.
#pragma once

#include <array>

#include "assetc/formats/hscene.hpp"
#include "formats/table.hpp"

namespace assetc::hscene {

inline constexpr chunks::Format kFormat{kMagic, "hscene"};

namespace table {

using namespace formats;
using formats::Field, formats::Part, formats::Record, formats::Section, formats::Size;
using enum formats::Type;
using enum formats::Rule;

// The arrays of a scene. kUuids is 1 if refs are UUIDs.
enum Count : std::uint8_t {
  kNodes,
  kMatrices,
  kWeightValues,
  kNamed,
  kMeshes,
  kSkins,
  kJoints,
  kInverseBinds,
  kCameras,
  kLights,
  kMaterials,
  kParameters,
  kTextures,
  kVariants,
  kVariantMaterials,
  kClips,
  kClipNodes,
  kTexts,
  kUuids
};
inline constexpr std::string_view kCountNames[] = {
    "nodes",     "matrices", "weights",   "named",      "meshes",   "skins",    "joints",           "inverseBinds",
    "cameras",   "lights",   "materials", "parameters", "textures", "variants", "variantMaterials", "clips",
    "clipNodes", "texts",    "uuids"};

constexpr Field text(std::string_view name) { return {name, kU32, 1, kIndexOrNone, kTexts, 0, "text"}; }
constexpr Field ref(std::string_view name) { return {name, kU64, 2, kRef, kUuids}; }

inline constexpr Field kSceneFields[] = {
    text("name"),
    text("extra"),
    text("asset_extra"),
    {"flags", kU32, 1, kBits, SceneDesc::kUuids | SceneDesc::kHasBox},
    {"box", kF32, 6, kBox, 12, SceneDesc::kHasBox},
    {"reserved", kU8, 24, kZero},
};
inline constexpr Record kScene{"scene", kSceneFields, true};

inline constexpr Field kNodeFields[] = {
    {"translation", kF32, 3, kFinite},
    {"rotation", kF32, 4, kFinite},
    {"scale", kF32, 3, kFinite},
    {"box", kF32, 6, kBox, 108, Node::kHasBox},
    {"parent", kI32},  // check_tree()
    {"end", kU32},     // check_tree()
    {"mesh", kU32, 1, kIndexOrNone, kMeshes},
    {"skin", kU32, 1, kIndexOrNone, kSkins},
    {"camera", kU32, 1, kIndexOrNone, kCameras},
    {"light", kU32, 1, kIndexOrNone, kLights},
    text("name"),
    text("extra"),
    {"first_weight", kU32, 1, kSlice, kWeightValues, 0, "weights"},
    {"weight_count", kU32},
    {"matrix", kU32, 1, kIndexOrNone, kMatrices},
    {"flags", kU32, 1, kBits, Node::kHidden | Node::kHasBox},
    {"detail_of", kU32, 1, kIndexOrNone, kNodes, 0, "node"},  // and check_details()
    {"source", kU32},
    {"reserved", kU8, 8, kZero},
};
inline constexpr Record kNode{"node", kNodeFields};

inline constexpr Field kMatrixFields[] = {{"matrix", kF32, 16, kFinite}};
inline constexpr Record kMatrix{"matrix", kMatrixFields};
inline constexpr Field kWeightFields[] = {{"weight", kF32, 1, kFinite}};
inline constexpr Record kWeight{"weight", kWeightFields};
inline constexpr Field kNodeIndexFields[] = {{"node", kU32, 1, kIndex, kNodes, 0, "node number"}};
inline constexpr Record kNodeIndex{"node number", kNodeIndexFields};

inline constexpr Field kMeshFields[] = {
    ref("file"),           {"box", kF32, 6, kBox, 0, 0}, text("name"), text("extra"), {"submesh_count", kU32},
    {"morph_count", kU32}, {"reserved", kU8, 8, kZero},
};
inline constexpr Record kMesh{"mesh", kMeshFields};

inline constexpr Field kSkinFields[] = {
    ref("skeleton"),       text("name"),  {"first_joint", kU32, 1, kSlice, kJoints, 0, "joints"},
    {"joint_count", kU32}, text("extra"),
};
inline constexpr Record kSkin{"skin", kSkinFields};

inline constexpr Field kCameraFields[] = {
    {"type", kU32, 1, kRange, 0, 1, "camera type"},
    {"y_fov_radians", kF32, 1, kFinite},
    {"aspect_ratio", kF32, 1, kFinite},
    {"x_magnification", kF32, 1, kFinite},
    {"y_magnification", kF32, 1, kFinite},
    {"z_near", kF32, 1, kFinite},
    {"z_far", kF32, 1, kFinite},
    text("name"),
    text("extra"),
    {"reserved", kU8, 12, kZero},
};
inline constexpr Record kCamera{"camera", kCameraFields};

inline constexpr Field kLightFields[] = {
    {"type", kU32, 1, kRange, 0, 2, "light type"},
    {"color", kF32, 3, kFinite},
    {"intensity", kF32, 1, kFinite},
    {"range", kF32, 1, kFinite},
    {"inner_cone_radians", kF32, 1, kFinite},
    {"outer_cone_radians", kF32, 1, kFinite},
    text("name"),
    text("extra"),
    {"reserved", kU8, 8, kZero},
};
inline constexpr Record kLight{"light", kLightFields};

inline constexpr Field kMaterialFields[] = {
    ref("file"),
    {"row", kU32},
    text("name"),
    text("extra"),
    {"first_parameter", kU32, 1, kSlice, kParameters, 0, "parameters"},
    {"parameter_count", kU32},
    {"first_texture", kU32, 1, kSlice, kTextures, 0, "textures"},
    {"texture_count", kU32},
    {"reserved", kU32},
};
inline constexpr Record kMaterial{"material", kMaterialFields};

inline constexpr Field kParameterFields[] = {
    text("name"),
    {"component_count", kU32, 1, kRange, 1, 4, "component count"},
    {"value", kF32, 4, kFinite},
};
inline constexpr Record kParameter{"parameter", kParameterFields};

inline constexpr Field kTextureFields[] = {
    text("name"),
    {"texcoord", kU32},
    ref("file"),
    {"sampler", kU32},
    {"offset", kF32, 2, kFinite},
    {"rotation_radians", kF32, 1, kFinite},
    {"scale", kF32, 2, kFinite},
    {"reserved", kU8, 8, kZero},
};
inline constexpr Record kTexture{"texture", kTextureFields};

inline constexpr Field kVariantFields[] = {text("name")};
inline constexpr Record kVariant{"variant", kVariantFields};

inline constexpr Field kVariantMaterialFields[] = {
    {"mesh", kU32, 1, kIndex, kMeshes},
    {"submesh", kU32},  // check_variants()
    {"variant", kU32, 1, kIndex, kVariants},
    {"material", kU32, 1, kIndexOrNone, kMaterials},
};
inline constexpr Record kVariantMaterial{"variant material", kVariantMaterialFields};

inline constexpr Field kClipFields[] = {
    ref("file"),
    {"number", kU32},
    text("name"),
    {"duration_seconds", kF32, 1, kFinite, 0, 0, "duration"},
    {"first_node", kU32, 1, kSlice, kClipNodes, 0, "nodes of a clip"},
    {"node_count", kU32},
    text("extra"),
    {"reserved", kU8, 8, kZero},
};
inline constexpr Record kClip{"clip", kClipFields};

inline constexpr Field kTextListFields[] = {{"count", kU32}};
inline constexpr Record kTextList{"texts", kTextListFields, true};
inline constexpr Field kTextEndFields[] = {{"end", kU32, 1, kTextEnd, 0, 0, "text"}};
inline constexpr Record kTextEndRecord{"text end", kTextEndFields};
inline constexpr Section kTextSections[] = {{&kTextEndRecord, 0, 1, 0xFF, kTexts}};
inline constexpr Part kTextPart{"TEXT", &kTextList, kTextSections, Texts::kRest};
inline constexpr const Part* kParts[] = {&kTextPart};

// The chunks, in the order in which they are written. A number of this list is that of a row of OpenChunks.
enum Chunk : std::size_t {
  kDescChunk,
  kNodeChunk,
  kMatrixChunk,
  kWeightChunk,
  kByNameChunk,
  kMeshChunk,
  kSkinChunk,
  kJointChunk,
  kInverseBindChunk,
  kCameraChunk,
  kLightChunk,
  kMaterialChunk,
  kParameterChunk,
  kTextureChunk,
  kVariantChunk,
  kVariantMaterialChunk,
  kClipChunk,
  kClipNodeChunk,
  kTextChunk
};
inline constexpr ChunkRow kChunks[] = {
    {fourcc("DESC"), &kScene, Size::kOne, kNoCount, true},
    {fourcc("NODE"), &kNode, Size::kFree, kNodes},
    {fourcc("MTRX"), &kMatrix, Size::kFree, kMatrices},
    {fourcc("WGHT"), &kWeight, Size::kFree, kWeightValues},
    {fourcc("BYNM"), &kNodeIndex, Size::kFree, kNamed},
    {fourcc("MESH"), &kMesh, Size::kFree, kMeshes},
    {fourcc("SKIN"), &kSkin, Size::kFree, kSkins},
    {fourcc("JNTS"), &kNodeIndex, Size::kFree, kJoints},
    {fourcc("IBMT"), &kMatrix, Size::kFree, kInverseBinds},
    {fourcc("CAMR"), &kCamera, Size::kFree, kCameras},
    {fourcc("LGHT"), &kLight, Size::kFree, kLights},
    {fourcc("MTRL"), &kMaterial, Size::kFree, kMaterials},
    {fourcc("MPAR"), &kParameter, Size::kFree, kParameters},
    {fourcc("MTEX"), &kTexture, Size::kFree, kTextures},
    {fourcc("VRNT"), &kVariant, Size::kFree, kVariants},
    {fourcc("VMAP"), &kVariantMaterial, Size::kFree, kVariantMaterials},
    {fourcc("CLIP"), &kClip, Size::kFree, kClips},
    {fourcc("CNOD"), &kNodeIndex, Size::kFree, kClipNodes},
    {fourcc("TEXT"), nullptr, Size::kPart, kNoCount, true, &kTextPart},
};

static_assert(kScene.size_bytes == sizeof(SceneDesc) && kNode.size_bytes == sizeof(Node));
static_assert(kMesh.size_bytes == sizeof(Mesh) && kSkin.size_bytes == sizeof(Skin));
static_assert(kCamera.size_bytes == sizeof(Camera) && kLight.size_bytes == sizeof(Light));
static_assert(kMaterial.size_bytes == sizeof(Material) && kParameter.size_bytes == sizeof(Parameter));
static_assert(kTexture.size_bytes == sizeof(Texture) && kVariantMaterial.size_bytes == sizeof(VariantMaterial));
static_assert(kClip.size_bytes == sizeof(Clip) && kMatrix.size_bytes == sizeof(Matrix));
static_assert(kScene.offset_of("flags") == 12 && kNode.offset_of("flags") == offsetof(Node, flags));

}  // namespace table
}  // namespace assetc::hscene
