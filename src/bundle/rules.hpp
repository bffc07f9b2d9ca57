// The rules by which a cook divides its assets into bundles: `bundles:` of a configuration.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "bundle/cooked.hpp"

namespace assetc::bundle {

// What happens to a hard dependency of a bundle's asset that is not in the bundle.
enum class Dependencies : std::uint8_t {
  kMissing,  // the bundle takes it if no bundle has it
  kAll,      // the bundle takes it, so that it can be used alone
  kRefuse,   // error if no bundle has it
  kLeave,    // nothing
};

// Selects the assets that match each list that is not empty. A rule without lists selects those that no other rule
// selects.
struct Rule {
  std::string name;                   // of the bundle and, with .pak, of its file; '*' stands for the name of each demo
  std::vector<std::string> prefixes;  // of virtual paths
  std::vector<std::string> tags;
  std::vector<std::string> types;      // "Texture2D"
  std::vector<std::string> demos;      // "Minimal": the assets of Demo/Minimal
  std::vector<std::string> platforms;  // that have the bundle; empty: all
  Dependencies dependencies = Dependencies::kMissing;
  std::uint64_t version = 1;  // of the bundle
  std::string order;          // file with the order in which a game loads assets; empty: none
  std::string place;          // where the configuration has this rule
};

// The keys of a rule besides its name: prefix, tag, type, demo, platform, dependencies, version and order.
std::span<const std::string_view> rule_keys();

// Sets one key of rule_keys(). Errors: kUsage. The message names the key, what was found and what was expected, but no
// file.
Result<void> set_rule(Rule& rule, std::string_view key, const std::vector<std::string>& values);

// Checks the names of rules: each must be a file's name, and different from the others if case is ignored. Errors:
// kUsage, at the place of the rule.
Result<void> check_rules(std::span<const Rule> rules);

struct Share {
  const Rule* rule = nullptr;
  std::string name;
  std::vector<std::size_t> assets;  // positions, ascending
  std::size_t pulled = 0;           // of these: assets that no list selects, but that others depend on
};

struct Division {
  std::vector<Share> shares;  // in the order of the rules; for each rule with a '*', in the order of demos
  std::size_t left = 0;       // assets in no share
};

// assets: of one platform. is_partial: rules that match nothing are left out; otherwise they are errors. Errors: kUsage
// at the place of a rule that matches nothing, or that lacks a dependency.
Result<Division> divide(std::span<const Rule> rules, std::span<const CookedAsset> assets, bool is_partial = false);

}  // namespace assetc::bundle
