// A renderer of one picture, without a window. Mounts packs, loads the assets of a scene through a manager, and draws
// the scene in prefiltered light, with skinning, levels of detail and meshlets that are culled on the device.
#include <assetc/runtime/assets.hpp>
#include <assetc/runtime/jobs.hpp>
#include <cstdio>

#include "device.hpp"
#include "frame.hpp"
#include "meshes.hpp"
#include "options.hpp"
#include "pipelines.hpp"
#include "png.hpp"
#include "scene.hpp"
#include "textures.hpp"

using namespace assetc;

namespace {

void draw(const example::Options& options) {
  runtime::Catalog catalog;
  for (const std::string& path : options.mounts) {
    if (const auto mounted = catalog.mount(path); !mounted) example::die(mounted.error().to_string());
  }
  // Destroyed in reverse order: each object is used by those below it.
  const example::Device device(options.validates);
  example::Textures textures(device);
  example::Meshes meshes(device);
  runtime::ThreadPool pool(2);
  runtime::Manager manager(catalog, {.jobs = pool.jobs(), .on_failure = [](const runtime::Failure& failure) {
                                       std::fprintf(stderr, "vulkan: %s\n", failure.to_string().c_str());
                                     }});
  runtime::Loaders loaders;
  loaders.texture = textures.loader();
  loaders.mesh = meshes.loader();
  runtime::add_loaders(manager, loaders);

  example::Pipelines pipelines(device, manager);
  const example::Scene scene(device, manager, textures, meshes, pipelines, options);
  example::Frame frame(device, textures, pipelines, scene, options);
  const std::vector<std::byte> picture = frame.draw();
  if (!example::write_png(options.out, options.width, options.height, picture))
    example::die(options.out + " cannot be written");

  const example::CullCounts counts = frame.counts();
  std::size_t lods = 0, skinned = 0;
  for (const example::Draw& one : scene.draws()) {
    lods += one.is_lod ? 1 : 0;
    skinned += one.is_skinned ? 1 : 0;
  }
  std::printf("%s: %zu draws, %zu skinned, %zu of less detail; meshlets: %u drawn, %u outside, %u facing away\n",
              device.name().c_str(), scene.draws().size(), skinned, lods, counts.drawn, counts.outside,
              counts.facing_away);
}

}  // namespace

int main(int argc, char** argv) {
  const auto options = example::parse(argc, argv);
  if (!options) return std::fputs(example::kUsage, stderr), 2;
  draw(*options);
  const std::size_t messages = example::validation_message_count();
  if (options->validates) std::printf("%zu validation messages\n", messages);
  return messages == 0 ? 0 : 1;
}
