// Loads the crate with its material and its texture, and prints what a renderer would upload.
#include <assetc/runtime/all_loaders.hpp>
#include <assetc/runtime/assets.hpp>
#include <assetc/runtime/catalog.hpp>
#include <assetc/runtime/manager.hpp>
#include <assetc/runtime/mesh_layout.hpp>
#include <chrono>
#include <cstdio>

namespace runtime = assetc::runtime;

int main(int argc, char** argv) {
  runtime::Catalog catalog;
  const char* const place = argc > 1 ? argv[1] : "runtime";  // the output folder, or a pack
  if (const auto mounted = catalog.mount(place); !mounted)
    return std::fprintf(stderr, "game: %s\n", mounted.error().to_string().c_str()), 1;

  runtime::ThreadPool pool(2);
  runtime::Manager manager(catalog, {.jobs = pool.jobs()});
  runtime::add_loaders(manager);

  const auto crate = manager.load_async<runtime::MeshData>("crate/crate.hmesh");
  while (crate.state() == runtime::LoadState::kLoading) {
    manager.pump({.time = std::chrono::milliseconds(2)});  // a game calls it once a frame
  }
  if (!crate.is_ready()) return std::fprintf(stderr, "game: %s\n", crate.failure()->to_string().c_str()), 1;

  const runtime::MeshLayout mesh = runtime::layout_of(*crate.get());
  std::printf("crate: %u vertices, %zu levels of detail\n", mesh.vertices[0].vertex_count, mesh.levels.size());
  for (const runtime::AssetHandle& handle : crate.get()->materials) {
    const auto material = manager.load_async<runtime::MaterialData>(handle);
    for (const runtime::AssetHandle& texture : material.get_or_fallback()->textures) {
      const auto loaded = manager.load_async<runtime::TextureData>(texture);
      const runtime::TextureData& data = *loaded.get_or_fallback();
      std::printf("texture: %u x %u texels, %zu levels\n", data.levels[0].width_texels, data.levels[0].height_texels,
                  data.levels.size());
    }
  }
  return 0;
}
