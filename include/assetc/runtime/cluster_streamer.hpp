// Loads the pages of cluster levels of detail that views need, within a budget of bytes.
//
//   ClusterStreamer streamer(manager, {.budget_bytes = 256 << 20});
//   const ClusterMesh rock = streamer.add(manager.load_async<ClusterData>("rocks/cliff.hcluster"));
//   while (running) {
//     manager.pump();
//     streamer.update(views);  // a ClusterUse for each instance of a mesh
//     for (const ClusterPage& p : streamer.changes().dropped) pool.free(p);
//     for (const ClusterPage& p : streamer.changes().loaded) pool.upload(p, streamer.pages(p.mesh)->bytes(p.page));
//   }
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/clusters.hpp"
#include "assetc/runtime/manager.hpp"

namespace assetc::runtime {

// A mesh of a streamer. Numbers are used again after remove().
enum class ClusterMesh : std::uint32_t {};

struct ClusterPage {
  ClusterMesh mesh;
  std::uint32_t page;
  bool operator==(const ClusterPage&) const = default;
};

// One instance of a mesh in one view. view: in the space of the mesh.
struct ClusterUse {
  ClusterMesh mesh;
  ClusterView view;
};

// What the last update() changed, in this order.
struct ClusterChanges {
  // Meshes that were loaded, or loaded again because their file changed: none of their earlier pages is valid.
  std::vector<ClusterMesh> begun;
  std::vector<ClusterPage> dropped;
  std::vector<ClusterPage> loaded;
};

struct ClusterStreamerOptions {
  // For the pages of all meshes, loaded or being loaded. Pages of groups that nothing replaces count, but are never
  // dropped.
  std::uint64_t budget_bytes = 64ull << 20;
  // What a page uses of the budget. Unset: its size in the file. For pools whose pages have another size.
  std::function<std::uint64_t(const hcluster::View& mesh, std::uint32_t page)> page_bytes{};
  std::uint32_t most_loading = 16;  // pages that are requested at once, > 0
  int priority = 0;  // of pages that are slightly too coarse; pages with larger errors have up to 1000 more
  // Called in update(), once for each page that cannot be loaded, until its mesh is loaded again. The manager reports
  // failed reads as well, but only the streamer looks at the bytes of a page.
  std::function<void(const Failure&)> on_failure{};
};

struct ClusterStreamerStats {
  std::uint64_t used_bytes = 0;  // of the budget
  std::size_t pages = 0;         // loaded
  std::size_t loading = 0;       // pages being loaded
  std::size_t missing = 0;       // pages that the last views need and that are neither loaded nor being loaded
  std::size_t failed = 0;        // pages that cannot be loaded
  std::uint64_t requested_pages = 0, requested_bytes = 0;  // since the streamer was made
};

// Keeps the pages with the largest errors that the views see, and those that they depend on. A page is requested
// before the pages that depend on it, and dropped after them. Pages that no view needs any more stay loaded until their
// bytes are needed. A loaded page is only exchanged for one whose error is at least a quarter larger, so views that
// stay the same load nothing once all is settled, and small moves load little.
//
// Pages are ranges of their asset (Manager::load_range): reads, retries and the memory in flight are the manager's. Its
// cpu_bytes should exceed the budget, because pages in use are not dropped by the manager.
//
// If a page cannot be loaded, it and the pages that depend on it stay coarse. If a file changes, its mesh is loaded
// again by the manager. The streamer then begins again with the pages of the new ClusterData; until then it keeps the
// old pages.
// Thread safety: all functions on one thread at a time. update() reads assets as AnyRef::get() does.
class ClusterStreamer {
 public:
  // The manager must outlive the streamer.
  explicit ClusterStreamer(Manager& manager, ClusterStreamerOptions options = {});
  ~ClusterStreamer();  // cancels the loads
  ClusterStreamer(const ClusterStreamer&) = delete;
  ClusterStreamer& operator=(const ClusterStreamer&) = delete;

  // Adds a mesh. Instances share its pages, so add each asset once. The asset may still be loading.
  ClusterMesh add(AssetRef<ClusterData> clusters);
  // Removes a mesh: its loads are canceled, and pages() of it is null. changes() does not list its pages.
  void remove(ClusterMesh mesh);
  void set_budget(std::uint64_t bytes);

  // Takes what has arrived, and requests and drops pages for these views. Never waits. Does not allocate once it is
  // warm, except to request pages.
  void update(std::span<const ClusterUse> uses);
  // Valid until the next update().
  const ClusterChanges& changes() const;
  // The loaded pages of a mesh, for select_clusters(). Null until the asset is loaded. Valid until the next update().
  const ClusterPages* pages(ClusterMesh mesh) const;
  const ClusterData* data(ClusterMesh mesh) const;  // that the pages are of
  ClusterStreamerStats stats() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace assetc::runtime
