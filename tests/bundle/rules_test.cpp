// Rules that divide the assets of a cook into bundles.
#include "bundle/rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "bundle/load_order.hpp"

namespace assetc::bundle {
namespace {

Uuid uuid(std::size_t number) {
  Uuid id;
  id.bytes[0] = 1;
  id.bytes[14] = static_cast<std::uint8_t>(number >> 8);
  id.bytes[15] = static_cast<std::uint8_t>(number);
  return id;
}

CookedAsset asset(std::size_t number, std::string path, std::string type = "Texture2D",
                  const std::vector<std::size_t>& needs = {}, std::vector<std::string> tags = {}) {
  CookedAsset out;
  out.uuid = uuid(number);
  out.type = std::move(type);
  out.virtual_path = std::move(path);
  for (const std::size_t need : needs) out.dependencies.push_back(uuid(need));
  out.tags = std::move(tags);
  return out;
}

const std::vector<CookedAsset>& game() {
  static const std::vector<CookedAsset> assets{
      asset(0, "Engine/Wood"),
      asset(1, "Engine/Planks", "Material", {0}),
      asset(2, "Demo/Minimal/Crate", "Mesh", {1, 3}, {"prop"}),
      asset(3, "Tools/Gizmo", "Material", {4}),
      asset(4, "Tools/Arrow"),
      asset(5, "demo/Large/Sky", "TextureCube", {}, {"sky", "prop"}),
  };
  return assets;
}

Rule rule(std::string name, const std::vector<std::pair<std::string_view, std::string>>& keys = {}) {
  Rule out;
  out.name = std::move(name);
  for (const auto& [key, value] : keys) {
    const auto set = set_rule(out, key, {value});
    EXPECT_TRUE(set) << set.error().to_string();
  }
  return out;
}

// Such as: "engine: 0 1; rest: 2 3", with the number of assets in no bundle at the end.
std::string shares(const std::vector<Rule>& rules, bool is_partial = false) {
  const auto division = divide(rules, game(), is_partial);
  if (!division) return division.error().to_string();
  std::string text;
  for (const Share& share : division->shares) {
    text += share.name + ":";
    for (const std::size_t i : share.assets) text += " " + std::to_string(i);
    text += share.pulled == 0 ? "; " : " (" + std::to_string(share.pulled) + " pulled); ";
  }
  return text + std::to_string(division->left);
}

TEST(BundleRules, select_by_prefix_tag_type_and_demo) {
  EXPECT_EQ(shares({rule("a", {{"prefix", "engine/*"}})}), "a: 0 1; 4");
  EXPECT_EQ(shares({rule("a", {{"type", "TextureCube"}})}), "a: 5; 5");
  EXPECT_EQ(shares({rule("a", {{"tag", "prop"}, {"dependencies", "leave"}})}), "a: 2 5; 4");
  EXPECT_EQ(shares({rule("a", {{"tag", "PROP"}, {"demo", "LARGE"}})}), "a: 5; 5");
  EXPECT_EQ(shares({rule("a")}), "a: 0 1 2 3 4 5; 0");
}

TEST(BundleRules, a_star_is_a_bundle_for_each_demo) {
  EXPECT_EQ(shares({rule("demo-*", {{"dependencies", "leave"}}), rule("rest")}),
            "demo-Large: 5; demo-Minimal: 2; rest: 0 1 3 4; 0");
}

TEST(BundleRules, what_no_bundle_has_is_pulled_along) {
  const Rule engine = rule("engine", {{"prefix", "Engine"}});
  EXPECT_EQ(shares({engine, rule("crate", {{"demo", "Minimal"}})}), "engine: 0 1; crate: 2 3 4 (2 pulled); 1");
  EXPECT_EQ(shares({engine, rule("crate", {{"demo", "Minimal"}, {"dependencies", "all"}})}),
            "engine: 0 1; crate: 0 1 2 3 4 (4 pulled); 1");
  EXPECT_EQ(shares({engine, rule("crate", {{"demo", "Minimal"}, {"dependencies", "leave"}})}),
            "engine: 0 1; crate: 2; 3");
  EXPECT_EQ(shares({engine, rule("crate", {{"demo", "Minimal"}, {"dependencies", "refuse"}})}),
            "the bundle \"crate\" has Demo/Minimal/Crate, which depends on Tools/Gizmo, and no bundle has that; add it "
            "to a bundle, or choose another value than refuse for dependencies");
  EXPECT_EQ(shares({rule("rest"), rule("crate", {{"demo", "Minimal"}, {"dependencies", "refuse"}})}),
            "rest: 0 1 3 4 5; crate: 2; 0");
}

TEST(BundleRules, that_match_nothing_are_refused_unless_not_all_was_cooked) {
  const std::vector<Rule> none{rule("a", {{"prefix", "Engin"}})};
  EXPECT_EQ(shares(none),
            "the bundle \"a\" has the prefix \"Engin\", which no asset has; a prefix is a virtual path, "
            "such as Engine/Textures");
  EXPECT_EQ(shares(none, true), "6");
  EXPECT_EQ(shares({rule("all", {{"prefix", "*"}}), rule("rest")}),
            "the bundle \"rest\" takes what no other bundle has, which is nothing; correct it, or limit it to other "
            "platforms with platform:");
  EXPECT_EQ(shares({rule("a", {{"type", "Audio"}})}),
            "the bundle \"a\" has no assets; correct it, or limit it to other platforms with platform:");
  EXPECT_EQ(shares({rule("demo-*"), rule("Demo-large", {{"type", "Mesh"}})}),
            "the bundle \"Demo-large\" makes Demo-large, as another rule does; choose another name");
}

TEST(BundleRules, values_are_checked) {
  const std::pair<std::string_view, std::vector<std::string>> bad[] = {
      {"type", {"Texture"}},      {"type", {}},        {"prefix", {""}},
      {"version", {"1.5"}},       {"version", {"-1"}}, {"version", {"1", "2"}},
      {"dependencies", {"pull"}}, {"tag", {"a", ""}},
  };
  for (const auto& [key, values] : bad) {
    Rule out;
    const auto set = set_rule(out, key, values);
    ASSERT_FALSE(set) << key;
    EXPECT_EQ(set.error().what.substr(0, key.size() + 9), std::string(key) + ": found \"");
  }
  for (const char* name : {"", "a/b", "..", ".a", "a*b*", "a:b", "a.", "\xC3\xA4", "a b"})
    EXPECT_FALSE(check_rules(std::vector{rule(name)})) << name;
  EXPECT_FALSE(check_rules(std::vector{rule("a"), rule("A")}));
  EXPECT_TRUE(check_rules(std::vector{rule("engine-1.0_x"), rule("demo-*")}));
}

TEST(LoadOrder, takes_paths_and_uuids_and_skips_what_is_not_there) {
  const std::string text = "\xEF\xBB\xBF# a trace\r\n\r\n  demo/minimal/CRATE \r\n" + uuid(0).to_string() +
                           "\nEngine/Gone\nDemo/Minimal/Crate\nTools/Arrow";
  const auto order = read_load_order(text, game());
  ASSERT_TRUE(order);
  EXPECT_EQ(*order, (std::vector<std::size_t>{2, 0, 4}));
  const auto none = read_load_order("Engine/Gone\n", game());
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().what, "names none of the assets");
}

// Random graphs and rules: with `all` every bundle is closed; with the default, what an asset of a bundle needs is in
// some bundle; each asset that a list selects is there.
TEST(BundleRules, no_dependency_is_lost) {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  for (int round = 0; round < 300; ++round) {
    std::vector<CookedAsset> assets;
    const std::size_t count = 1 + below(40);
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<std::size_t> needs;
      for (std::size_t k = below(4); k > 0 && i > 0; --k) needs.push_back(below(i));
      const std::string folder = below(2) == 0 ? "Demo/D" + std::to_string(below(3)) : "F" + std::to_string(below(4));
      assets.push_back(asset(i, folder + "/a" + std::to_string(i), "Mesh", needs));
    }
    std::vector<Rule> rules{rule("demo-*"), rule("f", {{"prefix", "F1"}})};
    for (Rule& one : rules) one.dependencies = below(2) == 0 ? Dependencies::kAll : Dependencies::kMissing;
    const auto division = divide(rules, assets, true);
    ASSERT_TRUE(division);
    std::vector<bool> is_somewhere(count);
    for (const Share& share : division->shares) {
      ASSERT_TRUE(std::ranges::is_sorted(share.assets));
      for (const std::size_t i : share.assets) is_somewhere[i] = true;
    }
    for (const Share& share : division->shares) {
      for (const std::size_t i : share.assets) {
        for (const Uuid& need : assets[i].dependencies) {
          const std::size_t at = need.bytes[14] * 256u + need.bytes[15];
          ASSERT_TRUE(is_somewhere[at]);
          ASSERT_TRUE(share.rule->dependencies != Dependencies::kAll || std::ranges::binary_search(share.assets, at));
        }
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_chosen = is_below(assets[i].virtual_path, "F1") || is_below(assets[i].virtual_path, "Demo");
      ASSERT_TRUE(!is_chosen || is_somewhere[i]);
    }
  }
}

}  // namespace
}  // namespace assetc::bundle
