// What an importer of models produces: every mesh, material, node, skin and clip of one source file, in one
// vocabulary (glTF 2.0's: right-handed, +Y up, metres, counter-clockwise front faces, UV origin top left).
// Plain data; indices are into the vectors of the same Scene; kNone means "no such thing".
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
  std::vector<Vec4> weights;                         // as in the source: a sum of about 1
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
  // OBJ: smoothing group of every triangle, 0 = flat; empty where the source has no such notion.
  std::vector<std::uint32_t> smoothing_groups;
  // Meshlet of every triangle, for pictures; empty where the source has none.
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
  std::optional<Mat4> matrix;  // set where the source gave a matrix: then it is the truth, transform its decomposition
  std::uint32_t mesh = kNone;
  std::uint32_t skin = kNone;
  std::vector<std::uint32_t> lods;  // nodes that stand for this one at ever less detail: each with a mesh, no children
  bool holds_other = false;         // what a scene does not: a camera, a light, a mesh that is not shown

  Mat4 local_matrix() const { return matrix ? *matrix : to_matrix(transform); }
};

struct Skin {
  std::string name;
  std::vector<std::uint32_t> joints;  // nodes
  std::vector<Mat4> inverse_bind;     // one a joint
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

// KHR_texture_transform, in the order of that extension: offset, then rotation (radians, counter-clockwise), then
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

// What extensions of a material say, named as in glTF but without "Factor", in capitals at the start, "Texture" as
// "Tex": "Clearcoat", "SheenColorTex". Names are literals. Each stands once, in the order of the importer's table.
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

// Where the encoded pixels of an image are: a file beside the source, or bytes inside it.
struct ImageSource {
  std::string name;  // what to call it in messages: its name, URI or "image 3"
  std::string path;  // '/'-separated, relative to the input root; empty when inline_bytes are set
  Bytes inline_bytes;
};

// Something of the source that the scene does not hold, so that it can be reported: nothing is lost silently.
struct Dropped {
  std::string what;   // "cameras", "morph targets", "extension KHR_materials_clearcoat"
  std::string where;  // "/cameras/0", "/materials/3"; the first of them
  std::uint32_t count = 1;
  bool is_in_materials = false;  // said by Material's scalars, vectors and textures, for who can write them
};

struct Scene {
  std::vector<Mesh> meshes;
  std::vector<Node> nodes;  // a parent may stand after its child; no cycles
  std::vector<Material> materials;
  std::vector<ImageSource> images;
  std::vector<Skin> skins;
  std::vector<Clip> clips;
  std::vector<Dropped> dropped;
};

// The world matrix of every node. Requires acyclic parents.
std::vector<Mat4> world_matrices(const Scene& scene);

}  // namespace assetc::scene
