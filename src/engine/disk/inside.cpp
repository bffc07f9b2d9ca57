#include "engine/disk/inside.hpp"

namespace assetc::engine {

std::vector<std::string> paths_inside(Disk& disk, const std::string& root, const std::vector<std::string>& paths) {
  std::vector<std::string> inside;
  std::string prefix = disk.real_path(root);
  if (!prefix.ends_with('/')) prefix += '/';
  for (const std::string& path : paths) {
    const std::string real = disk.real_path(path);
    if (real.starts_with(prefix) && real.size() > prefix.size()) inside.push_back(real.substr(prefix.size()));
  }
  return inside;
}

}  // namespace assetc::engine
