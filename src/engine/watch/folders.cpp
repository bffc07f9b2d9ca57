#include "engine/watch/folders.hpp"

#include "base/ascii.hpp"
#include "engine/plan/discover.hpp"

namespace assetc::engine {
namespace {

std::string folder_of_config(const Profile& profile) {
  const std::size_t slash = profile.config_file.rfind('/');
  return slash == std::string::npos ? "." : slash == 0 ? "/" : profile.config_file.substr(0, slash);
}

}  // namespace

ContentHash state_of_input(const Profile& profile, const Target& target, Disk& disk) {
  ContentHasher hasher;
  const auto tree = walk_input(profile, target, disk, 1);
  if (tree) hasher.add(tree->fingerprint());
  const auto config = disk.status(profile.config_file);
  if (config) hasher.add(hash_of(config->signature));
  return hasher.finish();
}

Result<std::vector<std::string>> folders_to_watch(const Profile& profile, const Target& target, Disk& disk,
                                                  const Session& session) {
  auto folders = session.folders();
  if (!folders) {
    ASSETC_TRY(const Tree tree, walk_input(profile, target, disk, 1));
    folders = folders_in(tree);
  }
  for (std::string& folder : *folders) folder = folder.empty() ? profile.input : profile.input + "/" + folder;
  folders->push_back(folder_of_config(profile));
  return std::move(*folders);
}

std::optional<std::vector<std::string>> changes_of_input(const std::optional<std::vector<std::string>>& changed,
                                                         const Profile& profile) {
  if (!changed) return std::nullopt;
  const std::string config = folder_of_config(profile) + "/", input = profile.input + "/";
  std::vector<std::string> below;
  for (const std::string& path : *changed) {
    const bool is_beside_config = path.starts_with(config) && path.find('/', config.size()) == std::string::npos;
    if (is_beside_config && (ends_with_ignoring_case(path, ".yml") || ends_with_ignoring_case(path, ".yaml")))
      return std::nullopt;
    // The input itself or one of its parent folders: it may have been replaced by another folder.
    const std::string_view place = std::string_view(path).substr(path.starts_with("./") ? 2 : 0);
    if (input.starts_with(std::string(place) + "/")) return std::nullopt;
    if (path.starts_with(input)) below.push_back(path.substr(input.size()));
  }
  return below;
}

}  // namespace assetc::engine
