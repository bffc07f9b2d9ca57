#include "import/model/lod_names.hpp"

#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ascii.hpp"

namespace assetc::importer {
namespace {

struct LevelName {
  std::string stem;
  std::uint32_t level = 0;
};

// Splits a name: "Chair_LOD2" -> "chair", 2.
std::optional<LevelName> parse_level(std::string_view name) {
  std::string text = ascii_lower(name);
  const std::size_t digits = text.find_last_not_of("0123456789") + 1;
  if (digits < 3 || text.size() - digits < 1 || text.size() - digits > 2 || text.compare(digits - 3, 3, "lod") != 0)
    return std::nullopt;
  LevelName out;
  std::from_chars(text.data() + digits, text.data() + text.size(), out.level);
  text.resize(digits - 3);
  if (!text.empty()) {
    if (std::string_view("_-. ").find(text.back()) == std::string_view::npos) return std::nullopt;
    text.pop_back();
  }
  out.stem = std::move(text);
  return out;
}

constexpr std::uint32_t kSeveral = scene::kNone - 1;

void put(std::map<std::uint32_t, std::uint32_t>& levels, std::uint32_t level, std::uint32_t node) {
  const auto [at, added] = levels.try_emplace(level, node);
  if (!added) at->second = kSeveral;
}

}  // namespace

void link_levels_by_name(scene::Scene& scene) {
  std::vector<bool> linked(scene.nodes.size());  // or excluded from linking
  for (std::size_t n = 0; n < scene.nodes.size(); ++n) {
    const scene::Node& node = scene.nodes[n];
    if (node.mesh == scene::kNone || !node.lods.empty()) linked[n] = true;
    if (node.parent != scene::kNone) linked[node.parent] = true;
    for (const std::uint32_t level : node.lods) linked[level] = true;
  }
  std::map<std::pair<std::uint32_t, std::string>, std::map<std::uint32_t, std::uint32_t>> groups;  // by parent and stem
  for (std::uint32_t n = 0; n < scene.nodes.size(); ++n) {
    if (linked[n]) continue;
    if (auto name = parse_level(scene.nodes[n].name))
      put(groups[{scene.nodes[n].parent, std::move(name->stem)}], name->level, n);
  }
  for (std::uint32_t n = 0; n < scene.nodes.size(); ++n) {
    if (linked[n]) continue;
    const auto group = groups.find({scene.nodes[n].parent, ascii_lower(scene.nodes[n].name)});
    if (group != groups.end() && !group->first.second.empty() && !parse_level(scene.nodes[n].name))
      put(group->second, 0, n);
  }
  for (const auto& [key, levels] : groups) {
    if (levels.begin()->first != 0 || levels.rbegin()->first != levels.size() - 1) continue;
    bool clear = true;
    for (const auto& [level, node] : levels) clear = clear && node != kSeveral;
    if (!clear) continue;
    for (const auto& [level, node] : levels) {
      if (level != 0) scene.nodes[levels.at(0)].lods.push_back(node);
    }
  }
}

}  // namespace assetc::importer
