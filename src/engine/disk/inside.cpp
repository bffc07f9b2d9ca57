#include "engine/disk/inside.hpp"

namespace assetc::engine {
namespace {

std::string inside_prefix(Disk& disk, const std::string& root) {
  std::string prefix = disk.real_path(root);
  if (!prefix.ends_with('/')) prefix += '/';
  return prefix;
}

}  // namespace

std::vector<std::string> paths_inside(Disk& disk, const std::string& root, const std::vector<std::string>& paths) {
  std::vector<std::string> inside;
  const std::string prefix = inside_prefix(disk, root);
  for (const std::string& path : paths) {
    const std::string real = disk.real_path(path);
    if (real.starts_with(prefix) && real.size() > prefix.size()) inside.push_back(real.substr(prefix.size()));
  }
  return inside;
}

}  // namespace assetc::engine
