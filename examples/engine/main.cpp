// A small engine loop without a GPU. It mounts a pack (or a folder) and content of a server, streams meshes and
// textures to a fake device within one budget, and changes content while the loop runs. Prints what it does.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "content.hpp"
#include "loop.hpp"
#include "steps.hpp"

using namespace assetc;

namespace {

int fail_with(const std::string& what) {
  std::fprintf(stderr, "engine: %s\n", what.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 && argc != 3) return std::fprintf(stderr, "usage: engine PACK-OR-FOLDER [GPU-BYTES]\n"), 2;
  const std::uint64_t gpu_bytes = argc == 3 ? std::strtoull(argv[2], nullptr, 10) : 64u << 20;

  example::Server server;
  example::put_game(server);
  example::CountedMemory memory;
  bool failed = false;
  {
    runtime::Catalog catalog;
    if (auto mounted = catalog.mount(argv[1]); !mounted) return fail_with(mounted.error().to_string());
    if (auto mounted = catalog.mount(server.source(), runtime::Layout::kCooked, "game"); !mounted)
      return fail_with(mounted.error().to_string());
    catalog.set_variants({});  // '+' in a name marks a variant from now on
    example::Engine engine(catalog, memory, gpu_bytes);
    example::enumerate(catalog);
    example::load_world(engine);
    example::move_camera(engine);
    example::change_content(engine, server);
    example::load_icon(engine);
    example::insert_texture(engine);
    for (const runtime::Failure& failure : engine.take_failures()) failed = fail_with(failure.to_string()) != 0;
    example::miss_texture(engine);
    example::print_memory(engine, memory);
  }
  if (memory.used_bytes() != 0)
    return fail_with("the manager did not free " + std::to_string(memory.used_bytes()) + " bytes");
  return failed ? 1 : 0;
}
