// Simplifies a patch of a mesh: the triangles of one group of clusters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "mesh/cluster/shape_space.hpp"
#include "mesh/cluster/skin_space.hpp"
#include "scene/math.hpp"

namespace assetc::mesh::cluster {

// Between samples, the source may be farther away than at them.
inline constexpr float kSampleMargin = 1.75f;

// What patches share.
struct Surface {
  std::span<const scene::Vec3> positions{};
  std::span<const std::uint32_t> points{};  // equal for vertices at one position
  std::span<const scene::Vec3> normals{};   // as many as positions, or empty
  std::span<const scene::Vec2> texcoords{};
  std::span<const scene::Vec4> colors{};
  const SkinSpace* skin = nullptr;     // null: no joints move it
  const ShapeSpace* shapes = nullptr;  // null: no morph targets move it
  // What one unit counts as, as a distance.
  float normal_weight = 0, texcoord_weight = 0, color_weight = 0;
};

// A vertex of the source that is no longer part of the surface, and the vertex of the surface that it moved onto.
struct Sample {
  std::uint32_t vertex = 0;
  std::uint32_t anchor = 0;
  float distance = 0;  // of the vertex from the surface, about
};

struct PatchInput {
  std::span<const std::uint32_t> indices;    // three for each triangle
  std::span<const std::uint16_t> materials;  // for each triangle, or empty
  float error = 0;                           // how far the patch may be from the source
  std::span<const std::uint8_t> locked;      // by point: 1: it stays
  std::span<const Sample> samples;           // their anchors are vertices of the patch
  std::size_t target_triangles = 0;
};

// Why points stay where they are: numbers of points.
struct Blocked {
  std::size_t locked = 0;   // another group uses them too
  std::size_t crowded = 0;  // too many triangles meet
  std::size_t texture = 0;  // the texture continues on no neighbor
  std::size_t folds = 0;    // a triangle would turn over, or parts of the surface would join
  Blocked& operator+=(const Blocked& other) {
    locked += other.locked, crowded += other.crowded, texture += other.texture, folds += other.folds;
    return *this;
  }
};

// Keeps its buffers for the next patch. Not thread-safe.
class PatchSimplifier {
 public:
  PatchSimplifier();
  ~PatchSimplifier();
  PatchSimplifier(const PatchSimplifier&) = delete;
  PatchSimplifier& operator=(const PatchSimplifier&) = delete;

  // Moves points of the patch onto neighbors, the cheapest first, until target_triangles or fewer remain or no point
  // can move. Vertices are never created: the result uses those of the input.
  void simplify(const Surface& whole, const PatchInput& input);

  // The result, until the next call.
  const std::vector<std::uint32_t>& indices() const { return indices_; }
  const std::vector<std::uint16_t>& materials() const { return materials_; }
  // How far the result may be from the source; attributes count as further dimensions. At least the error of the input,
  // and kSampleMargin times the largest distance of a sample or of a removed vertex from the result.
  float error() const { return error_; }
  // Why the points of the result stay, if it has more than half again as many triangles as asked for; otherwise zeros.
  const Blocked& blocked() const { return blocked_; }
  // The samples of the input and the vertices that this call removed.
  const std::vector<Sample>& samples() const { return samples_; }
  // Of each sample the triangle of the result that it is next to, which has the anchor as a corner; 0xFFFFFFFF:
  // unknown.
  std::span<const std::uint32_t> sample_triangles() const { return sample_triangles_; }

 private:
  template <std::size_t kLanes>
  struct Work;
  template <std::size_t kLanes>
  void run(Work<kLanes>& work, const Surface& surface, const PatchInput& input);

  std::vector<std::uint32_t> indices_;
  std::vector<std::uint16_t> materials_;
  std::vector<Sample> samples_;
  std::vector<std::uint32_t> sample_triangles_;
  float error_ = 0;
  Blocked blocked_;
  std::unique_ptr<Work<0>> none_;
  std::unique_ptr<Work<1>> one_;
  std::unique_ptr<Work<2>> two_;
  std::unique_ptr<Work<3>> three_;
  std::unique_ptr<Work<5>> five_;
  std::unique_ptr<Work<6>> six_;
};

}  // namespace assetc::mesh::cluster
