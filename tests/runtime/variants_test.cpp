#include "runtime/mount/variants.hpp"

#include <gmock/gmock.h>

#include "runtime/allocations.hpp"
#include "runtime/notes.hpp"
#include "runtime/tree.hpp"

namespace assetc::runtime {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string parsed(std::string_view path) {
  const auto variant = parse_variant(path);
  if (!variant) return "none";
  std::string text = variant->asset;
  for (const std::string& qualifier : variant->qualifiers) text += " " + qualifier;
  return text;
}

TEST(Variants, have_their_qualifiers_in_any_name_of_the_path) {
  EXPECT_EQ(parsed("Engine/UI/Logo+DE"), "engine/ui/logo de");
  EXPECT_EQ(parsed("Engine/UI+de/Logo+low+x"), "engine/ui/logo de low x");
  EXPECT_EQ(parsed("ui/logo+de.ktx2"), "ui/logo.ktx2 de");
  EXPECT_EQ(parsed("+a/logo"), "none");
  EXPECT_EQ(parsed("a/+b/logo"), "none");
  EXPECT_EQ(parsed("a/logo+"), "none");
  EXPECT_EQ(parsed("a/logo++b"), "none");
  EXPECT_EQ(parsed("a/logo+.ktx2"), "none");
  EXPECT_EQ(parsed("a/logo"), "none");
  EXPECT_EQ(parsed(""), "none");
}

class VariantsOf : public testing::Test {
 protected:
  void add(std::uint32_t number, const std::string& path, aas1::Type type = aas1::Type::kRaw) {
    cooked_.add(uuid(number), {type, path, raw_blob(path), {}, {}});
  }
  void mount() {
    cooked_.put(files_);
    ASSERT_TRUE(catalog_.mount(files_.source(), Layout::kCooked, "cooked"));
  }
  std::string best(std::vector<std::string> qualifiers, const std::string& path = "Engine/UI/Logo") {
    catalog_.set_variants(std::move(qualifiers));
    const auto asset = catalog_.find_by_path(path);
    return asset ? std::string(catalog_.desc(*asset)->virtual_path) : "not found";
  }
  Files files_;
  Cooked cooked_;
  Catalog catalog_;
};

TEST_F(VariantsOf, an_asset_are_chosen_by_the_order_of_the_qualifiers) {
  add(1, "Engine/UI/Logo");
  add(2, "Engine/UI/Logo+de");
  add(3, "Engine/UI/Logo+low");
  add(4, "Engine/UI+DE/Logo+low");
  add(5, "Engine/UI/Logo+fr+deck");
  mount();
  EXPECT_EQ(catalog_.find_by_path("Engine/UI/Logo")->uuid, uuid(1));
  EXPECT_EQ(catalog_.find_by_path("Engine/UI/Logo+de")->uuid, uuid(2));
  EXPECT_EQ(best({}), "Engine/UI/Logo");
  EXPECT_EQ(best({"De"}), "Engine/UI/Logo+de");
  EXPECT_EQ(best({"low"}), "Engine/UI/Logo+low");
  EXPECT_EQ(best({"de", "low"}), "Engine/UI+DE/Logo+low");
  EXPECT_EQ(best({"fr", "low"}), "Engine/UI/Logo+low");
  EXPECT_EQ(best({"fr", "low", "deck"}), "Engine/UI/Logo+fr+deck");
  EXPECT_EQ(best({"low", "fr", "deck"}), "Engine/UI/Logo+low");
  EXPECT_EQ(best({"pl"}), "Engine/UI/Logo");
  // All names of the group lead to the best variant.
  EXPECT_EQ(best({"de"}, "Engine/UI/Logo+low"), "Engine/UI/Logo+de");
  EXPECT_EQ(catalog_.find(uuid(1))->uuid, uuid(2));
  EXPECT_EQ(catalog_.find(hash_asset_ref("Engine/UI/Logo"))->uuid, uuid(2));
  EXPECT_THAT(catalog_.list(), ElementsAre(AssetHandle{.uuid = uuid(2)}));
  EXPECT_EQ(best({}, "Engine/UI/Logo+low"), "Engine/UI/Logo");
  // Only the first 64 qualifiers count.
  std::vector<std::string> many(64, "x");
  many.emplace_back("de");
  EXPECT_EQ(best(many), "Engine/UI/Logo");
}

TEST_F(VariantsOf, another_type_or_of_no_asset_are_assets_of_their_own) {
  add(1, "Engine/UI/Logo");
  add(2, "Engine/UI/Logo+de", aas1::Type::kScript);
  add(3, "Engine/UI/Voice+de");
  mount();
  EXPECT_EQ(best({"de"}), "Engine/UI/Logo");
  EXPECT_EQ(best({"de"}, "Engine/UI/Logo+de"), "Engine/UI/Logo+de");
  EXPECT_EQ(best({"de"}, "Engine/UI/Voice"), "not found");
  EXPECT_EQ(best({"fr"}, "Engine/UI/Voice+de"), "Engine/UI/Voice+de");
  EXPECT_EQ(catalog_.list().size(), 3u);
}

TEST_F(VariantsOf, an_asset_may_come_from_any_mount) {
  add(1, "Engine/UI/Logo");
  mount();
  catalog_.set_variants({"de"});
  Cooked language;
  language.add(uuid(2), {aas1::Type::kRaw, "Engine/UI/Logo+de", raw_blob("Logo"), {}, {}});
  language.put(files_, "german/");
  ASSERT_TRUE(catalog_.mount(files_.source(), Layout::kCooked, "german", {.priority = -1}));
  EXPECT_EQ(catalog_.find(uuid(1))->uuid, uuid(2));
  // A mod replaces the variant by its path.
  Cooked mod;
  mod.add(uuid(3), {aas1::Type::kRaw, "Engine/UI/Logo+de", raw_blob("Mod"), {}, {}});
  mod.put(files_, "mod/");
  ASSERT_TRUE(catalog_.mount(files_.source(), Layout::kCooked, "mod", {.priority = 1}));
  EXPECT_EQ(catalog_.find(uuid(1))->uuid, uuid(3));
  EXPECT_EQ(catalog_.find(uuid(2))->uuid, uuid(3));
  ASSERT_TRUE(catalog_.unmount("mod"));
  ASSERT_TRUE(catalog_.unmount("german"));
  EXPECT_EQ(catalog_.find(uuid(1))->uuid, uuid(1));
}

TEST_F(VariantsOf, an_asset_are_looked_up_without_allocations) {
  add(1, "Engine/UI/Logo");
  add(2, "Engine/UI/Logo+de");
  mount();
  catalog_.set_variants({"de"});
  const std::size_t before = allocations;
  const auto found = catalog_.find_by_path("Engine/UI/Logo");
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(found->uuid, uuid(2));
}

TEST_F(Tree, variants_of_files_are_found_by_path_and_by_the_hash_in_a_material) {
  write("tree/models/chair/tex_0+low.ktx2", as_bytes("low"));
  Catalog catalog;
  ASSERT_TRUE(catalog.mount(roots()[0]));
  catalog.set_variants({"low"});
  for (const auto& asset :
       {catalog.find_by_path("models/chair/tex_0.ktx2"), catalog.find(hash_asset_ref("models/chair/tex_0")),
        catalog.find(hash_embed_ref("models/chair/tex_0.ktx2"))}) {
    ASSERT_TRUE(asset);
    EXPECT_EQ(as_text(catalog.read(*asset).value()), "low");
  }
}

class VariantReloads : public Managers {
 protected:
  void put(std::uint32_t number, std::string_view text, const std::string& path) {
    more.add(uuid(number), {kRaw, path, raw_blob(text), {}, {}});
    more.put(more_files, "more/");
  }
  Cooked more;
  Files more_files;
  std::vector<Uuid> reloaded;
};

TEST_F(VariantReloads, happen_behind_the_same_refs) {
  add(1, "user", {2});
  add(2, "plain");
  put(51, "german", "Demo/Notes/2+de");
  put(52, "french", "Demo/Notes/2+fr");
  ManagerOptions options{.io_thread = false, .frames_in_flight = 2};
  options.on_reloaded = [this](const AnyRef& asset, const AnyRef&) { reloaded.push_back(asset.handle().uuid); };
  start_notes(std::move(options));
  ASSERT_TRUE(manager->mount(more_files.source(), Layout::kCooked, "more"));
  const AssetRef<Note> user = ask(1), needed = ask(2);
  pump_until_done();
  EXPECT_EQ(needed.get()->text, "plain");

  manager->set_variants({"de"});
  pump_until_done();
  EXPECT_EQ(needed.get()->text, "german");
  EXPECT_THAT(reloaded, ElementsAre(uuid(2), uuid(1)));  // the engine hears of the dependent, too

  // A ref that was made while German was selected follows, too.
  const AssetRef<Note> again = ask(2);
  pump_until_done();
  EXPECT_EQ(again.get()->text, "german");
  manager->set_variants({"fr", "de"});
  pump_until_done();
  EXPECT_EQ(needed.get()->text, "french");
  EXPECT_EQ(again.get()->text, "french");
  manager->set_variants({});
  pump_until_done();
  EXPECT_EQ(needed.get()->text, "plain");
  EXPECT_EQ(again.get()->text, "plain");
  reloaded.clear();
  manager->set_variants({"pl"});
  pump_until_done();
  EXPECT_THAT(reloaded, IsEmpty());
  EXPECT_THAT(failures, IsEmpty());
}

// A better variant is built while the asset is in use.
TEST_F(VariantReloads, happen_for_a_new_variant) {
  add(2, "plain");
  put(52, "french", "Demo/Notes/2+fr");
  start_notes();
  ASSERT_TRUE(manager->mount(more_files.source(), Layout::kCooked, "more"));
  manager->set_variants({"de", "fr"});
  const AssetRef<Note> note = ask(2);
  pump_until_done();
  EXPECT_EQ(note.get()->text, "french");
  put(51, "german", "Demo/Notes/2+de");
  manager->changed({.written = {"Registry/AssetRegistry.bin", "Assets/" + uuid(51).to_string() + ".bin"}});
  pump_until_done();
  EXPECT_EQ(note.get()->text, "german");
}

// A mod's asset needs one of the game. The mod's registry does not have it.
TEST_F(VariantReloads, an_outer_dependency_is_loaded_from_another_mount) {
  add(2, "of the game");
  more.add(uuid(51), {kRaw, "Demo/Notes/Mod", raw_blob("mod"), {}, {}, {}, {}, {uuid(2)}, {}});
  more.put(more_files, "more/");
  start_notes();
  ASSERT_TRUE(manager->mount(more_files.source(), Layout::kCooked, "more", {.priority = 1}));
  const AssetRef<Note> mod = ask(51);
  pump_until_done();
  ASSERT_TRUE(mod.is_ready());
  const auto lines = log.lines();
  EXPECT_LT(std::ranges::find(lines, "decode of the game"), std::ranges::find(lines, "decode mod"));
  ASSERT_NE(std::ranges::find(lines, "decode of the game"), lines.end());
}

TEST_F(VariantReloads, without_the_game_an_outer_dependency_is_missing) {
  more.add(uuid(51), {kRaw, "Demo/Notes/Mod", raw_blob("mod"), {}, {}, {}, {}, {uuid(2)}, {}});
  more.put(more_files, "more/");
  start_notes();
  ASSERT_TRUE(manager->mount(more_files.source(), Layout::kCooked, "more", {.priority = 1}));
  const AssetRef<Note> mod = ask(51);
  pump_until_done();
  EXPECT_THAT(failures, testing::Not(IsEmpty()));
}

}  // namespace
}  // namespace assetc::runtime
