// The result of a model importer: all meshes, materials, nodes, skins and clips of one source file, in the terms of
// glTF 2.0: right-handed, +Y up, metres, counter-clockwise front faces, UV origin top left. Plain data. Indices refer
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

// One drawable section with one material. Every non-empty attribute array has positions.size() items.
struct Primitive {
  std::string name;
  std::uint32_t material = kNone;
  std::vector<std::uint32_t> indices;  // triangle list, every index < positions.size()
  std::vector<Vec3> positions;
  std::vector<Vec3> normals;                 // empty: to be generated
  std::vector<Vec4> tangents;                // w is +1 or -1; empty: to be generated
  std::vector<std::vector<Vec2>> texcoords;  // by set
  std::vector<std::vector<Vec4>> colors;     // by set, linear RGBA 0..1
  std::vector<Influences> influences;        // by set
  // OBJ: the smoothing group of each triangle, 0 = flat; empty if the source has no smoothing groups.
  std::vector<std::uint32_t> smoothing_groups;
  // The meshlet of each triangle, for rendering; empty if the source has none.
  std::vector<std::uint32_t> clusters;
};

struct Mesh {
  std::string name;
  std::vector<Primitive> primitives;
};

struct Node {
  std::string name;
  std::uint32_t parent = kNone;
  Transform transform;
  std::optional<Mat4> matrix;  // set if the source gives a matrix: this is exact, transform is decomposed
  std::uint32_t mesh = kNone;
  std::uint32_t skin = kNone;
  std::vector<std::uint32_t> lods;  // reduced versions of this node, finest first: with a mesh, without children
  bool holds_other = false;  // has something that a Scene cannot hold: a camera, a light, a mesh that is not shown

  Mat4 local_matrix() const { return matrix ? *matrix : to_matrix(transform); }
};

struct Skin {
  std::string name;
  std::vector<std::uint32_t> joints;  // nodes
  std::vector<Mat4> inverse_bind;     // one for each joint
};

enum class ChannelPath : std::uint8_t { kTranslation = 0, kRotation = 1, kScale = 2, kWeights = 3 };
enum class Interpolation : std::uint8_t { kStep = 0, kLinear = 1, kCubicSpline = 2 };

struct Channel {
  std::uint32_t node = kNone;
  ChannelPath path = ChannelPath::kTranslation;
  Interpolation interpolation = Interpolation::kLinear;
  std::vector<float> times_seconds;  // ascending
  std::vector<float> values;         // times x components; x 3 (in-tangent, value, out-tangent) for a cubic spline
};

struct Clip {
  std::string name;
  std::vector<Channel> channels;
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
};

// The location of the encoded pixels of an image: a file next to the source, or bytes inside it.
struct ImageSource {
  std::string name;  // its name in messages: name, URI or "image 3"
  std::string path;  // '/'-separated, relative to the input root; empty when inline_bytes are set
  Bytes inline_bytes;
};

// Content of the source that the scene cannot hold. It is reported, so that nothing is lost silently.
struct Dropped {
  std::string what;   // "cameras", "morph targets", "extension KHR_materials_clearcoat"
  std::string where;  // the first place: "/cameras/0", "/materials/3"
  std::uint32_t count = 1;
  bool is_in_materials = false;  // also in Material's scalars, vectors and textures, for containers that can store it
};

struct Scene {
  std::vector<Mesh> meshes;
  std::vector<Node> nodes;  // a parent may come after its child; no cycles
  std::vector<Material> materials;
  std::vector<ImageSource> images;
  std::vector<Skin> skins;
  std::vector<Clip> clips;
  std::vector<Dropped> dropped;
};

// The world matrix of every node. Requires acyclic parents.
std::vector<Mat4> world_matrices(const Scene& scene);

}  // namespace assetc::scene
