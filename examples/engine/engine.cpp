// The part of an engine that loads its assets: mounts a pack (or a folder), loads every model, clip and texture in the
// background, and gives them to a device within a budget for each frame. Prints what was loaded.
#include <assetc/runtime/assets.hpp>
#include <assetc/runtime/file_tree.hpp>
#include <assetc/runtime/manager.hpp>
#include <assetc/runtime/mesh_layout.hpp>
#include <cstdio>
#include <string>
#include <vector>

using namespace assetc;

namespace {

// Stands for a graphics API.
struct Device {
  std::uint64_t upload(const runtime::TextureData& texture) {
    std::uint64_t size_bytes = 0;
    for (const runtime::TextureData::Level& level : texture.levels) size_bytes += level.bytes.size();
    ++texture_count, used_bytes += size_bytes;
    return size_bytes;
  }
  void destroy(std::uint64_t size_bytes) { --texture_count, used_bytes -= size_bytes; }
  std::uint64_t texture_count = 0, used_bytes = 0;
};

std::string path_of(const runtime::Manager& manager, const runtime::AssetHandle& asset) {
  const auto desc = manager.catalog().desc(asset);
  return desc ? std::string(desc->virtual_path) : "a texture that does not exist";
}

void print(runtime::Manager& manager, const runtime::MaterialData& material) {
  const hmat::View* rows = material.hmat();
  if (rows == nullptr) return;
  for (const hmat::GpuMaterial& row : rows->materials()) {
    std::printf("  material: base color %.2f %.2f %.2f %.2f, metallic %.2f, roughness %.2f%s\n",
                row.base_color_factor[0], row.base_color_factor[1], row.base_color_factor[2], row.base_color_factor[3],
                row.metallic_factor, row.roughness_factor, row.is_double_sided() ? ", double-sided" : "");
  }
  for (const runtime::AssetHandle& handle : material.textures) {
    const auto texture = manager.load_async<runtime::TextureData>(handle);  // loaded before the material
    const runtime::TextureData& data = *texture.get_or_fallback();          // a checkerboard if it failed
    std::printf("    %s: %s %s, %u levels\n", path_of(manager, handle).c_str(),
                std::string(to_string(data.format)).c_str(), data.is_srgb ? "sRGB" : "linear", data.level_count);
  }
}

void print(runtime::Manager& manager, const runtime::AssetRef<runtime::MeshData>& mesh) {
  if (!mesh.is_ready()) return;
  const runtime::MeshLayout layout = runtime::layout_of(*mesh.get());
  std::size_t vertices = 0, indices = 0;
  for (const runtime::VertexLayout& part : layout.vertices) vertices += part.vertex_count;
  for (const runtime::MeshDraw& draw : layout.levels[0].draws) indices += draw.index_count;
  std::printf("%s: %zu triangles, %zu vertices, %zu meshlets, %zu draws, %zu levels of detail, %zu joints\n",
              path_of(manager, mesh.handle()).c_str(), indices / 3, vertices, layout.meshlets.size(),
              layout.levels[0].draws.size(), layout.levels.size(), layout.joints.size());
  for (const runtime::AssetHandle& handle : mesh.get()->materials) {
    const auto material = manager.load_async<runtime::MaterialData>(handle);
    print(manager, *material.get_or_fallback());
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: engine PACK-OR-FOLDER\n"), 2;
  int failures = 0;
  const auto report = [&failures](const std::string& what) {
    std::fprintf(stderr, "engine: %s\n", what.c_str());
    return ++failures;
  };

  runtime::Catalog catalog;
  if (auto mounted = catalog.mount(argv[1]); !mounted) return report(mounted.error().to_string());

  Device device;  // outlives the manager, which releases into it
  {
    runtime::ThreadPool pool(2);  // or your job system: three functions in a runtime::JobSystem
    runtime::ManagerOptions options{.jobs = pool.jobs(), .gpu_bytes = 1 << 30};
    options.on_failure = [&](const runtime::Failure& failure) { report(failure.to_string()); };
    runtime::Manager manager(catalog, std::move(options));

    runtime::Loaders loaders{.texture = runtime::texture_loader({.bc = true})};  // the formats that the device samples
    loaders.texture.finalize = [&](runtime::TextureData& texture, const runtime::AssetDesc&) {
      const std::uint64_t size_bytes = device.upload(texture);
      texture.levels.clear();  // the device has them
      return Result<runtime::GpuObject>({.object = size_bytes, .size_bytes = size_bytes});
    };
    loaders.texture.release = [&](const runtime::GpuObject& gpu) { device.destroy(gpu.object); };
    runtime::add_loaders(manager, loaders);

    // A level of a game lists its assets. This program loads all of them.
    const auto files = runtime::FileTree::open(argv[1]);
    if (!files) return report(files.error().to_string());
    std::vector<runtime::AssetRef<runtime::MeshData>> meshes;
    std::vector<runtime::AssetRef<runtime::AnimationData>> animations;
    std::vector<runtime::AnyRef> textures;
    for (const std::string& path : files->list()) {
      if (path.ends_with(".hmesh") || path.ends_with(".gali"))
        meshes.push_back(manager.load_async<runtime::MeshData>(path));
      if (path.ends_with(".hanim")) animations.push_back(manager.load_async<runtime::AnimationData>(path));
      if (path.ends_with(".ktx2")) textures.push_back(manager.load_async<runtime::TextureData>(path));
    }

    std::uint64_t frame = 0;
    while (manager.stats().loading > 0) frame = manager.pump().frame;  // an engine draws a frame after each pump
    manager.pump();                                                    // the last callbacks

    for (const auto& mesh : meshes) print(manager, mesh);
    for (const auto& animation : animations) {
      for (const hanim::ClipView& clip : animation.get_or_fallback()->clips.clips()) {
        std::printf("%s: clip %.*s, %.2f s, %zu channels\n", path_of(manager, animation.handle()).c_str(),
                    static_cast<int>(clip.name.size()), clip.name.data(), clip.duration_seconds, clip.channels.size());
      }
    }
    std::printf("%llu textures, %llu bytes on the device\n", static_cast<unsigned long long>(device.texture_count),
                static_cast<unsigned long long>(device.used_bytes));
    if (frame == 0) std::printf("nothing to load\n");
  }
  if (device.texture_count != 0) report("textures were not released");
  return failures == 0 ? 0 : 1;
}
