#include "engine/state/child_settings.hpp"

#include <algorithm>

namespace assetc::engine {
namespace {

// Removes and returns the text before the first separator.
std::string_view take(std::string_view& text, char separator) {
  const std::string_view first = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), first.size() + 1));
  return first;
}

}  // namespace

// No path contains a NUL. It may contain a line break.
std::string AskedSettings::text() const {
  std::string text(recipe);
  for (const std::string_view part : {source, taken, pins}) text.append(1, '\0').append(part);
  return text;
}

AskedSettings AskedSettings::of(std::string_view text) {
  AskedSettings asked;
  asked.recipe = take(text, '\0');
  asked.source = take(text, '\0');
  asked.taken = take(text, '\0');
  asked.pins = text;
  return asked;
}

ContentHash ChildSettings::hash(const AskedSettings& asked) const {
  if (!shares && !asked.source.empty()) return {};
  return ContentHasher().add(canonical).add(libraries).finish();
}

void share_step(recipes::Step& child, const ContentHash& content, const ChildSettings& settings) {
  child.params.insert_or_assign(std::string(recipes::kContentParam), content.hex());
  child.pins.clear();
  for (std::string_view lines = settings.canonical; !lines.empty();) {
    std::string_view value = take(lines, '\n');
    const std::string_view key = take(value, '=');
    child.pins.emplace(key, value);
  }
  // The canonical text leaves out shorthands, but the rules of a source may set those that say more than others.
  recipes::Settings all;
  recipes::set_lines(all, settings.canonical);
  for (const recipes::SettingField& field : recipes::setting_fields()) {
    if (!field.only_here.empty()) child.pins.emplace(field.key, field.get(all));
  }
  ContentHasher hasher;
  for (const auto& [key, value] : child.params) hasher.add(std::string_view(key)).add(std::string_view(value));
  hasher.add(settings.canonical);
  child.stem = std::string(recipes::kSharedFolder) + "/" + hasher.finish().hex().substr(16);
}

}  // namespace assetc::engine
