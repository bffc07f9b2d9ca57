// The result of a model importer: all meshes, materials, nodes, skins and clips of one source file, in the terms of
// glTF 2.0: right-handed, +Y up, meters, counter-clockwise front faces, UV origin top left. Plain data. Indices refer
// to the vectors of the same Scene. kNone means that there is none.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/formats/sampling.hpp"
#include "scene/math.hpp"
#include "scene/texture_usage.hpp"

namespace assetc::scene {

inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

// Up to four bone influences of every vertex: one glTF JOINTS_n / WEIGHTS_n pair. Both arrays have vertex_count items.
struct Influences {
  std::vector<std::array<std::uint16_t, 4>> joints;  // into Skin::joints
  std::vector<Vec4> weights;                         // as in the source: the sum is about 1
};

// Offsets that a morph target adds, times its weight, to the vertices that it moves. Every non-empty array has
// vertices.size() items. Offsets of normals and tangents are added before normalization.
struct MorphTarget {
  std::vector<std::uint32_t> vertices;  // that it moves, ascending
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;
  std::vector<Vec3> tangents;                // without handedness, which a morph target does not change
  std::vector<std::vector<Vec2>> texcoords;  // by set
  std::vector<std::vector<Vec4>> colors;     // by set, linear RGBA
  bool operator==(const MorphTarget&) const = default;
};

// An attribute whose meaning only the application knows ("_TEMPERATURE"). Its values are kept as in the source.
enum class ComponentType : std::uint8_t { kI8 = 0, kU8 = 1, kI16 = 2, kU16 = 3, kU32 = 4, kF32 = 5 };
struct CustomAttribute {
  std::string name;  // with the leading '_'
  ComponentType type = ComponentType::kF32;
  bool normalized = false;
  std::uint8_t rows = 1, columns = 1;  // a matrix has several columns
  ByteVector values;                   // one value for each vertex, tightly packed, little-endian
  bool operator==(const CustomAttribute&) const = default;
};

enum class Topology : std::uint8_t { kTriangles = 0, kLines = 1, kPoints = 2 };
// The number of indices of one triangle, line or point.
constexpr std::size_t corner_count(Topology topology) { return std::size_t{3} - static_cast<std::size_t>(topology); }

// The material of a primitive in one of Scene::variants (KHR_materials_variants).
struct VariantMaterial {
  std::uint32_t variant = 0;
  std::uint32_t material = kNone;
};

// One drawable section with one material. Every non-empty attribute array has positions.size() items.
struct Primitive {
  std::string name;
  std::uint32_t material = kNone;
  std::vector<VariantMaterial> variant_materials{};  // ascending by variant; others use `material`
  Topology topology = Topology::kTriangles;
  std::vector<std::uint32_t> indices;  // a list of triangles, lines or points, every index < positions.size()
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;                 // empty: to be generated
  std::vector<Vec4> tangents;                // w is +1 or -1; empty: to be generated
  std::vector<std::vector<Vec2>> texcoords;  // by set
  std::vector<std::vector<Vec4>> colors;     // by set, linear RGBA 0..1
  std::vector<Influences> influences;        // by set
  std::vector<CustomAttribute> custom{};     // by name
  std::vector<MorphTarget> morphs{};         // as many as Mesh::morph_weights has
  // OBJ: the smoothing group of each triangle, 0 = flat; empty if the source has no smoothing groups.
  std::vector<std::uint32_t> smoothing_groups;
  // The meshlet of each triangle, for rendering; empty if the source has none.
  std::vector<std::uint32_t> clusters{};
};

// Parts of the source that assetc does not interpret: a JSON object with the members "extras" and "extensions" of glTF,
// or empty. Valid JSON without white space, members in byte order of their names, at most kMaxExtraDepth levels deep.
using ExtraJson = std::string;
inline constexpr std::size_t kMaxExtraDepth = 64;

// The number by which an extension that assetc does not interpret refers to an object (extension_references.hpp): that
// of the source. kNone: none does. Such objects stay, and are neither joined nor merged.
using SourceNumber = std::uint32_t;

struct Mesh {
  std::string name;
  std::vector<Primitive> primitives;
  std::vector<float> morph_weights{};      // the default weight of each morph target
  std::vector<std::string> morph_names{};  // of each target; empty: the source has no names
  ExtraJson extra{};                       // also "primitives": for each primitive an object with its members, or {}
  SourceNumber referred_as = kNone;
};

// A camera looks along -Z of its node, with +Y up.
struct Camera {
  std::string name;
  bool is_perspective = true;
  // Perspective: the vertical field of view. Orthographic: 0.
  float y_fov_radians = 0;
  float aspect_ratio = 0;  // width / height; 0: that of the viewport
  // Orthographic: half the width and height of the view, in meters.
  float x_magnification = 0, y_magnification = 0;
  float z_near = 0;
  float z_far = 0;  // 0: no far plane (only for a perspective)
  ExtraJson extra{};
};

enum class LightType : std::uint8_t { kDirectional = 0, kPoint = 1, kSpot = 2 };
// A light shines along -Z of its node (KHR_lights_punctual).
struct Light {
  std::string name;
  LightType type = LightType::kPoint;
  Vec3 color{1, 1, 1};                                                // linear
  float intensity = 1;                                                // candela, or lux for a directional light
  float range = 0;                                                    // meters; 0: unlimited
  float inner_cone_radians = 0, outer_cone_radians = 0.78539816339f;  // spot
  ExtraJson extra{};
};

struct Node {
  std::string name;
  std::uint32_t parent = kNone;
  Transform transform;
  std::optional<Mat4> matrix;  // set if the source gives a matrix: this is exact, transform is decomposed
  std::uint32_t mesh = kNone;
  std::uint32_t skin = kNone;
  std::uint32_t camera = kNone;
  std::uint32_t light = kNone;
  bool is_visible = true;              // KHR_node_visibility: false hides the node and everything below it
  std::vector<float> morph_weights{};  // instead of those of the mesh; empty: those of the mesh
  ExtraJson extra{};
  std::vector<std::uint32_t> lods;  // reduced versions of this node, finest first: with a mesh, without children
  bool holds_other = false;         // has something that a Scene cannot hold: a mesh that is not shown
  SourceNumber referred_as = kNone;
  bool must_draw = false;  // who refers to this node means its mesh, too

  Mat4 local_matrix() const { return matrix ? *matrix : to_matrix(transform); }
};

struct Skin {
  std::string name;
  std::vector<std::uint32_t> joints;  // nodes
  std::vector<Mat4> inverse_bind;     // one for each joint
  ExtraJson extra{};
};

// What a channel moves: a property of Channel::node, or of a camera, light or material of the scene
// (KHR_animation_pointer). The number of components of a value is in parentheses.
enum class ChannelPath : std::uint8_t {
  kTranslation = 0,           // (3)
  kRotation = 1,              // (4) x y z w
  kScale = 2,                 // (3)
  kWeights = 3,               // (the morph targets of the node's mesh)
  kVisible = 4,               // (1) of a node: not 0 is visible; kStep
  kCameraYFov = 5,            // (1)
  kCameraAspectRatio = 6,     // (1)
  kCameraXMagnification = 7,  // (1)
  kCameraYMagnification = 8,  // (1)
  kCameraNear = 9,            // (1)
  kCameraFar = 10,            // (1)
  kLightColor = 11,           // (3)
  kLightIntensity = 12,       // (1)
  kLightRange = 13,           // (1)
  kLightInnerCone = 14,       // (1)
  kLightOuterCone = 15,       // (1)
};
enum class Interpolation : std::uint8_t { kStep = 0, kLinear = 1, kCubicSpline = 2 };

constexpr bool is_of_node(ChannelPath path) { return path <= ChannelPath::kVisible; }
// Whether a path moves a part of the transform of a node.
constexpr bool is_transform(ChannelPath path) { return path <= ChannelPath::kScale; }

struct Channel {
  std::uint32_t node = kNone;  // of a path of nodes
  ChannelPath path = ChannelPath::kTranslation;
  Interpolation interpolation = Interpolation::kLinear;
  std::vector<float> times_seconds;  // ascending
  std::vector<float> values;         // times x components; x 3 (in-tangent, value, out-tangent) for a cubic spline
  std::uint32_t object = kNone;      // the camera or light of a path of those
};
// The number of floats of one value of a channel: fixed by its path, but for weights.
std::size_t component_count(const Channel& channel);

struct Clip {
  std::string name;
  std::vector<Channel> channels;
  ExtraJson extra{};
  SourceNumber referred_as = kNone;
};

// KHR_texture_transform, with the members in the order of the extension: offset, rotation (radians, counter-clockwise),
// scale.
struct TexcoordTransform {
  Vec2 offset;
  float rotation = 0;
  Vec2 scale{1, 1};
  bool operator==(const TexcoordTransform&) const = default;
};

using sampling::Sampler;
using sampling::Wrap;

struct TextureUse {
  std::uint32_t image = kNone;
  std::uint32_t texcoord = 0;
  Sampler sampler;
  TexcoordTransform transform;
};

// Values from material extensions. Names are as in glTF, but capitalized, without "Factor", and with "Tex" for
// "Texture": "Clearcoat", "SheenColorTex". They are string literals. Each occurs once, in the order of the importer's
// table.
struct NamedScalar {
  std::string_view name;
  float value = 0;
};
struct NamedVector {
  std::string_view name;
  Vec3 value;
};
struct NamedTexture {
  std::string_view name;
  TextureUsage usage = TextureUsage::kColor;
  TextureUse use;
};

enum class AlphaMode : std::uint8_t { kOpaque = 0, kMask = 1, kBlend = 2 };

struct Material {
  std::string name;
  Vec4 base_color{1, 1, 1, 1};  // linear
  Vec3 emissive;                // linear, strength multiplied in: may exceed 1
  float metallic = 1;
  float roughness = 1;
  float normal_scale = 1;
  float occlusion_strength = 1;
  float alpha_cutoff = 0.5f;
  AlphaMode alpha_mode = AlphaMode::kOpaque;
  bool double_sided = false;
  bool unlit = false;
  TextureUse base_color_texture;
  TextureUse metallic_roughness_texture;  // roughness = G, metallic = B
  TextureUse normal_texture;
  TextureUse occlusion_texture;  // R
  TextureUse emissive_texture;
  std::vector<NamedScalar> scalars;
  std::vector<NamedVector> vectors;
  std::vector<NamedTexture> textures;
  ExtraJson extra{};
  SourceNumber referred_as = kNone;
};

// Calls f(name, usage, use) for each texture of a material: those of core glTF, with or without an image, and then
// those of extensions. material: a Material& or const Material&.
void for_each_texture(auto& material, auto f) {
  f(std::string_view("base color"), TextureUsage::kColor, material.base_color_texture);
  f(std::string_view("metallic-roughness"), TextureUsage::kLinear, material.metallic_roughness_texture);
  f(std::string_view("normal"), TextureUsage::kNormal, material.normal_texture);
  f(std::string_view("occlusion"), TextureUsage::kLinear, material.occlusion_texture);
  f(std::string_view("emissive"), TextureUsage::kColor, material.emissive_texture);
  for (auto& named : material.textures) f(named.name, named.usage, named.use);
}

// The location of the encoded pixels of an image: a file next to the source, or bytes inside it.
struct ImageSource {
  std::string name;  // its name in messages: name, URI or "image 3"
  std::string path;  // '/'-separated, relative to the input root; empty when inline_bytes are set
  Bytes inline_bytes;
  SourceNumber referred_as = kNone;
};

// A texture that only an extension uses that assetc does not interpret.
struct ReferredTexture {
  SourceNumber referred_as = kNone;
  TextureUsage usage = TextureUsage::kColor;
  TextureUse use;
};

// Content of the source that some outputs cannot hold. They report it, so that nothing is lost silently.
struct Dropped {
  std::string what;   // "cameras", "morph targets", "extension KHR_materials_clearcoat"
  std::string where;  // the first place: "/cameras/0", "/materials/3"
  std::uint32_t count = 1;
  bool is_in_materials = false;  // also in Material's scalars, vectors and textures, for containers that can store it
  bool is_in_scene = false;      // also in other members of Scene: a scene file keeps it, a flattened mesh does not
  // No engine needs it: a remark of an exporter, a leftover. Alone, it is no reason to write geometry twice.
  bool is_minor = false;
};

struct Scene {
  std::vector<Mesh> meshes;
  std::vector<Node> nodes;  // a parent may come after its child; no cycles
  std::vector<Material> materials;
  std::vector<ImageSource> images;
  std::vector<ReferredTexture> referred_textures;
  std::vector<Skin> skins;
  std::vector<Clip> clips;
  std::vector<Camera> cameras;
  std::vector<Light> lights;
  std::vector<std::string> variants;  // names of the material variants (KHR_materials_variants)
  std::string name;                   // of the default scene
  ExtraJson extra{};                  // of the default scene
  ExtraJson asset_extra{};            // of the whole document
  std::vector<Dropped> dropped;
};

// Calls f(material or null, name, usage, use) for each texture of a scene.
void for_each_texture_of(auto& scene, auto f) {
  for (auto& material : scene.materials) {
    for_each_texture(material,
                     [&](std::string_view name, TextureUsage usage, auto& use) { f(&material, name, usage, use); });
  }
  for (auto& texture : scene.referred_textures)
    f(decltype(scene.materials.data())(), std::string_view("extension"), texture.usage, texture.use);
}

// The world matrix of every node. Requires acyclic parents.
std::vector<Mat4> world_matrices(const Scene& scene);

// For every node, whether it or a node above it is hidden. Requires acyclic parents.
std::vector<bool> hidden_nodes(const std::vector<Node>& nodes);

}  // namespace assetc::scene
