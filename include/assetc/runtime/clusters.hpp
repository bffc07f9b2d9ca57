// Cluster levels of detail: which clusters of a mesh to draw for a view, and which pages it needs.
//
//   ClusterSelection selection;
//   select_clusters(pages, {.eye = eye, .limit = error_limit(fov, 1080)}, selection);
//   for (const SelectedCluster& c : selection.clusters) draw(c.page, c.cluster);
//
// This is the reference for shaders that select on the device. docs/formats/hcluster.md has the rule. A shader that
// computes `reach` as it says there, in 32-bit floats without contraction, selects the same clusters.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/base/uuid.hpp"
#include "assetc/formats/hcluster_view.hpp"
#include "assetc/runtime/handle.hpp"

namespace assetc::runtime {

// Levels of detail in clusters: the tables of a file, and the pages of groups that nothing replaces. These are enough
// to draw the mesh at its coarsest. A ClusterStreamer (cluster_streamer.hpp) loads the other pages.
struct ClusterData {
  struct Page {
    std::uint32_t number;
    Bytes bytes;
  };
  Bytes head;                            // the bytes of the view
  hcluster::View view{};                 // view.page() must not be called
  std::vector<Page> pages{};             // ascending; page 0 is the first
  std::vector<AssetHandle> materials{};  // as of a MeshData
  Uuid skeleton{};                       // of an AAS1 blob; nil: none
  std::uint64_t file_offset_bytes = 0;   // of the .hcluster in the asset; not 0 in an AAS1 blob
};

// The error, as a part of the distance, that covers error_pixels of a picture of this height.
// y_fov_radians: the vertical angle of view, between 0 and pi.
float error_limit(float y_fov_radians, float height_pixels, float error_pixels = 1);

struct BoundingSphere {
  std::array<float, 3> center{};
  float radius = 0;  // >= 0
};

// From where a mesh is seen, in the space of the mesh. For an instance, transform the eye and the planes by the inverse
// of its matrix, and divide near_distance by its scale. The scale must be uniform; `limit` does not depend on it.
struct ClusterView {
  std::array<float, 3> eye{};
  float near_distance = 0.01f;  // > 0: what is nearer counts as this far
  float limit = 0.001f;         // > 0: the largest error / distance that may be seen
  // Planes around the visible space: (normal, offset), normals of unit length. A point p is inside if
  // dot(normal, p) + offset >= 0. Groups outside are neither drawn nor wanted: to load pages before they are seen, use
  // wider planes, or none.
  std::span<const std::array<float, 4>> planes{};
  bool culls_facing_away = false;  // leaves out clusters whose triangles all face away; not of double-sided materials
  // For a mesh that moves within itself, such as a skinned one: a sphere around all of it, in every pose that is drawn
  // with this selection, such as the one of hcluster::View::pose_bounds(). Every group then counts as being anywhere in
  // the sphere: planes leave out all groups or none, and no cluster is left out because it faces away. Unset: the mesh
  // is where its file says.
  std::optional<BoundingSphere> pose{};
  // For a mesh with morph targets: how far they may move a vertex, such as morph_reach() of morph.hpp for the weights
  // that are drawn. Groups and boxes count as larger by as much. Above 0, no cluster is left out because it faces away.
  // Ignored with `pose`, which contains the moved vertices. >= 0.
  float morph_reach = 0;
};

// The loaded pages of a mesh. A page is usable if all pages that it depends on are usable too.
// Thread safety: that of a container.
class ClusterPages {
 public:
  ClusterPages() = default;
  // view: its bytes must outlive this object and the results of its functions.
  explicit ClusterPages(const hcluster::View& view);

  // Adds a page. Requires that it is not there. bytes: aligned to 2.
  // Returns kInvalidData if the bytes are not those that the table of pages describes.
  Result<void> add(std::uint32_t page, Bytes bytes);
  // Removes a page. Requires that it is there.
  void remove(std::uint32_t page);

  const hcluster::View& view() const { return view_; }
  std::uint32_t page_count() const { return static_cast<std::uint32_t>(pages_.size()); }
  bool has(std::uint32_t page) const { return !pages_[page].bytes.empty(); }
  bool is_usable(std::uint32_t page) const { return pages_[page].missing == 0; }
  // For a hcluster::PageDecoder. Empty if the page is not there.
  const Bytes& bytes(std::uint32_t page) const { return pages_[page].bytes; }
  // Empty if the page is not there.
  std::span<const hcluster::ClusterRecord> clusters(std::uint32_t page) const { return pages_[page].clusters; }

 private:
  struct Page {
    Bytes bytes;
    std::span<const hcluster::ClusterRecord> clusters;
    std::uint32_t missing = 1;        // of itself and its dependencies, how many are not usable
    std::uint32_t dependent_end = 0;  // in dependents_
  };
  std::span<const std::uint32_t> dependents(std::uint32_t page) const;

  hcluster::View view_;
  std::vector<Page> pages_;
  std::vector<std::uint32_t> dependents_;  // the pages that depend on each page
  std::vector<std::uint32_t> changed_;
};

struct SelectedCluster {
  std::uint32_t page;
  std::uint32_t cluster;  // in the page
  std::uint32_t group;
};
struct WantedPage {
  std::uint32_t page;
  float times_limit;  // how many times the limit its largest error in view is; infinity: it must be loaded
};

// Results of select_clusters(), which reuses the memory.
struct ClusterSelection {
  std::vector<SelectedCluster> clusters;
  // Every page that the view needs, loaded or not, in any order.
  std::vector<WantedPage> wanted;

 private:
  friend class ClusterWalk;
  std::vector<std::uint32_t> nodes_;  // to walk
  std::vector<float> times_limit_;    // by page; 0 between calls
};

// Selects the clusters of a view from usable pages, and the pages that it needs. While a page is not usable, the
// nearest usable groups above it are selected instead. Without planes and culling, the clusters cover the mesh exactly
// once, if the pages of a ClusterData are loaded. Speed: walks down the nodes whose error is seen. Does not allocate
// once the vectors have grown.
void select_clusters(const ClusterPages& pages, const ClusterView& view, ClusterSelection& out);
// The same, but finds only the pages: out.clusters is empty.
void find_wanted_pages(const ClusterPages& pages, const ClusterView& view, ClusterSelection& out);

}  // namespace assetc::runtime
