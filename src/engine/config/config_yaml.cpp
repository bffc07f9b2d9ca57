// Converts between assetc.yml and Config. No other file uses the YAML library.
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <span>

#include "base/ascii.hpp"
#include "engine/config/config.hpp"
#include "engine/config/parse_size.hpp"
#include "engine/config/platforms.hpp"
#include "recipes/texture/usage.hpp"

namespace assetc::engine {
namespace {

using recipes::SettingField;

std::vector<std::string_view> setting_groups() {
  std::vector<std::string_view> groups;
  for (const SettingField& field : recipes::setting_fields()) {
    const std::string_view group = field.key.substr(0, field.key.find('.'));
    if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
  }
  return groups;
}

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

std::string describe(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Scalar:
      return "\"" + node.Scalar() + "\"";
    case YAML::NodeType::Sequence:
      return "a list";
    case YAML::NodeType::Map:
      return "a block of keys";
    default:
      return "nothing";
  }
}

constexpr std::size_t kMaxConfigKeys = 10'000;

class Reader {
 public:
  // users: reads a user's configuration, which allows only `cache:`.
  explicit Reader(Config& config, bool users = false) : config_(config), users_(users) {}

  Result<void> root(const YAML::Node& node) {
    if (node.IsNull()) return {};
    if (!node.IsMap()) return wrong(node, "the file", "keys such as input:, default: and presets:");
    ASSETC_CHECK(each_key_once(node));
    for (const auto& entry : node) {
      ASSETC_TRY(const std::string key, name(entry.first));
      const YAML::Node& value = entry.second;
      if (users_ && key != "cache") {
        unknown(entry.first, key, "", {"cache"});
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
      } else if (key == "links") {
        ASSETC_CHECK(links(value));
      } else if (key == "ignore") {
        ASSETC_CHECK(ignore(value));
      } else if (key == "prefer") {
        ASSETC_CHECK(prefer(value));
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
      } else {
        unknown(entry.first, key, "",
                {"input", "output", "pack", "preset", "ignore", "prefer", "links", "suffixes", "default", "presets",
                 "platforms", "cooked", "base", "integrity", "budgets", "accept", "cache"});
      }
    }
    return {};
  }

 private:
  static int line_of(const YAML::Node& node) { return node.Mark().line + 1; }
  std::string place(const YAML::Node& node) const { return "line " + std::to_string(line_of(node)); }

  std::unexpected<Error> wrong(const YAML::Node& node, std::string_view key, std::string_view expected) const {
    return std::unexpected(Error{ErrorCode::kUsage,
                                 config_.file,
                                 place(node),
                                 std::string(key) + ": found " + describe(node) + ", expected " + std::string(expected),
                                 {}});
  }

  void unknown(const YAML::Node& node, const std::string& key, std::string_view where,
               const std::vector<std::string_view>& known) {
    const std::string_view near = did_you_mean(key, known);
    config_.diagnostics.push_back(
        {WarningKind::kUnknownSetting,
         Error{ErrorCode::kUsage, config_.file, place(node),
               "unknown key \"" + std::string(where) + key + "\" is ignored",
               near.empty() ? "the keys here are: " + list_of(known) : "did you mean \"" + std::string(near) + "\"?"}});
  }

  Result<std::string> name(const YAML::Node& node) {
    if (!node.IsScalar()) return wrong(node, "a key", "a word");
    if (++keys_ > kMaxConfigKeys) {
      return std::unexpected(
          Error{ErrorCode::kLimit, config_.file, place(node),
                "found more than " + std::to_string(kMaxConfigKeys) + " keys; keys of an alias count at each use",
                "move settings that many rules share to default:"});
    }
    return node.Scalar();
  }

  // YAML forbids duplicate keys in a block, but the parser keeps the last value silently.
  Result<void> each_key_once(const YAML::Node& block) const {
    std::map<std::string, int> lines;
    for (const auto& entry : block) {
      if (!entry.first.IsScalar()) continue;
      const auto [first, is_new] = lines.emplace(entry.first.Scalar(), line_of(entry.first));
      if (is_new) continue;
      return std::unexpected(
          Error{ErrorCode::kUsage, config_.file, place(entry.first),
                "the key \"" + first->first + "\" is in this block already, on line " + std::to_string(first->second),
                "keep one of the two"});
    }
    return {};
  }

  Result<void> text(const YAML::Node& node, std::string_view key, std::string_view expected, std::string& out) const {
    if (!node.IsScalar() || node.Scalar().empty()) return wrong(node, key, expected);
    out = node.Scalar();
    return {};
  }

  Result<void> links(const YAML::Node& node) {
    const std::string text = node.IsScalar() ? node.Scalar() : std::string();
    if (text != "inside" && text != "follow") return wrong(node, "links", "inside or follow");
    config_.follow_links = text == "follow";
    return {};
  }

  Result<void> boolean(const YAML::Node& node, const std::string& key, bool& out) {
    const std::string text = node.IsScalar() ? node.Scalar() : std::string();
    if (text != "true" && text != "false") return wrong(node, key, "true or false");
    out = text == "true";
    return {};
  }

  Result<void> prefer(const YAML::Node& node) {
    const std::string expected = "a list of suffixes, the best first, e.g. [png, jpg]";
    if (!node.IsSequence()) return wrong(node, "prefer", expected);
    for (const YAML::Node& item : node) {
      std::string suffix = item.IsScalar() ? ascii_lower(item.Scalar()) : std::string();
      if (suffix.starts_with('.')) suffix.erase(0, 1);
      if (suffix.empty() || suffix.contains('.')) return wrong(item, "prefer", expected);
      config_.prefer.push_back(std::move(suffix));
    }
    return {};
  }

  Result<void> ignore(const YAML::Node& node) {
    if (node.IsScalar()) {
      config_.ignore.push_back(node.Scalar());
      return {};
    }
    if (!node.IsSequence()) return wrong(node, "ignore", "a list of globs, e.g. [\"wip/*\", \"*.psd.png\"]");
    for (const YAML::Node& item : node) {
      if (!item.IsScalar()) return wrong(item, "ignore", "a glob");
      config_.ignore.push_back(item.Scalar());
    }
    return {};
  }

  // `suffixes: {normal: [nml, nmap]}`
  Result<void> suffixes(const YAML::Node& node) {
    if (!node.IsMap()) return wrong(node, "suffixes", "usages and their suffixes, e.g. normal: [nml]");
    ASSETC_CHECK(each_key_once(node));
    for (const auto& entry : node) {
      ASSETC_TRY(const std::string key, name(entry.first));
      const auto usage = scene::parse_usage(key, scene::kPictureUsages);
      if (!usage) return wrong(entry.first, "suffixes", "color, linear, normal, gray, orm, hdr or lut");
      const YAML::Node& value = entry.second;
      if (value.IsScalar()) {
        ASSETC_CHECK(suffix(value, *usage));
        continue;
      }
      if (!value.IsSequence()) return wrong(value, "suffixes." + key, "a list of suffixes, e.g. [nml]");
      for (const YAML::Node& item : value) ASSETC_CHECK(suffix(item, *usage));
    }
    return {};
  }

  Result<void> suffix(const YAML::Node& node, recipes::TextureUsage usage) {
    const std::string word = node.IsScalar() ? recipes::suffix_word(node.Scalar()) : std::string();
    if (word.empty()) return wrong(node, "suffixes", "the last word of a name, e.g. nml");
    if (const auto same = std::ranges::find(config_.suffixes, word, &recipes::NamedUsage::word);
        same != config_.suffixes.end()) {
      return wrong(node, "suffixes", "each suffix once: this one says " + std::string(to_string(same->usage)));
    }
    config_.suffixes.push_back({word, usage});
    return {};
  }

  // A later layer overrides an earlier one. Within one block there is no order, so two settings must not contradict.
  Result<void> agrees(const SettingField& field, const YAML::Node& value, const std::string& text,
                      std::span<const Assignment> block) const {
    for (const Assignment& other : block) {
      const SettingField& earlier = *recipes::find_setting(other.key);
      if (earlier.key == field.key || recipes::settings_agree(earlier, other.value, field, text)) continue;
      return std::unexpected(Error{ErrorCode::kUsage, config_.file, place(value),
                                   std::string(field.key) + ": found \"" + text + "\" beside " + other.key + ": " +
                                       other.value + ", which contradicts it",
                                   "keep one of the two"});
    }
    return {};
  }

  // `texture: {compress: false}` in default:, a preset or a rule.
  Result<void> group(const YAML::Node& node, const std::string& group_name, std::vector<Assignment>& out) {
    if (node.IsNull()) return {};
    if (!node.IsMap()) return wrong(node, group_name, "keys such as " + list_of(names_in(group_name)));
    ASSETC_CHECK(each_key_once(node));
    const std::size_t before = out.size();
    for (const auto& entry : node) {
      ASSETC_TRY(const std::string key, name(entry.first));
      const SettingField* field = recipes::find_setting(group_name + "." + key);
      if (field == nullptr) {
        unknown(entry.first, key, group_name + ".", names_in(group_name));
        continue;
      }
      const YAML::Node& value = entry.second;
      std::string text = value.IsScalar() ? value.Scalar() : std::string();
      bool accepted_form = value.IsScalar();
      if (field->is_list && value.IsSequence() && value.size() != 0) {
        accepted_form = std::all_of(value.begin(), value.end(), [](const YAML::Node& item) { return item.IsScalar(); });
        for (const YAML::Node& item : value)
          text.append(text.empty() ? "" : ", ").append(accepted_form ? item.Scalar() : "");
      }
      if (!accepted_form) return wrong(value, field->key, field->values);
      recipes::Settings trial;
      if (auto accepted = field->set(trial, text); !accepted) {
        return std::unexpected(std::move(accepted).error().at(place(value)).in(config_.file));
      }
      ASSETC_CHECK(agrees(*field, value, text, std::span(out).subspan(before)));
      out.push_back({std::string(field->key), std::move(text), line_of(value)});
    }
    return {};
  }

  Result<void> rules(const YAML::Node& node, std::vector<Rule>& out) {
    if (node.IsNull()) return {};
    if (!node.IsSequence()) return wrong(node, "rules", "a list of - match: ...");
    for (const YAML::Node& item : node) {
      if (!item.IsMap()) return wrong(item, "a rule", "match: and the settings it changes");
      ASSETC_CHECK(each_key_once(item));
      Rule rule;
      rule.line = line_of(item);
      bool matched = false;
      for (const auto& entry : item) {
        ASSETC_TRY(const std::string key, name(entry.first));
        if (key == "match") {
          ASSETC_CHECK(text(entry.second, "match", "a glob such as \"ui/*\"", rule.match));
          matched = true;
        } else if (std::ranges::find(groups_, key) != groups_.end()) {
          ASSETC_CHECK(group(entry.second, key, rule.assignments));
        } else {
          auto known = groups_;
          known.insert(known.begin(), "match");
          unknown(entry.first, key, "rules.", known);
        }
      }
      if (!matched) return wrong(item, "a rule", "a match: with a glob such as \"ui/*\"");
      out.push_back(std::move(rule));
    }
    return {};
  }

  // default: or one preset. `output` is null if the layer may not set an output.
  Result<void> layer(const YAML::Node& node, const std::string& where, Layer& out, std::optional<std::string>* output) {
    if (node.IsNull()) return {};
    if (!node.IsMap()) return wrong(node, where, "settings, e.g. texture: {compress: false}");
    ASSETC_CHECK(each_key_once(node));
    for (const auto& entry : node) {
      ASSETC_TRY(const std::string key, name(entry.first));
      if (key == "rules") {
        ASSETC_CHECK(rules(entry.second, out.rules));
      } else if (output != nullptr && key == "output") {
        std::string path;
        ASSETC_CHECK(text(entry.second, where + ".output", "a directory", path));
        *output = std::move(path);
      } else if (std::ranges::find(groups_, key) != groups_.end()) {
        ASSETC_CHECK(group(entry.second, key, out.globals));
      } else {
        auto known = groups_;
        known.push_back("rules");
        if (output != nullptr) known.push_back("output");
        unknown(entry.first, key, where + ".", known);
      }
    }
    return {};
  }

  Result<void> presets(const YAML::Node& node) {
    if (node.IsNull()) return {};
    if (!node.IsMap()) return wrong(node, "presets", "named presets, e.g. mobile: {output: runtime/mobile}");
    ASSETC_CHECK(each_key_once(node));
    for (const auto& entry : node) {
      Preset preset;
      ASSETC_TRY(preset.name, name(entry.first));
      preset.line = line_of(entry.first);
      ASSETC_CHECK(layer(entry.second, "presets." + preset.name, preset.layer, &preset.output));
      config_.presets.push_back(std::move(preset));
    }
    return {};
  }

  // `platforms: [Win64, Linux]`, or with settings: `platforms: {Mobile: {texture: {format: astc-4x4}}}`
  Result<void> platforms(const YAML::Node& node) {
    if (node.IsNull()) return {};
    const auto add = [&](const YAML::Node& word) -> Result<Preset*> {
      ASSETC_TRY(const std::string platform, name(word));
      if (!is_platform_name(platform)) return wrong(word, "platforms", "names of letters and digits such as Win64");
      if (std::ranges::find(config_.platforms, platform, &Preset::name) != config_.platforms.end())
        return wrong(word, "platforms", "each platform once");
      config_.platforms.push_back({.name = platform, .layer = {}, .line = line_of(word)});
      return &config_.platforms.back();
    };
    if (node.IsSequence()) {
      for (const YAML::Node& item : node) {
        if (!item.IsScalar()) return wrong(item, "platforms", "the name of a platform such as Win64");
        ASSETC_CHECK(add(item));
      }
      return {};
    }
    if (!node.IsMap()) return wrong(node, "platforms", "platforms such as [Win64, Linux]");
    ASSETC_CHECK(each_key_once(node));
    for (const auto& entry : node) {
      ASSETC_TRY(Preset * platform, add(entry.first));
      ASSETC_CHECK(layer(entry.second, "platforms." + platform->name, platform->layer, nullptr));
    }
    return {};
  }

  // `budgets: [{match: "ui/*", kind: texture, memory: 64M}]`
  Result<void> budgets(const YAML::Node& node) {
    constexpr std::string_view kForm = "bounds such as {match: \"ui/*\", kind: texture, memory: 64M}";
    if (node.IsNull()) return {};
    if (!node.IsSequence()) return wrong(node, "budgets", std::string("a list of ").append(kForm));
    for (const YAML::Node& item : node) {
      if (!item.IsMap()) return wrong(item, "a budget", kForm);
      ASSETC_CHECK(each_key_once(item));
      Budget budget;
      budget.place = place(item);
      for (const auto& entry : item) {
        ASSETC_TRY(const std::string key, name(entry.first));
        const auto known = budget_keys();
        if (std::ranges::find(known, key) == known.end()) {
          unknown(entry.first, key, "budgets.", {known.begin(), known.end()});
          continue;
        }
        if (!entry.second.IsScalar()) return wrong(entry.second, "budgets." + key, "one value");
        if (auto taken = set_budget(budget, key, entry.second.Scalar()); !taken)
          return std::unexpected(std::move(taken).error().at(place(entry.second)).in(config_.file));
      }
      if (!budget.bounds_something()) return wrong(item, "a budget", "bytes:, memory: or texture_size: in it");
      config_.budgets.push_back(std::move(budget));
    }
    return {};
  }

  // `accept: [{kind: merged-nodes, path: "models/*", reason: "sockets are bound by name"}]`
  Result<void> accept(const YAML::Node& node) {
    constexpr std::string_view kForm = "entries such as {kind: merged-nodes, path: \"models/*\", reason: why}";
    if (node.IsNull()) return {};
    if (!node.IsSequence()) return wrong(node, "accept", std::string("a list of ").append(kForm));
    for (const YAML::Node& item : node) {
      if (!item.IsMap()) return wrong(item, "accept", kForm);
      ASSETC_CHECK(each_key_once(item));
      Acceptance entry;
      entry.place = place(item);
      const auto located = [&](Result<void> done, const YAML::Node& at) -> Result<void> {
        if (done) return done;
        return std::unexpected(std::move(done).error().at(place(at)).in(config_.file));
      };
      for (const auto& pair : item) {
        ASSETC_TRY(const std::string key, name(pair.first));
        if (!pair.second.IsScalar()) return wrong(pair.second, "accept." + key, "one value");
        ASSETC_CHECK(located(set_acceptance(entry, key, pair.second.Scalar()), pair.first));
      }
      ASSETC_CHECK(located(check_acceptance(entry), item));
      config_.accept.push_back(std::move(entry));
    }
    return {};
  }

  // `cache: {path: ../cache, size: 20G, remote: {url: https://cache.example}, trust: team.pub}`
  Result<void> cache(const YAML::Node& node) {
    if (node.IsNull()) return {};
    if (!node.IsMap()) return wrong(node, "cache", "keys such as path: and size:");
    ASSETC_CHECK(each_key_once(node));
    for (const auto& entry : node) {
      ASSETC_TRY(const std::string key, name(entry.first));
      if (key == "path") {
        ASSETC_CHECK(text(entry.second, "cache.path", "a folder, or off", config_.cache.path));
      } else if (key == "size") {
        std::string written;
        ASSETC_CHECK(text(entry.second, "cache.size", "a size such as 10G", written));
        auto size = parse_size(written);
        if (!size) return std::unexpected(std::move(size).error().at(place(entry.second)).in(config_.file));
        config_.cache.size_bytes = *size;
      } else if (key == "remote") {
        ASSETC_CHECK(remote_cache(entry.second));
      } else if (key == "trust") {
        ASSETC_CHECK(texts(entry.second, "cache.trust", "files of public keys", config_.cache.trust));
      } else if (key == "sign") {
        ASSETC_CHECK(only_users(entry.second, "cache.sign"));
        ASSETC_CHECK(text(entry.second, "cache.sign", "the file of a key", config_.cache.sign));
      } else {
        unknown(entry.first, key, "cache.", {"path", "size", "remote", "trust", "sign"});
      }
    }
    return {};
  }

  Result<void> only_users(const YAML::Node& node, const std::string& key) const {
    if (users_) return {};
    return std::unexpected(Error{ErrorCode::kUsage, config_.file, place(node),
                                 key + ": found in a project's configuration, expected only in a user's configuration",
                                 "put it into the user's ~/.config/assetc/config.yml"});
  }

  // A text or a list of texts.
  Result<void> texts(const YAML::Node& node, std::string_view key, std::string_view expected,
                     std::vector<std::string>& out) {
    if (!node.IsSequence()) return text(node, key, expected, out.emplace_back());
    for (const auto& item : node) ASSETC_CHECK(text(item, key, expected, out.emplace_back()));
    return {};
  }

  Result<void> remote_cache(const YAML::Node& node) {
    CacheSettings::Remote& remote = config_.cache.remote;
    if (node.IsScalar()) return text(node, "cache.remote", "a URL", remote.url);
    if (!node.IsMap()) return wrong(node, "cache.remote", "a URL, or url: and mode:");
    ASSETC_CHECK(each_key_once(node));
    const std::pair<std::string_view, std::string*> files[] = {{"bearer_file", &remote.bearer_file},
                                                               {"basic_file", &remote.basic_file},
                                                               {"certificate", &remote.certificate},
                                                               {"certificate_key", &remote.certificate_key},
                                                               {"authorities", &remote.authorities}};
    for (const auto& entry : node) {
      ASSETC_TRY(const std::string key, name(entry.first));
      const auto file = std::ranges::find(files, key, [](const auto& f) { return f.first; });
      if (key == "url") {
        ASSETC_CHECK(text(entry.second, "cache.remote.url", "a URL", remote.url));
      } else if (key == "mode") {
        std::string mode;
        ASSETC_CHECK(text(entry.second, "cache.remote.mode", "read or read-write", mode));
        if (mode != "read" && mode != "read-write")
          return wrong(entry.second, "cache.remote.mode", "read or read-write");
        remote.writes = mode == "read-write";
      } else if (key == "race") {
        std::string race;
        ASSETC_CHECK(text(entry.second, "cache.remote.race", "on or off", race));
        if (race != "on" && race != "off") return wrong(entry.second, "cache.remote.race", "on or off");
        remote.races = race == "on";
      } else if (file != std::end(files)) {
        ASSETC_CHECK(only_users(entry.second, "cache.remote." + key));
        ASSETC_CHECK(text(entry.second, "cache.remote." + key, "a file", *file->second));
      } else {
        unknown(entry.first, key, "cache.remote.",
                {"url", "mode", "race", "bearer_file", "basic_file", "certificate", "certificate_key", "authorities"});
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
  try {
    const YAML::Node node = YAML::Load(std::string(yaml));
    ASSETC_CHECK(Reader(config, users).root(node));
    ASSETC_CHECK(check_presets_are_there(config));
    std::ranges::move(idle_settings(config), std::back_inserter(config.diagnostics));
  } catch (const YAML::Exception& e) {
    return std::unexpected(Error{ErrorCode::kUsage,
                                 file,
                                 "line " + std::to_string(std::max(e.mark.line, 0) + 1),
                                 "not valid YAML: " + e.msg,
                                 {}});
  } catch (const std::exception& e) {
    return std::unexpected(
        Error{ErrorCode::kUsage, file, {}, std::string("not readable as YAML: ") + e.what(), "correct the YAML"});
  }
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

std::string starter_config(std::string_view bundle_suffix) {
  std::string text =
      "# assetc.yml: every key is optional; a key that is commented out shows its default.\n"
      "input: assets    # source tree\n"
      "output: runtime  # where compiled files go; -o overrides it\n"
      "pack: false      # bundle into <output>" +
      std::string(bundle_suffix) +
      " after building\n"
      "# preset: desktop  # used when --preset is omitted\n"
      "# suffixes: {normal: [nml]}  # usage of images by the last word of their names\n"
      "# links: inside     # or follow: also follow symbolic links that lead out of the input\n"
      "# ignore: [\"wip/*\"]  # sources to leave out: '*' spans '/', '?' is one character\n"
      "# prefer: [png, jpg]  # the first suffix wins if two sources have the same name; otherwise both are errors\n"
      "# integrity: false  # or true: the registry of a cook has the SHA-256 of each asset\n"
      "# base: ../game/build/Cooked/Win64  # of a mod: the cooked folder of its game, whose textures .mat files may "
      "name\n"
      "# budgets: [{kind: texture, memory: 512M}]  # limits that `assetc check` enforces\n"
      "# accept: [{kind: merged-nodes, path: \"props/*\", reason: \"they do not move\"}]  # expected warnings\n"
      "# cache: {path: off, size: 10G}  # compiled outputs for reuse by other builds: a folder, or off\n"
      "#   and {remote: {url: https://cache.example, mode: read}, trust: team.pub}  # shared with other machines\n"
      "\n"
      "# Base layer applied to every build.\n"
      "default:\n";
  const recipes::Settings defaults;
  for (std::string_view group : setting_groups()) {
    text.append("  ").append(group).append(":\n");
    for (const SettingField& field : recipes::setting_fields()) {
      if (!field.key.starts_with(group) || field.key[group.size()] != '.') continue;
      std::string line = "    # ";
      line.append(field.key.substr(group.size() + 1)).append(": ").append(field.get(defaults));
      line.resize(std::max<std::size_t>(line.size() + 2, 28), ' ');
      text.append(line).append("# ").append(field.doc).append(" (").append(field.values).append(")\n");
    }
  }
  text +=
      "  # rules:  # later matches win; match is a glob over the path below input\n"
      "  #   - match: \"ui/*\"\n"
      "  #     texture: {compress: false}\n"
      "\n"
      "# Named presets overlay default: when chosen with --preset <name>.\n"
      "presets:\n"
      "  mobile:\n"
      "    output: runtime/mobile\n"
      "    texture: {quality: fast}\n";
  return text;
}

}  // namespace assetc::engine
