// Any bytes as a .hcluster whose pages come and go: the selection is of pages that are usable, and ends. Also as a file
// that a streamer loads, with pages that may be refused.
#include <cstring>

#include "assetc/base/hash.hpp"
#include "assetc/runtime/all_loaders.hpp"
#include "assetc/runtime/cluster_streamer.hpp"
#include "assetc/runtime/clusters.hpp"
#include "assetc/runtime/source.hpp"
#include "fuzz.hpp"

namespace {

using namespace assetc;
using namespace assetc::runtime;

// A mutated page has another hash than its table says. This corrects the table.
void correct_hashes(ByteVector& file) {
  const auto view = hcluster::View::open(file);
  if (!view) return;
  for (std::uint32_t p = 0; p < view->pages().size(); ++p) {
    const std::uint64_t hash = xxh3_64(view->page(p));
    const auto at = reinterpret_cast<const std::byte*>(&view->pages()[p].hash) - file.data();
    std::memcpy(file.data() + at, &hash, sizeof hash);
  }
}

void check(const ClusterPages& pages, const ClusterView& view, ClusterSelection& selection) {
  select_clusters(pages, view, selection);
  for (const SelectedCluster& c : selection.clusters) {
    fuzz::require(pages.is_usable(c.page) && c.cluster < pages.clusters(c.page).size());
    fuzz::require(c.group < pages.view().groups().size() && pages.view().groups()[c.group].page == c.page);
  }
  for (const WantedPage& wanted : selection.wanted) {
    fuzz::require(wanted.page < pages.page_count() && wanted.times_limit != 0);
  }
}

void select(const ByteVector& file, std::span<const ClusterView> views) {
  const auto view = hcluster::View::open(file);
  if (!view) return;
  ClusterPages pages(*view);
  ClusterSelection selection;
  for (std::uint32_t p = pages.page_count(); p-- > 0;) {
    const ByteSpan bytes = view->page(p);
    static_cast<void>(pages.add(p, Bytes(ByteVector(bytes.begin(), bytes.end()))));
    for (const ClusterView& from : views) check(pages, from, selection);
  }
  for (std::uint32_t p = 0; p < pages.page_count(); ++p) {
    if (pages.has(p)) pages.remove(p);
    fuzz::require(!pages.is_usable(p));
  }
}

void stream(const Bytes& file, std::span<const ClusterView> views) {
  const std::shared_ptr<Source> all =
      make_source([&](const ReadRequest& request, const std::atomic<bool>&) { return read_range(request, file); }, 0);
  Catalog tree;
  if (!tree.mount(all, Layout::kTree, "", {.files = {"x.hcluster"}})) return;
  Manager manager(tree, {.io_thread = false, .max_asset_bytes = 1u << 24});
  add_loaders(manager, {.clusters = cluster_loader({.first_read_bytes = 128})});
  ClusterStreamer streamer(manager, {.budget_bytes = file.size() / 2});
  const ClusterMesh mesh = streamer.add(manager.load_async<ClusterData>("x.hcluster"));
  ClusterSelection selection;
  for (int i = 0; i < 12; ++i) {
    manager.pump();
    const ClusterUse use{mesh, views[static_cast<std::size_t>(i / 4)]};
    streamer.update({&use, 1});
    if (const ClusterPages* pages = streamer.pages(mesh)) check(*pages, use.view, selection);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const ByteSpan input = fuzz::bytes(data, size);
  ByteVector file(input.begin(), input.end());
  const std::array<std::array<float, 4>, 1> plane{{{1, 0, 0, -3}}};
  const std::array<ClusterView, 3> views{
      ClusterView{.eye = {7, 1, 4}, .limit = 1e-6f},
      ClusterView{.eye = {7, 9, 4}, .limit = 0.02f, .planes = plane, .culls_facing_away = true},
      ClusterView{.eye = {1e30f, 0, 0}, .near_distance = 1, .limit = 0}};
  stream(Bytes(ByteVector(file)), views);
  correct_hashes(file);
  select(file, views);
  return 0;
}
