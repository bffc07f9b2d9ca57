// Thins out patches of many small open pieces, such as leaves: some pieces go, and the others grow, so that the area
// stays.
// Source: Cook, Halstead, Planck, Ryu, "Stochastic Simplification of Aggregate Detail", SIGGRAPH 2007.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "mesh/cluster/numbering.hpp"
#include "mesh/cluster/patch.hpp"

namespace assetc::mesh::cluster {

// A larger piece is not a leaf.
inline constexpr std::size_t kMostPieceTriangles = 32;

// Whether more than half of the triangles are of small open pieces, of which there are at least 64. points: by vertex,
// below point_count.
bool is_foliage(std::span<const std::uint32_t> points, std::uint32_t point_count,
                std::span<const std::uint32_t> indices);

// Where the vertices of pieces that grow are put.
struct MadeVertices {
  std::span<scene::Vec3> positions;
  std::span<std::uint32_t> origins;  // of each the vertex that it was made of
  std::span<std::uint32_t> points;   // equal for vertices at one position
  std::uint32_t first = 0;           // the number of the first vertex and point
};

// The streams of a surface and of vertices that are made of its vertices.
struct GrownStreams {
  std::vector<scene::Vec3> positions, normals;
  std::vector<scene::Vec2> texcoords;
  std::vector<scene::Vec4> colors;
  std::vector<std::uint32_t> origins;  // by vertex the vertex of the source; until finish(), any vertex before

  std::uint32_t count() const { return static_cast<std::uint32_t>(positions.size()); }
  void begin(const Surface& surface);
  // Makes room for positions and origins.
  void resize(std::uint32_t count);
  // Fills the other streams of the vertices from first on, and gives all streams but positions to the surface.
  void finish(std::uint32_t first, Surface& surface);
};

// Keeps its buffers for the next patch. Not thread-safe.
class PatchThinner {
 public:
  // Removes small open pieces that no other patch touches, evenly, until about input.target_triangles remain. The area
  // of those that stay grows by as much, at most to twice. Returns false and does nothing if less than half of the
  // triangles are of such pieces.
  // made: has room for as many vertices as the patch has. origins: by vertex, the vertex of the source.
  bool thin(const Surface& surface, const PatchInput& input, std::span<const std::uint32_t> origins, MadeVertices made);

  // The result, until the next call; as that of a PatchSimplifier.
  const std::vector<std::uint32_t>& indices() const { return indices_; }
  const std::vector<std::uint16_t>& materials() const { return materials_; }
  const std::vector<Sample>& samples() const { return samples_; }
  std::span<const std::uint32_t> sample_triangles() const { return {}; }  // unknown
  float error() const { return error_; }

 private:
  struct Piece {
    std::vector<std::uint32_t> triangles;  // of the patch
    std::vector<std::uint32_t> vertices;   // each once; after growing, the new ones
    scene::Vec3 center{};
    float area = 0;
    std::uint64_t place = 0;  // along a curve through space
    bool may_go = true;
    bool stays = true;
  };
  void find_pieces(const Surface& surface, const PatchInput& input);
  void choose(const PatchInput& input, std::size_t free_triangles);
  float grow(const Surface& surface, const PatchInput& input, MadeVertices made);
  Sample nearest(const Surface& surface, std::uint32_t vertex, std::size_t piece, MadeVertices made) const;

  std::vector<Piece> pieces_;  // along the curve
  Numbering point_numbers_;
  Numbering vertex_numbers_;
  std::vector<std::uint32_t> indices_;
  std::vector<std::uint16_t> materials_;
  std::vector<Sample> samples_;
  float error_ = 0;
};

}  // namespace assetc::mesh::cluster
