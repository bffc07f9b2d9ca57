#include "identity/sub_assets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "identity/virtual_path.hpp"

namespace assetc::identity {
namespace {

const Uuid kContainer = *Uuid::parse("9f98c213-65b0-4208-b9fd-5e9f2a7f9b20");

// The same call as an import with --prune makes for a container that stays or moves.
SubAssetMatch matched(const std::vector<SubAsset>& known, const std::vector<FoundSubAsset>& found,
                      const std::string& before = "Engine/Chair", const std::string& now = "Engine/Chair") {
  SubAssetMatch match = match_sub_assets(kContainer, known, found, true);
  std::set<std::string> taken;
  const ClaimPath claim = [&](const SubAsset&, const std::string& path) {
    return taken.insert(virtual_key(path)).second;
  };
  const std::vector<std::string> called{before};
  std::vector<std::size_t> renamed;
  for (std::size_t i = 0; i < match.sub_assets.size(); ++i) {
    SubAsset& part = match.sub_assets[i];
    if (follows(part, match.known_names[i], called, now)) {
      renamed.push_back(i);
    } else if (!part.virtual_path.empty()) {
      claim(part, part.virtual_path);
    }
  }
  for (const std::size_t i : renamed) rename_part(match.sub_assets[i], match.known_names[i], now, claim);
  name_new_parts(match.sub_assets, now, claim);
  return match;
}
std::string said(const SubAssetMatch& match) {
  std::string text;
  for (const SubAssetChange& c : match.changes) {
    static constexpr const char* kKinds[] = {"+", "-", "~"};
    text += kKinds[static_cast<int>(c.kind)] + c.type + " " + c.from + ">" + c.to + (c.by_content ? "*" : "") + "; ";
  }
  return text;
}

TEST(SubAssets, new_ones_are_named_by_the_container_their_name_and_type) {
  const SubAssetMatch match = matched({}, {{"Mesh", "Seat", "a"}, {"Material", "Wood", "b"}});
  EXPECT_EQ(said(match), "+Mesh >Seat; +Material >Wood; ");
  EXPECT_EQ(match.sub_assets[0].virtual_path, "Engine/Chair/Seat");
  EXPECT_EQ(match.sub_assets[0].uuid.version(), 5);
  // UUIDs are the same on every machine, and in every project that has the container.
  EXPECT_EQ(match.sub_assets[0].uuid, matched({}, {{"Mesh", "Seat", "z"}}).sub_assets[0].uuid);
}

TEST(SubAssets, absent_ones_stay_where_they_were) {
  const auto before =
      matched({}, {{"Mesh", "A", "a"}, {"Mesh", "B", "b"}, {"Mesh", "C", "c"}, {"Mesh", "D", "d"}}).sub_assets;
  const SubAssetMatch after = match_sub_assets(kContainer, before, std::vector<FoundSubAsset>{{"Mesh", "B", "b"}});
  EXPECT_EQ(said(after), "") << "nothing is removed";
  EXPECT_EQ(after.sub_assets, before);
  EXPECT_EQ(after.known_names, (std::vector<std::string>{"A", "B", "C", "D"}));
  std::vector<bool> absent;
  for (const SubAsset& part : after.sub_assets) absent.push_back(part.is_absent);
  EXPECT_EQ(absent, (std::vector<bool>{true, false, true, true}));
  // It returns with its UUID, and a new one never gets it.
  const SubAssetMatch back =
      match_sub_assets(kContainer, after.sub_assets,
                       std::vector<FoundSubAsset>{{"Mesh", "New", "n"}, {"Mesh", "D", "d2"}, {"Mesh", "B", "b"}});
  std::vector<std::string> names;
  for (const SubAsset& part : back.sub_assets) names.push_back(part.name + (part.is_absent ? "-" : ""));
  EXPECT_EQ(names, (std::vector<std::string>{"A-", "New", "D", "B", "C-"}));
  EXPECT_EQ(back.sub_assets[2].uuid, before[3].uuid);
  EXPECT_EQ(said(back), "+Mesh >New; ");
}

TEST(SubAssets, keep_their_uuids_when_reordered_and_changed) {
  const auto before = matched({}, {{"Mesh", "Seat", "a"}, {"Mesh", "Back", "b"}}).sub_assets;
  const SubAssetMatch after = matched(before, {{"Mesh", "Back", "c"}, {"Mesh", "Seat", "d"}});
  EXPECT_EQ(said(after), "");
  EXPECT_EQ(after.sub_assets[0].uuid, before[1].uuid);
  EXPECT_EQ(after.sub_assets[1].uuid, before[0].uuid);
}

TEST(SubAssets, a_renamed_one_is_known_by_its_content_then_by_its_place) {
  const auto before = matched({}, {{"Mesh", "Seat", "a"}, {"Mesh", "Back", "b"}, {"Mesh", "Leg", "c"}}).sub_assets;
  // Seat and Back exchanged places and names; Leg changed both its name and its content.
  const SubAssetMatch after = matched(before, {{"Mesh", "B", "b"}, {"Mesh", "S", "a"}, {"Mesh", "L", "z"}});
  EXPECT_EQ(said(after), "~Mesh Back>B*; ~Mesh Seat>S*; ~Mesh Leg>L; ");
  EXPECT_EQ(after.sub_assets[0].uuid, before[1].uuid);
  EXPECT_EQ(after.sub_assets[1].uuid, before[0].uuid);
  EXPECT_EQ(after.sub_assets[2].uuid, before[2].uuid);
  EXPECT_EQ(after.sub_assets[2].virtual_path, "Engine/Chair/L");
}

TEST(SubAssets, split_and_merge_keep_who_can_be_known) {
  const auto whole = matched({}, {{"Mesh", "Chair", "a"}}).sub_assets;
  const SubAssetMatch split = matched(whole, {{"Mesh", "Chair", "b"}, {"Mesh", "Chair_Back", "c"}});
  EXPECT_EQ(said(split), "+Mesh >Chair_Back; ");
  EXPECT_EQ(split.sub_assets[0].uuid, whole[0].uuid);
  const SubAssetMatch merged = matched(split.sub_assets, {{"Mesh", "Chair", "a"}});
  EXPECT_EQ(said(merged), "-Mesh Chair_Back>; ");
  EXPECT_EQ(merged.sub_assets[0].uuid, whole[0].uuid);
}

TEST(SubAssets, a_new_one_with_the_first_name_of_a_renamed_one_is_another) {
  const auto first = matched({}, {{"Mesh", "Seat", "a"}}).sub_assets;
  const auto renamed = matched(first, {{"Mesh", "Old", "a"}}).sub_assets;
  const auto both = matched(renamed, {{"Mesh", "Seat", "b"}, {"Mesh", "Old", "a"}}).sub_assets;
  EXPECT_EQ(both[1].uuid, first[0].uuid);
  EXPECT_NE(both[0].uuid, first[0].uuid);
}

TEST(SubAssets, what_shares_a_name_or_has_none_is_told_apart) {
  const auto assets = matched({}, {{"Mesh", "Wood", ""},
                                   {"Material", "Wood", ""},
                                   {"Mesh", "", ""},
                                   {"Mesh", "Twin", ""},
                                   {"Mesh", "Twin", ""}})
                          .sub_assets;
  std::set<Uuid> uuids;
  std::set<std::string> paths;
  for (const SubAsset& asset : assets) {
    uuids.insert(asset.uuid);
    paths.insert(virtual_key(asset.virtual_path));
    EXPECT_TRUE(check_virtual_path(asset.virtual_path)) << asset.virtual_path;
  }
  EXPECT_EQ(uuids.size(), 5u);
  EXPECT_EQ(paths.size(), 5u);
  EXPECT_EQ(assets[1].virtual_path, "Engine/Chair/Wood_Material");
  EXPECT_EQ(assets[2].name, "Mesh_1");
}

TEST(SubAssets, many_of_one_name_ask_for_few_paths_each) {
  constexpr std::size_t kParts = 5000;
  std::vector<SubAsset> parts(kParts, SubAsset{{}, "Mesh", "Box", {}, {}, {}});
  std::set<std::string> taken;
  std::size_t asked = 0;
  name_new_parts(parts, "Engine/Boxes", [&](const SubAsset&, const std::string& path) {
    ++asked;
    return taken.insert(virtual_key(path)).second;
  });
  EXPECT_EQ(taken.size(), kParts);
  EXPECT_LE(asked, 2 * kParts);
  EXPECT_EQ(parts[0].virtual_path, "Engine/Boxes/Box_Mesh");
  EXPECT_EQ(parts[kParts - 1].virtual_path, "Engine/Boxes/Box_Mesh_" + std::to_string(kParts));
  const auto match = matched({}, std::vector<FoundSubAsset>(kParts, {"Mesh", "Box", ""}));
  EXPECT_EQ(match.sub_assets.back().name, "Box_" + std::to_string(kParts));
}

TEST(SubAssets, a_virtual_path_that_a_person_chose_is_kept) {
  auto before = matched({}, {{"Mesh", "Seat", "a"}}).sub_assets;
  before[0].virtual_path = "Engine/Furniture/Best";
  const auto after = matched(before, {{"Mesh", "Sitz", "a"}}).sub_assets;
  EXPECT_EQ(after[0].virtual_path, "Engine/Furniture/Best");
}

TEST(SubAssets, an_older_one_keeps_its_path_from_a_newer_one_of_its_name) {
  const auto before = matched({}, {{"Mesh", "Wood", "a"}}).sub_assets;
  EXPECT_EQ(before[0].virtual_path, "Engine/Chair/Wood");
  const auto after = matched(before, {{"Material", "Wood", "b"}, {"Mesh", "Wood", "a"}}).sub_assets;
  EXPECT_EQ(after[0].virtual_path, "Engine/Chair/Wood_Material");
  EXPECT_EQ(after[1].virtual_path, "Engine/Chair/Wood");
  // Names whose virtual paths would be equal.
  const auto dots = matched(after, {{"Mesh", "Wood.", "c"}, {"Mesh", "Wood:", "d"}, {"Mesh", "Wood", "a"}}).sub_assets;
  EXPECT_EQ(dots[0].virtual_path, "Engine/Chair/Wood__Mesh");
  EXPECT_EQ(dots[1].virtual_path, "Engine/Chair/Wood__Mesh_2");
}

TEST(SubAssets, follow_their_container_but_where_a_person_chose) {
  auto before = matched({}, {{"Mesh", "Seat", "a"}, {"Material", "Seat", "b"}, {"Mesh", "Back", "c"}}).sub_assets;
  before[2].virtual_path = "Engine/Furniture/Back";
  const auto after = matched(before, {{"Mesh", "Seat", "a"}, {"Material", "Seat", "b"}, {"Mesh", "Back", "c"}},
                             "Engine/Chair", "Demo/Bar/Stool")
                         .sub_assets;
  EXPECT_EQ(after[0].virtual_path, "Demo/Bar/Stool/Seat_Mesh");
  EXPECT_EQ(after[1].virtual_path, "Demo/Bar/Stool/Seat_Material");
  EXPECT_EQ(after[2].virtual_path, "Engine/Furniture/Back");
}

// Any edits: no two sub-assets share a UUID, and those with the same name and type keep it.
TEST(SubAssets, identities_hold_through_random_edits) {
  std::mt19937 random(5);
  std::vector<SubAsset> known;
  for (int round = 0; round < 2000; ++round) {
    std::vector<FoundSubAsset> found;
    for (const SubAsset& asset : known) {
      const unsigned dice = random() % 10;
      if (dice == 0) continue;
      FoundSubAsset next{asset.type, asset.name, asset.fingerprint};
      if (dice == 1) next.name = "n" + std::to_string(random() % 12);
      if (dice == 2) next.fingerprint = std::to_string(random() % 6);
      found.push_back(next);
    }
    while (found.size() < random() % 8) {
      found.push_back({random() % 2 ? "Mesh" : "Material", random() % 4 ? "n" + std::to_string(random() % 12) : "",
                       std::to_string(random() % 6)});
    }
    std::shuffle(found.begin(), found.end(), random);
    const auto next = matched(known, found).sub_assets;
    ASSERT_EQ(next.size(), found.size());
    std::set<Uuid> uuids;
    std::set<std::pair<std::string, std::string>> names;
    for (const SubAsset& asset : next) {
      EXPECT_TRUE(uuids.insert(asset.uuid).second);
      EXPECT_TRUE(names.insert({asset.type, asset.name}).second);
      for (const SubAsset& old : known) {
        if (old.type == asset.type && old.name == asset.name) {
          EXPECT_EQ(old.uuid, asset.uuid) << round;
        }
      }
    }
    known = next;
  }
}

TEST(SubAssets, one_that_is_its_name_takes_no_other_place) {
  const auto first = matched({}, {{"Shader", "vertex", "a", "vertex"}}).sub_assets;
  const SubAssetMatch after = matched(first, {{"Shader", "mesh", "a", "mesh"}});
  EXPECT_EQ(said(after), "+Shader >mesh; -Shader vertex>; ");
  EXPECT_NE(after.sub_assets[0].uuid, first[0].uuid);
  EXPECT_EQ(matched(after.sub_assets, {{"Shader", "vertex", "", "vertex"}}).sub_assets[0].uuid, first[0].uuid);
}

}  // namespace
}  // namespace assetc::identity
