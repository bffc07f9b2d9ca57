// Converts between assetc.yml and Config.

#include <algorithm>
#include <iterator>
#include <map>
#include <span>

#include "base/ascii.hpp"
#include "engine/config/config.hpp"
#include "engine/config/parse_size.hpp"
#include "engine/config/platforms.hpp"
#include "engine/config/setting_groups.hpp"
#include "recipes/texture/usage.hpp"
#include "yaml/yaml.hpp"

namespace assetc::engine {
namespace {

using recipes::SettingField;

std::vector<std::string_view> names_in(std::string_view group) {
  std::vector<std::string_view> names;
  for (const SettingField& field : recipes::setting_fields()) {
    if (field.key.starts_with(group) && field.key[group.size()] == '.')
      names.push_back(field.key.substr(group.size() + 1));
  }
  return names;
}

std::string list_of(const std::vector<std::string_view>& words) {
  std::string text;
  for (std::string_view word : words) text.append(text.empty() ? "" : ", ").append(word);
  return text;
}

constexpr std::size_t kMaxConfigKeys = 10'000;

class Reader {
 public:
  // users: reads a user's configuration, which allows only `cache:`.
  explicit Reader(Config& config, bool users = false) : config_(config), users_(users) {}

  Result<void> root(const Yaml& node) {
    if (node.is_null()) return {};
    if (!node.is_block()) return wrong(node, "the file", "keys such as input:, default: and presets:");
    ASSETC_CHECK(each_key_once(node));
    for (const auto& [key_node, value] : node.members()) {
      ASSETC_TRY(const std::string key, name(key_node));
      if (users_ && key != "cache") {
        unknown(key_node, key, "", {"cache"});
      } else if (key == "input") {
        ASSETC_CHECK(text(value, key, "a directory", config_.input));
      } else if (key == "output") {
        ASSETC_CHECK(text(value, key, "a directory", config_.output));
      } else if (key == "preset") {
        ASSETC_CHECK(text(value, key, "the name of a preset", config_.preset));
      } else if (key == "pack") {
        ASSETC_CHECK(boolean(value, key, config_.pack));
      } else if (key == "integrity") {
        ASSETC_CHECK(boolean(value, key, config_.integrity));
      } else if (key == "licenses") {
        ASSETC_CHECK(licenses(value));
      } else if (key == "bundles") {
        ASSETC_CHECK(bundles(value));
      } else if (key == "links") {
        ASSETC_CHECK(links(value));
      } else if (key == "ignore") {
        ASSETC_CHECK(ignore(value));
      } else if (key == "prefer") {
        ASSETC_CHECK(prefer(value));
      } else if (key == "from") {
        ASSETC_CHECK(from(value));
      } else if (key == "suffixes") {
        ASSETC_CHECK(suffixes(value));
      } else if (key == "default") {
        ASSETC_CHECK(layer(value, key, config_.defaults, nullptr));
      } else if (key == "presets") {
        ASSETC_CHECK(presets(value));
      } else if (key == "platforms") {
        ASSETC_CHECK(platforms(value));
      } else if (key == "cooked") {
        ASSETC_CHECK(text(value, key, "a directory", config_.cooked));
      } else if (key == "base") {
        ASSETC_CHECK(text(value, key, "the cooked folder of a game", config_.base));
      } else if (key == "budgets") {
        ASSETC_CHECK(budgets(value));
      } else if (key == "accept") {
        ASSETC_CHECK(accept(value));
      } else if (key == "cache") {
        ASSETC_CHECK(cache(value));
      } else if (std::ranges::find(groups_, key) != groups_.end()) {
        return std::unexpected(Error{ErrorCode::kUsage, config_.file, key_node.place(),
                                     "found " + key + ": at the top level, expected it below default: or in a rule",
                                     "write \"default:\" above it, and indent it and its keys"});
      } else {
        unknown(key_node, key, "", {"input",     "output",   "pack",    "preset",  "ignore",    "prefer", "links",
                                    "suffixes",  "from",     "default", "presets", "platforms", "cooked", "base",
                                    "integrity", "licenses", "bundles", "budgets", "accept",    "cache"});
      }
    }
    return {};
  }

 private:
  std::unexpected<Error> wrong(const Yaml& node, std::string_view key, std::string_view expected) const {
    return std::unexpected(
        Error{ErrorCode::kUsage,
              config_.file,
              node.place(),
              std::string(key) + ": found " + node.describe() + ", expected " + std::string(expected),
              {}});
  }

  void unknown(const Yaml& node, const std::string& key, std::string_view where,
               const std::vector<std::string_view>& known) {
    const std::string_view near = did_you_mean(key, known);
    config_.diagnostics.push_back(
        {WarningKind::kUnknownSetting,
         Error{ErrorCode::kUsage, config_.file, node.place(),
               "unknown key \"" + std::string(where) + key + "\" is ignored",
               near.empty() ? "the keys here are: " + list_of(known) : "did you mean \"" + std::string(near) + "\"?"}});
  }

  Result<std::string> name(const Yaml& node) {
    if (!node.is_text()) return wrong(node, "a key", "a word");
    if (++keys_ > kMaxConfigKeys) {
      return std::unexpected(
          Error{ErrorCode::kLimit, config_.file, node.place(),
                "found more than " + std::to_string(kMaxConfigKeys) + " keys; keys of an alias count at each use",
                "move settings that many rules share to default:"});
    }
    return node.text();
  }

  // YAML forbids duplicate keys in a block, but the parser keeps the last value silently.
  Result<void> each_key_once(const Yaml& block) const {
    std::map<std::string, int> lines;
    for (const auto& [key_node, value] : block.members()) {
      if (!key_node.is_text()) continue;
      const auto [first, is_new] = lines.emplace(key_node.text(), key_node.line());
      if (is_new) continue;
      return std::unexpected(
          Error{ErrorCode::kUsage, config_.file, key_node.place(),
                "the key \"" + first->first + "\" is in this block already, on line " + std::to_string(first->second),
                "keep one of the two"});
    }
    return {};
  }

  Result<void> text(const Yaml& node, std::string_view key, std::string_view expected, std::string& out) const {
    if (!node.is_text() || node.text().empty()) return wrong(node, key, expected);
    out = node.text();
    return {};
  }

  Result<void> links(const Yaml& node) {
    const std::string text = node.is_text() ? node.text() : std::string();
    if (text != "inside" && text != "follow") return wrong(node, "links", "inside or follow");
    config_.follow_links = text == "follow";
    return {};
  }

  // `from: godot`, or `from: {unity: {guid: true}}`
  Result<void> from(const Yaml& node) {
    constexpr std::string_view kForm = "unity or godot";
    const std::vector<YamlMember> members = node.members();
    if (!node.is_text() && members.size() != 1) return wrong(node, "from", kForm);
    const Yaml& word = node.is_text() ? node : members.front().key;
    ASSETC_TRY(const std::string engine, name(word));
    if (engine != "unity" && engine != "godot") return wrong(word, "from", kForm);
    const bool is_unity = engine == "unity";
    config_.from.engine = is_unity ? importer::OtherEngine::kUnity : importer::OtherEngine::kGodot;
    if (node.is_text() || members.front().value.is_null()) return {};
    const Yaml& options = members.front().value;
    if (!options.is_block()) return wrong(options, "from." + engine, "a key such as guid: true");
    ASSETC_CHECK(each_key_once(options));
    for (const auto& [key_node, value] : options.members()) {
      ASSETC_TRY(const std::string key, name(key_node));
      if (is_unity && key == "guid") {
        ASSETC_CHECK(boolean(value, "from.unity.guid", config_.from.guid));
      } else {
        unknown(key_node, key, "from." + engine + ".", {"guid"});
      }
    }
    return {};
  }

  Result<void> boolean(const Yaml& node, const std::string& key, bool& out) {
    const std::string text = node.is_text() ? node.text() : std::string();
    if (text != "true" && text != "false") return wrong(node, key, "true or false");
    out = text == "true";
    return {};
  }

  Result<void> prefer(const Yaml& node) {
    const std::string expected = "a list of suffixes, the best first, e.g. [png, jpg]";
    if (!node.is_list()) return wrong(node, "prefer", expected);
    for (const Yaml& item : node.items()) {
      std::string suffix = item.is_text() ? ascii_lower(item.text()) : std::string();
      if (suffix.starts_with('.')) suffix.erase(0, 1);
      if (suffix.empty() || suffix.contains('.')) return wrong(item, "prefer", expected);
      config_.prefer.push_back(std::move(suffix));
    }
    return {};
  }

  Result<void> ignore(const Yaml& node) {
    if (node.is_text()) {
      config_.ignore.push_back(node.text());
      return {};
    }
    if (!node.is_list()) return wrong(node, "ignore", "a list of globs, e.g. [\"wip/*\", \"*.psd.png\"]");
    for (const Yaml& item : node.items()) {
      if (!item.is_text()) return wrong(item, "ignore", "a glob");
      config_.ignore.push_back(item.text());
    }
    return {};
  }

  // `suffixes: {normal: [nml, nmap]}`
  Result<void> suffixes(const Yaml& node) {
    if (!node.is_block()) return wrong(node, "suffixes", "usages and their suffixes, e.g. normal: [nml]");
    ASSETC_CHECK(each_key_once(node));
    for (const auto& [key_node, value] : node.members()) {
      ASSETC_TRY(const std::string key, name(key_node));
      const auto usage = scene::parse_usage(key, scene::kPictureUsages);
      if (!usage) return wrong(key_node, "suffixes", "color, linear, normal, gray, orm, hdr or lut");
      if (value.is_text()) {
        ASSETC_CHECK(suffix(value, *usage));
        continue;
      }
      if (!value.is_list()) return wrong(value, "suffixes." + key, "a list of suffixes, e.g. [nml]");
      for (const Yaml& item : value.items()) ASSETC_CHECK(suffix(item, *usage));
    }
    return {};
  }

  Result<void> suffix(const Yaml& node, recipes::TextureUsage usage) {
    const std::string word = node.is_text() ? recipes::suffix_word(node.text()) : std::string();
    if (word.empty()) return wrong(node, "suffixes", "the last word of a name, e.g. nml");
    if (const auto same = std::ranges::find(config_.suffixes, word, &recipes::NamedUsage::word);
        same != config_.suffixes.end()) {
      return wrong(node, "suffixes", "each suffix once: this one says " + std::string(to_string(same->usage)));
    }
    config_.suffixes.push_back({word, usage});
    return {};
  }

  // A later layer overrides an earlier one. Within one block there is no order, so two settings must not contradict.
  Result<void> agrees(const SettingField& field, const Yaml& value, const std::string& text,
                      std::span<const Assignment> block) const {
    for (const Assignment& other : block) {
      const SettingField& earlier = *recipes::find_setting(other.key);
      if (earlier.key == field.key || recipes::settings_agree(earlier, other.value, field, text)) continue;
      return std::unexpected(Error{ErrorCode::kUsage, config_.file, value.place(),
                                   std::string(field.key) + ": found \"" + text + "\" beside " + other.key + ": " +
                                       other.value + ", which contradicts it",
                                   "keep one of the two"});
    }
    return {};
  }

  // `texture: {compress: false}` in default:, a preset or a rule.
  Result<void> group(const Yaml& node, const std::string& group_name, std::vector<Assignment>& out) {
    if (node.is_null()) return {};
    if (!node.is_block()) return wrong(node, group_name, "keys such as " + list_of(names_in(group_name)));
    ASSETC_CHECK(each_key_once(node));
    const std::size_t before = out.size();
    for (const auto& [key_node, value] : node.members()) {
      ASSETC_TRY(const std::string key, name(key_node));
      const SettingField* field = recipes::find_setting(group_name + "." + key);
      if (field == nullptr) {
        unknown(key_node, key, group_name + ".", names_in(group_name));
        continue;
      }
      std::string text = value.is_text() ? value.text() : std::string();
      bool accepted_form = value.is_text();
      if (const std::vector<Yaml> items = value.items(); field->is_list && !items.empty()) {
        accepted_form = std::ranges::all_of(items, &Yaml::is_text);
        for (const Yaml& item : items) text.append(text.empty() ? "" : ", ").append(item.text());
      }
      if (!accepted_form) return wrong(value, field->key, field->values);
      recipes::Settings trial;
      if (auto accepted = field->set(trial, text); !accepted) {
        return std::unexpected(std::move(accepted).error().at(value.place()).in(config_.file));
      }
      ASSETC_CHECK(agrees(*field, value, text, std::span(out).subspan(before)));
      out.push_back({std::string(field->key), std::move(text), value.line()});
    }
    return {};
  }

  Result<void> rules(const Yaml& node, std::vector<Rule>& out) {
    if (node.is_null()) return {};
    if (!node.is_list()) return wrong(node, "rules", "a list of - match: ...");
    for (const Yaml& item : node.items()) {
      if (!item.is_block()) return wrong(item, "a rule", "match: and the settings it changes");
      ASSETC_CHECK(each_key_once(item));
      Rule rule;
      rule.line = item.line();
      bool matched = false;
      for (const auto& [key_node, value] : item.members()) {
        ASSETC_TRY(const std::string key, name(key_node));
        if (key == "match") {
          ASSETC_CHECK(text(value, "match", "a glob such as \"ui/*\"", rule.match));
          matched = true;
        } else if (std::ranges::find(groups_, key) != groups_.end()) {
          ASSETC_CHECK(group(value, key, rule.assignments));
        } else {
          auto known = groups_;
          known.insert(known.begin(), "match");
          unknown(key_node, key, "rules.", known);
        }
      }
      if (!matched) return wrong(item, "a rule", "a match: with a glob such as \"ui/*\"");
      out.push_back(std::move(rule));
    }
    return {};
  }

  // default: or one preset. `output` is null if the layer may not set an output.
  Result<void> layer(const Yaml& node, const std::string& where, Layer& out, std::optional<std::string>* output) {
    if (node.is_null()) return {};
    if (!node.is_block()) return wrong(node, where, "settings, e.g. texture: {compress: false}");
    ASSETC_CHECK(each_key_once(node));
    for (const auto& [key_node, value] : node.members()) {
      ASSETC_TRY(const std::string key, name(key_node));
      if (key == "rules") {
        ASSETC_CHECK(rules(value, out.rules));
      } else if (output != nullptr && key == "output") {
        std::string path;
        ASSETC_CHECK(text(value, where + ".output", "a directory", path));
        *output = std::move(path);
      } else if (std::ranges::find(groups_, key) != groups_.end()) {
        ASSETC_CHECK(group(value, key, out.globals));
      } else {
        auto known = groups_;
        known.push_back("rules");
        if (output != nullptr) known.push_back("output");
        unknown(key_node, key, where + ".", known);
      }
    }
    return {};
  }

  Result<void> presets(const Yaml& node) {
    if (node.is_null()) return {};
    if (!node.is_block()) return wrong(node, "presets", "named presets, e.g. mobile: {output: runtime/mobile}");
    ASSETC_CHECK(each_key_once(node));
    for (const auto& [key_node, value] : node.members()) {
      Preset preset;
      ASSETC_TRY(preset.name, name(key_node));
      preset.line = key_node.line();
      ASSETC_CHECK(layer(value, "presets." + preset.name, preset.layer, &preset.output));
      config_.presets.push_back(std::move(preset));
    }
    return {};
  }

  // `platforms: [Win64, Linux]`, or with settings: `platforms: {Mobile: {texture: {format: astc-4x4}}}`
  Result<void> platforms(const Yaml& node) {
    if (node.is_null()) return {};
    const auto add = [&](const Yaml& word) -> Result<Preset*> {
      ASSETC_TRY(const std::string platform, name(word));
      if (!is_platform_name(platform)) return wrong(word, "platforms", "names of letters and digits such as Win64");
      if (std::ranges::find(config_.platforms, platform, &Preset::name) != config_.platforms.end())
        return wrong(word, "platforms", "each platform once");
      config_.platforms.push_back({.name = platform, .layer = {}, .line = word.line()});
      return &config_.platforms.back();
    };
    if (node.is_list()) {
      for (const Yaml& item : node.items()) {
        if (!item.is_text()) return wrong(item, "platforms", "the name of a platform such as Win64");
        ASSETC_CHECK(add(item));
      }
      return {};
    }
    if (!node.is_block()) return wrong(node, "platforms", "platforms such as [Win64, Linux]");
    ASSETC_CHECK(each_key_once(node));
    for (const auto& [key_node, value] : node.members()) {
      ASSETC_TRY(Preset * platform, add(key_node));
      ASSETC_CHECK(layer(value, "platforms." + platform->name, platform->layer, nullptr));
    }
    return {};
  }

  // `budgets: [{match: "ui/*", kind: texture, memory: 64M}]`
  Result<void> budgets(const Yaml& node) {
    constexpr std::string_view kForm = "bounds such as {match: \"ui/*\", kind: texture, memory: 64M}";
    if (node.is_null()) return {};
    if (!node.is_list()) return wrong(node, "budgets", std::string("a list of ").append(kForm));
    for (const Yaml& item : node.items()) {
      if (!item.is_block()) return wrong(item, "a budget", kForm);
      ASSETC_CHECK(each_key_once(item));
      Budget budget;
      budget.place = item.place();
      for (const auto& [key_node, value] : item.members()) {
        ASSETC_TRY(const std::string key, name(key_node));
        const auto known = budget_keys();
        if (std::ranges::find(known, key) == known.end()) {
          unknown(key_node, key, "budgets.", {known.begin(), known.end()});
          continue;
        }
        if (!value.is_text()) return wrong(value, "budgets." + key, "one value");
        ASSETC_CHECK(located(set_budget(budget, key, value.text()), value));
      }
      if (!budget.bounds_something()) return wrong(item, "a budget", "bytes:, memory: or texture_size: in it");
      config_.budgets.push_back(std::move(budget));
    }
    return {};
  }

  // `accept: [{kind: merged-nodes, path: "models/*", reason: "sockets are bound by name"}]`
  Result<void> accept(const Yaml& node) {
    constexpr std::string_view kForm = "entries such as {kind: merged-nodes, path: \"models/*\", reason: why}";
    if (node.is_null()) return {};
    if (!node.is_list()) return wrong(node, "accept", std::string("a list of ").append(kForm));
    for (const Yaml& item : node.items()) {
      if (!item.is_block()) return wrong(item, "accept", kForm);
      ASSETC_CHECK(each_key_once(item));
      Acceptance entry;
      entry.place = item.place();
      for (const auto& [key_node, value] : item.members()) {
        ASSETC_TRY(const std::string key, name(key_node));
        if (!value.is_text()) return wrong(value, "accept." + key, "one value");
        ASSETC_CHECK(located(set_acceptance(entry, key, value.text()), key_node));
      }
      ASSETC_CHECK(located(check_acceptance(entry), item));
      config_.accept.push_back(std::move(entry));
    }
    return {};
  }

  // `licenses: {allow: [CC0-1.0, "Our own"]}`
  Result<void> licenses(const Yaml& node) {
    constexpr std::string_view kForm = "allow: with a list of licenses, such as [CC0-1.0, MIT]";
    if (node.is_null()) return {};
    if (!node.is_block()) return wrong(node, "licenses", kForm);
    ASSETC_CHECK(each_key_once(node));
    for (const auto& [key_node, value] : node.members()) {
      ASSETC_TRY(const std::string key, name(key_node));
      if (key != "allow") {
        unknown(key_node, key, "licenses.", {"allow"});
        continue;
      }
      if (!value.is_list()) return wrong(value, "licenses.allow", "a list of licenses");
      config_.licenses.emplace();
      for (const Yaml& item : value.items()) {
        if (!item.is_text()) return wrong(item, "licenses.allow", "the name of a license");
        config_.licenses->push_back(item.text());
      }
    }
    return {};
  }

  // `bundles: {engine: {prefix: Engine}, "demo-*": {}}`
  Result<void> bundles(const Yaml& node) {
    constexpr std::string_view kForm = "names of bundles, each with keys such as prefix: Engine";
    if (node.is_null()) return {};
    if (!node.is_block()) return wrong(node, "bundles", kForm);
    ASSETC_CHECK(each_key_once(node));
    for (const auto& [key_node, value] : node.members()) {
      bundle::Rule rule;
      ASSETC_TRY(rule.name, name(key_node));
      rule.place = key_node.place();
      if (!value.is_null() && !value.is_block()) return wrong(value, "bundles." + rule.name, "keys such as prefix:");
      if (value.is_block()) ASSETC_CHECK(each_key_once(value));
      for (const auto& [rule_key, list] : value.members()) {
        ASSETC_TRY(const std::string key, name(rule_key));
        const auto known = bundle::rule_keys();
        if (std::ranges::find(known, key) == known.end()) {
          unknown(rule_key, key, "bundles." + rule.name + ".", {known.begin(), known.end()});
          continue;
        }
        std::vector<std::string> values;
        ASSETC_CHECK(texts(list, "bundles." + rule.name + "." + key, "a text or a list of texts", values));
        ASSETC_CHECK(located(bundle::set_rule(rule, key, values), list));
      }
      config_.bundles.push_back(std::move(rule));
    }
    return located(bundle::check_rules(config_.bundles), node);
  }

  // Adds the file to an error, and the place of the node if it has none.
  Result<void> located(Result<void> done, const Yaml& node) const {
    if (done) return done;
    Error error = std::move(done).error();
    if (error.place.empty()) error.place = node.place();
    return std::unexpected(std::move(error).in(config_.file));
  }

  // `cache: {path: ../cache, size: 20G, remote: {url: https://cache.example}, trust: team.pub}`
  Result<void> cache(const Yaml& node) {
    if (node.is_null()) return {};
    if (!node.is_block()) return wrong(node, "cache", "keys such as path: and size:");
    ASSETC_CHECK(each_key_once(node));
    for (const auto& [key_node, value] : node.members()) {
      ASSETC_TRY(const std::string key, name(key_node));
      if (key == "path") {
        ASSETC_CHECK(text(value, "cache.path", "a folder, or off", config_.cache.path));
      } else if (key == "size") {
        std::string written;
        ASSETC_CHECK(text(value, "cache.size", "a size such as 10G", written));
        auto size = parse_size(written);
        if (!size) return std::unexpected(std::move(size).error().at(value.place()).in(config_.file));
        config_.cache.size_bytes = *size;
      } else if (key == "remote") {
        ASSETC_CHECK(remote_cache(value));
      } else if (key == "trust") {
        ASSETC_CHECK(texts(value, "cache.trust", "files of public keys", config_.cache.trust));
      } else if (key == "sign") {
        ASSETC_CHECK(only_users(value, "cache.sign"));
        ASSETC_CHECK(text(value, "cache.sign", "the file of a key", config_.cache.sign));
      } else {
        unknown(key_node, key, "cache.", {"path", "size", "remote", "trust", "sign"});
      }
    }
    return {};
  }

  Result<void> only_users(const Yaml& node, const std::string& key) const {
    if (users_) return {};
    return std::unexpected(Error{ErrorCode::kUsage, config_.file, node.place(),
                                 key + ": found in a project's configuration, expected only in a user's configuration",
                                 "put it into the user's ~/.config/assetc/config.yml"});
  }

  // A text or a list of texts.
  Result<void> texts(const Yaml& node, std::string_view key, std::string_view expected, std::vector<std::string>& out) {
    if (!node.is_list()) return text(node, key, expected, out.emplace_back());
    for (const Yaml& item : node.items()) ASSETC_CHECK(text(item, key, expected, out.emplace_back()));
    return {};
  }

  Result<void> remote_cache(const Yaml& node) {
    CacheSettings::Remote& remote = config_.cache.remote;
    if (node.is_text()) return text(node, "cache.remote", "a URL", remote.url);
    if (!node.is_block()) return wrong(node, "cache.remote", "a URL, or url: and mode:");
    ASSETC_CHECK(each_key_once(node));
    const std::pair<std::string_view, std::string*> files[] = {{"bearer_file", &remote.bearer_file},
                                                               {"basic_file", &remote.basic_file},
                                                               {"aws_file", &remote.aws_file},
                                                               {"certificate", &remote.certificate},
                                                               {"certificate_key", &remote.certificate_key},
                                                               {"authorities", &remote.authorities}};
    for (const auto& [key_node, value] : node.members()) {
      ASSETC_TRY(const std::string key, name(key_node));
      const auto file = std::ranges::find(files, key, [](const auto& f) { return f.first; });
      if (key == "url") {
        ASSETC_CHECK(text(value, "cache.remote.url", "a URL", remote.url));
      } else if (key == "endpoint") {
        ASSETC_CHECK(text(value, "cache.remote.endpoint", "the URL of a server", remote.endpoint));
      } else if (key == "region") {
        ASSETC_CHECK(text(value, "cache.remote.region", "the region of a bucket", remote.region));
      } else if (key == "mode") {
        std::string mode;
        ASSETC_CHECK(text(value, "cache.remote.mode", "read or read-write", mode));
        if (mode != "read" && mode != "read-write") return wrong(value, "cache.remote.mode", "read or read-write");
        remote.writes = mode == "read-write";
      } else if (key == "race") {
        std::string race;
        ASSETC_CHECK(text(value, "cache.remote.race", "on or off", race));
        if (race != "on" && race != "off") return wrong(value, "cache.remote.race", "on or off");
        remote.races = race == "on";
      } else if (file != std::end(files)) {
        ASSETC_CHECK(only_users(value, "cache.remote." + key));
        ASSETC_CHECK(text(value, "cache.remote." + key, "a file", *file->second));
      } else {
        unknown(key_node, key, "cache.remote.",
                {"url", "endpoint", "region", "mode", "race", "bearer_file", "basic_file", "aws_file", "certificate",
                 "certificate_key", "authorities"});
      }
    }
    return {};
  }

  Config& config_;
  const bool users_;
  std::size_t keys_ = 0;
  std::vector<std::string_view> groups_ = setting_groups();
};

}  // namespace

namespace {

Result<Config> parse(std::string_view yaml, const std::string& file, bool users) {
  Config config;
  config.file = file;
  const std::size_t slash = file.rfind('/');
  config.directory = slash == std::string::npos ? "." : slash == 0 ? "/" : file.substr(0, slash);
  auto node = Yaml::parse(yaml);
  if (!node) return std::unexpected(std::move(node).error().in(file));
  ASSETC_CHECK(Reader(config, users).root(*node));
  ASSETC_CHECK(check_presets_are_there(config));
  std::ranges::move(idle_settings(config), std::back_inserter(config.diagnostics));
  return config;
}

}  // namespace

Result<Config> parse_config(std::string_view yaml, const std::string& file) { return parse(yaml, file, false); }

Result<Config> load_user_config(Disk& disk, const std::string& file) {
  const auto bytes = disk.read(file);
  if (!bytes && bytes.error().code == ErrorCode::kNotFound) return Config();
  if (!bytes) return std::unexpected(Error(bytes.error()).in(file));
  return parse(as_text(*bytes), file, true);
}

}  // namespace assetc::engine
