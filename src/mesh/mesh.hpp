// A mesh in drawable form, before a container interleaves and packs it: one stream for each attribute.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "scene/math.hpp"
#include "scene/scene.hpp"

namespace assetc::mesh {

inline constexpr std::uint32_t kNoMaterial = 0xFFFFFFFF;
inline constexpr std::uint32_t kNoNode = 0xFFFFFFFF;
inline constexpr std::int32_t kNoParent = -1;

struct Box {
  scene::Vec3 low, high;
  bool operator==(const Box&) const = default;
};
struct Sphere {
  scene::Vec3 center;
  float radius = 0;
  bool operator==(const Sphere&) const = default;
};
struct Bounds {
  Box box;
  Sphere sphere;
  bool operator==(const Bounds&) const = default;
};

// The meshlet's vertices are [vertex_offset, + vertex_count) of meshlet_vertices, its triangles are [triangle_offset, +
// triangle_count) of meshlet_triangles. Corners of triangles count from vertex_offset.
struct Meshlet {
  std::uint32_t vertex_offset = 0;
  std::uint32_t vertex_count = 0;
  std::uint32_t triangle_offset = 0;
  std::uint32_t triangle_count = 0;
  bool operator==(const Meshlet&) const = default;
};
using MeshletTriangle = std::array<std::uint8_t, 3>;

// The whole meshlet faces away when dot(center - eye, cone_axis) >= cone_cutoff * |center - eye| + radius.
struct MeshletBounds {
  Sphere sphere;
  scene::Vec3 cone_axis;
  float cone_cutoff = 0;
  bool operator==(const MeshletBounds&) const = default;
};

// The joints that move a vertex. Weights are not negative and sum to 1.
struct SkinVertex {
  std::array<std::uint16_t, 4> joints{};
  std::array<float, 4> weights{};
  bool operator==(const SkinVertex&) const = default;
};

struct Joint {
  scene::Mat4 inverse_bind;         // mesh space to the joint's bind space
  scene::Transform rest;            // relative to the parent
  std::int32_t parent = kNoParent;  // index into the joints; may be before or after this one
  bool operator==(const Joint&) const = default;
};

// One draw call: one material, a range of indices and a range of meshlets.
struct Submesh {
  std::uint32_t first_index = 0;
  std::uint32_t index_count = 0;
  std::uint32_t first_meshlet = 0;
  std::uint32_t meshlet_count = 0;
  std::uint32_t material_slot = kNoMaterial;
  // The run of vertices that its indices use, ordered by first use. vertex_count 0: its vertices are not such a run.
  std::uint32_t first_vertex = 0;
  std::uint32_t vertex_count = 0;
  Bounds bounds;  // of its vertices, all levels of detail included
  // Which sets of Mesh::texcoords and Mesh::colors it has. In the other sets its vertices hold 0 and white.
  std::vector<bool> texcoord_sets, color_sets;
  bool operator==(const Submesh&) const = default;
};

// One draw call of points or lines: one material and a range of primitive_indices.
struct Primitive {
  scene::Topology topology = scene::Topology::kPoints;  // kLines or kPoints
  std::uint32_t first_index = 0;
  std::uint32_t index_count = 0;
  std::uint32_t material_slot = kNoMaterial;
  std::uint32_t submeshes_before = 0;  // the submeshes that come before it in the source
  // As Submesh.
  std::uint32_t first_vertex = 0;
  std::uint32_t vertex_count = 0;
  Bounds bounds;
  std::vector<bool> texcoord_sets, color_sets;
  // Whether the source has these attributes. Otherwise its vertices hold the normal (0, 0, 1), any tangent or (0, 0).
  bool has_normals = false, has_tangents = false, has_texcoords = false;
  bool operator==(const Primitive&) const = default;
};

// A range of level_indices. index_count 0: draw the level before this one.
struct LevelRange {
  std::uint32_t first_index = 0;
  std::uint32_t index_count = 0;
  bool operator==(const LevelRange&) const = default;
};

// Names from the source. Each list is empty or complete.
struct Names {
  std::vector<std::string> submeshes;
  std::vector<std::string> materials;  // of the material slots
  std::vector<std::string> joints;
  std::vector<std::string> nodes;            // nodes that the geometry comes from, in source order
  std::vector<std::uint32_t> submesh_nodes;  // for each submesh an index into nodes, or kNoNode
  std::vector<std::string> primitives;
  std::vector<std::uint32_t> primitive_nodes;  // as submesh_nodes
  bool operator==(const Names&) const = default;
};

// A morph target of the mesh: offsets of the vertices that it moves.
struct Morph {
  std::string name;
  float weight = 0;         // the default
  float low = 0, high = 1;  // the range of weights that the bounds of the mesh allow for
  scene::MorphTarget offsets;
  // The offset that one step of a container stands for, if the offsets were read from one: then they are whole numbers
  // of steps. 0: not yet chosen.
  float position_step = 0, normal_step = 0, tangent_step = 0;
  std::vector<float> texcoord_steps, color_steps;  // by set
  bool operator==(const Morph&) const = default;
};
// Targets whose weights are set together: those of one node.
struct MorphGroup {
  std::uint32_t target_count = 0;
  std::uint32_t node = kNoNode;  // into Names::nodes
  bool operator==(const MorphGroup&) const = default;
};

struct Mesh {
  // Vertex streams. Each is as long as positions, or empty if the mesh lacks the attribute.
  std::vector<scene::Vec3> positions;
  std::vector<scene::Vec3> normals;  // finite, not zero; not normalized, the source's length is kept
  // w is 1 or -1: the bitangent is cross(normal, xyz) * w. If has_tangents is false, tangents are arbitrary directions
  // along the surface, because there is no texture to follow.
  std::vector<scene::Vec4> tangents;
  bool has_tangents = false;
  std::vector<std::vector<scene::Vec2>> texcoords;  // (0, 0) is the top left corner of the image
  std::vector<std::vector<scene::Vec4>> colors;
  std::vector<SkinVertex> skin;
  // The fifth to eighth influence. Weights are relative to those of skin: all eight are divided by their sum. If it is
  // not empty, skin is not empty either.
  std::vector<SkinVertex> further_skin;
  std::vector<scene::CustomAttribute> custom;  // by name; vertices of submeshes without an attribute hold 0

  std::vector<Morph> morphs;
  std::vector<MorphGroup> morph_groups;  // all morphs, in order

  std::vector<std::uint32_t> indices;  // three for each triangle, submesh by submesh
  std::vector<Submesh> submeshes;
  Bounds bounds;

  // Points and lines, drawn at every level of detail. Their vertices come after those of the submeshes.
  std::vector<Primitive> primitives;
  std::vector<std::uint32_t> primitive_indices;  // two for each line, one for each point, primitive by primitive

  std::uint32_t meshlet_max_vertices = 0;
  std::uint32_t meshlet_max_triangles = 0;
  std::vector<Meshlet> meshlets;
  std::vector<std::uint32_t> meshlet_vertices;
  std::vector<MeshletTriangle> meshlet_triangles;
  std::vector<MeshletBounds> meshlet_bounds;

  std::uint32_t level_count = 0;   // below full resolution
  std::vector<LevelRange> levels;  // [submesh][level], level_count entries for each submesh
  std::vector<std::uint32_t> level_indices;

  std::vector<Joint> joints;        // that skin refers to; empty if the skeleton is a separate asset
  std::vector<Bounds> pose_bounds;  // of a skinned mesh: for the rest pose, then for each clip; or empty

  Names names;

  bool operator==(const Mesh&) const = default;
};

}  // namespace assetc::mesh
