#include "recipes/material/sets.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/ascii.hpp"
#include "recipes/texture/usage.hpp"

namespace assetc::recipes {
namespace {

std::string_view last_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

std::string_view parent_folder(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == path.npos ? std::string_view() : path.substr(0, slash);
}

std::string yaml_text(std::string_view text) {
  const auto is_plain = [](char c) {
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  // A word that YAML reads as a number or a truth is still a text to the reader of a .mat.
  const auto is_inner = [&](char c) { return is_plain(c) || c == '-' || c == ' ' || c == '+'; };
  const bool is_safe = !text.empty() && is_plain(text.front()) && is_plain(text.back()) &&
                       ascii_lower(text) != "null" && std::ranges::all_of(text, is_inner);
  if (is_safe) return std::string(text);
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + "\"";
}

struct RoleText {
  SetRole role;
  std::string_view what;
};
constexpr std::array kRoleTexts{
    RoleText{SetRole::kBaseColor, "the base color"}, RoleText{SetRole::kMetallicRoughness, "roughness and metallic"},
    RoleText{SetRole::kNormal, "the normal map"}, RoleText{SetRole::kOcclusion, "occlusion"},
    RoleText{SetRole::kEmissive, "the emissive color"}};

// The pictures of one set, and those that take each role.
struct SetMembers {
  std::string_view stem;  // of the first picture that has one
  std::map<SetRole, std::vector<std::string_view>> by_role;
  std::vector<std::string_view> unused;
  bool has_word = false;   // a name says a use
  bool has_plain = false;  // a name says none, so that the picture may be something else

  std::string_view one(SetRole role) const {
    const auto found = by_role.find(role);
    return found == by_role.end() ? std::string_view() : found->second.front();
  }
};

void add_member(std::string_view path, const SetMember& member, SetMembers& members) {
  const bool names_it = member.role == SetRole::kBaseColor;
  (member.word.empty() ? members.has_plain : members.has_word) = true;
  if (members.stem.empty() || (names_it && members.by_role[SetRole::kBaseColor].empty())) members.stem = member.stem;
  switch (member.role) {
    case SetRole::kNone:
      members.unused.push_back(path);
      return;
    case SetRole::kAllThree:
      members.by_role[SetRole::kMetallicRoughness].push_back(path);
      members.by_role[SetRole::kOcclusion].push_back(path);
      return;
    default:
      members.by_role[member.role].push_back(path);
  }
}

// A picture of occlusion alone is better than the red of one that holds all three.
void prefer_own_occlusion(SetMembers& members) {
  auto& occlusion = members.by_role[SetRole::kOcclusion];
  const auto& packed = members.by_role[SetRole::kMetallicRoughness];
  const auto is_packed = [&](std::string_view path) { return std::ranges::find(packed, path) != packed.end(); };
  if (!std::ranges::all_of(occlusion, is_packed)) std::erase_if(occlusion, is_packed);
  std::erase_if(members.by_role, [](const auto& role) { return role.second.empty(); });
}

std::optional<Error> conflict_of(const SetMembers& members) {
  for (const RoleText& role : kRoleTexts) {
    const auto found = members.by_role.find(role.role);
    if (found == members.by_role.end() || found->second.size() < 2) continue;
    return Error{ErrorCode::kConflict,
                 std::string(found->second[0]),
                 {},
                 "is " + std::string(role.what) + " of the same set as " + std::string(last_name(found->second[1])),
                 "rename one of them, or write the .mat by hand"};
  }
  return std::nullopt;
}

MaterialSet write_set(std::string path, std::string_view name, const SetMembers& members) {
  MaterialSet set{.path = std::move(path), .text = "", .pictures = {}, .unused = {}};
  set.text = "name: " + yaml_text(name) + "\n";
  const auto add = [&](std::string_view key, SetRole role) {
    const std::string_view picture = members.one(role);
    if (picture.empty()) return false;
    set.text.append(key).append(": ").append(yaml_text(last_name(picture))).append("\n");
    if (std::ranges::find(set.pictures, picture) == set.pictures.end()) set.pictures.emplace_back(picture);
    return true;
  };
  add("base_color_texture", SetRole::kBaseColor);
  // Without this texture, the default of glTF is metal.
  if (!add("metallic_roughness_texture", SetRole::kMetallicRoughness)) set.text += "metallic: 0\n";
  add("normal_texture", SetRole::kNormal);
  add("occlusion_texture", SetRole::kOcclusion);
  if (add("emissive_texture", SetRole::kEmissive)) set.text += "emissive: [1, 1, 1]\n";
  set.unused.assign(members.unused.begin(), members.unused.end());
  return set;
}

}  // namespace

MaterialSets find_material_sets(std::span<const std::string> pictures, std::span<const NamedUsage> more,
                                std::string_view input_name) {
  std::map<std::string, SetMembers> by_key;
  for (const std::string& path : pictures) {
    if (const auto member = set_member(path, more)) add_member(path, *member, by_key[member->key]);
  }
  MaterialSets out;
  std::map<std::string, std::string> taken;  // the path in lower case: the path
  for (auto& [key, members] : by_key) {
    prefer_own_occlusion(members);
    if (members.by_role.empty() || !members.has_word) continue;
    if (auto conflict = conflict_of(members)) {
      out.conflicts.push_back(std::move(*conflict));
      continue;
    }
    const std::string_view any = members.by_role.begin()->second.front(), folder = parent_folder(any);
    std::string_view name = members.stem;
    if (name.empty()) name = folder.empty() ? input_name : last_name(folder);
    std::string path = std::string(folder).append(folder.empty() ? "" : "/").append(name).append(".mat");
    MaterialSet set = write_set(std::move(path), name, members);
    if (set.pictures.size() + (members.has_plain ? 0 : set.unused.size()) < 2) continue;
    const auto [before, is_new] = taken.emplace(ascii_lower(set.path), set.pictures.front());
    if (!is_new) {
      out.conflicts.push_back({ErrorCode::kConflict,
                               set.pictures.front(),
                               {},
                               "its set would have the same file as that of " + before->second + ": " + set.path,
                               "rename the pictures of one of them"});
      continue;
    }
    out.sets.push_back(std::move(set));
  }
  std::ranges::sort(out.sets, {}, &MaterialSet::path);
  return out;
}

}  // namespace assetc::recipes
