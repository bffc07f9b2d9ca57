#include "engine/state/ignored_kinds.hpp"

#include <algorithm>
#include <functional>

#include "base/ascii.hpp"
#include "base/plural.hpp"
#include "recipes/recipe.hpp"

namespace assetc::engine {
namespace {

constexpr std::size_t kMaxKinds = 32;
constexpr std::size_t kMaxNamedKinds = 8;  // named in one line of text

// What to do with sources that people often have and no importer reads.
struct Advice {
  std::string_view suffix, what;
};
constexpr Advice kAdvice[] = {{".gif", "save its frames as .png"},
                              {".aseprite", "export it as .png"},
                              {".ase", "export it as .png"},
                              {".dae", "export it as .glb or .fbx"}};

std::string suffix_of(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return dot == name.npos || dot == 0 || dot + 1 == name.size() ? std::string() : ascii_lower(name.substr(dot));
}

// Lists these kinds as ".psd 3, .tif 1, others 7" and adds their number of files to `files`. others: number of files of
// kinds that are not in the list.
std::string list_text(const std::vector<IgnoredKind>& kinds, bool is_cooked, std::uint64_t others,
                      std::uint64_t& files) {
  std::string text;
  std::size_t named = 0;
  files += others;
  for (const IgnoredKind& kind : kinds) {
    if (kind.is_cooked != is_cooked) continue;
    files += kind.count;
    if (++named > kMaxNamedKinds) {
      others += kind.count;
      continue;
    }
    text += (text.empty() ? "" : ", ") + (kind.suffix.empty() ? "without a suffix" : kind.suffix) + " " +
            std::to_string(kind.count);
  }
  return others == 0 ? text : text + ", others " + std::to_string(others);
}

}  // namespace

void IgnoredKinds::add(std::string_view path) { ++counts_[suffix_of(path)]; }

std::vector<IgnoredKind> IgnoredKinds::list() const {
  std::vector<IgnoredKind> kinds;
  for (const auto& [suffix, count] : counts_) {
    const bool is_cooked = recipes::asset_of(recipes::cooked_recipes(), "name" + suffix).has_value();
    kinds.push_back({suffix, count, is_cooked});
  }
  std::ranges::stable_sort(kinds, std::greater(), &IgnoredKind::count);
  if (kinds.size() > kMaxKinds) kinds.resize(kMaxKinds);
  return kinds;
}

std::string ignored_text(const std::vector<IgnoredKind>& kinds, std::uint64_t total) {
  std::uint64_t listed = 0, cooked = 0, unread = 0;
  for (const IgnoredKind& kind : kinds) listed += kind.count;
  const std::string cooked_list = list_text(kinds, true, 0, cooked);
  const std::string unread_list = list_text(kinds, false, total - listed, unread);
  std::string text;
  if (unread != 0) text = plural(unread, "file") + " ignored, no importer: " + unread_list;
  std::string advice;
  for (const Advice& one : kAdvice) {
    if (std::ranges::find(kinds, one.suffix, &IgnoredKind::suffix) != kinds.end())
      advice.append(advice.empty() ? " (" : "; ").append(one.suffix).append(": ").append(one.what);
  }
  if (!advice.empty()) text += advice + ")";
  if (cooked != 0)
    text += (text.empty() ? "" : ", ") + plural(cooked, "file") + " ignored, compiled only by cook: " + cooked_list;
  return text;
}

}  // namespace assetc::engine
