// The parts of compile_model: each turns one part of a scene into one part of the value.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "animation/compress.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/hanim.hpp"
#include "import/model/model.hpp"
#include "mesh/build.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/material/compiled_material.hpp"
#include "recipes/recipe.hpp"
#include "scene/scene.hpp"

namespace assetc::recipes {

// A scene, and how messages name its parts.
struct MeshSource {
  const scene::Scene& scene;
  importer::ModelKind kind = importer::ModelKind::kGltf;
  // The output stores every set of texture coordinates and colors, without their numbers.
  bool keeps_channels = false;
  // The output stores the attributes that `attributes` selects, with their numbers and names.
  bool keeps_attributes = false;
  bool keeps_morphs = false;  // the output stores morph targets
  // Texture coordinates stay as in the source, because the materials of the output name the set and the transform of
  // each texture. Tangents belong to the set of the normal map.
  bool raw_texcoords = false;
  AttributeSelection attributes{};

  // Messages name the parts of a glTF by JSON pointers.
  bool is_gltf() const { return kind == importer::ModelKind::kGltf; }

  std::string primitive_place(std::uint32_t mesh, std::size_t primitive) const;
  std::string node_place(std::uint32_t node) const;
  std::string material_place(std::uint32_t material) const;
};

// The messages of the recipe: one warning for each kind of loss, and other warnings.
class MeshReport {
 public:
  void drop(std::string_view what, std::string_view where, std::uint32_t count = 1);
  // Counts an attribute that mesh.attributes does not select. All are one warning.
  void leave_out(std::string_view name, std::string_view where);
  void warn(WarningKind kind, std::string place, std::string what, std::string hint = {});
  // The same for a loss by flattening: a scene file keeps this content. With a scene, all are one warning.
  void drop_flat(std::string_view what, std::string_view where, std::uint32_t count = 1);
  void warn_flat(WarningKind kind, std::string place, std::string what, std::string hint = {}, bool is_minor = false);
  bool loses_by_flattening() const { return !flat_dropped_.empty() || !flat_warnings_.empty(); }
  // Whether an engine may need what is lost (scene::Dropped::is_minor).
  bool loses_much_by_flattening() const { return loses_much_; }
  // No flat files are written: nothing is lost by flattening.
  void keep_flat() { flat_dropped_.clear(), flat_warnings_.clear(), loses_much_ = false; }
  // The scene file `scene` is written beside the flat file `mesh`, which lacks what flattening loses.
  void keep_in_scene(std::string_view mesh, std::string_view scene);
  // Everything that the importer dropped.
  void drop_all(const scene::Scene& scene);
  // mesh.lod: cluster does not apply to a mesh that does not fit clusters.
  void note_levels(std::string place, const MeshExtent& extent);
  // recipes::check_name() for a picture.
  void check_name(std::string place, std::string_view picture, TextureUsage mode, std::string_view what);
  std::vector<Diagnostic> take() &&;

 private:
  std::vector<scene::Dropped> dropped_, flat_dropped_;
  std::vector<Diagnostic> warnings_, flat_warnings_;
  bool loses_much_ = false;
  std::uint32_t left_out_ = 0;
  std::string first_left_out_, first_left_out_place_;
};

// flatten.cpp: a primitive as in the scene, without texture coordinates and skin. Until build_submeshes, material_slot
// is a material of the scene.
mesh::SubmeshInput submesh_of(const MeshSource& source, std::uint32_t mesh, std::size_t primitive);
// Applies m to positions, normals, tangents and their offsets in morph targets. If m mirrors, winding and handedness
// are reversed.
void transform_submesh(mesh::SubmeshInput& submesh, const scene::Mat4& m);

// The places of the submeshes of the built mesh, followed by those of its points and lines.
std::vector<std::string> places_of(std::span<const mesh::SubmeshInput> flat);

// texcoords.cpp
// The texture whose set and transform of texture coordinates a flattened mesh has: the first texture of the material.
// Null if it has none.
const scene::TextureUse* deciding_texture(const scene::Material& material);
// Whether a texture of the material has the same set and transform.
bool reads_flat_texcoords(const scene::Material& material, const scene::TextureUse& use);
// Where the texture coordinates of a submesh come from.
struct ChosenTexcoords {
  std::uint32_t set = 0;
  scene::TexcoordTransform transform;
};
// The one set of texture coordinates of the output, as the material's textures use it.
ChosenTexcoords choose_texcoords(const MeshSource& source, const scene::Primitive& primitive,
                                 mesh::SubmeshInput& submesh, MeshReport& report);

// attributes.cpp: chooses the attributes of the primitive that the output keeps, and reports the others. If it keeps
// channels, texcoord_sets become texcoords, then the other sets. If it keeps attributes: texcoords, then set n at 1 +
// n. In raw form, the first is set 0 instead of texcoords.
void keep_attributes(const MeshSource& source, const scene::Primitive& primitive, const ChosenTexcoords& chosen,
                     mesh::SubmeshInput& submesh, MeshReport& report);

// A mesh has one type and shape for each custom attribute: that of the first submesh with its name. Drops the others.
void drop_unlike_custom(std::span<mesh::SubmeshInput> submeshes, MeshReport& report);

// skin.cpp. A skeleton is one skin of the scene.
struct Skeleton {
  std::uint32_t skin = 0;  // of the scene
  std::vector<hmesh::GpuJoint> joints;
  std::vector<std::string> names;
  std::vector<std::uint32_t> joint_of_node;  // kNoJoint if the node is not a joint
  std::vector<std::uint32_t> nearest_joint;  // the node itself or the nearest joint above it; kNoJoint: none
  // For each skin of the scene and each of its joints: the joint of this skin with the same node and bind pose, or
  // kNoJoint.
  std::vector<std::vector<std::uint32_t>> joints_of_skin;
  // If nodes that are not joints are between a joint and its parent joint: their transform. It applies to the joint's
  // rest pose and to every key that moves the joint.
  std::vector<std::optional<scene::Transform>> prefix;
  std::optional<std::uint32_t> static_joint{};  // of meshes that no joint moves, after the joints of the skin
};
inline constexpr std::uint32_t kNoJoint = 0xffffffffu;
// The rotation of `above` combined with a rotation q below it. `above` must come from decompose() and scale all axes by
// the same factor, mirrored or not. Translation and scale need no such function: they are plain products.
scene::Quat rotation_within(const scene::Transform& above, const scene::Quat& q);
// The skeleton of the first skin with which a mesh of the scene is shown; empty if there is none.
std::optional<Skeleton> build_skeleton(const MeshSource& source, MeshReport& report);
// The skeleton of any skin of the scene, with the joints in the skin's order.
Skeleton skeleton_of_skin(const MeshSource& source, std::uint32_t skin, MeshReport& report);
// mesh::Mesh::skin and further_skin.
struct SkinStreams {
  std::vector<hmesh::GpuSkinVertex> skin, further;
};
// The influences of a primitive's vertices, with joints mapped through map. Empty if map has kNoJoint for one of them.
// If the source does not keep JOINTS_1, only the four largest influences of a vertex are kept.
Result<std::optional<SkinStreams>> gather_skin(const MeshSource& source, const scene::Primitive& primitive,
                                               std::span<const std::uint32_t> map, std::uint32_t skin,
                                               std::string_view place, MeshReport& report);
// Fills submesh.skin. A primitive without influences is bound rigidly. So is a primitive whose skin uses joints that
// the skeleton lacks, after it is moved to its rest pose.
Result<void> bind_submesh(const MeshSource& source, Skeleton& skeleton, const std::vector<scene::Mat4>& world,
                          const scene::Primitive& primitive, mesh::SubmeshInput& submesh, MeshReport& report);

// flatten.cpp
// What containers of meshes depend on.
MeshExtent extent_of(const scene::Mesh& mesh);
// The same for all drawn meshes together.
MeshExtent extent_of_drawn(const scene::Scene& scene, bool merge);
// Whether a flattened mesh would be so much larger than the meshes that it repeats that only a scene is worth writing:
// 16 times their triangles and more than ten million, or 16 times their primitives and more than 65,536.
bool outgrows_flat(const MeshExtent& drawn, const MeshExtent& own);

struct FlatScene {
  std::vector<mesh::SubmeshInput> submeshes;
  std::optional<Skeleton> skeleton;  // all submeshes are bound to it
  std::vector<mesh::Morph> morphs;   // without offsets, which build_mesh adds
  // The targets of a node: [first, first + count) of morphs. A channel of ChannelPath::kWeights of the node moves them.
  struct MorphGroup {
    std::uint32_t node = scene::kNone;
    std::uint32_t first = 0, count = 0;
  };
  std::vector<MorphGroup> morph_groups;  // all morphs, in order
};
// The drawn primitives in node order (merge) or mesh order (source-local). No submeshes if nothing is drawn.
Result<FlatScene> flatten(const MeshSource& source, bool merge, MeshReport& report);

// morphs.cpp: the targets of a mesh, with their names, and their weights where one of the nodes shows the mesh.
// The ranges include [0, 1], the default, and the keys of every clip. Without nodes, the weights are those of the mesh.
std::vector<mesh::Morph> morphs_of(const scene::Scene& scene, std::uint32_t mesh, std::span<const std::uint32_t> nodes);

// Gives the targets of a built mesh everything but their offsets.
void set_morphs(std::vector<mesh::Morph> morphs, mesh::Mesh& mesh);

// clips.cpp: the clips, with their channels that move joints; empty if no channel does.
std::vector<hanim::Clip> build_clips(const MeshSource& source, const Skeleton& skeleton, MeshReport& report);
// compressed_clips.cpp: .hanim version 2.
// Whether version 1 cannot hold all channels of a clip.
bool needs_compression(const scene::Clip& clip);
// The nodes of a scene, each with the size of its mesh.
std::vector<animation::Node> animation_nodes(const scene::Scene& scene);
// The clips of a source. nodes: one for each joint of the skeleton.
// is_scene: weights, visibility, cameras and lights are kept.
// joints: for clips that belong to no mesh or scene: as the nodes, with names; otherwise empty.
Result<ByteVector> write_compressed_clips(const MeshSource& source, const Skeleton& skeleton,
                                          std::span<const animation::Node> nodes, bool is_scene,
                                          const AnimationSettings& settings, MeshReport& report,
                                          std::span<const hanim::Joint> joints = {});
// One clip, whose channels name the nodes.
Result<ByteVector> write_compressed_clip(const scene::Clip& clip, std::span<const animation::Node> nodes,
                                         const AnimationSettings& settings);
// Whether a scene has clips that move nodes, and no mesh: a library of animations.
bool is_clips_alone(const scene::Scene& scene);
// The nodes of such a scene that move or are joints of a skin, and all nodes above them. Parents come before children.
std::vector<std::uint32_t> clip_nodes(const scene::Scene& scene);

// materials.cpp
struct MaterialTable {
  std::vector<std::uint32_t> sources;           // the scene's material of each slot, in first-use order
  std::vector<std::uint32_t> slot_of_material;  // for each material of the scene its slot, or hmesh::kNoMaterial
  std::vector<std::uint64_t> hashes;            // MTRL
};
// A hash for every material of the source, in source order, by the rule of .hmesh version 1.
std::vector<std::uint64_t> source_material_hashes(const scene::Scene& scene, std::string_view stem);
MaterialTable build_material_table(const MeshSource& source, std::span<const mesh::SubmeshInput> submeshes,
                                   std::string_view stem);
// The table of a scene: that of its flattened mesh, and all other materials, which variants or hidden parts may use.
MaterialTable scene_table_of(const MeshSource& source, MaterialTable flat, std::string_view stem);
// Compiles the materials of tables. A texture that several tables need is resolved, named and reported once.
class MaterialBuilder {
 public:
  // All arguments must outlive this object.
  MaterialBuilder(const MeshSource& source, const Step& step, Inputs& inputs, MeshReport& report);
  ~MaterialBuilder();
  // keeps_all_textures: also the textures of material extensions and those that reads_flat_texcoords() refuses. An
  // engine would show the latter at the wrong places of a flattened mesh.
  struct Wanted {
    const MaterialTable& table;
    bool keeps_all_textures;
  };
  struct Made {
    std::vector<std::vector<CompiledMaterial>> materials;  // of each table
    std::vector<Step> texture_steps;                       // for every image that the materials use
    std::vector<std::string> references;                   // Product::references
  };
  // The materials of the tables. A missing image file is an error for a glTF. For other sources it is a warning,
  // because the MTL of an OBJ is often stale.
  Result<Made> build(std::span<const Wanted> tables) &&;

 private:
  class Textures;
  const MeshSource& source_;
  std::unique_ptr<Textures> textures_;
};
// Warns of materials whose ref is not their name, or is also the ref of another material: engines look materials up by
// ref. For targets that refer to materials by name.
// inputs: used to check whether files exist.
void warn_of_material_refs(const MeshSource& source, const MaterialTable& table, std::string_view stem, Inputs& inputs,
                           MeshReport& report);

}  // namespace assetc::recipes
