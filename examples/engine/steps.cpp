#include "steps.hpp"

#include <array>
#include <assetc/runtime/animation.hpp>
#include <assetc/runtime/assets.hpp>
#include <cstdio>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report.hpp"

namespace example {

using namespace assetc;

namespace {

constexpr const char* kCursor = "Game/UI/Cursor";
constexpr const char* kStop = "Game/UI/Stop";
// Keeps the texels beside the object on the device, and converts them to RGBA8.
const runtime::LoadOptions kReadable{.settings = {.keep_data = true, .format = TexelFormat::kRgba8}};

unsigned long long number(std::uint64_t value) { return value; }  // for printf

void print_list(const char* what, const runtime::Catalog& catalog, const runtime::Query& query) {
  std::printf("%s:", what);
  for (const runtime::AssetHandle& asset : catalog.list(query)) std::printf(" %s", path_of(catalog, asset).c_str());
  std::printf("\n");
}

// Prints how many assets of each type a mesh or model contains, if it contains any.
void print_contents(const runtime::Catalog& catalog, const runtime::AssetHandle& model) {
  std::map<std::string, std::size_t> counts;
  for (const runtime::AssetHandle& asset : catalog.list({.container = model})) ++counts[runtime::name_of(asset.type)];
  if (counts.empty()) return;
  std::printf("contents of %s:", path_of(catalog, model).c_str());
  for (const auto& [type, count] : counts) std::printf(" %zu %s", count, type.c_str());
  std::printf("\n");
}

}  // namespace

void put_game(Server& server) {
  put_cooked(server, "game",
             std::array{Picture{kStop, 0xff0000, {"sign"}}, Picture{"Game/UI/Stop+de", 0xffff00, {"sign"}},
                        Picture{"Game/UI/Cursor", 0xffffff}, Picture{"Game/Props/Arrow", 0x0000ff, {"sign"}}});
}

void enumerate(const runtime::Catalog& catalog) {
  using Type = runtime::AssetType;
  for (const Type type : {Type::kMesh, Type::kAnimation, Type::kTexture2D})
    std::printf("%s: %zu assets\n", runtime::name_of(type).c_str(), catalog.list({.type = type}).size());
  print_list("folder Game/UI", catalog, {.folder = "Game/UI"});
  print_list("prefix Game/UI/C", catalog, {.prefix = "Game/UI/C"});
  print_list("tag sign", catalog, {.tag = "sign"});
  for (const Type type : {Type::kMesh, Type::kModel}) {
    for (const runtime::AssetHandle& model : catalog.list({.type = type})) print_contents(catalog, model);
  }
}

void load_world(Engine& engine) {
  runtime::Manager& manager = engine.manager();
  for (const runtime::AssetHandle& mesh : manager.catalog().list({.type = runtime::AssetType::kMesh}))
    engine.world().add(runtime::Handle<runtime::MeshData>(mesh));  // typed from here on: load_async needs no type
  std::vector<runtime::AssetRef<runtime::AnimationData>> animations;
  for (const runtime::AssetHandle& clips : manager.catalog().list({.type = runtime::AssetType::kAnimation}))
    animations.push_back(manager.load_async<runtime::AnimationData>(clips));
  engine.settle();
  for (const World::Object& object : engine.world().objects()) print(manager.catalog(), object);
  for (const auto& animation : animations) print(manager.catalog(), animation);
}

void move_camera(Engine& engine) {
  for (const float distance_m : {0.0f, 60.0f, 0.0f}) {
    engine.world().move_camera(distance_m);
    engine.settle();
    const World::Detail detail = engine.world().detail();
    const runtime::ManagerStats stats = engine.manager().stats();
    std::printf(
        "camera %.0f m away: %zu of %zu textures at full detail, %llu bytes on the device, %zu assets coarser "
        "than wanted\n",
        static_cast<double>(distance_m), detail.finest, detail.textures, number(stats.gpu_in_use_bytes), stats.coarser);
  }
  const runtime::ManagerStats stats = engine.manager().stats();
  std::printf("GPU budget %llu bytes: %s\n", number(stats.gpu_limit_bytes),
              engine.most_gpu_bytes() <= stats.gpu_limit_bytes ? "never exceeded" : "exceeded");
}

void change_content(Engine& engine, Server& server) {
  runtime::Manager& manager = engine.manager();
  const auto stop = manager.load_async<runtime::TextureData>(kStop, kReadable);
  const auto print_state = [&](const char* what) {
    engine.settle();
    std::printf("%s: %s is %s", what, kStop, color_of(stop).c_str());
    for (const std::string& path : engine.take_reloads()) std::printf(", reloaded %s", path.c_str());
    std::printf("\n");
  };
  print_state("start");

  engine.run_beside([&] { manager.set_variants({"de"}); });
  print_state("variant de");
  engine.run_beside([&] { manager.set_variants({}); });
  print_state("no variant");

  put_cooked(server, "mod", std::array{Picture{kStop, 0x800080}});
  engine.run_beside([&] {
    const auto mounted = manager.mount(server.source(), runtime::Layout::kCooked, "mod", {.priority = 1});
    if (!mounted) std::fprintf(stderr, "engine: %s\n", mounted.error().to_string().c_str());
  });
  print_state("mod mounted");
  engine.run_beside([&] {
    const auto unmounted = manager.unmount("mod");
    if (!unmounted) std::fprintf(stderr, "engine: %s\n", unmounted.error().to_string().c_str());
  });
  print_state("mod unmounted");

  // Stands for a build. `assetc watch` reports the files of a build through a runtime::WatchClient.
  put_picture(server, "game", {kStop, 0xff8000});
  manager.changed({.written = {file_of("game", kStop)}});
  print_state("file changed");
  manager.unload(stop.handle());  // when `stop` is destroyed: its texels use staging memory
  std::printf("%zu reads failed at the first try and were repeated\n", server.failed_read_count());
}

void load_icon(Engine& engine) {
  // An icon of 16 texels on the screen. Level 0 of the texture has 64 texels, level 2 has 16.
  const auto icon = engine.manager().load_async<runtime::TextureData>(kCursor, {.level = 2});
  engine.settle();
  std::printf("%s: level %u and coarser, %llu bytes on the device\n", kCursor, icon.get_or_fallback()->first_level,
              number(icon.gpu().size_bytes));
}

void insert_texture(Engine& engine) {
  runtime::Manager& manager = engine.manager();
  const runtime::Handle<runtime::TextureData> noise = manager.find<runtime::TextureData>("Game/Noise");
  runtime::TextureData texture;
  texture.levels.push_back({Bytes(ByteVector(std::size_t{16} * 16 * 4, std::byte{0x7f})), 16, 16, 1});
  const auto made = manager.insert(noise, std::move(texture));
  const auto found = manager.load_async(noise);  // the same value
  engine.settle();
  std::printf("Game/Noise: %s, %llu bytes on the device\n", made.get() == found.get() ? "inserted" : "not found",
              number(found.gpu().size_bytes));
}

void miss_texture(Engine& engine) {
  const auto lost = engine.manager().load_async<runtime::TextureData>("Game/Lost", kReadable);
  engine.settle();
  for (const runtime::Failure& failure : engine.take_failures()) {
    std::printf("%s: %s, drawn with an object of %llu bytes\n", failure.virtual_path.c_str(),
                std::string(to_string(failure.fault)).c_str(), number(lost.gpu().size_bytes));
  }
}

void print_memory(const Engine& engine, const CountedMemory& memory) {
  const StagingHeap::Counts staging = engine.device().staging().counts();
  std::printf("staging heap: %s, %llu bytes in use\n", staging.levels > 0 ? "textures were decoded into it" : "unused",
              number(staging.used_bytes));
  std::printf("memory of the manager: %s\n", memory.used_bytes() > 0 ? "counted" : "unused");
}

}  // namespace example
