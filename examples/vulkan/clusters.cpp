#include "clusters.hpp"

#include <algorithm>
#include <span>
#include <tuple>

namespace example {

using namespace assetc;
using runtime::ClusterMesh;

namespace {

// A page uses as many slots of the pool as it has clusters.
std::uint64_t slots_of(const hcluster::View& mesh, std::uint32_t page) {
  const hcluster::Page& p = mesh.pages()[page];
  const hcluster::Group& last = mesh.groups()[p.first_group + p.group_count - 1];
  return std::uint64_t{last.first_cluster} + last.cluster_count;
}

}  // namespace

Clusters::Clusters(const Device& device, Stream& stream, std::uint32_t slot_count)
    : device_(device),
      stream_(stream),
      pool_(device, slot_count),
      streamer_(stream.manager(), {.budget_bytes = slot_count, .page_bytes = slots_of}) {}

Clusters::~Clusters() {
  for (auto& [number, mesh] : meshes_) destroy(mesh.gpu);
}

ClusterMesh Clusters::load(const runtime::AssetHandle& asset) {
  if (const auto known = known_.find(asset); known != known_.end()) return known->second;
  const auto ref = stream_.load<runtime::ClusterData>(asset);
  if (const runtime::Failure* failure = ref.failure()) die(failure->to_string());
  const ClusterMesh mesh = streamer_.add(ref);
  known_.emplace(asset, mesh);
  update({});
  return mesh;
}

void Clusters::settle(std::span<const runtime::ClusterUse> uses) {
  // A page that is requested in one update arrives in a later one.
  do {
    update(uses);
    if (streamer_.stats().loading > 0) stream_.pump();
  } while (streamer_.stats().loading > 0);
  for (auto& [number, mesh] : meshes_) {
    if (mesh.is_changed) build(number, mesh);
  }
}

void Clusters::update(std::span<const runtime::ClusterUse> uses) {
  streamer_.update(uses);
  const runtime::ClusterChanges& changes = streamer_.changes();
  for (const ClusterMesh number : changes.begun) {
    Mesh& mesh = meshes_[number];
    while (!mesh.pages.empty()) drop(mesh, mesh.pages.begin()->first);
    mesh.decoder.emplace(streamer_.data(number)->view);
  }
  for (const runtime::ClusterPage& page : changes.dropped) drop(meshes_[page.mesh], page.page);
  for (const runtime::ClusterPage& page : changes.loaded) {
    Mesh& mesh = meshes_[page.mesh];
    const runtime::ClusterPages& pages = *streamer_.pages(page.mesh);
    pool_.upload(*mesh.decoder, pages.view(), page.page, pages.bytes(page.page), mesh.pages[page.page]);
    mesh.is_changed = true;
  }
}

// Pictures are drawn one after the other, so nothing uses the slots any more.
void Clusters::drop(Mesh& mesh, std::uint32_t page) {
  for (const auto& [material, parts] : mesh.pages[page]) pool_.free(parts);
  mesh.pages.erase(page);
  mesh.is_changed = true;
}

void Clusters::destroy(GpuClusters& gpu) const {
  for (const Buffer& buffer : {gpu.groups, gpu.usable, gpu.parts}) device_.destroy(buffer);
}

void Clusters::build(ClusterMesh number, Mesh& mesh) {
  const runtime::ClusterPages& pages = *streamer_.pages(number);
  std::map<std::uint32_t, std::vector<ClusterPart>> parts;
  for (const auto& [page, of_page] : mesh.pages) {
    for (const auto& [material, some] : of_page)
      parts[material].insert(parts[material].end(), some.begin(), some.end());
  }
  GpuClusters out;
  for (auto& [material, some] : parts) {
    // The order does not depend on the order in which pages arrived.
    std::ranges::sort(some, [](const ClusterPart& a, const ClusterPart& b) {
      return std::tie(a.group, a.cluster, a.first_triangle) < std::tie(b.group, b.cluster, b.first_triangle);
    });
    out.materials.push_back({material, out.part_count(), static_cast<std::uint32_t>(some.size())});
    out.on_host.insert(out.on_host.end(), some.begin(), some.end());
  }
  std::vector<std::uint32_t> usable;
  for (std::uint32_t p = 0; p < pages.page_count(); ++p) usable.push_back(pages.is_usable(p) ? 1 : 0);
  const auto to_device = [&](const auto& items) {
    return device_.make_buffer(std::as_bytes(std::span(items)), VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
  };
  out.groups = to_device(pages.view().groups());
  out.usable = to_device(usable);
  out.parts = to_device(out.on_host);
  destroy(mesh.gpu);
  mesh.gpu = std::move(out);
  mesh.is_changed = false;
}

}  // namespace example
