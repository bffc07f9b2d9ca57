// .hscene version 1: the node tree of a source. Specification: docs/formats/hscene.md.
// This header reads files. hscene.hpp also writes them.
//
//   ASSETC_TRY(const hscene::View scene, hscene::View::open(file));
//   for (std::uint32_t n = 0; n < scene.nodes().size(); ++n) {  // parents come before children
//     const Node& node = scene.nodes()[n];
//     world[n] = node.parent < 0 ? scene.local_matrix(n) : world[node.parent] * scene.local_matrix(n);
//     if (node.mesh != hscene::kNone) draw(meshes[node.mesh], world[n]);
//   }
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "assetc/formats/fourcc.hpp"
#include "assetc/formats/hanim_view.hpp"
#include "assetc/formats/sampling.hpp"

namespace assetc::hscene {

inline constexpr std::uint32_t kMagic = fourcc("HSCN");
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kBufferAlignment = 8;
inline constexpr std::uint32_t kNone = 0xFFFFFFFF;

using hanim::Transform;
using Matrix = std::array<float, 16>;  // column-major, for column vectors

// A file that the scene uses: a UUID, or the hash_embed_ref() of its path.
struct Ref {
  std::array<std::uint8_t, 16> bytes{};

  static Ref of(const Uuid& uuid) { return {uuid.bytes}; }
  static Ref of(std::uint64_t hash) {
    Ref ref;
    std::memcpy(ref.bytes.data(), &hash, sizeof hash);
    return ref;
  }
  bool is_none() const { return bytes == decltype(bytes){}; }
  Uuid uuid() const { return {bytes}; }
  std::uint64_t hash() const {
    std::uint64_t hash;
    std::memcpy(&hash, bytes.data(), sizeof hash);
    return hash;
  }
  bool operator==(const Ref&) const = default;
};

struct Box {
  std::array<float, 3> low{}, high{};
  bool operator==(const Box&) const = default;
};

struct SceneDesc {
  static constexpr std::uint32_t kUuids = 1u << 0;
  static constexpr std::uint32_t kHasBox = 1u << 1;

  std::uint32_t name = kNone;
  std::uint32_t extra = kNone;
  std::uint32_t asset_extra = kNone;
  std::uint32_t flags = 0;
  Box box{};
  std::array<std::uint8_t, 24> reserved{};
  bool operator==(const SceneDesc&) const = default;
};
static_assert(sizeof(SceneDesc) == 64);

struct Node {
  static constexpr std::int32_t kNoParent = -1;
  static constexpr std::uint32_t kHidden = 1u << 0;
  static constexpr std::uint32_t kHasBox = 1u << 1;

  Transform transform{};
  Box box{};  // of its mesh and of everything below it at rest, in its own space
  std::int32_t parent = kNoParent;
  std::uint32_t end = 0;  // the nodes below are [own number + 1, end)
  std::uint32_t mesh = kNone, skin = kNone, camera = kNone, light = kNone;
  std::uint32_t name = kNone, extra = kNone;  // texts
  std::uint32_t first_weight = 0, weight_count = 0;
  std::uint32_t matrix = kNone;
  std::uint32_t flags = 0;
  std::uint32_t detail_of = kNone;  // the node that this one replaces at lower detail
  std::uint32_t source = 0;         // its number in the source
  std::array<std::uint8_t, 8> reserved{};

  bool is_hidden() const { return (flags & kHidden) != 0; }
  bool has_box() const { return (flags & kHasBox) != 0; }
  bool operator==(const Node&) const = default;
};
static_assert(sizeof(Node) == 128);

struct Mesh {
  Ref file{};
  Box box{};
  std::uint32_t name = kNone, extra = kNone;
  std::uint32_t submesh_count = 0, morph_count = 0;
  std::array<std::uint8_t, 8> reserved{};
  bool operator==(const Mesh&) const = default;
};
static_assert(sizeof(Mesh) == 64);

struct Skin {
  Ref skeleton{};
  std::uint32_t name = kNone;
  std::uint32_t first_joint = 0, joint_count = 0;
  std::uint32_t extra = kNone;
  bool operator==(const Skin&) const = default;
};
static_assert(sizeof(Skin) == 32);

enum class CameraType : std::uint32_t { kPerspective = 0, kOrthographic = 1 };
struct Camera {
  CameraType type = CameraType::kPerspective;
  float y_fov_radians = 0;
  float aspect_ratio = 0;                          // width / height; 0: that of the viewport
  float x_magnification = 0, y_magnification = 0;  // half the width and height of an orthographic view
  float z_near = 0, z_far = 0;                     // z_far 0: no far plane
  std::uint32_t name = kNone, extra = kNone;
  std::array<std::uint8_t, 12> reserved{};
  bool operator==(const Camera&) const = default;
};
static_assert(sizeof(Camera) == 48);

enum class LightType : std::uint32_t { kDirectional = 0, kPoint = 1, kSpot = 2 };
struct Light {
  LightType type = LightType::kPoint;
  std::array<float, 3> color{1, 1, 1};  // linear
  float intensity = 1;                  // lux for a directional light, otherwise candela
  float range = 0;                      // 0: unlimited
  float inner_cone_radians = 0, outer_cone_radians = 0;
  std::uint32_t name = kNone, extra = kNone;
  std::array<std::uint8_t, 8> reserved{};
  bool operator==(const Light&) const = default;
};
static_assert(sizeof(Light) == 48);

struct Material {
  Ref file{};
  std::uint32_t row = 0;
  std::uint32_t name = kNone, extra = kNone;
  std::uint32_t first_parameter = 0, parameter_count = 0;
  std::uint32_t first_texture = 0, texture_count = 0;
  std::uint32_t reserved = 0;
  bool operator==(const Material&) const = default;
};
static_assert(sizeof(Material) == 48);

struct Parameter {
  std::uint32_t name = kNone;
  std::uint32_t component_count = 1;  // 1 to 4
  std::array<float, 4> value{};
  bool operator==(const Parameter&) const = default;
};
static_assert(sizeof(Parameter) == 24);

struct Texture {
  std::uint32_t name = kNone;
  std::uint32_t texcoord = 0;  // the set
  Ref file{};                  // a hash is the hash_asset_ref() of the texture, as in a .hmat
  std::uint32_t sampler_flags = 0;
  // KHR_texture_transform
  std::array<float, 2> offset{0, 0};
  float rotation_radians = 0;
  std::array<float, 2> scale{1, 1};
  std::array<std::uint8_t, 8> reserved{};

  static constexpr std::uint32_t kFilterShift = 16;
  static constexpr std::uint32_t flags_of(const sampling::Sampler& s) {
    return sampling::wrap_bits(s) | sampling::filter_bits(s) << kFilterShift;
  }
  sampling::Sampler sampler() const { return sampling::sampler_of(sampler_flags, sampler_flags >> kFilterShift); }
  bool operator==(const Texture&) const = default;
};
static_assert(sizeof(Texture) == 56);

// If the variant is chosen, the submesh is drawn with this material.
struct VariantMaterial {
  std::uint32_t mesh = 0, submesh = 0, variant = 0, material = 0;
  auto operator<=>(const VariantMaterial&) const = default;
};
static_assert(sizeof(VariantMaterial) == 16);

struct Clip {
  Ref file{};
  std::uint32_t number = 0;  // in the file
  std::uint32_t name = kNone;
  float duration_seconds = 0;
  std::uint32_t first_node = 0, node_count = 0;  // in clip_nodes()
  std::uint32_t extra = kNone;
  std::array<std::uint8_t, 8> reserved{};
  bool operator==(const Clip&) const = default;
};
static_assert(sizeof(Clip) == 48);

// A valid .hscene, read in place.
// Errors of open(): kTruncated, kInvalidData, kVersion, kUsage (a misaligned buffer).
// Constraints: file starts at a multiple of kBufferAlignment and outlives the view.
// Thread safety: const.
class View {
 public:
  static Result<View> open(ByteSpan file);

  bool has_uuids() const { return (desc_->flags & SceneDesc::kUuids) != 0; }
  std::string_view name() const { return text(desc_->name); }
  std::string_view extra() const { return text(desc_->extra); }              // JSON, or ""
  std::string_view asset_extra() const { return text(desc_->asset_extra); }  // JSON, or ""
  // Null if the scene draws nothing.
  const Box* box() const { return (desc_->flags & SceneDesc::kHasBox) != 0 ? &desc_->box : nullptr; }

  std::span<const Node> nodes() const { return nodes_; }  // depth first: parents come before children
  std::span<const Mesh> meshes() const { return meshes_; }
  std::span<const Skin> skins() const { return skins_; }
  std::span<const Camera> cameras() const { return cameras_; }
  std::span<const Light> lights() const { return lights_; }
  std::span<const Material> materials() const { return materials_; }
  std::span<const VariantMaterial> variant_materials() const { return variant_materials_; }
  std::span<const Clip> clips() const { return clips_; }
  std::size_t variant_count() const { return variants_.size(); }
  std::string_view variant_name(std::size_t i) const { return text(variants_[i]); }

  // Return the text of a name or an extra; "" for kNone.
  std::string_view text(std::uint32_t index) const;
  std::size_t text_count() const { return text_ends_.size(); }
  std::string_view node_name(std::uint32_t node) const { return text(nodes_[node].name); }

  // Returns the matrix of a node relative to its parent: exact, also if the source gives a matrix with shear.
  Matrix local_matrix(std::uint32_t node) const;
  // Returns the morph weights of a node; empty: those of its mesh.
  std::span<const float> weights(const Node& node) const {
    return weights_.subspan(node.first_weight, node.weight_count);
  }
  // Return the node of each joint, and its inverse bind matrix. The matrices are empty if all are the identity.
  std::span<const std::uint32_t> joints(const Skin& skin) const {
    return joints_.subspan(skin.first_joint, skin.joint_count);
  }
  std::span<const Matrix> inverse_bind(const Skin& skin) const {
    return inverse_bind_.empty() ? inverse_bind_ : inverse_bind_.subspan(skin.first_joint, skin.joint_count);
  }
  std::span<const Parameter> parameters(const Material& m) const {
    return parameters_.subspan(m.first_parameter, m.parameter_count);
  }
  std::span<const Texture> textures(const Material& m) const {
    return textures_.subspan(m.first_texture, m.texture_count);
  }
  // Returns the nodes that a clip moves, ascending.
  std::span<const std::uint32_t> clip_nodes(const Clip& clip) const {
    return clip_nodes_.subspan(clip.first_node, clip.node_count);
  }
  // Returns the material of a submesh in a variant, or kNone if the variant does not change it.
  std::uint32_t variant_material(std::uint32_t mesh, std::uint32_t submesh, std::uint32_t variant) const;

  // Returns the first node with this name. Time: logarithmic in the number of nodes with a name.
  std::optional<std::uint32_t> find(std::string_view name) const;
  // Returns the first node with this path of names: "Body/Arm/Hand". The path may begin at any node. Names may contain
  // '/'.
  std::optional<std::uint32_t> find_path(std::string_view path) const;

 private:
  friend class Opener;
  std::span<const std::uint32_t> named(std::string_view name) const;
  bool ends_path(std::uint32_t node, std::string_view path) const;

  const SceneDesc* desc_ = nullptr;
  std::span<const Node> nodes_;
  std::span<const Matrix> matrices_, inverse_bind_;
  std::span<const float> weights_;
  std::span<const std::uint32_t> by_name_, joints_, variants_, clip_nodes_, text_ends_;
  std::span<const Mesh> meshes_;
  std::span<const Skin> skins_;
  std::span<const Camera> cameras_;
  std::span<const Light> lights_;
  std::span<const Material> materials_;
  std::span<const Parameter> parameters_;
  std::span<const Texture> textures_;
  std::span<const VariantMaterial> variant_materials_;
  std::span<const Clip> clips_;
  std::string_view text_;
};

}  // namespace assetc::hscene
