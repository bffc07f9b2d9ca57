// What an engine sees of cooks and builds: tags, parts of models, variants, trees on web servers, and mods that use
// textures of their game.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>

#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/manager.hpp"
#include "assetc/runtime/source.hpp"
#include "e2e/cook.hpp"
#include "import/tiny_gltf.hpp"

namespace assetc::e2e {
namespace {

using runtime::AssetType;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> paths(const runtime::Catalog& catalog, const runtime::Query& query = {}) {
  std::vector<std::string> out;
  for (const runtime::AssetHandle& asset : catalog.list(query)) out.emplace_back(catalog.desc(asset)->virtual_path);
  return out;
}

class Mods : public Cook {
 protected:
  std::string uuid_of(const std::string& source) const { return read(source + ".meta").substr(13, 36); }
  runtime::Catalog mounted(const std::string& folder = "build/Cooked/Win64") const {
    runtime::Catalog catalog;
    const auto done = catalog.mount((root_ / folder).string());
    EXPECT_TRUE(done) << done.error().to_string();
    return catalog;
  }
  Finished cook_mod(const std::string& more = {}) const { return run("cook --platform Win64 " + more, {}, "mod"); }
};

TEST_F(Mods, tags_and_parts_reach_both_registries_and_the_engine) {
  import();
  replace("Demo/Minimal/Assets/crate.obj.meta", "\"Tags\": []", "\"Tags\": [\"Wooden\", \"Box\"]");
  cook();
  EXPECT_EQ(member("Demo/Minimal/crate", "Tags"), "[\"Wooden\",\"Box\"]");
  EXPECT_EQ(member("Demo/Minimal/crate/Planks", "Container"), member("Demo/Minimal/crate", "Uuid"));
  const std::vector<std::string> all{"Demo/Minimal/crate", "Demo/Minimal/crate/Lid", "Demo/Minimal/crate/Planks"};
  for (const bool is_binary : {true, false}) {
    if (!is_binary) remove("build/Cooked/Win64/Registry/AssetRegistry.bin");
    const runtime::Catalog catalog = mounted();
    EXPECT_EQ(paths(catalog, {.tag = "wooden"}), all);
    const auto crate = catalog.find_by_path("Demo/Minimal/crate");
    ASSERT_TRUE(crate);
    EXPECT_THAT(paths(catalog, {.container = *crate}), ElementsAre(all[1], all[2]));
    EXPECT_THAT(paths(catalog, {.type = AssetType::kMesh, .container = *crate}), ElementsAre(all[1]));
  }
  cook();
  EXPECT_THAT(build("registry query --json build/Cooked/Win64 Demo/Minimal/crate").out,
              HasSubstr(R"("tags":["Box","Wooden"])"));
  // A changed tag changes the registry and compiles nothing.
  replace("Demo/Minimal/Assets/crate.obj.meta", "Box", "Crate");
  EXPECT_THAT(cook("--json").out, HasSubstr(R"("ran":0)"));
  EXPECT_EQ(member("Demo/Minimal/crate/Lid", "Tags"), "[\"Wooden\",\"Crate\"]");
  EXPECT_THAT(paths(mounted(), {.tag = "Crate"}), testing::SizeIs(3));
  build("validate --platform Win64");
  replace("Demo/Minimal/Assets/crate.obj.meta", "Crate", "");
  const Finished done = run("cook --platform Win64");
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, HasSubstr("Demo/Minimal/Assets/crate.obj.meta: /Tags/1: found a tag of 0 bytes"));
}

TEST_F(Mods, a_model_lists_its_skeletons_and_clips) {
  importer::testing::TinyGltf g;
  const int p = g.vec3({0, 0, 0, 1, 0, 0, 0, 1, 0}), times = g.scalar({0, 1}), moves = g.vec3({0, 0, 0, 0, 1, 0});
  const int joints = g.accessor<std::uint8_t>(5121, "VEC4", {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 3);
  const int weights = g.vec4({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0});
  const auto n = [](int i) { return std::to_string(i); };
  write("Demo/Minimal/Assets/hero.gltf",
        g.json(R"("meshes":[{"name":"Body","primitives":[{"material":0,"attributes":{"POSITION":)" + n(p) +
               R"(,"JOINTS_0":)" + n(joints) + R"(,"WEIGHTS_0":)" + n(weights) +
               R"(}}]}],"materials":[{"name":"Skin"}],"skins":[{"name":"Rig","joints":[1]}],)"
               R"("scene":0,"scenes":[{"nodes":[0,1]}],"nodes":[{"mesh":0,"skin":0},{"name":"hip"}],)"
               R"("animations":[{"name":"walk","channels":[{"sampler":0,"target":{"node":1,"path":"translation"}}],)"
               R"("samplers":[{"input":)" +
               n(times) + R"(,"output":)" + n(moves) + "}]}]"));
  import();
  cook();
  const runtime::Catalog catalog = mounted();
  const auto hero = catalog.find_by_path("Demo/Minimal/hero");
  ASSERT_TRUE(hero);
  for (const AssetType type : {AssetType::kMesh, AssetType::kMaterial, AssetType::kSkeleton, AssetType::kAnimation}) {
    const auto parts = paths(catalog, {.type = type, .container = *hero});
    ASSERT_EQ(parts.size(), 1u) << runtime::name_of(type);
    EXPECT_THAT(parts[0], testing::StartsWith("Demo/Minimal/hero/"));
  }
  EXPECT_THAT(paths(catalog, {.container = *hero}), testing::SizeIs(4));
}

TEST_F(Mods, variants_are_cooked_like_any_asset) {
  write("Assets/Textures/wood+low.png", png(8, 8, 2));
  import();
  cook();
  runtime::Catalog catalog = mounted();
  const auto width = [&] {
    const auto wood = catalog.find_by_path("Engine/Textures/wood");
    return std::get<registry::TextureDesc>(catalog.desc(*wood)->fields).width_texels;
  };
  EXPECT_EQ(width(), 16u);
  catalog.set_variants({"low"});
  EXPECT_EQ(width(), 8u);
  const auto planks = catalog.find_by_path("Demo/Minimal/crate/Planks");
  ASSERT_TRUE(planks);
  runtime::Manager manager(catalog);
  runtime::add_loaders(manager);
  const auto material = manager.load<runtime::MaterialData>(*planks);
  ASSERT_TRUE(material.is_ready());
  ASSERT_EQ(material.get()->textures.size(), 1u);
  EXPECT_EQ(manager.load<runtime::TextureData>(material.get()->textures[0]).get()->levels[0].width_texels, 8u);
}

// A source like a web server: it gives files by name.
TEST_F(Mods, a_build_on_a_web_server_is_listed_completely) {
  fs::create_directories(root_ / "assets");
  write("assets/crate.obj", kCrate);
  write("assets/crate.mtl", "newmtl Planks\nKd 1 1 1\nmap_Kd wood.png\n");
  write("assets/wood.png", png(16, 16, 1));
  write("assets/ui/logo.png", png(16, 16, 2));
  write("assets/ui/logo.mat", "base_color_texture: logo.png\n");
  for (const char* more : {"", "assets/ui/other.png"}) {
    if (*more != '\0') write(more, png(8, 8, 3));
    build("-q");
    auto server = runtime::make_source(
        [root = (root_ / "runtime").string()](const runtime::ReadRequest& request,
                                              const std::atomic<bool>&) -> Result<runtime::ReadAnswer> {
          std::string text = read_file(root + "/" + request.path);
          if (!fs::is_regular_file(root + "/" + request.path))
            return std::unexpected(Error{ErrorCode::kNotFound, request.path, {}, "404", {}});
          const ByteSpan bytes = as_bytes(text);
          return runtime::read_range(request, Bytes(ByteVector(bytes.begin(), bytes.end())));
        },
        0);
    runtime::Catalog catalog;
    const auto done = catalog.mount(std::move(server), runtime::Layout::kTree, "");
    ASSERT_TRUE(done) << done.error().to_string();
    std::vector<std::string> files;
    for (const auto& [path, content] : tree()) {
      if (path != "assets.hman") files.push_back(path);
    }
    EXPECT_GE(files.size(), 4u);
    EXPECT_EQ(paths(catalog), files);
    EXPECT_EQ(paths(catalog), paths(mounted("runtime")));
    const auto mesh = catalog.find_by_path("crate.hmesh");
    ASSERT_TRUE(mesh);
    EXPECT_THAT(paths(catalog, {.type = AssetType::kMaterial, .container = *mesh}), ElementsAre("crate.hmat"));
  }
  build("check");
}

TEST_F(Mods, a_material_of_a_mod_uses_a_texture_of_the_game) {
  import();
  cook();
  write("mod/assetc.yml", "base: ../build/Cooked/Win64\n");
  write("mod/Assets/Mods/gold.mat", "base_color_texture: engine/textures/wood\n");
  const Finished cooked = cook_mod();
  ASSERT_EQ(cooked.exit_code, 0) << cooked.err;
  const std::string wood = uuid_of("Assets/Textures/wood.png");
  const std::string list = "mod/build/Cooked/Win64/Registry/AssetRegistry.json";
  EXPECT_THAT(read(list), HasSubstr("\"Dependencies\":[],\"OuterDependencies\":[\"" + wood + "\"]"));
  EXPECT_EQ(run("validate --platform Win64", {}, "mod").exit_code, 0);

  for (const bool is_binary : {true, false}) {
    if (!is_binary) remove("mod/build/Cooked/Win64/Registry/AssetRegistry.bin");
    runtime::Catalog catalog = mounted();
    ASSERT_TRUE(catalog.mount((root_ / "mod/build/Cooked/Win64").string(), {.priority = 1}));
    const auto gold = catalog.find_by_path("Engine/Mods/gold");
    ASSERT_TRUE(gold);
    ASSERT_EQ(catalog.dependencies(*gold).hard_count(), 1u);
    runtime::Manager manager(catalog);
    runtime::add_loaders(manager);
    const auto material = manager.load<runtime::MaterialData>(*gold);
    ASSERT_TRUE(material.is_ready());
    ASSERT_EQ(material.get()->textures.size(), 1u);
    EXPECT_EQ(material.get()->textures[0].uuid.to_string(), wood);
    // It was loaded with the material.
    EXPECT_TRUE(manager.load_async<runtime::TextureData>(material.get()->textures[0]).is_ready());
  }
}

TEST_F(Mods, a_cook_notices_what_changes_in_its_base) {
  write("Assets/Textures/stone.png", png(8, 8, 5));
  import();
  cook();
  write("mod/Assets/Mods/gold.mat", "base_color_texture: Engine/Textures/wood\n");
  const std::string list = "mod/build/Cooked/Win64/Registry/AssetRegistry.json";
  const std::string base = "--base ../build/Cooked/Win64 --json";
  ASSERT_EQ(cook_mod(base).exit_code, 0);
  EXPECT_THAT(cook_mod(base).out, HasSubstr(R"("ran":0)"));
  // Another asset of the game changes: the material stays.
  write("Assets/Textures/stone.png", png(16, 16, 6));
  cook();
  EXPECT_THAT(cook_mod(base).out, HasSubstr(R"("ran":0)"));
  // The name leads to another asset of the game.
  replace("Assets/Textures/wood.png.meta", "Engine/Textures/wood", "Engine/Textures/oak");
  replace("Assets/Textures/stone.png.meta", "Engine/Textures/stone", "Engine/Textures/wood");
  import();
  cook();
  EXPECT_THAT(cook_mod(base).out, HasSubstr(R"("ran":1)"));
  EXPECT_THAT(read(list), HasSubstr("\"OuterDependencies\":[\"" + uuid_of("Assets/Textures/stone.png") + "\"]"));
  // The name leads to nothing, to another type, and there is no base.
  write("mod/Assets/Mods/gold.mat", "base_color_texture: Engine/Textures/steel\n");
  Finished done = cook_mod(base);
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out + done.err, HasSubstr("matches no UUID and no virtual path"));
  write("mod/Assets/Mods/gold.mat", "base_color_texture: Demo/Minimal/crate\n");
  done = cook_mod(base);
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.out + done.err, HasSubstr("is a Model in the base"));
  remove("build/Cooked");
  done = cook_mod("--base ../build/Cooked/Win64");
  EXPECT_NE(done.exit_code, 0);
  EXPECT_THAT(done.err, HasSubstr("../build/Cooked/Win64: the base has no registry that can "
                                  "be read"));
  done = cook_mod("--base ''");  // an empty variable of a script
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("expected a path, found nothing"));
}

// The mod has its own .meta, and so another UUID.
TEST_F(Mods, a_cooked_mod_overrides_an_asset_of_a_cooked_game) {
  import();
  cook();
  write("mod/Assets/Textures/wood.png", png(8, 8, 7));
  ASSERT_EQ(run("import", {}, "mod").exit_code, 0);
  const Finished cooked = cook_mod();
  ASSERT_EQ(cooked.exit_code, 0) << cooked.err;
  ASSERT_NE(uuid_of("mod/Assets/Textures/wood.png"), uuid_of("Assets/Textures/wood.png"));

  runtime::Manager manager(mounted());
  runtime::add_loaders(manager);
  const auto planks = manager.load<runtime::MaterialData>("Demo/Minimal/crate/Planks");
  ASSERT_TRUE(planks.is_ready());
  ASSERT_EQ(planks.get()->textures.size(), 1u);
  const auto wood = manager.load<runtime::TextureData>(planks.get()->textures[0]);
  ASSERT_TRUE(wood.is_ready());
  const auto settle = [&] {
    do {
      manager.pump({.time = std::chrono::seconds(1)});
    } while (manager.stats().loading > 0);
  };
  const std::string mod = (root_ / "mod/build/Cooked/Win64").string();
  EXPECT_EQ(wood.get()->levels[0].width_texels, 16u);
  ASSERT_TRUE(manager.mount(mod, {.priority = 1}));
  settle();
  EXPECT_EQ(wood.get()->levels[0].width_texels, 8u);
  ASSERT_TRUE(manager.unmount(mod));
  settle();
  EXPECT_EQ(wood.get()->levels[0].width_texels, 16u);
}

// Also in Dependencies of a .meta. An asset of the mod goes before one of the game with the same path.
TEST_F(Mods, dependencies_of_a_meta_may_be_assets_of_the_game) {
  import();
  cook();
  write("mod/Assets/Data/list.json", "{}");
  write("mod/Assets/Textures/wood.png", png(8, 8, 7));
  write("mod/Assets/Data/gold.mat", "base_color_texture: Engine/Textures/wood\n");
  write("mod/assetc.yml", "base: ../build/Cooked/Win64/Registry/AssetRegistry.bin\n");
  ASSERT_EQ(run("import", {}, "mod").exit_code, 0);
  replace("mod/Assets/Data/list.json.meta", "\"Dependencies\": []", "\"Dependencies\": [\"Demo/Minimal/crate\"]");
  const Finished done = cook_mod();
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const std::string list = read("mod/build/Cooked/Win64/Registry/AssetRegistry.json");
  EXPECT_THAT(list, HasSubstr("\"OuterDependencies\":[\"" + uuid_of("Demo/Minimal/Assets/crate.obj") + "\"]"));
  EXPECT_THAT(list, HasSubstr("\"Dependencies\":[\"" + uuid_of("mod/Assets/Textures/wood.png") + "\"]"));
}

}  // namespace
}  // namespace assetc::e2e
