#include "assetc/runtime/catalog.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <new>

#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/manager.hpp"
#include "runtime/allocations.hpp"
#include "runtime/cooked.hpp"
#include "runtime/tree.hpp"

#ifndef ASSETC_SANITIZED
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++assetc::runtime::allocations;
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  std::abort();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
#endif

namespace assetc::runtime {
namespace {

using testing::HasSubstr;

std::string text_of(const Catalog& catalog, const std::optional<AssetHandle>& asset) {
  if (!asset) return "not found";
  const auto bytes = catalog.read(*asset);
  return bytes ? std::string(as_text(*bytes)) : bytes.error().to_string();
}

TEST_F(Tree, a_catalog_finds_files_of_folders_and_packs_by_path_and_by_hash) {
  for (const std::string& root : roots()) {
    Catalog catalog;
    ASSERT_TRUE(catalog.mount(root)) << root;
    for (const hpack::File& file : files_) {
      EXPECT_EQ(text_of(catalog, catalog.find_by_path(file.path)), as_text(file.bytes));
      EXPECT_EQ(text_of(catalog, catalog.find(hash_embed_ref(file.path))), as_text(file.bytes));
    }
    const auto texture = catalog.find(hash_asset_ref("models/chair/tex_0"));
    ASSERT_TRUE(texture);
    EXPECT_EQ(texture->type, AssetType::kTexture2D);
    EXPECT_EQ(texture, catalog.find_by_path("MODELS/chair/TEX_0.ktx2"));
    EXPECT_EQ(catalog.desc(*texture)->virtual_path, "models/chair/tex_0.ktx2");
    EXPECT_FALSE(catalog.find_by_path("models/table.hmesh"));
    EXPECT_FALSE(catalog.find_by_path("../tree.hpack"));
    EXPECT_FALSE(catalog.find(std::uint64_t{1}));
    EXPECT_FALSE(catalog.desc({.path_hash = 1}));
  }
}

TEST_F(Tree, what_is_read_into_memory_is_what_is_mapped) {
  for (const std::string& root : roots()) {
    Catalog mapped, read;
    ASSERT_TRUE(mapped.mount(root));
    ASSERT_TRUE(read.mount(root, {.mapped = false}));
    for (const hpack::File& file : files_) {
      const auto asset = read.find_by_path(file.path);
      ASSERT_TRUE(asset) << file.path;
      const auto bytes = read.read(*asset);
      ASSERT_TRUE(bytes) << bytes.error().to_string();
      EXPECT_EQ(as_text(*bytes), as_text(*mapped.read(*asset)));
    }
  }
}

// The table of the mount would give bytes of other entries.
TEST_F(Tree, a_pack_that_is_replaced_or_shortened_after_its_mount_is_an_error) {
  const hpack::File other{"a.bin", Bytes(ByteVector(100'000))};
  const ByteVector longer = hpack::write({&other, 1}).value();
  const ByteVector pack = hpack::write(files_).value();
#ifdef _WIN32
  const std::vector<bool> mappings = {false};  // a mapped file is neither replaced nor shortened there
#else
  const std::vector<bool> mappings = {false, true};
#endif
  for (const bool is_mapped : mappings) {
    for (const std::string_view how : {"renamed", "written", "shortened", "emptied"}) {
      write("tree.hpack", pack);
      Catalog catalog;
      ASSERT_TRUE(catalog.mount(roots()[1], {.mapped = is_mapped}));
      Manager manager(catalog, {.io_thread = false});
      const auto material = catalog.find_by_path("models/chair.hmat");
      ASSERT_EQ(text_of(catalog, material), as_text(files_[1].bytes));
      if (how == "renamed") {
        write("new.hpack", longer);
        std::filesystem::rename(folder_ / "new.hpack", folder_ / "tree.hpack");
      } else {
        const std::size_t size = how == "written" ? longer.size() : how == "emptied" ? 0 : pack.size() / 2;
        write("tree.hpack", ByteSpan(longer).first(size));
      }
      EXPECT_EQ(catalog.find_by_path("models/chair.hmat"), material);
      const std::string said = text_of(catalog, material);
      if (is_mapped && how == "renamed") {
        EXPECT_EQ(said, as_text(files_[1].bytes)) << "the mapped file is still there, without a name";
        continue;
      }
      EXPECT_THAT(said,
                  testing::AnyOf(HasSubstr("the file was replaced or changed after it was mounted; mount it again"),
                                 HasSubstr("up to the end of the file")))
          << how;
      const auto ref = manager.load_async<MaterialData>(*material);
      while (ref.state() == LoadState::kLoading) manager.pump();
      EXPECT_EQ(ref.state(), LoadState::kFailed) << how;
      const bool is_whole = how == "written" || how == "renamed";
      EXPECT_EQ(Catalog().mount(roots()[1]).has_value(), is_whole);
    }
  }
}

TEST_F(Tree, what_is_no_mount_says_so) {
  write("other.bin", as_bytes("something else"));
  write("bad.hpack", as_bytes("HPAK, or so it says"));
  Catalog catalog;
  EXPECT_EQ(catalog.mount((folder_ / "nothing").string()).error().fault, Fault::kMissing);
  EXPECT_EQ(fault_text(catalog.mount((folder_ / "other.bin").string())),
            "corrupt: " + (folder_ / "other.bin").string() + ": is neither a folder, nor a .hpack, nor a .pak");
  EXPECT_THAT(fault_text(catalog.mount((folder_ / "bad.hpack").string())), HasSubstr("bad.hpack: "));
}

TEST_F(Tree, a_folder_that_no_build_wrote_is_no_mount) {
  write("sources/walls/brick.png", as_bytes("a picture"));
  std::filesystem::create_directory(folder_ / "empty");
  Catalog catalog;
  for (const std::string name : {"empty", "sources"}) {
    const auto mounted = catalog.mount((folder_ / name).string());
    ASSERT_FALSE(mounted) << name;
    EXPECT_EQ(fault_text(mounted),
              "missing: " + (folder_ / name).string() +
                  ": found neither assets.hman nor Registry/: this is not the output of a build or "
                  "a cook; mount runtime/ or Cooked/<Platform> after a build without errors");
  }
  EXPECT_TRUE(catalog.mounts().empty());
}

TEST_F(Tree, who_names_a_signer_gets_no_folder_and_no_pack) {
  Catalog catalog;
  for (const std::string& root : roots()) {
    EXPECT_EQ(catalog.mount(root, {.signer = PublicKey{}}).error().fault, Fault::kUntrusted);
    EXPECT_EQ(catalog.mount(root, {.expected_name = "base"}).error().fault, Fault::kUntrusted);
    EXPECT_EQ(catalog.mount(root, {.expected_platform = "Win64"}).error().fault, Fault::kUntrusted);
    EXPECT_EQ(catalog.mount(root, {.least_version = 1}).error().fault, Fault::kUntrusted);
  }
  EXPECT_EQ(fault_text(catalog.mount(roots()[1], {.signer = PublicKey{}})),
            "untrusted: " + roots()[1] +
                ": is a pack, which is never signed; expected a signed bundle; mount the bundle, "
                "or this without a signer");
  Files files;
  files.files["Registry/AssetRegistry.bin"] = Bytes(registry::write({}, {}).value());
  for (const Layout layout : {Layout::kTree, Layout::kPack, Layout::kCooked, Layout::kRegistry})
    EXPECT_EQ(catalog.mount(files.source(), layout, "", {.signer = PublicKey{}}).error().fault, Fault::kUntrusted);
  EXPECT_TRUE(catalog.mounts().empty());
}

TEST_F(Tree, a_catalog_shows_what_was_mounted) {
  Files files;
  files.files["Registry/AssetRegistry.bin"] = Bytes(registry::write({}, {}).value());
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(roots()[0]));
  ASSERT_TRUE(catalog.mount(roots()[1], {.priority = 3}));
  ASSERT_TRUE(catalog.mount(files.source(), Layout::kRegistry, ""));
  const std::vector<MountInfo> mounts = catalog.mounts();
  ASSERT_EQ(mounts.size(), 3u);
  EXPECT_EQ(mounts[0].path, roots()[1]);
  EXPECT_EQ(mounts[0].priority, 3);
  EXPECT_EQ(mounts[0].layout, Layout::kPack);
  EXPECT_EQ(mounts[1].layout, Layout::kRegistry);
  EXPECT_EQ(mounts[2].path, roots()[0]);
  EXPECT_EQ(mounts[2].layout, Layout::kTree);
  EXPECT_FALSE(mounts[2].signer);
}

TEST_F(Tree, a_read_has_a_limit) {
  write("tree/large.bin", ByteVector(5000));
  const hpack::File large{"large.bin", Bytes(ByteVector(5000))};
  write("large.hpack", hpack::write({&large, 1}).value());
  for (const char* root : {"tree", "large.hpack"}) {
    Catalog catalog;
    ASSERT_TRUE(catalog.mount((folder_ / root).string()));
    const auto asset = catalog.find_by_path("large.bin");
    ASSERT_TRUE(asset);
    EXPECT_TRUE(catalog.read(*asset, 5000));
    const auto refused = catalog.read(*asset, 4999);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::kLimit);
    EXPECT_EQ(refused.error().to_string(), "found 5000 bytes, expected at most 4999; raise max_bytes");
  }
}

// Two textures, a material that uses both, and their old names.
Cooked sample() {
  Cooked cooked;
  cooked.add(uuid(1), {aas1::Type::kTexture2D, "Engine/Textures/Wood", texture_blob(), {}, {}});
  cooked.add(uuid(2), {aas1::Type::kTexture2D, "Engine/Textures/Brick", texture_blob(8), {}, {}});
  cooked.add(uuid(3), {aas1::Type::kMaterial, "Engine/Materials/Wall", material_blob({uuid(1)}), {uuid(1)}, {uuid(2)}});
  cooked.redirect(uuid(9), uuid(1), "Engine/Textures/Wood_Old");
  return cooked;
}

TEST(Catalog, a_cooked_tree_is_found_by_uuid_path_and_hash_through_redirectors) {
  Files files;
  sample().put(files);
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), Layout::kCooked, "cooked"));
  const AssetHandle wood{.uuid = uuid(1)};
  EXPECT_EQ(catalog.find(uuid(1)), wood);
  EXPECT_EQ(catalog.find(uuid(9)), wood);
  EXPECT_EQ(catalog.find_by_path("engine/textures/WOOD"), wood);
  EXPECT_EQ(catalog.find_by_path("Engine/Textures/Wood_Old"), wood);
  EXPECT_EQ(catalog.find(hash_asset_ref("Engine/Textures/Wood")), wood);
  EXPECT_EQ(catalog.find(hash_asset_ref("Engine/Textures/Wood_Old")), wood);
  EXPECT_EQ(catalog.find(uuid(1))->type, AssetType::kTexture2D);
  EXPECT_EQ(text_of(catalog, wood), as_text(texture_blob()));
  EXPECT_FALSE(catalog.find(uuid(4)));
  EXPECT_FALSE(catalog.find_by_path("Engine/Textures"));

  const auto wall = catalog.find_by_path("Engine/Materials/Wall");
  ASSERT_TRUE(wall);
  EXPECT_EQ(catalog.desc(*wall)->virtual_path, "Engine/Materials/Wall");
  const Dependencies needs = catalog.dependencies(*wall);
  ASSERT_EQ(needs.size(), 2u);
  EXPECT_EQ(needs.hard_count(), 1u);
  EXPECT_EQ(needs[0], wood);
  EXPECT_EQ(needs[1], AssetHandle{.uuid = uuid(2)});
  EXPECT_EQ(catalog.dependencies(wood).size(), 0u);
}

TEST(Catalog, the_highest_priority_has_the_asset_and_the_last_mounted_of_equal_ones) {
  Files files;
  Cooked base, patch, late;
  base.add(uuid(1), {aas1::Type::kRaw, "Demo/A/One", raw_blob("base one"), {}, {}});
  base.add(uuid(2), {aas1::Type::kRaw, "Demo/A/Two", raw_blob("base two"), {}, {}});
  patch.add(uuid(1), {aas1::Type::kRaw, "Demo/A/One", raw_blob("patched one"), {}, {}});
  late.add(uuid(2), {aas1::Type::kRaw, "Demo/A/Two", raw_blob("late two"), {}, {}});
  base.put(files, "base/");
  patch.put(files, "patch/");
  late.put(files, "late/");
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), Layout::kCooked, "patch", {.priority = 5}));
  ASSERT_TRUE(catalog.mount(files.source(), Layout::kCooked, "base"));
  EXPECT_THAT(text_of(catalog, catalog.find_by_path("Demo/A/One")), HasSubstr("patched one"));
  EXPECT_THAT(text_of(catalog, catalog.find(uuid(2))), HasSubstr("base two"));
  ASSERT_TRUE(catalog.mount(files.source(), Layout::kCooked, "late"));
  EXPECT_THAT(text_of(catalog, catalog.find(uuid(2))), HasSubstr("late two"));
}

TEST(Catalog, redirectors_lead_from_mount_to_mount_and_end) {
  Files files;
  Cooked base, next;
  base.add(uuid(1), {aas1::Type::kRaw, "Demo/A/One", raw_blob("one"), {}, {}});
  base.put(files, "base/");
  // Each redirects to the next; 30 redirects back.
  std::string rows;
  const auto row = [&](std::uint32_t from, std::uint32_t to, const std::string& path) {
    rows += std::string(rows.empty() ? "" : ",") + R"({"OldUuid":")" + uuid(from).to_string() + R"(","NewUuid":")" +
            uuid(to).to_string() + R"(","OldVirtualPath":")" + path + "\"}";
  };
  row(10, 11, "Demo/Old/One");
  row(11, 1, "");
  row(30, 31, "Demo/Old/Circle");
  row(31, 30, "");
  for (std::uint32_t i = 100; i < 140; ++i) row(i, i + 1, "");
  const std::string json = R"({"SchemaVersion": 1, "Assets": [], "Redirectors": [)" + rows + "]}";
  files.files["next/Registry/AssetRegistry.json"] = Bytes(ByteVector(as_bytes(json).begin(), as_bytes(json).end()));
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), Layout::kCooked, "base"));
  const auto mounted = catalog.mount(files.source(), Layout::kCooked, "next");
  ASSERT_TRUE(mounted) << fault_text(mounted);
  EXPECT_EQ(catalog.find_by_path("demo/old/one"), AssetHandle{.uuid = uuid(1)});
  EXPECT_EQ(catalog.find(uuid(10)), AssetHandle{.uuid = uuid(1)});
  EXPECT_FALSE(catalog.find(uuid(30)));
  EXPECT_FALSE(catalog.find_by_path("Demo/Old/Circle"));
  EXPECT_FALSE(catalog.find(uuid(100)));
}

TEST(Catalog, a_registry_in_json_says_what_the_binary_one_says) {
  const std::string json =
      R"({
"SchemaVersion": 1, "Written": {"By": ["somebody", null, 1.5e2]},
"Assets": [
{"Uuid":")" +
      uuid(1).to_string() + R"(","Type":"Texture2D","VirtualPath":"Engine/Textures/W\u00f6od",
 "CookedPath":"Assets/short.bin","Dependencies":[],"Desc":{"Width":1024,"Height":512,"Format":"BC7","MipCount":11,"SRGB":true}},
{"Uuid":")" +
      uuid(2).to_string() +
      R"(","Type":"Mesh","VirtualPath":"Engine/Meshes/Chair","Dependencies":[],"SoftDependencies":[")" +
      uuid(1).to_string() +
      R"("],"Desc":{"VertexFormat":["Position0 RGB32F"],"IndexFormat":"U16","Bounds":{"Min":[-1,0,0],"Max":[1,2,3]},
  "SubMeshes":2,"LodCount":3,"VertexCount":24,"IndexCount":36}},
{"Uuid":")" +
      uuid(3).to_string() + R"(","Type":"Audio","VirtualPath":"Engine/Audio/Step","Dependencies":[{"Uuid":")" +
      uuid(2).to_string() +
      R"("}],"Desc":{"Codec":"OggVorbis","Channels":2,"SampleRate":48000,"Duration":1.5}},
{"Uuid":")" +
      uuid(4).to_string() +
      R"(","Type":"Material","VirtualPath":"Engine/Materials/Oak","Desc":{"ShadingModel":"Unlit","TextureBindings":["a","b"]}}
],
"Redirectors": [{"OldUuid":")" +
      uuid(9).to_string() + R"(","NewUuid":")" + uuid(1).to_string() + R"(","OldVirtualPath":"Old/Wood"}]
})";
  Files files;
  files.files["Registry/AssetRegistry.json"] = Bytes(ByteVector(as_bytes(json).begin(), as_bytes(json).end()));
  files.files["Assets/short.bin"] = Bytes(raw_blob("short"));
  Catalog catalog;
  const auto mounted = catalog.mount(files.source(), Layout::kCooked, "");
  ASSERT_TRUE(mounted) << fault_text(mounted);
  const auto wood = catalog.find_by_path("Engine/Textures/W\xc3\xb6od");
  ASSERT_TRUE(wood);
  EXPECT_EQ(catalog.desc(*wood)->fields, registry::Desc(registry::TextureDesc{1024, 512, 1, 20, 11, 1}));
  EXPECT_THAT(text_of(catalog, wood), HasSubstr("short"));
  EXPECT_EQ(catalog.desc({.uuid = uuid(2)})->fields,
            registry::Desc(registry::MeshDesc{24, 36, 2, 2, 3, {-1, 0, 0}, {1, 2, 3}}));
  EXPECT_EQ(catalog.dependencies({.uuid = uuid(2)}).hard_count(), 0u);
  EXPECT_EQ(catalog.dependencies({.uuid = uuid(2)})[0], *wood);
  EXPECT_EQ(catalog.desc({.uuid = uuid(3)})->fields, registry::Desc(registry::AudioDesc{2, 2, 48000, 72000}));
  EXPECT_EQ(catalog.dependencies({.uuid = uuid(3)}).hard_count(), 1u);
  EXPECT_EQ(catalog.desc({.uuid = uuid(4)})->fields, registry::Desc(registry::MaterialDesc{1, 0, 2}));
  EXPECT_EQ(catalog.find_by_path("old/wood"), wood);
}

TEST(Catalog, a_registry_in_json_may_begin_with_a_byte_order_mark) {
  const std::string json = "\xEF\xBB\xBF{\"SchemaVersion\": 1,\r\n\"Assets\": []}\r\n";
  Files files;
  files.files["Registry/AssetRegistry.json"] = Bytes(ByteVector(as_bytes(json).begin(), as_bytes(json).end()));
  Catalog catalog;
  const auto mounted = catalog.mount(files.source(), Layout::kCooked, "");
  EXPECT_TRUE(mounted) << fault_text(mounted);
}

TEST(Catalog, a_registry_that_is_wrong_is_refused_with_its_place) {
  const auto refusal = [](const std::string& json) {
    Files files;
    files.files["Registry/AssetRegistry.json"] = Bytes(ByteVector(as_bytes(json).begin(), as_bytes(json).end()));
    Catalog catalog;
    return fault_text(catalog.mount(files.source(), Layout::kCooked, ""));
  };
  const std::string one = uuid(1).to_string();
  EXPECT_EQ(refusal("{"),
            "corrupt: Registry/AssetRegistry.json: line 1, column 2: found the end, expected '\"'; cook again");
  EXPECT_EQ(refusal(R"({"SchemaVersion": 2})"),
            "version: Registry/AssetRegistry.json: /SchemaVersion: found 2, expected 1; cook with the same version of "
            "assetc as this runtime");
  EXPECT_THAT(refusal("{}"), HasSubstr("/SchemaVersion: found nothing"));
  EXPECT_THAT(refusal(R"({"SchemaVersion": 1} x)"), HasSubstr("found text after the end"));
  EXPECT_THAT(refusal(R"({"Assets": [{"Uuid": "no"}]})"), HasSubstr("found \"no\", expected a UUID"));
  EXPECT_THAT(refusal(R"({"Assets": [{"Uuid": ")" + one + R"(", "CookedPath": "../secret"}]})"),
              HasSubstr("is not below the cooked folder"));
  EXPECT_THAT(refusal(R"({"Assets": [{"Uuid": ")" + one + R"(", "Desc": {"Width": -1}}]})"),
              HasSubstr("not a valid count"));
  EXPECT_THAT(refusal(std::string(100, '[')), HasSubstr("expected '{'"));
  EXPECT_THAT(refusal(R"({"x": )" + std::string(100, '[')), HasSubstr("more than 32 nested values"));
  EXPECT_THAT(refusal("{\"\\u12\": 1}"), HasSubstr("hex"));
  // A cycle.
  const std::string two = uuid(2).to_string();
  EXPECT_THAT(refusal(R"({"SchemaVersion":1,"Assets":[{"Uuid":")" + one +
                      R"(","Type":"Mesh","VirtualPath":"a","Dependencies":[")" + two + R"("]},{"Uuid":")" + two +
                      R"(","Type":"Mesh","VirtualPath":"b","Dependencies":[")" + one + R"("]}]})"),
              HasSubstr("b"));
}

TEST_F(Tree, lookups_allocate_nothing) {
  Files files;
  sample().put(files);
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(files.source(), Layout::kCooked, "cooked"));
  for (const std::string& root : roots()) ASSERT_TRUE(catalog.mount(root, {.priority = 1}));
  const std::size_t before = allocations;
  int found = 0;
  for (int i = 0; i < 100; ++i) {
    found += catalog.find(uuid(9)).has_value();
    found += catalog.find_by_path("Engine/Textures/Wood_Old").has_value();
    found += catalog.find_by_path("Engine/Nothing").has_value();
    const auto wall = catalog.find_by_path("Engine/Materials/Wall");
    found += catalog.desc(*wall).has_value() + static_cast<int>(catalog.dependencies(*wall).size());
    found += catalog.find(hash_asset_ref("models/chair/tex_0")).has_value();
    found += catalog.find_by_path("models/chair.hmat").has_value();
    found += catalog.locate(*wall).mount != nullptr;
  }
  EXPECT_EQ(allocations - before, 0u);
  EXPECT_EQ(found, 800);
}

}  // namespace
}  // namespace assetc::runtime
