// A mesh in drawable form, before a container interleaves and packs it: a model of .hmesh whose vertices are still one
// stream for each attribute. Everything but the vertices has the structs of the file, which containers write unchanged.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assetc/formats/mesh_model.hpp"
#include "scene/math.hpp"
#include "scene/scene.hpp"

namespace assetc::mesh {

// The vertices of a submesh, or of a primitive of points or lines.
struct DrawVertices {
  // The run of vertices that its indices use, ordered by first use. vertex_count 0: its vertices are not such a run.
  std::uint32_t first_vertex = 0;
  std::uint32_t vertex_count = 0;
  // Which sets of Mesh::texcoords and Mesh::colors it has. In the other sets its vertices hold 0 and white.
  std::vector<bool> texcoord_sets, color_sets;
  bool operator==(const DrawVertices&) const = default;
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

// Of the model, these are empty until a container makes them from the streams: vertices, further_attributes, and morphs
// but its groups. joints are empty if the skeleton is a separate asset.
struct Mesh : hmesh::Model {
  // Vertex streams. Each is as long as positions, or empty if the mesh lacks the attribute. skin and further_skin of
  // the model are streams, too.
  std::vector<scene::Vec3> positions;
  std::vector<scene::Vec3> normals;  // finite, not zero; not normalized, the source's length is kept
  // w is 1 or -1: the bitangent is cross(normal, xyz) * w. If has_tangents is false, tangents are arbitrary directions
  // along the surface, because there is no texture to follow.
  std::vector<scene::Vec4> tangents;
  std::vector<std::vector<scene::Vec2>> texcoords;  // (0, 0) is the top left corner of the image
  std::vector<std::vector<scene::Vec4>> colors;
  std::vector<scene::CustomAttribute> custom;  // by name; vertices of submeshes without an attribute hold 0

  std::vector<Morph> targets;                    // the groups of morphs have all of them, in order
  std::vector<DrawVertices> submesh_vertices;    // of each submesh
  std::vector<DrawVertices> primitive_vertices;  // of each item of primitives

  bool operator==(const Mesh&) const = default;
};

}  // namespace assetc::mesh
