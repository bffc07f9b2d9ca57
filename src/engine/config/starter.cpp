// The assetc.yml that `assetc init` writes.
#include <algorithm>

#include "engine/config/config.hpp"
#include "engine/config/setting_groups.hpp"

namespace assetc::engine {

using recipes::SettingField;

namespace {

// Settings whose default is what the manual says, and not what new projects want.
struct Set {
  std::string_view key, value;
};
constexpr Set kSet[] = {{"texture.compress", "auto"}, {"texture.share", "content"}};

}  // namespace

std::vector<std::string_view> setting_groups() {
  std::vector<std::string_view> groups;
  for (const SettingField& field : recipes::setting_fields()) {
    const std::string_view group = field.key.substr(0, field.key.find('.'));
    if (std::ranges::find(groups, group) == groups.end()) groups.push_back(group);
  }
  return groups;
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
      "# licenses: {allow: [CC0-1.0, MIT]}  # a cook with an asset of another License fails\n"
      "# bundles: {engine: {prefix: Engine}, \"demo-*\": {}, rest: {}}  # that a cook writes, by rule\n"
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
      const auto set = std::ranges::find(kSet, field.key, &Set::key);
      std::string line = set != std::end(kSet) ? "    " : "    # ";
      line.append(field.key.substr(group.size() + 1))
          .append(": ")
          .append(set != std::end(kSet) ? std::string(set->value) : field.get(defaults));
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
