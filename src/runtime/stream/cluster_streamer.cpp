#include "assetc/runtime/cluster_streamer.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "assetc/runtime/clusters.hpp"
#include "runtime/mount/mount_point.hpp"

namespace assetc::runtime {
namespace {

// How much more a page that is held counts than others.
constexpr float kHeldFactor = 1.25f;
constexpr float kMostPriority = 1000;

std::uint32_t index_of(ClusterMesh mesh) { return static_cast<std::uint32_t>(mesh); }

enum class PageState : std::uint8_t {
  kAbsent,
  kLoading,
  kLoaded,
  kLasting,  // part of the ClusterData
  kFailed,
};
bool is_held(PageState state) { return state != PageState::kAbsent && state != PageState::kFailed; }

struct PageEntry {
  PageState state = PageState::kAbsent;
  bool is_blocked = false;        // it or a page that it depends on has failed
  float times_limit = 0;          // in the views of this update; 0: not wanted
  std::uint64_t last_wanted = 0;  // update
  std::uint64_t target_of = 0;    // update in which it belonged to the pages to keep
};

struct Load {
  std::uint32_t page;
  int priority;
  AssetRef<PartBytes> bytes;
};

}  // namespace

class ClusterStreamer::Impl {
 public:
  Impl(Manager& manager, ClusterStreamerOptions options) : manager_(manager), options_(std::move(options)) {}

  ClusterMesh add(AssetRef<ClusterData> clusters) {
    const auto free = std::ranges::find_if(meshes_, [](const auto& mesh) { return mesh == nullptr; });
    const auto number = static_cast<std::uint32_t>(free - meshes_.begin());
    auto mesh = std::make_unique<Mesh>();
    mesh->asset = std::move(clusters);
    if (free == meshes_.end()) {
      meshes_.push_back(std::move(mesh));
    } else {
      *free = std::move(mesh);
    }
    return ClusterMesh{number};
  }

  void remove(ClusterMesh number) {
    forget_pages(*meshes_[index_of(number)]);
    meshes_[index_of(number)] = nullptr;
    std::erase(changes_.begun, number);
    for (auto* pages : {&changes_.dropped, &changes_.loaded})
      std::erase_if(*pages, [&](const ClusterPage& page) { return page.mesh == number; });
  }

  void set_budget(std::uint64_t bytes) { options_.budget_bytes = bytes; }

  void update(std::span<const ClusterUse> uses) {
    ++update_;
    changes_.begun.clear();
    changes_.dropped.clear();
    changes_.loaded.clear();
    for (std::uint32_t m = 0; m < meshes_.size(); ++m) {
      if (meshes_[m] == nullptr) continue;
      look_at_asset(m);
      if (meshes_[m]->data) take_loads(m);
    }
    for (const ClusterUse& use : uses) want(use);
    for (const auto& mesh : meshes_) {
      if (mesh != nullptr && mesh->data) want_dependencies(*mesh);
    }
    choose();
    exchange();
    for (const auto& mesh : meshes_) {
      if (mesh == nullptr) continue;
      for (PageEntry& page : mesh->entries) page.times_limit = 0;
    }
  }

  const ClusterChanges& changes() const { return changes_; }
  const ClusterPages* pages(ClusterMesh mesh) const {
    const Mesh& m = *meshes_[index_of(mesh)];
    return m.data ? &m.pages : nullptr;
  }
  const ClusterData* data(ClusterMesh mesh) const {
    const Mesh& m = *meshes_[index_of(mesh)];
    return m.data ? &*m.data : nullptr;
  }
  ClusterStreamerStats stats() const { return stats_; }

 private:
  struct Mesh {
    AssetRef<ClusterData> asset;
    std::optional<ClusterData> data;  // of the pages
    bool awaits_reload = false;       // a page came from another version of the file
    ClusterPages pages;
    std::vector<PageEntry> entries;
    std::vector<Load> loads;
  };
  // A page that views need, or one that is only kept.
  struct Candidate {
    std::uint32_t mesh, page;
    float weight;
    std::uint64_t last_wanted = 0;
  };

  std::uint64_t size_of(const Mesh& mesh, std::uint32_t page) const {
    return options_.page_bytes ? options_.page_bytes(mesh.data->view, page)
                               : std::uint64_t{mesh.data->view.pages()[page].size_bytes};
  }

  void forget_pages(Mesh& mesh) {
    for (std::uint32_t p = 0; p < mesh.entries.size(); ++p) {
      const PageState state = mesh.entries[p].state;
      if (is_held(state)) stats_.used_bytes -= size_of(mesh, p);
      stats_.pages -= state == PageState::kLoaded || state == PageState::kLasting ? 1 : 0;
      stats_.failed -= state == PageState::kFailed ? 1 : 0;
    }
    stats_.loading -= mesh.loads.size();
    mesh.loads.clear();
    mesh.entries.clear();
    mesh.data.reset();
    mesh.pages = {};
  }

  // Begins again if the asset has another value than before.
  void look_at_asset(std::uint32_t number) {
    Mesh& mesh = *meshes_[number];
    const ClusterData* const now = mesh.asset.get();
    if (now == nullptr || (mesh.data && mesh.data->head.data() == now->head.data())) return;
    forget_pages(mesh);
    mesh.data = *now;
    mesh.awaits_reload = false;
    mesh.pages = ClusterPages(mesh.data->view);
    mesh.entries.assign(mesh.pages.page_count(), {});
    changes_.begun.push_back(ClusterMesh{number});
    for (const ClusterData::Page& page : mesh.data->pages) {
      // The loader has checked the bytes.
      if (!mesh.pages.add(page.number, page.bytes)) continue;
      mesh.entries[page.number].state = PageState::kLasting;
      stats_.used_bytes += size_of(mesh, page.number);
      ++stats_.pages;
      changes_.loaded.push_back({ClusterMesh{number}, page.number});
    }
  }

  void take_loads(std::uint32_t number) {
    Mesh& mesh = *meshes_[number];
    bool has_failed = false;
    std::erase_if(mesh.loads, [&](Load& load) {
      if (const Failure* failure = load.bytes.failure()) {
        --stats_.loading;
        drop(number, load.page, PageState::kLoading);
        if (failure->error.what == kReplacedMessage) {
          mesh.awaits_reload = true;  // the manager reloads the asset
        } else {
          fail_page(mesh, load.page, *failure);
          has_failed = true;
        }
        return true;
      }
      if (!load.bytes.is_ready()) return false;
      --stats_.loading;
      if (auto added = mesh.pages.add(load.page, load.bytes.get()->bytes); !added) {
        drop(number, load.page, PageState::kLoading);
        Failure failure{Fault::kCorrupt, mesh.asset.handle(), {}, std::move(added).error()};
        if (const auto desc = manager_.catalog().desc(mesh.asset.handle())) failure.virtual_path = desc->virtual_path;
        fail_page(mesh, load.page, failure);
        has_failed = true;
        return true;
      }
      mesh.entries[load.page].state = PageState::kLoaded;
      ++stats_.pages;
      changes_.loaded.push_back({ClusterMesh{number}, load.page});
      return true;
    });
    if (has_failed || mesh.awaits_reload) drop_without_dependencies(number);
  }

  void fail_page(Mesh& mesh, std::uint32_t page, const Failure& failure) {
    mesh.entries[page].state = PageState::kFailed;
    ++stats_.failed;
    if (options_.on_failure) options_.on_failure(failure);
  }

  // Drops a page that is held in this state; its load is already over or canceled.
  void drop(std::uint32_t number, std::uint32_t page, PageState state) {
    Mesh& mesh = *meshes_[number];
    stats_.used_bytes -= size_of(mesh, page);
    mesh.entries[page].state = PageState::kAbsent;
    if (state != PageState::kLoaded) return;
    mesh.pages.remove(page);
    --stats_.pages;
    // A page that arrived in this update was never reported.
    const ClusterPage gone{ClusterMesh{number}, page};
    if (std::erase(changes_.loaded, gone) == 0) changes_.dropped.push_back(gone);
  }

  void drop_held(std::uint32_t number, std::uint32_t page) {
    Mesh& mesh = *meshes_[number];
    const PageState state = mesh.entries[page].state;
    if (state == PageState::kLoading) {
      std::erase_if(mesh.loads, [&](const Load& load) { return load.page == page; });
      --stats_.loading;
    }
    drop(number, page, state);
  }

  // Drops the pages that depend on a page that is not held. They cannot be drawn.
  void drop_without_dependencies(std::uint32_t number) {
    Mesh& mesh = *meshes_[number];
    for (std::uint32_t p = 0; p < mesh.entries.size(); ++p) {
      PageEntry& page = mesh.entries[p];
      page.is_blocked = page.state == PageState::kFailed;
      bool is_missing = false;
      for (const std::uint32_t d : mesh.data->view.dependencies(p)) {
        page.is_blocked |= mesh.entries[d].is_blocked;
        is_missing |= !is_held(mesh.entries[d].state);
      }
      if (is_missing && (page.state == PageState::kLoading || page.state == PageState::kLoaded)) drop_held(number, p);
    }
  }

  void want(const ClusterUse& use) {
    Mesh& mesh = *meshes_[index_of(use.mesh)];
    if (!mesh.data) return;
    find_wanted_pages(mesh.pages, use.view, selection_);
    for (const WantedPage& wanted : selection_.wanted) {
      float& times_limit = mesh.entries[wanted.page].times_limit;
      times_limit = std::max(times_limit, wanted.times_limit);
    }
  }

  // A page that another one depends on is wanted at least as much.
  void want_dependencies(Mesh& mesh) {
    for (auto p = static_cast<std::uint32_t>(mesh.entries.size()); p-- > 0;) {
      PageEntry& page = mesh.entries[p];
      if (page.times_limit == 0) continue;
      page.last_wanted = update_;
      for (const std::uint32_t d : mesh.data->view.dependencies(p))
        mesh.entries[d].times_limit = std::max(mesh.entries[d].times_limit, page.times_limit);
    }
  }

  // Finds the pages to keep or to load: those with the largest errors that fit in the budget.
  void choose() {
    targets_.clear();
    std::uint64_t used = 0;
    stats_.missing = 0;
    for (std::uint32_t m = 0; m < meshes_.size(); ++m) {
      if (meshes_[m] == nullptr || !meshes_[m]->data) continue;
      const Mesh& mesh = *meshes_[m];
      for (const ClusterData::Page& page : mesh.data->pages) used += size_of(mesh, page.number);
      for (std::uint32_t p = 0; p < mesh.entries.size(); ++p) {
        const PageEntry& page = mesh.entries[p];
        if (page.times_limit == 0 || page.state == PageState::kLasting || page.is_blocked) continue;
        stats_.missing += page.state == PageState::kAbsent ? 1 : 0;
        if (mesh.awaits_reload && page.state == PageState::kAbsent) continue;
        targets_.push_back({m, p, page.times_limit * (is_held(page.state) ? kHeldFactor : 1)});
      }
    }
    // A page comes after those that it depends on: these have smaller numbers, and are held if it is held.
    std::ranges::sort(targets_, [](const Candidate& a, const Candidate& b) {
      if (a.weight != b.weight) return a.weight > b.weight;
      return a.mesh != b.mesh ? a.mesh < b.mesh : a.page < b.page;
    });
    std::size_t count = 0;
    for (; count < targets_.size(); ++count) {
      const Candidate& target = targets_[count];
      used += size_of(*meshes_[target.mesh], target.page);
      if (used > options_.budget_bytes) break;
      meshes_[target.mesh]->entries[target.page].target_of = update_;
    }
    targets_.resize(count);
  }

  // Finds the pages that may be dropped, the next one last. The pages that depend on a page come after it.
  void find_spares() {
    spares_.clear();
    for (std::uint32_t m = 0; m < meshes_.size(); ++m) {
      if (meshes_[m] == nullptr) continue;
      const Mesh& mesh = *meshes_[m];
      for (std::uint32_t p = 0; p < mesh.entries.size(); ++p) {
        const PageEntry& page = mesh.entries[p];
        if (page.target_of == update_ || (page.state != PageState::kLoading && page.state != PageState::kLoaded))
          continue;
        spares_.push_back({m, p, page.times_limit, page.last_wanted});
      }
    }
    std::ranges::sort(spares_, [](const Candidate& a, const Candidate& b) {
      if (a.weight != b.weight) return a.weight > b.weight;
      if (a.last_wanted != b.last_wanted) return a.last_wanted > b.last_wanted;
      return a.mesh != b.mesh ? a.mesh < b.mesh : a.page < b.page;
    });
  }

  // Drops pages until these bytes are free. Returns false if that is not possible.
  bool make_room(std::uint64_t bytes, bool& has_spares) {
    if (stats_.used_bytes + bytes <= options_.budget_bytes) return true;
    if (!std::exchange(has_spares, true)) find_spares();
    while (stats_.used_bytes + bytes > options_.budget_bytes) {
      if (spares_.empty()) return false;
      drop_held(spares_.back().mesh, spares_.back().page);
      spares_.pop_back();
    }
    return true;
  }

  void exchange() {
    bool has_spares = false;
    make_room(0, has_spares);  // the budget may be smaller than before
    for (const Candidate& target : targets_) {
      Mesh& mesh = *meshes_[target.mesh];
      PageEntry& page = mesh.entries[target.page];
      const int priority = options_.priority + static_cast<int>(std::min(page.times_limit, kMostPriority));
      if (page.state == PageState::kLoading) {
        const auto load = std::ranges::find(mesh.loads, target.page, &Load::page);
        if (load->priority != priority) manager_.set_priority(load->bytes, load->priority = priority);
      }
      if (page.state != PageState::kAbsent) continue;
      if (stats_.loading >= options_.most_loading) continue;
      const std::uint64_t bytes = size_of(mesh, target.page);
      if (!make_room(bytes, has_spares)) break;
      const ContentRange range{mesh.data->file_offset_bytes + mesh.data->view.page_offset_bytes(target.page),
                               mesh.data->view.pages()[target.page].size_bytes};
      mesh.loads.push_back({target.page, priority, manager_.load_range(mesh.asset, range, priority)});
      page.state = PageState::kLoading;
      ++stats_.loading;
      --stats_.missing;
      stats_.used_bytes += bytes;
      ++stats_.requested_pages;
      stats_.requested_bytes += range.size_bytes;
    }
  }

  Manager& manager_;
  ClusterStreamerOptions options_;
  std::vector<std::unique_ptr<Mesh>> meshes_;
  std::uint64_t update_ = 0;
  ClusterSelection selection_;
  std::vector<Candidate> targets_, spares_;
  ClusterChanges changes_;
  ClusterStreamerStats stats_;
};

ClusterStreamer::ClusterStreamer(Manager& manager, ClusterStreamerOptions options)
    : impl_(std::make_unique<Impl>(manager, std::move(options))) {}
ClusterStreamer::~ClusterStreamer() = default;
ClusterMesh ClusterStreamer::add(AssetRef<ClusterData> clusters) { return impl_->add(std::move(clusters)); }
void ClusterStreamer::remove(ClusterMesh mesh) { impl_->remove(mesh); }
void ClusterStreamer::set_budget(std::uint64_t bytes) { impl_->set_budget(bytes); }
void ClusterStreamer::update(std::span<const ClusterUse> uses) { impl_->update(uses); }
const ClusterChanges& ClusterStreamer::changes() const { return impl_->changes(); }
const ClusterPages* ClusterStreamer::pages(ClusterMesh mesh) const { return impl_->pages(mesh); }
const ClusterData* ClusterStreamer::data(ClusterMesh mesh) const { return impl_->data(mesh); }
ClusterStreamerStats ClusterStreamer::stats() const { return impl_->stats(); }

}  // namespace assetc::runtime
