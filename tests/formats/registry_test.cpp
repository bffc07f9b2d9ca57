#include "assetc/formats/registry.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <random>

#include "assetc/base/hash.hpp"

namespace assetc::registry {
namespace {

using testing::HasSubstr;

Uuid uuid_of(std::uint32_t number) {
  std::mt19937 random(number + 1);
  std::array<std::uint8_t, 16> bytes;
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return Uuid::from_random(bytes);
}

std::vector<Asset> some_assets(std::uint32_t count) {
  std::vector<Asset> assets;
  for (std::uint32_t i = 0; i < count; ++i) {
    Asset asset;
    asset.uuid = uuid_of(i);
    asset.type = 1;
    asset.virtual_path = "Engine/Textures/Wood_" + std::to_string(i);
    asset.desc = TextureDesc{i + 1, 2, 1, 20, 3, 1};
    if (i > 0) asset.hard_dependencies.push_back(uuid_of(i / 2));
    if (i > 2) asset.soft_dependencies = {uuid_of(0), uuid_of(1)};
    assets.push_back(std::move(asset));
  }
  return assets;
}

// A file in aligned memory, as if mapped.
struct File {
  explicit File(const ByteVector& bytes) : words((bytes.size() + 7) / 8), size(bytes.size()) {
    std::memcpy(words.data(), bytes.data(), bytes.size());
  }
  ByteSpan span() const { return std::as_bytes(std::span(words)).first(size); }
  std::vector<std::uint64_t> words;
  std::size_t size;
};

File file_of(std::vector<Asset> assets, std::vector<Redirector> redirectors = {}) {
  auto bytes = write(std::move(assets), std::move(redirectors));
  EXPECT_TRUE(bytes) << bytes.error().to_string();
  return File(bytes ? *bytes : ByteVector());
}
std::string refusal(std::vector<Asset> assets, std::vector<Redirector> redirectors = {}) {
  const auto bytes = write(std::move(assets), std::move(redirectors));
  return bytes ? "accepted" : bytes.error().to_string();
}

TEST(Registry, finds_every_asset_by_uuid_and_by_path_in_any_case) {
  for (const std::uint32_t count : {0u, 1u, 2u, 63u, 64u, 1000u}) {
    const std::vector<Asset> assets = some_assets(count);
    const File file = file_of(assets);
    const auto view = View::open(file.span());
    ASSERT_TRUE(view) << view.error().to_string();
    EXPECT_TRUE(view->check()) << view->check().error().to_string();
    ASSERT_EQ(view->size(), count);
    for (const Asset& asset : assets) {
      const auto at = view->find(asset.uuid);
      ASSERT_TRUE(at);
      EXPECT_EQ(view->find(asset.virtual_path), at);
      std::string shouted = asset.virtual_path;
      std::ranges::transform(shouted, shouted.begin(), [](char c) { return static_cast<char>(std::toupper(c)); });
      EXPECT_EQ(view->find(shouted), at);
      const AssetView found = view->asset(*at);
      EXPECT_EQ(found.virtual_path, asset.virtual_path);
      EXPECT_EQ(found.desc, asset.desc);
      ASSERT_EQ(found.hard_dependencies.size(), asset.hard_dependencies.size());
      for (std::size_t i = 0; i < found.hard_dependencies.size(); ++i)
        EXPECT_EQ(view->uuid(found.hard_dependencies[i]), asset.hard_dependencies[i]);
      EXPECT_EQ(found.soft_dependencies.size(), asset.soft_dependencies.size());
    }
    EXPECT_FALSE(view->find(uuid_of(count + 7)));
    EXPECT_FALSE(view->find("Engine/Textures/Wood"));
    EXPECT_FALSE(view->find(""));
  }
}

TEST(Registry, is_a_function_of_the_set_of_assets) {
  std::vector<Asset> assets = some_assets(50);
  const std::vector<Redirector> redirectors{{uuid_of(90), uuid_of(3), "Engine/Old"}, {uuid_of(91), uuid_of(4), ""}};
  const auto first = write(assets, redirectors);
  std::ranges::reverse(assets);
  const auto second = write(assets, {redirectors[1], redirectors[0]});
  ASSERT_TRUE(first && second);
  EXPECT_EQ(*first, *second);
}

TEST(Registry, follows_redirectors_by_uuid_and_by_path) {
  const File file = file_of(some_assets(9), {{uuid_of(90), uuid_of(3), "Engine/Old"},
                                             {uuid_of(91), uuid_of(4), "Engine/Textures/Wood_1"},
                                             {uuid_of(92), uuid_of(77), "Engine/Elsewhere"}});
  const auto view = View::open(file.span());
  ASSERT_TRUE(view && view->check());
  EXPECT_EQ(view->redirector_count(), 2u) << "one redirects to an asset that this registry lacks";
  EXPECT_EQ(view->uuid(*view->find(uuid_of(90))), uuid_of(3));
  EXPECT_EQ(view->uuid(*view->find("engine/old")), uuid_of(3));
  EXPECT_EQ(view->uuid(*view->find("Engine/Textures/Wood_1")), uuid_of(1)) << "assets take precedence over redirectors";
  EXPECT_FALSE(view->find("Engine/Elsewhere"));
}

TEST(Registry, of_redirectors_that_lead_from_one_name_the_last_holds) {
  const File file = file_of(some_assets(9), {{uuid_of(90), uuid_of(3), "Engine/Old"},
                                             {uuid_of(91), uuid_of(4), "Engine/old"},
                                             {uuid_of(90), uuid_of(5), "Engine/Older"}});
  const auto view = View::open(file.span());
  ASSERT_TRUE(view && view->check());
  EXPECT_EQ(view->redirector_count(), 2u);
  EXPECT_EQ(view->uuid(*view->find(uuid_of(90))), uuid_of(5));
  EXPECT_EQ(view->uuid(*view->find("Engine/Old")), uuid_of(4));
}

TEST(Registry, refuses_what_nobody_could_look_up) {
  std::vector<Asset> twice = some_assets(3);
  twice.push_back(twice[1]);
  twice.back().virtual_path = "Engine/Copy";
  EXPECT_THAT(refusal(twice), HasSubstr("have the same UUID"));

  std::vector<Asset> same_path = some_assets(3);
  same_path[2].virtual_path = "ENGINE/textures/wood_0";
  EXPECT_THAT(refusal(same_path), HasSubstr("are the same virtual path except for letter case"));

  std::vector<Asset> dangling = some_assets(3);
  dangling[0].soft_dependencies.push_back(uuid_of(55));
  EXPECT_THAT(refusal(dangling), HasSubstr("depends on " + uuid_of(55).to_string()));

  std::vector<Asset> nameless = some_assets(1);
  nameless[0].virtual_path.clear();
  EXPECT_THAT(refusal(nameless), HasSubstr("expected 1 to 512"));
}

TEST(Registry, prints_a_circle_of_dependencies) {
  std::vector<Asset> assets = some_assets(4);
  for (Asset& asset : assets) {
    asset.hard_dependencies.clear();
    asset.soft_dependencies.clear();
  }
  assets[1].hard_dependencies = {uuid_of(2)};
  assets[2].soft_dependencies = {uuid_of(3)};
  assets[3].hard_dependencies = {uuid_of(1)};
  const std::string said = refusal(assets);
  for (const char* name : {"Wood_1", "Wood_2", "Wood_3"}) EXPECT_THAT(said, HasSubstr(name));
  EXPECT_THAT(said, testing::Not(HasSubstr("Wood_0")));
}

std::vector<std::string> tags_of(const AssetView& asset) {
  std::vector<std::string> tags;
  for (const std::string_view tag : asset.tags) tags.emplace_back(tag);
  return tags;
}

std::vector<Asset> tagged_assets() {
  std::vector<Asset> assets = some_assets(6);
  assets[1].tags = {"wood", "PBR", "Wood"};
  assets[2].tags = {"PBR", "Wood"};
  assets[3].container = assets[2].uuid;
  assets[4].outer_hard_dependencies = {uuid_of(70), uuid_of(71)};
  assets[4].outer_soft_dependencies = {uuid_of(72)};
  assets[4].tags = {"x"};
  return assets;
}

TEST(Registry, has_the_tags_containers_and_outer_dependencies_of_its_assets) {
  const File file = file_of(tagged_assets());
  const auto view = View::open(file.span());
  ASSERT_TRUE(view);
  ASSERT_TRUE(view->check()) << view->check().error().to_string();
  const auto asset = [&](std::uint32_t number) { return view->asset(*view->find(uuid_of(number))); };
  EXPECT_THAT(tags_of(asset(0)), testing::IsEmpty());
  EXPECT_TRUE(asset(0).tags.empty());
  EXPECT_FALSE(asset(0).tags.contains(""));
  EXPECT_FALSE(asset(0).container);
  EXPECT_THAT(tags_of(asset(1)), testing::ElementsAre("PBR", "Wood"));
  EXPECT_TRUE(asset(1).tags.contains("wOOD"));
  EXPECT_FALSE(asset(1).tags.contains("Woo"));
  EXPECT_FALSE(asset(1).tags.contains(""));
  EXPECT_EQ(asset(3).container, view->find(uuid_of(2)));
  ASSERT_EQ(asset(4).outer_hard_dependencies.size(), 2 * sizeof(Uuid));
  EXPECT_EQ(uuid_at(asset(4).outer_hard_dependencies, 1), uuid_of(71));
  EXPECT_EQ(uuid_at(asset(4).outer_soft_dependencies, 0), uuid_of(72));
  EXPECT_THAT(tags_of(asset(4)), testing::ElementsAre("x"));
}

TEST(Registry, stores_equal_tags_once_and_changes_nothing_without_them) {
  const ByteVector plain = write(some_assets(50), {}).value();
  std::vector<Asset> assets = some_assets(50);
  const std::string tag(200, 'a');
  for (Asset& asset : assets) asset.tags = {tag};
  EXPECT_LT(write(assets, {}).value().size(), plain.size() + 2 * tag.size());
}

TEST(Registry, refuses_wrong_tags_containers_and_outer_dependencies) {
  std::vector<Asset> assets = some_assets(3);
  assets[1].tags = {""};
  EXPECT_THAT(refusal(assets), HasSubstr("\"Engine/Textures/Wood_1\" has the tag \"\", expected 1 to 255 bytes"));
  assets[1].tags = {std::string(kMaxTagBytes + 1, 'a')};
  EXPECT_THAT(refusal(assets), HasSubstr("expected 1 to 255 bytes"));
  assets[1].tags = {std::string(1, '\0')};
  EXPECT_THAT(refusal(assets), HasSubstr("expected 1 to 255 bytes"));
  assets[1].tags.clear();
  for (int i = 0; i < 1000; ++i) assets[1].tags.push_back(std::string(100, 'a') + std::to_string(i));
  EXPECT_THAT(refusal(assets), HasSubstr("expected at most 65535"));
  assets = some_assets(3);
  assets[1].container = uuid_of(55);
  EXPECT_THAT(refusal(assets), HasSubstr("has the container " + uuid_of(55).to_string()));
  assets = some_assets(3);
  assets[1].outer_hard_dependencies = {uuid_of(2)};
  EXPECT_THAT(refusal(assets), HasSubstr("has the outer dependency " + uuid_of(2).to_string()));
}

std::vector<Asset> assets_with_lists() {
  std::vector<Asset> assets = some_assets(4);
  assets[0].desc = MeshDesc{3, 3, 2, 1, 1, {0, 0, 0}, {1, 1, 1}};
  assets[0].vertex_attributes = {{0, 0, 3, 0, 0, 16}, {1, 0, 16, 0, 12, 16}};
  assets[1].desc = MaterialDesc{0, 0, 2};
  assets[1].texture_bindings = {{7, uuid_of(2)}, {8, uuid_of(2)}};
  assets[1].tags = {"stone"};
  assets[1].container = assets[0].uuid;
  return assets;
}

TEST(Registry, has_the_vertex_formats_of_meshes_and_the_textures_of_materials) {
  const File file = file_of(assets_with_lists());
  const auto view = View::open(file.span());
  ASSERT_TRUE(view);
  ASSERT_TRUE(view->check()) << view->check().error().to_string();
  const auto asset = [&](std::uint32_t number) { return view->asset(*view->find(uuid_of(number))); };
  ASSERT_EQ(asset(0).vertex_attributes.size(), 2u);
  EXPECT_EQ(asset(0).vertex_attributes[1], (VertexAttribute{1, 0, 16, 0, 12, 16}));
  EXPECT_EQ(asset(0).texture_bindings.size(), 0u);
  ASSERT_EQ(asset(1).texture_bindings.size(), 2u);
  EXPECT_EQ(asset(1).texture_bindings[1], (TextureBinding{8, uuid_of(2)}));
  EXPECT_THAT(tags_of(asset(1)), testing::ElementsAre("stone"));
  EXPECT_EQ(asset(2).vertex_attributes.size(), 0u);
}

TEST(Registry, says_which_assets_lie_in_a_shared_file) {
  std::vector<Asset> assets = assets_with_lists();
  std::ranges::sort(assets, {}, &Asset::uuid);
  const Uuid name = uuid_of(99);
  for (std::size_t i = 0; i < assets.size(); ++i) {
    std::vector<Asset> all = assets;
    all[i].shared_file = name;
    const File file = file_of(all);
    const auto view = View::open(file.span());
    ASSERT_TRUE(view->check()) << view->check().error().to_string();
    for (std::uint32_t k = 0; k < view->size(); ++k) {
      const AssetView asset = view->asset(k);
      EXPECT_EQ(asset.shared_file, k == i ? name : Uuid());
      EXPECT_EQ(asset.vertex_attributes.size(), assets[k].vertex_attributes.size());
      EXPECT_EQ(asset.texture_bindings.size(), assets[k].texture_bindings.size());
      EXPECT_EQ(tags_of(asset), assets[k].tags);
    }
  }
  assets[1].shared_file = assets[2].uuid;
  EXPECT_THAT(refusal(assets), HasSubstr("which has the UUID of an asset"));
}

TEST(Registry, refuses_lists_of_other_types_and_wrong_values) {
  std::vector<Asset> assets = assets_with_lists();
  assets[3].vertex_attributes = assets[0].vertex_attributes;
  EXPECT_THAT(refusal(assets), HasSubstr("\"Engine/Textures/Wood_3\" has a list of 2 values"));
  assets = assets_with_lists();
  assets[1].texture_bindings.resize(65536, assets[1].texture_bindings[0]);
  EXPECT_THAT(refusal(assets), HasSubstr("has a list of 65536 values, expected at most 32767"));
  const auto damage = [](const std::vector<Asset>& damaged) {
    const File file = file_of(damaged);
    const auto fine = View::open(file.span()).value().check();
    return fine ? std::string("accepted") : fine.error().to_string();
  };
  assets = assets_with_lists();
  assets[0].vertex_attributes[1].offset_bytes = 16;
  EXPECT_THAT(damage(assets), HasSubstr("has a vertex attribute that is not in its vertex"));
  assets = assets_with_lists();
  assets[1].texture_bindings[1].texture = {};
  EXPECT_THAT(damage(assets), HasSubstr("has a binding without a texture"));
}

// A damaged More: lookups stay inside the file, and check() says what is wrong even if the hash was made to fit.
TEST(Registry, finds_a_damaged_more) {
  const ByteVector bytes = write(tagged_assets(), {}).value();
  const auto refusal_of = [](ByteVector changed) {
    const std::uint64_t hash = xxh3_64(ByteSpan(changed).subspan(sizeof(Header)));
    std::memcpy(changed.data() + 24, &hash, sizeof hash);
    const File file(changed);
    const auto view = View::open(file.span());
    if (!view) return view.error().to_string();
    for (std::uint32_t i = 0; i < view->size(); ++i) (void)tags_of(view->asset(i));
    const auto fine = view->check();
    return fine ? std::string("accepted") : fine.error().to_string();
  };
  ASSERT_EQ(refusal_of(bytes), "accepted");
  const File file(bytes);
  const View view = View::open(file.span()).value();
  // The first byte of the tags of asset 4, the only "x" with a zero byte on both sides.
  std::size_t x = 0;
  for (std::size_t at = 1; at + 1 < bytes.size(); ++at) {
    if (bytes[at] == std::byte{'x'} && bytes[at + 1] == std::byte{0}) x = at;
  }
  ASSERT_GT(x, 0u);
  const std::size_t more = x - 3 * sizeof(Uuid) - sizeof(More);
  const auto with = [&](std::size_t at, std::uint8_t value) {
    ByteVector changed = bytes;
    changed[at] = std::byte{value};
    return changed;
  };
  EXPECT_THAT(refusal_of(with(x + 1, 'y')), HasSubstr("do not fit in the text"));
  EXPECT_THAT(refusal_of(with(x, 0)), HasSubstr("has tags that are empty"));
  EXPECT_THAT(refusal_of(with(more, 200)), HasSubstr("do not fit in the text"));        // the container
  EXPECT_THAT(refusal_of(with(more + 5, 200)), HasSubstr("do not fit in the text"));    // the count of UUIDs
  EXPECT_THAT(refusal_of(with(more + 8, 2)), HasSubstr("has another number of tags"));  // the count of tags
  ByteVector own = bytes;
  std::memcpy(own.data() + more + sizeof(More), &view.uuid(0), sizeof(Uuid));
  EXPECT_THAT(refusal_of(own), HasSubstr("an asset of this registry"));
}

TEST(Registry, opens_no_part_of_a_file_and_no_newer_version) {
  const File file = file_of(some_assets(5));
  for (std::size_t size = 0; size < file.size; size += 8) EXPECT_FALSE(View::open(file.span().first(size))) << size;
  File newer = file;
  newer.words[0] = (newer.words[0] & 0xffffffffu) | std::uint64_t{kVersion + 1} << 32;
  const auto view = View::open(newer.span());
  ASSERT_FALSE(view);
  EXPECT_EQ(view.error().code, ErrorCode::kVersion);
  EXPECT_EQ(View::open(file.span().subspan(4)).error().code, ErrorCode::kInvalidData);
}

// Any changed byte: lookups stay inside the file, and check() finds the change.
TEST(Registry, finds_any_flipped_bit_and_survives_it) {
  std::vector<Asset> assets = some_assets(20);
  assets[7].tags = {"PBR", "Wood"};
  assets[8].container = assets[7].uuid;
  assets[9].outer_hard_dependencies = {uuid_of(91)};
  assets[10].desc = MaterialDesc{0, 0, 1};
  assets[10].texture_bindings = {{7, uuid_of(3)}};
  const File file = file_of(assets, {{uuid_of(90), uuid_of(3), "Engine/Old"}});
  for (std::size_t at = 0; at < file.size; ++at) {
    File damaged = file;
    reinterpret_cast<std::uint8_t*>(damaged.words.data())[at] ^= static_cast<std::uint8_t>(1u << at % 8);
    const auto view = View::open(damaged.span());
    if (!view) continue;
    EXPECT_FALSE(view->check()) << "byte " << at;
    for (std::uint32_t i = 0; i < view->size(); ++i) {
      const AssetView asset = view->asset(i);
      for (const std::uint32_t d : asset.hard_dependencies) EXPECT_LT(d, view->size());
      const auto found = view->find(asset.virtual_path);
      EXPECT_TRUE(!found || *found < view->size());
      for (const std::string& tag : tags_of(asset)) EXPECT_TRUE(asset.tags.contains(tag));
      EXPECT_TRUE(!asset.container || *asset.container < view->size());
    }
    for (const Asset& asset : assets) (void)view->find(asset.uuid);
  }
}

}  // namespace
}  // namespace assetc::registry
