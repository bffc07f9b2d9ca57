// The C interface, called from C++; tests/interop/c_api.py calls it from other languages.
#include <gmock/gmock.h>

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/hscene.hpp"
#include "assetc/runtime.h"
#include "runtime/cooked.hpp"

namespace assetc::runtime {
namespace {

using testing::HasSubstr;
using testing::StrEq;

// A cooked folder on disk: a texture, a material that needs it, a mesh, raw data, and an invalid texture.
// A car with a light, and a wheel with a mesh.
ByteVector model() {
  hscene::Model scene;
  scene.desc.flags = hscene::SceneDesc::kUuids;
  scene.meshes = {{.file = hscene::Ref::of(uuid(3))}};
  scene.lights = {{.intensity = 3}};
  scene.nodes.resize(2);
  scene.nodes[0].name = scene.add_text("car");
  scene.nodes[0].light = 0;
  scene.nodes[0].end = scene.nodes[1].end = 2;
  scene.nodes[1].name = scene.add_text("wheel");
  scene.nodes[1].parent = 0;
  scene.nodes[1].mesh = 0;
  scene.nodes[1].transform.translation = {5, 0, 0};
  return aas1::write_model({}, {}, hscene::write(scene).value()).value();
}

class TheInterfaceForC : public testing::Test {
 protected:
  void SetUp() override {
    std::random_device random;
    folder_ = std::filesystem::temp_directory_path() / ("assetc-c-" + std::to_string(random()));
    Cooked cooked;
    cooked.add(uuid(1), {AssetType::kTexture2D, "Demo/Brick", texture_blob(8), {}, {}});
    cooked.add(uuid(2), {AssetType::kMaterial, "Demo/Wall", material_blob({uuid(1)}), {uuid(1)}, {uuid(4)}});
    cooked.add(uuid(3), {AssetType::kMesh, "Demo/Triangle", triangle(), {}, {}});
    cooked.add(uuid(4), {AssetType::kRaw, "Demo/Data", raw_blob("anything"), {}, {}, {"Text", "any"}, uuid(2)});
    cooked.add(uuid(6), {AssetType::kModel, "Demo/Yard", model(), {uuid(3)}, {}});
    cooked.add(uuid(5), {AssetType::kTexture2D, "Demo/Broken", ByteVector(20, std::byte{9}), {}, {}});
    Files files;
    cooked.put(files, "");
    for (const auto& [path, bytes] : files.files) {
      const std::filesystem::path file = folder_ / path;
      std::filesystem::create_directories(file.parent_path());
      std::ofstream(file, std::ios::binary) << as_text(bytes);
    }
    catalog = assetc_catalog_new();
    ASSERT_EQ(assetc_mount(catalog, folder_.string().c_str(), nullptr, nullptr), ASSETC_OK);
  }
  void TearDown() override {
    assetc_catalog_free(catalog);
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  static ByteVector triangle() {
    aas1::Mesh mesh;
    mesh.vertex_stride_bytes = 12;
    mesh.attributes = {{aas1::Semantic::kPosition, 0, aas1::VertexFormat::kRgb32F, 0, 0, 0, 0}};
    for (const float value : {0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f}) append(mesh.vertices, value);
    aas1::Mesh::Level level;
    level.indices = {0, 2, 1};
    level.submeshes = {{0, 3, 0, aas1::kNoMaterial}};
    level.bounds_max = {1, 1, 0};
    mesh.levels = {level};
    return aas1::write(mesh).value();
  }
  assetc_handle find(const char* path) const {
    assetc_handle handle{};
    EXPECT_EQ(assetc_find_path(catalog, path, &handle), ASSETC_OK) << path;
    return handle;
  }

  std::filesystem::path folder_;
  assetc_catalog* catalog = nullptr;
};

TEST_F(TheInterfaceForC, finds_and_describes) {
  const assetc_handle wall = find("demo/wall");
  EXPECT_EQ(wall.type, static_cast<assetc_type>(ASSETC_MATERIAL));
  EXPECT_EQ(std::memcmp(wall.uuid, uuid(2).bytes.data(), 16), 0);
  std::uint8_t parsed[16];
  EXPECT_EQ(assetc_parse_uuid("not one", parsed), static_cast<assetc_fault>(ASSETC_CORRUPT));
  ASSERT_EQ(assetc_parse_uuid(uuid(2).to_string().c_str(), parsed), ASSETC_OK);
  assetc_handle same{};
  ASSERT_EQ(assetc_find_uuid(catalog, parsed, &same), ASSETC_OK);
  EXPECT_EQ(std::memcmp(&same, &wall, sizeof same), 0);
  EXPECT_EQ(assetc_find_path(catalog, "Demo/Nothing", &same), static_cast<assetc_fault>(ASSETC_MISSING));

  assetc_handle needs[2] = {};
  std::size_t hard = 0;
  EXPECT_EQ(assetc_dependencies(catalog, &wall, nullptr, 0, &hard), 2u);
  EXPECT_EQ(hard, 1u);
  EXPECT_EQ(assetc_dependencies(catalog, &wall, needs, 1, nullptr), 2u);
  EXPECT_EQ(std::memcmp(needs[0].uuid, uuid(1).bytes.data(), 16), 0);
  EXPECT_EQ(needs[1].type, 0u) << "written past the capacity";
}

TEST_F(TheInterfaceForC, lists_and_unmounts) {
  EXPECT_EQ(assetc_list(catalog, nullptr, nullptr, 0), 6u);
  assetc_query query{};
  EXPECT_EQ(assetc_list(catalog, &query, nullptr, 0), 0u);  // struct_bytes was not set
  query.struct_bytes = sizeof query;
  assetc_handle found[3] = {};
  EXPECT_EQ(assetc_list(catalog, &query, found, 2), 6u);
  EXPECT_EQ(std::memcmp(found[0].uuid, uuid(1).bytes.data(), 16), 0);  // Demo/Brick
  EXPECT_EQ(std::memcmp(found[1].uuid, uuid(5).bytes.data(), 16), 0);  // Demo/Broken
  EXPECT_EQ(found[2].type, 0u) << "written past the capacity";
  query.folder = "demo";
  query.prefix = "Demo/B";
  query.type = ASSETC_TEXTURE_2D;
  EXPECT_EQ(assetc_list(catalog, &query, nullptr, 0), 2u);
  query = {};
  query.struct_bytes = sizeof query;
  query.tag = "text";
  EXPECT_EQ(assetc_list(catalog, &query, found, 1), 1u);
  const assetc_handle wall = find("Demo/Wall");
  query.tag = nullptr;
  query.container = &wall;
  EXPECT_EQ(assetc_list(catalog, &query, found, 1), 1u);
  assetc_desc desc{};
  desc.struct_bytes = sizeof desc;
  ASSERT_EQ(assetc_describe(catalog, &found[0], &desc), ASSETC_OK);
  EXPECT_EQ(std::string_view(desc.tags.data, desc.tags.size_bytes), std::string_view("any\0Text\0", 9));
  EXPECT_EQ(std::memcmp(&desc.container, &wall, sizeof wall), 0);

  assetc_error* error = nullptr;
  EXPECT_EQ(assetc_unmount(catalog, "nothing", &error), static_cast<assetc_fault>(ASSETC_MISSING));
  EXPECT_THAT(assetc_error_text(error), HasSubstr("nothing: is not mounted"));
  assetc_error_free(error);
  EXPECT_EQ(assetc_unmount(catalog, (folder_.string() + "/").c_str(), nullptr), ASSETC_OK);
  EXPECT_EQ(assetc_list(catalog, nullptr, nullptr, 0), 0u);
}

TEST_F(TheInterfaceForC, mounts_and_chooses_variants_while_assets_are_loaded) {
  const std::filesystem::path more = folder_ / "more";
  Cooked cooked;
  cooked.add(uuid(14), {AssetType::kRaw, "Demo/Data+de", raw_blob("etwas"), {}, {}});
  Files files;
  cooked.put(files, "");
  for (const auto& [path, bytes] : files.files) {
    std::filesystem::create_directories((more / path).parent_path());
    std::ofstream(more / path, std::ios::binary) << as_text(bytes);
  }
  assetc_manager* manager = assetc_manager_new(catalog, nullptr);
  const assetc_handle data = find("Demo/Data");
  assetc_asset* asset = assetc_load(manager, &data, 0);
  const auto text = [&] {
    for (int i = 0; i < 1000; ++i) assetc_pump(manager, 2000, UINT64_MAX);
    std::size_t size = 0;
    const void* bytes = assetc_asset_bytes(asset, &size);
    return std::string(static_cast<const char*>(bytes), size);
  };
  EXPECT_EQ(assetc_wait(manager, asset), static_cast<assetc_state>(ASSETC_READY));
  EXPECT_EQ(text(), "anything");
  const char* german = "de";
  assetc_mount_options unsized{};
  EXPECT_EQ(assetc_manager_mount(manager, more.string().c_str(), &unsized, nullptr),
            static_cast<assetc_fault>(ASSETC_USAGE));
  ASSERT_EQ(assetc_manager_mount(manager, more.string().c_str(), nullptr, nullptr), ASSETC_OK);
  assetc_manager_set_variants(manager, &german, 1);
  const auto wait_for = [&](const std::string& wanted) {
    for (int i = 0; i < 1000 && text() != wanted; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return text();
  };
  EXPECT_EQ(wait_for("etwas"), "etwas");
  assetc_catalog* now = assetc_manager_catalog(manager);
  EXPECT_EQ(assetc_mount_count(now), 2u);
  EXPECT_EQ(assetc_mount_count(catalog), 1u);
  assetc_handle found{};
  ASSERT_EQ(assetc_find_path(now, "Demo/Data", &found), ASSETC_OK);
  EXPECT_EQ(std::memcmp(found.uuid, uuid(14).bytes.data(), 16), 0);
  assetc_set_variants(now, nullptr, 0);
  ASSERT_EQ(assetc_find_path(now, "Demo/Data", &found), ASSETC_OK);
  EXPECT_EQ(std::memcmp(found.uuid, uuid(4).bytes.data(), 16), 0);
  assetc_catalog_free(now);
  ASSERT_EQ(assetc_manager_unmount(manager, (more.string() + "/").c_str(), nullptr), ASSETC_OK);
  EXPECT_EQ(wait_for("anything"), "anything");
  assetc_asset_free(asset);
  assetc_manager_free(manager);
}

TEST_F(TheInterfaceForC, structs_are_filled_as_far_as_they_and_this_library_go) {
  const assetc_handle brick = find("Demo/Brick");
  struct Shorter {
    std::uint32_t struct_bytes;
    assetc_type type;
    std::uint64_t canary;
  } shorter{8, 0, 0xfeed};
  ASSERT_EQ(assetc_describe(catalog, &brick, reinterpret_cast<assetc_desc*>(&shorter)), ASSETC_OK);
  EXPECT_EQ(shorter.struct_bytes, 8u);
  EXPECT_EQ(shorter.type, static_cast<assetc_type>(ASSETC_TEXTURE_2D));
  EXPECT_EQ(shorter.canary, 0xfeedu);
  struct Newer {
    assetc_desc known;
    std::uint64_t more;
  } newer{};
  newer.known.struct_bytes = sizeof newer;
  newer.more = 0xfeed;
  ASSERT_EQ(assetc_describe(catalog, &brick, &newer.known), ASSETC_OK);
  EXPECT_EQ(newer.known.struct_bytes, sizeof newer);
  EXPECT_EQ(newer.known.type, static_cast<assetc_type>(ASSETC_TEXTURE_2D));
  EXPECT_EQ(newer.more, 0xfeedu);
}

TEST_F(TheInterfaceForC, a_struct_bytes_that_was_not_set_is_told_and_nothing_is_done) {
  const auto usage = static_cast<assetc_fault>(ASSETC_USAGE);
  EXPECT_STREQ(assetc_fault_name(usage), "usage");
  // A structure without a size: its signer would be ignored.
  const std::uint8_t signer[32] = {};
  assetc_mount_options unsized{};
  unsized.signer = signer;
  assetc_error* error = nullptr;
  EXPECT_EQ(assetc_mount(catalog, folder_.string().c_str(), &unsized, &error), usage);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(assetc_error_fault(error), usage);
  EXPECT_THAT(assetc_error_text(error), HasSubstr("found options with a struct_bytes of 0, expected at least"));
  assetc_error_free(error);
  assetc_manager_options few{};
  few.struct_bytes = 8;
  EXPECT_EQ(assetc_manager_new(catalog, &few), nullptr);
  const assetc_handle brick = find("Demo/Brick");
  assetc_desc desc{};
  EXPECT_EQ(assetc_describe(catalog, &brick, &desc), usage);
  EXPECT_EQ(desc.type, 0u);
}

TEST_F(TheInterfaceForC, loads_every_kind) {
  assetc_manager_options options{};
  options.struct_bytes = sizeof options;
  options.threads = 2;
  std::string told;
  options.on_failure = [](void* context, const assetc_error* error) {
    *static_cast<std::string*>(context) += assetc_error_text(error);
  };
  options.context = &told;
  assetc_manager* manager = assetc_manager_new(catalog, &options);
  const auto load = [&](const char* path) {
    const assetc_handle handle = find(path);
    assetc_asset* asset = assetc_load(manager, &handle, 1);
    assetc_set_priority(manager, asset, 5);
    assetc_wait(manager, asset);
    return asset;
  };
  assetc_asset* const brick = load("Demo/Brick");
  assetc_asset* const triangle = load("Demo/Triangle");
  assetc_asset* const data = load("Demo/Data");
  assetc_asset* const broken = load("Demo/Broken");
  assetc_pump(manager, 1000, 1 << 20);

  assetc_texture texture{};
  texture.struct_bytes = sizeof texture;
  ASSERT_EQ(assetc_asset_texture(brick, &texture), ASSETC_OK);
  EXPECT_EQ(texture.vk_format, 37u);  // VK_FORMAT_R8G8B8A8_UNORM
  EXPECT_EQ(texture.level_count, 1u);
  assetc_level level{};
  level.struct_bytes = sizeof level;
  ASSERT_EQ(assetc_asset_level(brick, 0, &level), ASSETC_OK);
  EXPECT_EQ(level.width_texels, 8u);
  EXPECT_EQ(level.size_bytes, 8u * 8 * 4);
  EXPECT_EQ(static_cast<const unsigned char*>(level.data)[255], 0x55);
  EXPECT_EQ(assetc_asset_level(brick, 1, &level), static_cast<assetc_fault>(ASSETC_MISSING));
  EXPECT_EQ(assetc_asset_texture(triangle, &texture), static_cast<assetc_fault>(ASSETC_WRONG_TYPE));
  EXPECT_EQ(assetc_asset_texture(broken, &texture), static_cast<assetc_fault>(ASSETC_MISSING));

  assetc_mesh mesh{};
  mesh.struct_bytes = sizeof mesh;
  ASSERT_EQ(assetc_asset_mesh(triangle, &mesh), ASSETC_OK);
  EXPECT_EQ(mesh.container, aas1::kMagic);
  EXPECT_EQ(mesh.vertex_count, 3u);
  EXPECT_EQ(mesh.vertex_stride_bytes, 12u);
  EXPECT_EQ(mesh.index_width_bytes, 2u);
  EXPECT_EQ(mesh.lod_count, 1u);
  EXPECT_EQ(static_cast<const float*>(mesh.vertices)[3], 1.0f);
  EXPECT_EQ(static_cast<const std::uint16_t*>(mesh.indices)[1], 2u);

  std::size_t size = 0;
  const void* bytes = assetc_asset_bytes(data, &size);
  EXPECT_EQ(std::string(static_cast<const char*>(bytes), size), "anything");
  EXPECT_EQ(assetc_asset_bytes(broken, &size), nullptr);

  ASSERT_EQ(assetc_asset_state(broken), static_cast<assetc_state>(ASSETC_FAILED));
  const assetc_error* error = assetc_asset_error(broken);
  ASSERT_NE(error, nullptr);
  EXPECT_EQ(assetc_error_fault(error), static_cast<assetc_fault>(ASSETC_CORRUPT));
  EXPECT_THAT(assetc_error_text(error), HasSubstr("Demo/Broken (" + uuid(5).to_string() + "): corrupt"));
  EXPECT_EQ(told, assetc_error_text(error));
  EXPECT_EQ(assetc_asset_error(brick), nullptr);
  EXPECT_THAT(assetc_fault_name(ASSETC_WRONG_TYPE), StrEq("wrong_type"));
  EXPECT_THAT(assetc_fault_name(99), StrEq(""));
  const assetc_handle handle = assetc_asset_handle(triangle);
  EXPECT_EQ(std::memcmp(handle.uuid, uuid(3).bytes.data(), 16), 0);
  assetc_manager_free(manager);
  // Assets may outlive their manager.
  EXPECT_EQ(assetc_asset_state(brick), static_cast<assetc_state>(ASSETC_READY));
  for (assetc_asset* asset : {brick, triangle, data, broken}) assetc_asset_free(asset);
}

TEST_F(TheInterfaceForC, shows_the_nodes_of_a_scene) {
  assetc_manager* manager = assetc_manager_new(catalog, nullptr);
  const assetc_handle handle = find("Demo/Yard");
  assetc_asset* asset = assetc_load(manager, &handle, 0);
  ASSERT_EQ(assetc_wait(manager, asset), static_cast<assetc_state>(ASSETC_READY));
  assetc_scene scene{};
  EXPECT_EQ(assetc_asset_scene(asset, &scene), static_cast<assetc_fault>(ASSETC_USAGE));
  scene.struct_bytes = sizeof scene;
  ASSERT_EQ(assetc_asset_scene(asset, &scene), ASSETC_OK);
  ASSERT_EQ(scene.node_count, 2u);
  EXPECT_EQ(scene.nodes[1].parent, 0);
  EXPECT_EQ(scene.nodes[1].mesh, 0u);
  EXPECT_EQ(scene.nodes[0].light, 0u);
  EXPECT_EQ(scene.lights[0].intensity, 3);
  const assetc_text name = assetc_scene_text(asset, scene.nodes[1].name);
  EXPECT_EQ(std::string(name.data, name.size_bytes), "wheel");
  EXPECT_EQ(assetc_scene_text(asset, ASSETC_NONE).size_bytes, 0u);
  EXPECT_EQ(assetc_scene_find(asset, "car/wheel"), 1u);
  EXPECT_EQ(assetc_scene_find(asset, "horse"), ASSETC_NONE);
  assetc_handle mesh{};
  EXPECT_EQ(assetc_scene_asset(asset, ASSETC_SCENE_MESH, 0, &mesh), ASSETC_OK);
  EXPECT_EQ(std::memcmp(mesh.uuid, uuid(3).bytes.data(), 16), 0);
  EXPECT_EQ(assetc_scene_asset(asset, ASSETC_SCENE_CLIP, 0, &mesh), static_cast<assetc_fault>(ASSETC_MISSING));
  float matrices[32];
  EXPECT_EQ(assetc_scene_matrices(asset, matrices, 16), static_cast<assetc_fault>(ASSETC_USAGE));
  ASSERT_EQ(assetc_scene_matrices(asset, matrices, 32), ASSETC_OK);
  EXPECT_EQ(matrices[16 + 12], 5);
  assetc_asset_free(asset);
  assetc_manager_free(manager);
}

TEST_F(TheInterfaceForC, shows_what_is_mounted_and_refuses_what_nobody_signed) {
  ASSERT_EQ(assetc_mount_count(catalog), 1u);
  assetc_mounted mounted{};
  mounted.struct_bytes = sizeof mounted;
  ASSERT_EQ(assetc_mount_at(catalog, 0, &mounted), ASSETC_OK);
  EXPECT_EQ(std::string(mounted.path.data, mounted.path.size_bytes), folder_.string());
  EXPECT_EQ(mounted.layout, static_cast<assetc_layout>(ASSETC_COOKED));
  EXPECT_EQ(mounted.is_signed, 0u);
  EXPECT_EQ(mounted.name.size_bytes, 0u);
  EXPECT_EQ(assetc_mount_at(catalog, 1, &mounted), static_cast<assetc_fault>(ASSETC_MISSING));
  const std::uint8_t signer[32] = {};
  const auto untrusted = static_cast<assetc_fault>(ASSETC_UNTRUSTED);
  assetc_mount_options options{};
  options.struct_bytes = sizeof options;
  options.signer = signer;
  EXPECT_EQ(assetc_mount(catalog, folder_.string().c_str(), &options, nullptr), untrusted);
  options.signer = nullptr;
  options.expected_name = "base";
  EXPECT_EQ(assetc_mount(catalog, folder_.string().c_str(), &options, nullptr), untrusted);
  // The call of a program that knows only version 1.
  options.struct_bytes = offsetof(assetc_mount_options, expected_name);
  EXPECT_EQ(assetc_mount(catalog, folder_.string().c_str(), &options, nullptr), ASSETC_OK);
  EXPECT_EQ(assetc_mount_count(catalog), 2u);
}

TEST_F(TheInterfaceForC, errors_have_a_text_that_the_caller_owns) {
  assetc_error* error = nullptr;
  EXPECT_EQ(assetc_mount(catalog, "no/such.hpack", nullptr, &error), static_cast<assetc_fault>(ASSETC_MISSING));
  ASSERT_NE(error, nullptr);
  EXPECT_THAT(assetc_error_text(error), HasSubstr("no/such.hpack"));
  assetc_error_free(error);
  assetc_blob* blob = nullptr;
  error = nullptr;
  const assetc_handle nowhere{{0}, 7, 0, 0};
  EXPECT_EQ(assetc_read(catalog, &nowhere, &blob, &error), static_cast<assetc_fault>(ASSETC_MISSING));
  EXPECT_EQ(blob, nullptr);
  assetc_error_free(error);
  const assetc_handle data = find("Demo/Data");
  ASSERT_EQ(assetc_read(catalog, &data, &blob, nullptr), ASSETC_OK);
  EXPECT_EQ(assetc_blob_size(blob), raw_blob("anything").size());
  assetc_blob_free(blob);
  assetc_error_free(nullptr);
  assetc_asset_free(nullptr);
  assetc_manager_free(nullptr);
}

}  // namespace
}  // namespace assetc::runtime
