// The morph targets of a mesh as a .hcluster has them: a table of targets, and offsets cluster by cluster.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "assetc/formats/hcluster.hpp"
#include "mesh/cluster/shape_space.hpp"
#include "mesh/mesh.hpp"
#include "mesh/morph_index.hpp"

namespace assetc::recipes {

// Whether a page has room for the offsets of any four clusters, about. number_counts: of the offsets of each vertex.
bool fits_page(std::vector<std::uint32_t> number_counts);

// Thread-safe once built.
class ClusterMorphs {
 public:
  // Takes the offsets of the mesh, whose morphs keep all else. position_step: of the positions of the file.
  ClusterMorphs(mesh::Mesh& m, float position_step);
  ClusterMorphs(const ClusterMorphs&) = delete;
  ClusterMorphs& operator=(const ClusterMorphs&) = delete;

  bool is_empty() const { return targets_.empty(); }
  mesh::cluster::Shapes shapes() const { return {targets_, largest_weights_}; }
  // The table of the file, without moves.
  const hmesh::Morphs& table() const { return table_; }
  // For each target, the largest length of an offset of a position as it is stored.
  const std::vector<float>& radii() const { return radii_; }
  // The offsets of vertices of the mesh, which become vertices 0, 1, 2, ... of a cluster. Offsets that round to 0 are
  // left out.
  void gather(std::span<const std::uint32_t> vertices, hcluster::ClusterOffsets& out) const;

 private:
  // An attribute that a target moves.
  struct Track {
    hcluster::OffsetAttribute attribute;
    std::uint8_t set;
    float step;
  };
  std::array<std::int16_t, 4> stored(const scene::MorphTarget& target, const Track& track, std::size_t row) const;

  std::vector<scene::MorphTarget> targets_;
  std::vector<float> largest_weights_, radii_;
  std::vector<std::vector<Track>> tracks_;  // of each target, in order
  mesh::MorphIndex index_;
  hmesh::Morphs table_;
};

}  // namespace assetc::recipes
