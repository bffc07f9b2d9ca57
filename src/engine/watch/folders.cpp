#include "engine/watch/folders.hpp"

#include "engine/plan/discover.hpp"

namespace assetc::engine {

Result<std::vector<std::string>> folders_to_watch(const Profile& profile, const Target& target, Disk& disk) {
  ASSETC_TRY(const Tree tree, disk.walk(profile.input, input_skip(profile, target, disk), 1,
                                        profile.follow_links ? Links::kAll : Links::kInside));
  std::vector<std::string> folders{profile.input};
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree[i].type == FileType::kDirectory) folders.push_back(profile.input + "/" + std::string(tree.path(i)));
  }
  const std::size_t slash = profile.config_file.rfind('/');
  folders.push_back(slash == std::string::npos ? "." : slash == 0 ? "/" : profile.config_file.substr(0, slash));
  return folders;
}

}  // namespace assetc::engine
