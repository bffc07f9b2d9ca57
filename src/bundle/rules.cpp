#include "bundle/rules.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "assetc/formats/aas1_type.hpp"
#include "assetc/formats/pak.hpp"
#include "base/ascii.hpp"
#include "formats/message.hpp"

namespace assetc::bundle {
namespace {

using formats::message;
using formats::quote;

constexpr std::array<std::string_view, 8> kKeys{"prefix",   "tag",          "type",    "demo",
                                                "platform", "dependencies", "version", "order"};
constexpr std::size_t kMaxNameBytes = 64;  // of pak::Header::name

std::unexpected<Error> refuse(std::string_view key, std::string_view found, std::string_view expected) {
  return fail(ErrorCode::kUsage, message(key, ": found ", quote(found), ", expected ", expected));
}

std::unexpected<Error> refuse(const Rule& rule, std::string_view what, std::string_view hint) {
  return fail_at(ErrorCode::kUsage, rule.place, message("the bundle ", quote(rule.name), " ", what), hint);
}

bool is_type(std::string_view name) {
  for (unsigned number = 0; number <= std::numeric_limits<std::uint8_t>::max(); ++number) {
    if (aas1::type_name(static_cast<aas1::Type>(number)) == name) return !name.empty();
  }
  return false;
}

bool is_portable(std::string_view name) {
  const auto is_usual = [](char c) {
    const char lower = ascii_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.' || c == '*';
  };
  return std::ranges::all_of(name, is_usual) && std::ranges::count(name, '*') <= 1 && !name.starts_with('.') &&
         !name.ends_with('.');
}

bool is_same_word(std::string_view a, std::string_view b) { return ascii_lower(a) == ascii_lower(b); }

// "Minimal" of "Demo/Minimal/Lamp". Empty for an asset that belongs to no demo.
std::string_view demo_of(std::string_view virtual_path) {
  constexpr std::string_view kDemo = "demo/";
  if (virtual_path.size() <= kDemo.size() || !is_same_word(virtual_path.substr(0, kDemo.size()), kDemo)) return {};
  const std::string_view rest = virtual_path.substr(kDemo.size());
  const std::size_t slash = rest.find('/');
  return slash == std::string_view::npos ? std::string_view() : rest.substr(0, slash);
}

bool takes_the_rest(const Rule& rule) {
  return rule.prefixes.empty() && rule.tags.empty() && rule.types.empty() && rule.demos.empty() &&
         !rule.name.contains('*');
}

bool is_selected(const Rule& rule, const CookedAsset& asset) {
  const auto any = [](const std::vector<std::string>& list, const auto& matches) {
    return list.empty() || std::ranges::any_of(list, matches);
  };
  return any(rule.prefixes, [&](const std::string& p) { return is_below(asset.virtual_path, p); }) &&
         any(rule.types, [&](const std::string& type) { return type == asset.type; }) &&
         any(rule.demos, [&](const std::string& d) { return is_same_word(d, demo_of(asset.virtual_path)); }) &&
         any(rule.tags, [&](const std::string& t) {
           return std::ranges::any_of(asset.tags, [&](const std::string& own) { return is_same_word(own, t); });
         });
}

class Divider {
 public:
  Divider(std::span<const Rule> rules, std::span<const CookedAsset> assets, bool is_partial)
      : rules_(rules), assets_(assets), is_partial_(is_partial), owners_(assets.size()) {}

  Result<Division> run() {
    for (const Rule& rule : rules_) {
      if (!takes_the_rest(rule)) select(rule);
    }
    for (const Rule& rule : rules_) {
      if (takes_the_rest(rule)) select_rest(rule);
    }
    std::ranges::stable_sort(division_.shares, {}, &Share::rule);
    for (const Rule& rule : rules_) ASSETC_CHECK(check_matches(rule));
    std::set<std::string> names;
    for (const Share& share : division_.shares) {
      if (!names.insert(ascii_lower(share.name)).second)
        return refuse(*share.rule, "makes " + share.name + ", as another rule does", "choose another name");
    }
    for (std::size_t i = 0; i < assets_.size(); ++i) numbers_.emplace(assets_[i].uuid, i);
    is_in_one_ = owners_;
    for (Share& share : division_.shares) ASSETC_CHECK(add_dependencies(share));
    division_.left = static_cast<std::size_t>(std::ranges::count(owners_, false));
    return std::move(division_);
  }

 private:
  void select(const Rule& rule) {
    std::map<std::string, Share> by_name;  // of demos, in lower case; a single one without a name if there is no '*'
    for (std::size_t i = 0; i < assets_.size(); ++i) {
      if (!is_selected(rule, assets_[i])) continue;
      const std::size_t star = rule.name.find('*');
      const std::string_view demo = star == std::string::npos ? "" : demo_of(assets_[i].virtual_path);
      if (star != std::string::npos && demo.empty()) continue;
      Share& share = by_name[ascii_lower(demo)];
      if (share.rule == nullptr) {
        share.rule = &rule;
        share.name = rule.name;
        if (star != std::string::npos) share.name.replace(star, 1, demo);
      }
      share.assets.push_back(i);
      owners_[i] = true;
    }
    for (auto& [name, share] : by_name) division_.shares.push_back(std::move(share));
  }

  void select_rest(const Rule& rule) {
    Share share{&rule, rule.name, {}, 0};
    for (std::size_t i = 0; i < assets_.size(); ++i) {
      if (owners_[i]) continue;
      share.assets.push_back(i);
      owners_[i] = true;
    }
    if (!share.assets.empty()) division_.shares.push_back(std::move(share));
  }

  // A prefix that matches nothing is probably misspelled. Lists of types and tags may be longer than what there is.
  Result<void> check_matches(const Rule& rule) const {
    if (is_partial_) return {};
    for (const std::string& prefix : rule.prefixes) {
      if (std::ranges::none_of(assets_, [&](const CookedAsset& a) { return is_below(a.virtual_path, prefix); }))
        return refuse(rule, "has the prefix " + quote(prefix) + ", which no asset has",
                      "a prefix is a virtual path, such as Engine/Textures");
    }
    if (std::ranges::find(division_.shares, &rule, &Share::rule) != division_.shares.end()) return {};
    return refuse(rule, takes_the_rest(rule) ? "takes what no other bundle has, which is nothing" : "has no assets",
                  "correct it, or limit it to other platforms with platform:");
  }

  Result<void> add_dependencies(Share& share) {
    const Dependencies rule = share.rule->dependencies;
    if (rule == Dependencies::kLeave) return {};
    std::set<std::size_t> inside(share.assets.begin(), share.assets.end());
    std::vector<std::size_t> open = share.assets;
    while (!open.empty()) {
      const std::size_t from = open.back();
      open.pop_back();
      for (const Uuid& needed : assets_[from].dependencies) {
        const auto at = numbers_.find(needed);
        if (at == numbers_.end() || inside.contains(at->second)) continue;  // what is outside is in another cook
        if (rule != Dependencies::kAll && is_in_one_[at->second]) continue;
        if (rule == Dependencies::kRefuse) {
          return refuse(*share.rule,
                        "has " + assets_[from].virtual_path + ", which depends on " + assets_[at->second].virtual_path +
                            ", and no bundle has that",
                        "add it to a bundle, or choose another value than refuse for dependencies");
        }
        inside.insert(at->second);
        open.push_back(at->second);
        owners_[at->second] = true;
        ++share.pulled;
      }
    }
    share.assets.assign(inside.begin(), inside.end());
    return {};
  }

  std::span<const Rule> rules_;
  std::span<const CookedAsset> assets_;
  bool is_partial_;
  std::vector<bool> owners_;     // whether a share has the asset
  std::vector<bool> is_in_one_;  // whether a list selects the asset
  std::unordered_map<Uuid, std::size_t> numbers_;
  Division division_;
};

}  // namespace

std::span<const std::string_view> rule_keys() { return kKeys; }

Result<void> set_rule(Rule& rule, std::string_view key, const std::vector<std::string>& values) {
  for (const std::string& value : values) {
    if (value.empty()) return refuse(key, value, "a value");
  }
  const auto put = [&](std::vector<std::string>& list, const auto& is_right,
                       std::string_view expected) -> Result<void> {
    for (const std::string& value : values) {
      if (!is_right(value)) return refuse(key, value, expected);
    }
    list = values;
    return values.empty() ? refuse(key, "", expected) : Result<void>();
  };
  const auto any = [](std::string_view) { return true; };
  if (key == "prefix") return put(rule.prefixes, any, "virtual paths such as Engine/Textures");
  if (key == "tag") return put(rule.tags, any, "tags of .meta files");
  if (key == "type") return put(rule.types, is_type, "types of assets such as Texture2D, Mesh or Audio");
  if (key == "demo") return put(rule.demos, any, "names of demos");
  if (key == "platform") return put(rule.platforms, any, "names of platforms");
  const std::string value = values.size() == 1 ? values.front() : std::string();
  if (key == "version") {
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), rule.version);
    if (value.empty() || error != std::errc() || end != value.data() + value.size())
      return refuse(key, value, "a whole number");
    return {};
  }
  if (key == "order") {
    if (value.empty()) return refuse(key, value, "one file");
    rule.order = value;
    return {};
  }
  constexpr std::array<std::string_view, 4> kDependencies{"missing", "all", "refuse", "leave"};
  const auto at = std::ranges::find(kDependencies, value);
  if (at == kDependencies.end()) return refuse(key, value, "missing, all, refuse or leave");
  rule.dependencies = static_cast<Dependencies>(at - kDependencies.begin());
  return {};
}

Result<void> check_rules(std::span<const Rule> rules) {
  std::set<std::string> names;
  for (const Rule& rule : rules) {
    if (const auto fault = pak::name_fault(rule.name, kMaxNameBytes); !fault.empty())
      return refuse(rule, message("has a name that ", fault), "choose another name");
    if (!is_portable(rule.name))
      return refuse(rule, "has a name that is not the name of a file on every system",
                    "use letters, digits, '-' and '_', and at most one '*', for the name of each demo");
    if (!names.insert(ascii_lower(rule.name)).second)
      return refuse(rule, "is named like another, if case is ignored", "choose another name");
  }
  return {};
}

Result<Division> divide(std::span<const Rule> rules, std::span<const CookedAsset> assets, bool is_partial) {
  return Divider(rules, assets, is_partial).run();
}

}  // namespace assetc::bundle
