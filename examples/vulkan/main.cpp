// A renderer of pictures, without a window. Mounts packs, loads the assets of a scene through a manager, and draws the
// scene in prefiltered light, with skinning, levels of detail and meshlets that are culled on the device. It can stream
// within a GPU budget, and mount and unmount a mod between pictures.
#include <assetc/runtime/all_loaders.hpp>
#include <assetc/runtime/assets.hpp>
#include <assetc/runtime/jobs.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "clusters.hpp"
#include "device.hpp"
#include "frame.hpp"
#include "meshes.hpp"
#include "options.hpp"
#include "pipelines.hpp"
#include "png.hpp"
#include "scene.hpp"
#include "stream.hpp"
#include "textures.hpp"

using namespace assetc;

namespace {

// The objects that all pictures use.
struct Renderer {
  const example::Options& options;
  const example::Device& device;
  example::Stream& stream;
  const example::Textures& textures;
  const example::Meshes& meshes;
  example::Clusters& clusters;
  example::Pipelines& pipelines;
};

void load_pages(const Renderer& r, const example::Scene& scene) {
  std::vector<runtime::ClusterUse> uses;
  for (const example::ClusterInstance& instance : scene.clusters()) {
    uses.push_back({instance.mesh, instance.view});
    uses.back().view.planes = instance.planes;
  }
  if (!uses.empty()) r.clusters.settle(uses);
}

void print_clusters(const Renderer& r, const example::ClusterCounts& counts) {
  const runtime::ClusterStreamerStats stats = r.clusters.stats();
  std::printf(
      "clusters: %zu selected (%zu unlike the reference), %zu drawn first, %zu drawn after, %zu occluded; "
      "%zu pages in %llu of %u slots, %zu missing\n",
      counts.selected, counts.unlike_reference, counts.drawn_first, counts.drawn_after, counts.occluded, stats.pages,
      static_cast<unsigned long long>(stats.used_bytes), r.clusters.pool().slot_count(), stats.missing);
}

// Returns the scene: its refs keep the assets loaded.
std::unique_ptr<const example::Scene> draw_one(const Renderer& r, const example::Options& options,
                                               const std::string& out, example::VisibleClusters& visible) {
  // The first scene loads what the picture needs, and says in which detail. The second one has all detail that fits.
  const example::Scene needs(r.device, r.stream, r.textures, r.meshes, r.clusters, r.pipelines, options);
  needs.want_detail();
  load_pages(r, needs);
  r.stream.settle();
  auto scene = std::make_unique<const example::Scene>(r.device, r.stream, r.textures, r.meshes, r.clusters, r.pipelines,
                                                      options);
  load_pages(r, *scene);
  example::Frame frame(r.device, r.textures, r.pipelines, r.clusters, *scene, options, visible);
  const std::vector<std::byte> picture = frame.draw();
  r.stream.end_frame();
  if (out.empty()) return scene;
  if (!example::write_png(out, options.width, options.height, picture)) example::die(out + " cannot be written");

  const example::CullCounts counts = frame.counts();
  std::size_t lods = 0, skinned = 0;
  for (const example::Draw& one : scene->draws()) {
    lods += one.is_lod ? 1 : 0;
    skinned += one.is_skinned ? 1 : 0;
  }
  std::printf("%s: %zu draws, %zu skinned, %zu of less detail; meshlets: %u drawn, %u outside, %u facing away\n",
              r.device.name().c_str(), scene->draws().size(), skinned, lods, counts.drawn, counts.outside,
              counts.facing_away);
  if (r.options.gpu_bytes) {
    const runtime::ManagerStats stats = r.stream.manager().stats();
    std::printf("GPU budget of %llu bytes: %llu in use, %llu at most, %zu assets coarser than wanted\n",
                static_cast<unsigned long long>(stats.gpu_limit_bytes),
                static_cast<unsigned long long>(stats.gpu_in_use_bytes),
                static_cast<unsigned long long>(r.stream.most_gpu_bytes()), stats.coarser);
  }
  if (!scene->clusters().empty()) print_clusters(r, frame.cluster_counts());
  return scene;
}

// Draws all frames and writes the last one.
std::unique_ptr<const example::Scene> draw(const Renderer& r, const std::string& out) {
  example::VisibleClusters visible;
  for (std::uint32_t left = r.options.frame_count - 1; left > 0; --left) {
    example::Options turned = r.options;
    turned.yaw_degrees -= static_cast<float>(left) * r.options.turn_degrees;
    draw_one(r, turned, {}, visible);
  }
  return draw_one(r, r.options, out, visible);
}

// "a/picture.png" with "mod" is "a/picture.mod.png".
std::string beside(const std::string& out, const std::string& name) {
  const std::size_t dot = out.rfind('.');
  return dot == std::string::npos ? out + "." + name : out.substr(0, dot) + "." + name + out.substr(dot);
}

void draw_with_mod(const Renderer& r, std::unique_ptr<const example::Scene> scene) {
  runtime::Manager& manager = r.stream.manager();
  if (const auto mounted = manager.mount(r.options.mod, {.priority = 1}); !mounted)
    example::die(mounted.error().to_string());
  scene = draw(r, beside(r.options.out, "mod"));
  std::printf("mod: %zu assets loaded again\n", r.stream.reload_count());
  if (const auto unmounted = manager.unmount(r.options.mod); !unmounted) example::die(unmounted.error().to_string());
  draw(r, beside(r.options.out, "unmounted"));
}

void run(const example::Options& options) {
  runtime::Catalog catalog;
  for (const std::string& path : options.mounts) {
    if (const auto mounted = catalog.mount(path); !mounted) example::die(mounted.error().to_string());
  }
  // Destroyed in reverse order: each object is used by those below it.
  const example::Device device(options.validates);
  example::Textures textures(device);
  example::Meshes meshes(device);
  runtime::ThreadPool pool(2);
  example::Stream stream;
  runtime::ManagerOptions manager_options = stream.options(pool.jobs());
  if (options.gpu_bytes) manager_options.gpu_bytes = *options.gpu_bytes;
  runtime::Manager manager(catalog, std::move(manager_options));
  stream.use(manager);
  runtime::Loaders loaders;
  loaders.texture = textures.loader(options.gpu_bytes.has_value());
  loaders.mesh = meshes.loader(options.gpu_bytes.has_value());
  runtime::add_loaders(manager, loaders);
  example::Clusters clusters(device, stream, options.cluster_slots);
  example::Pipelines pipelines(device, manager);

  const Renderer renderer{options, device, stream, textures, meshes, clusters, pipelines};
  auto scene = draw(renderer, options.out);
  if (!options.mod.empty()) draw_with_mod(renderer, std::move(scene));
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = example::parse(argc, argv);
  if (!options) return std::fputs(example::kUsage, stderr), 2;
  run(*options);
  const std::size_t messages = example::validation_message_count();
  if (options->validates) std::printf("%zu validation messages\n", messages);
  return messages == 0 ? 0 : 1;
}
