// Engines mount the bundles that this module writes.
#include <gmock/gmock.h>

#include <optional>

#include "assetc/formats/aas1_texture.hpp"
#include "assetc/formats/registry.hpp"
#include "assetc/runtime/all_loaders.hpp"
#include "assetc/runtime/assets.hpp"
#include "assetc/runtime/catalog.hpp"
#include "assetc/runtime/manager.hpp"
#include "assetc/runtime/source.hpp"
#include "bundle/support.hpp"

namespace assetc::bundle {
namespace {

using runtime::Fault;
using testing::HasSubstr;

class Mounts : public testing::Test {
 protected:
  runtime::Expected<void> mount(const std::string& path, const runtime::MountOptions& how = {},
                                runtime::Layout layout = runtime::Layout::kBundle) {
    return catalog.mount(
        runtime::make_source(
            [this](const runtime::ReadRequest& request, const std::atomic<bool>&) -> Result<runtime::ReadAnswer> {
              const auto found = files.find(request.path);
              if (found == files.end())
                return std::unexpected(Error{ErrorCode::kNotFound, request.path, {}, "no such file", {}});
              read_bytes += request.size_bytes;
              return runtime::read_range(request, found->second);
            },
            0),
        layout, path, how);
  }
  void expect_assets(const Assets& assets) {
    for (const auto& [id, content] : assets) {
      const auto handle = catalog.find(id);
      ASSERT_TRUE(handle) << id.to_string();
      const auto bytes = catalog.read(*handle);
      ASSERT_TRUE(bytes) << bytes.error().to_string();
      EXPECT_TRUE(as_text(*bytes) == content) << id.to_string();
    }
  }
  static Fault fault_of(const runtime::Expected<void>& outcome) {
    return outcome ? Fault::kCanceled : outcome.error().fault;
  }

  std::map<std::string, Bytes> files;
  std::uint64_t read_bytes = 0;
  runtime::Catalog catalog;
};

TEST_F(Mounts, engines_read_what_was_bundled) {
  files["base.pak"] = bundle_of(many_small());
  const auto mounted = mount("base.pak");
  ASSERT_TRUE(mounted) << mounted.error().to_string();
  expect_assets(many_small());
  EXPECT_FALSE(catalog.find(uuid(5000)));
}

TEST_F(Mounts, textures_stream_by_the_block) {
  // Levels of 256 x 256 texels that do not compress, in blocks of about 64 KiB.
  std::vector<std::string> texels;
  aas1::Texture texture;
  texture.width_texels = texture.height_texels = 512;
  for (std::uint32_t side = 512; side > 0; side /= 2) texels.push_back(noise(std::size_t{side} * side * 4, side));
  for (const std::string& level : texels) texture.levels.push_back(as_bytes(level));
  const ByteVector blob = aas1::write(texture).value();
  const SigningKey key = SigningKey::generate();
  const ContentKey secret = ContentKey::generate();
  WriteOptions how = options();
  how.sign = &key;
  how.encrypt = &secret;
  files["base.pak"] = bundle_of({{uuid(1), std::string(as_text(blob))}}, how);
  const auto mounted = mount("base.pak", {.key = *runtime::parse_content_key(secret.to_pem())});
  ASSERT_TRUE(mounted) << mounted.error().to_string();
  read_bytes = 0;
  runtime::Manager manager(catalog, {.io_thread = false});
  runtime::Loaders loaders{.texture = runtime::texture_loader({}, {.first_read_bytes = 4096})};
  std::vector<std::uint32_t> firsts;
  loaders.texture.finalize = [&](runtime::TextureData& part, const runtime::AssetDesc&) -> Result<runtime::GpuObject> {
    firsts.push_back(part.first_level);
    return runtime::GpuObject{};
  };
  runtime::add_loaders(manager, loaders);
  const auto ref = manager.load_async<runtime::TextureData>({.uuid = uuid(1)});
  ref.want(2);
  const auto finish = [&] {
    do {
      manager.pump();
    } while (manager.stats().loading > 0);
  };
  finish();
  ASSERT_TRUE(ref.is_ready()) << ref.failure()->to_string();
  EXPECT_EQ(ref.get()->first_level, 2u);
  EXPECT_LT(read_bytes, blob.size() / 2) << "only blocks of the requested asset are read";
  ref.want(0);
  finish();
  ASSERT_EQ(ref.get()->levels.size(), texels.size());
  for (std::size_t i = 0; i < texels.size(); ++i) EXPECT_TRUE(as_text(ref.get()->levels[i].bytes) == texels[i]) << i;
  EXPECT_GT(firsts.size(), 3u);
}

TEST_F(Mounts, signed_and_encrypted_bundles_ask_for_their_keys) {
  const SigningKey key = SigningKey::generate(), other = SigningKey::generate();
  const ContentKey secret = ContentKey::generate();
  const auto raw = runtime::parse_content_key(secret.to_pem());
  ASSERT_TRUE(raw);
  WriteOptions how = options();
  how.sign = &key;
  how.encrypt = &secret;
  files["secret.pak"] = bundle_of(many_small(), how);
  files["plain.pak"] = bundle_of(sample());
  EXPECT_EQ(fault_of(mount("secret.pak")), Fault::kLocked);
  EXPECT_EQ(fault_of(mount("secret.pak", {.key = runtime::ContentKey{}})), Fault::kLocked);
  EXPECT_EQ(fault_of(mount("secret.pak", {.signer = other.public_key(), .key = *raw})), Fault::kUntrusted);
  EXPECT_EQ(fault_of(mount("plain.pak", {.signer = key.public_key()})), Fault::kUntrusted);
  EXPECT_FALSE(catalog.find(uuid(1)));
  const auto mounted = mount("secret.pak", {.signer = key.public_key(), .key = *raw});
  ASSERT_TRUE(mounted) << mounted.error().to_string();
  expect_assets(many_small());
}

TEST_F(Mounts, a_bundle_that_is_not_the_expected_one_is_refused) {
  const SigningKey key = SigningKey::generate();
  WriteOptions how = options(3);
  how.sign = &key;
  files["base.pak"] = bundle_of(sample(), how);
  const runtime::MountOptions expected{
      .signer = key.public_key(), .expected_name = "base", .expected_platform = "Win64", .least_version = 3};
  const auto refusal = [&](auto change) {
    runtime::MountOptions asked = expected;
    change(asked);
    const auto mounted = mount("base.pak", asked);
    return mounted ? std::string() : mounted.error().to_string();
  };
  const std::string found = "untrusted: base.pak: is \"base\" for Win64, version 3; expected ";
  const std::string hint = " or later; mount the expected bundle";
  EXPECT_EQ(refusal([](auto& asked) { asked.expected_name = "dlc"; }), found + "\"dlc\" for Win64, version 3" + hint);
  EXPECT_EQ(refusal([](auto& asked) { asked.expected_platform = "Linux"; }),
            found + "\"base\" for Linux, version 3" + hint);
  EXPECT_EQ(refusal([](auto& asked) {
              asked.least_version = 4;
              asked.expected_name.clear();
              asked.expected_platform.clear();
            }),
            found + "any bundle for any platform, version 4" + hint);
  EXPECT_TRUE(catalog.mounts().empty());
  ASSERT_TRUE(mount("base.pak", expected));
  const std::vector<runtime::MountInfo> mounts = catalog.mounts();
  ASSERT_EQ(mounts.size(), 1u);
  EXPECT_EQ(mounts[0].layout, runtime::Layout::kBundle);
  EXPECT_EQ(mounts[0].path, "base.pak");
  EXPECT_EQ(mounts[0].name, "base");
  EXPECT_EQ(mounts[0].platform, "Win64");
  EXPECT_EQ(mounts[0].version, 3u);
  EXPECT_EQ(mounts[0].signer, key.public_key());
  EXPECT_FALSE(mounts[0].is_encrypted);
}

// The asset repeats one block so often that a small file holds a large asset.
TEST_F(Mounts, a_small_bundle_of_a_large_asset_is_bound_by_who_reads_it) {
  constexpr std::uint64_t kSize = 64u << 20;
  files["base.pak"] = bundle_of({{uuid(1), std::string(kSize, 'x')}});
  EXPECT_LT(files["base.pak"].size(), 100'000u);
  ASSERT_TRUE(mount("base.pak"));
  read_bytes = 0;
  const auto refused = catalog.read({.uuid = uuid(1)}, kSize - 1);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kLimit);
  EXPECT_EQ(read_bytes, 0u) << "refused before anything is read";
  const auto whole = catalog.read({.uuid = uuid(1)}, kSize);
  ASSERT_TRUE(whole) << whole.error().to_string();
  EXPECT_TRUE(std::ranges::all_of(whole->span(), [](std::byte b) { return b == std::byte{'x'}; }));
  EXPECT_EQ(whole->size(), kSize);
}

TEST_F(Mounts, patches_lie_over_their_bundle_in_order) {
  Assets next = many_small();
  next[uuid(1)] = words(310'000, 7);
  next.erase(uuid(3));
  Assets last = next;
  last[uuid(77)] = "a new one";
  files["1.pak"] = bundle_of(many_small());
  const Reader first = open(files["1.pak"]);
  WriteOptions how = options(2);
  how.base = &first;
  const Reader second = open(bundle_of(next, how));
  how.version = 3;
  how.base = &second;
  const Reader third = open(bundle_of(last, how));
  files["2.patch"] = patch_of(first, second);
  files["3.patch"] = patch_of(second, third);
  EXPECT_EQ(fault_of(mount("1.pak", {.patches = {"2.patch"}, .least_version = 3})), Fault::kUntrusted);
  const auto mounted = mount("1.pak", {.patches = {"2.patch", "3.patch"}, .least_version = 3});
  ASSERT_TRUE(mounted) << mounted.error().to_string();
  EXPECT_EQ(catalog.mounts()[0].version, 3u);
  expect_assets(last);
  EXPECT_FALSE(catalog.find(uuid(3)));
  const auto skipped = mount("1.pak", {.patches = {"3.patch"}});
  ASSERT_FALSE(skipped);
  EXPECT_THAT(skipped.error().to_string(), HasSubstr("3.patch: is a patch of another bundle"));
}

TEST_F(Mounts, a_registry_names_what_is_in_bundles) {
  files["base.pak"] = bundle_of(sample());
  const auto registry =
      registry::write({{uuid(2), 23, "Demo/Two", {}, {}, {}}, {uuid(3), 23, "Demo/Three", {}, {}, {}}},
                      {{uuid(9), uuid(2), "Demo/Old"}});
  ASSERT_TRUE(registry) << registry.error().to_string();
  files["game/Registry/AssetRegistry.bin"] = Bytes(*registry);
  ASSERT_TRUE(mount("game", {}, runtime::Layout::kRegistry));
  EXPECT_FALSE(catalog.read(*catalog.find(uuid(2))));
  ASSERT_TRUE(mount("base.pak", {.priority = -1}));
  const auto two = catalog.find_by_path("demo/old");
  ASSERT_TRUE(two);
  EXPECT_EQ(two->type, runtime::AssetType::kRaw);
  EXPECT_TRUE(as_text(*catalog.read(*two)) == sample()[uuid(2)]);
  EXPECT_EQ(catalog.desc(*two)->virtual_path, "Demo/Two");
  EXPECT_EQ(catalog.desc(*two)->size_bytes, sample()[uuid(2)].size());
}

TEST_F(Mounts, a_bundle_lists_its_uuids_and_with_a_registry_their_paths_and_types) {
  files["base.pak"] = bundle_of(sample());
  ASSERT_TRUE(mount("base.pak"));
  std::vector<runtime::AssetHandle> all;
  for (const auto& [id, content] : sample()) all.push_back({.uuid = id});
  EXPECT_EQ(catalog.list(), all);  // ascending by UUID
  EXPECT_THAT(catalog.list({.type = runtime::AssetType::kRaw}), testing::IsEmpty());
  EXPECT_THAT(catalog.list({.folder = "Demo"}), testing::IsEmpty());
  // The asset with the number 5000 is in another bundle, which is not mounted.
  files["game/Registry/AssetRegistry.bin"] = Bytes(
      registry::write({{uuid(2), 23, "Demo/Two", {}, {}, {}}, {uuid(5000), 23, "Demo/More", {}, {}, {}}}, {}).value());
  ASSERT_TRUE(mount("game", {}, runtime::Layout::kRegistry));
  EXPECT_THAT(catalog.list({.type = runtime::AssetType::kRaw}), testing::ElementsAre(runtime::AssetHandle{uuid(2)}));
  EXPECT_THAT(catalog.list({.folder = "demo"}), testing::ElementsAre(runtime::AssetHandle{uuid(2)}));
  EXPECT_EQ(catalog.list().size(), all.size());  // each once
}

// Without a registry the type of an asset is unknown: each caller gets the type that it requests, whatever was
// requested before.
TEST_F(Mounts, an_asset_of_an_unknown_type_is_what_it_is_asked_for_as) {
  const std::string texel(4, 'x');
  aas1::Texture texture;
  texture.width_texels = texture.height_texels = 1;
  texture.levels = {as_bytes(texel)};
  files["base.pak"] = bundle_of({{uuid(1), std::string(as_text(aas1::write(texture).value()))}, {uuid(2), "other"}});
  ASSERT_TRUE(mount("base.pak"));
  std::optional<runtime::Manager> held(std::in_place, catalog, runtime::ManagerOptions{.io_thread = false});
  runtime::Manager& manager = *held;
  runtime::add_loaders(manager);
  const runtime::AssetHandle asset{.uuid = uuid(1)};
  const runtime::Group untyped = manager.preload({{asset}});
  manager.wait(untyped);
  EXPECT_EQ(
      untyped.refs()[0].failure()->to_string(),
      "(" + uuid(1).to_string() +
          "): no_loader: no mounted registry has the type of this asset; mount the Registry/ of its cook, or load "
          "it with a type");
  const auto mesh = manager.load<runtime::MeshData>(asset);
  EXPECT_FALSE(mesh.is_ready());
  const auto one = manager.load<runtime::TextureData>(asset), same = manager.load<runtime::TextureData>(asset);
  ASSERT_TRUE(one.is_ready()) << one.failure()->to_string();
  EXPECT_EQ(one.get(), same.get());
  EXPECT_FALSE(manager.load<runtime::MeshData>(asset).is_ready());
  EXPECT_TRUE(one.is_ready());
  manager.changed({.assets = {asset}});
  while (manager.stats().loading > 0) manager.pump();
  EXPECT_EQ(one.reload_failure(), nullptr);
  // Destroying the manager cancels both loads.
  const runtime::AssetHandle other{.uuid = uuid(2)};
  const auto as_mesh = manager.load_async<runtime::MeshData>(other);
  const auto as_texture = manager.load_async<runtime::TextureData>(other);
  held.reset();
  ASSERT_NE(as_mesh.failure(), nullptr);
  EXPECT_EQ(as_mesh.failure()->fault, Fault::kCanceled);
  EXPECT_EQ(as_texture.failure()->fault, Fault::kCanceled);
}

// Any changed byte causes an error of the mount, or of the one asset that it belongs to.
TEST_F(Mounts, no_changed_byte_goes_unnoticed) {
  const Bytes good = bundle_of(sample());
  for (std::size_t at = 0; at < good.size(); at += 97) {
    files["base.pak"] = changed(good, at);
    catalog = {};
    const auto mounted = mount("base.pak");
    std::size_t wrong = 0;
    for (const auto& [id, content] : sample()) {
      if (!mounted) break;
      const auto bytes = catalog.read({.uuid = id});
      if (bytes && as_text(*bytes) != content) ++wrong;
    }
    EXPECT_EQ(wrong, 0u) << at;
  }
}

TEST_F(Mounts, every_prefix_is_refused) {
  const Bytes good = bundle_of({{uuid(1), words(3000, 1)}, {uuid(2), "two"}});
  for (std::size_t size = 0; size < good.size(); ++size) {
    files["base.pak"] = good.slice(0, size);
    EXPECT_FALSE(mount("base.pak")) << size;
  }
}

}  // namespace
}  // namespace assetc::bundle
