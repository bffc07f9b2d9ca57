#include "identity/virtual_path.hpp"

#include <algorithm>

#include "base/ascii.hpp"
#include "base/plural.hpp"
#include "identity/unicode.hpp"

namespace assetc::identity {
namespace {

constexpr std::string_view kPipelineConfig = "assets/assetpipeline.json";  // cook settings, not an asset

constexpr bool may_be_in_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_- ()+~").find(c) != std::string_view::npos;
}

std::string shown(std::string_view text) {
  constexpr std::size_t kShown = 60;
  return "\"" + std::string(text.substr(0, kShown)) + (text.size() > kShown ? "...\"" : "\"");
}

}  // namespace

Result<void> check_virtual_path(std::string_view text) {
  const auto refuse = [&](std::string why, std::string_view hint) {
    return fail(ErrorCode::kInvalidData, "virtual path " + shown(text) + " " + std::move(why), hint);
  };
  if (text.size() > kMaxVirtualPath) {
    return refuse("has " + counted(text.size(), "character") + ", expected at most " + std::to_string(kMaxVirtualPath),
                  "shorten it");
  }
  std::size_t names = 0;
  std::string_view domain;
  for (std::size_t begin = 0; begin <= text.size(); ++names) {
    const std::size_t end = std::min(text.find('/', begin), text.size());
    const std::string_view name = text.substr(begin, end - begin);
    if (names == 0) domain = name;
    if (name.empty()) return refuse("has an empty name", "write Domain/Category/Name, with one '/' between names");
    if (name.size() > kMaxVirtualName) {
      return refuse("has a name of more than " + std::to_string(kMaxVirtualName) + " characters", "shorten it");
    }
    if (name.front() == ' ' || name.back() == ' ')
      return refuse("has a name that begins or ends in a space", "remove it");
    for (char c : name) {
      if (c == '.') return refuse("has a dot", "leave the extension out, and write '_' for other dots");
      if (c == '\\') return refuse("has a backslash", "write '/'");
      if (!may_be_in_a_name(c)) {
        return refuse("has a character that is not allowed", "use ASCII letters, digits, _, -, +, ~, () and spaces");
      }
    }
    begin = end + 1;
  }
  const bool demo = ascii_lower(domain) == "demo";
  if (names < (demo ? 3u : 2u)) {
    return refuse("has too few names",
                  demo ? "write Demo/<the demo>/Name" : "write Domain/Name or Domain/Category/Name");
  }
  return {};
}

std::string virtual_key(std::string_view virtual_path) { return ascii_lower(virtual_path); }

std::string virtual_name(std::string_view text) {
  std::string name = ascii_spelling(text).substr(0, kMaxVirtualName);
  std::replace_if(name.begin(), name.end(), [](char c) { return !may_be_in_a_name(c); }, '_');
  const std::size_t first = name.find_first_not_of(' ');
  if (first == std::string::npos) return "_";
  return name.substr(first, name.find_last_not_of(' ') - first + 1);
}

std::string_view asset_root_of(std::string_view source_path) {
  const auto begins = [&](std::size_t at, std::string_view lower_part) {
    return ends_with_ignoring_case(source_path.substr(0, at + lower_part.size()).substr(at), lower_part);
  };
  if (begins(0, "assets/")) return source_path.substr(0, 7);
  if (begins(0, "tools/assets/")) return source_path.substr(0, 13);
  if (begins(0, "demo/")) {
    const std::size_t name_end = source_path.find('/', 5);
    if (name_end != std::string_view::npos && begins(name_end, "/assets/")) return source_path.substr(0, name_end + 8);
  }
  return {};
}

std::string_view below_asset_root(std::string_view source_path) {
  return source_path.substr(asset_root_of(source_path).size());
}

bool leads_to_assets(std::string_view path, bool directory) {
  if (!directory) return !asset_root_of(path).empty() && ascii_lower(path) != kPipelineConfig;
  const std::string lower = ascii_lower(path) + "/";
  if (!asset_root_of(lower).empty() || lower == "demo/" || lower == "tools/") return true;
  return lower.starts_with("demo/") && lower.find('/', 5) == lower.size() - 1;
}

Result<std::string> virtual_path_of(std::string_view source_path, std::string_view suffix) {
  const std::string_view root = asset_root_of(source_path);
  if (root.empty()) {
    return fail(ErrorCode::kUsage, "is in no folder of assets",
                "move it below Assets/, Demo/<name>/Assets/ or Tools/Assets/");
  }
  std::string_view below = source_path.substr(root.size());
  if (suffix.size() < below.size() && below.ends_with(suffix)) below.remove_suffix(suffix.size());
  const std::string lower = ascii_lower(root);
  std::string path = "Engine";
  if (lower.starts_with("tools/")) path = "Tools";
  if (lower.starts_with("demo/")) path = "Demo/" + virtual_name(root.substr(5, root.size() - 5 - 8));
  for (std::size_t begin = 0; begin <= below.size();) {
    const std::size_t end = std::min(below.find('/', begin), below.size());
    path += "/" + virtual_name(below.substr(begin, end - begin));
    begin = end + 1;
  }
  ASSETC_CHECK(check_virtual_path(path));
  return path;
}

}  // namespace assetc::identity
