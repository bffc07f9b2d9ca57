#include "engine/meta/clean.hpp"

#include <algorithm>

#include "assetc/base/uuid.hpp"
#include "engine/config/platforms.hpp"
#include "engine/meta/cook_keys.hpp"
#include "engine/meta/import.hpp"
#include "engine/state/cache.hpp"
#include "engine/target/cooked.hpp"

namespace assetc::engine {
namespace {

constexpr std::string_view kBlobSuffix = ".bin";

class Clean {
 public:
  explicit Clean(Disk& disk) : disk_(disk) {}

  Result<void> files(const std::string& folder, bool (*is_ours)(std::string_view name)) {
    const auto names = disk_.list(folder);
    if (!names) {
      return names.error().code == ErrorCode::kNotFound ? Result<void>() : std::unexpected(names.error());
    }
    for (const std::string& name : *names) {
      if (is_ours(name)) ASSETC_CHECK(remove(folder + "/" + name));
    }
    disk_.remove_empty_directory(folder);
    return {};
  }
  Result<void> remove(const std::string& path) {
    if (!disk_.status(path)) return {};
    ASSETC_CHECK(disk_.remove(path));
    gone_.push_back(path);
    return {};
  }
  std::vector<std::string> gone() { return std::move(gone_); }

 private:
  Disk& disk_;
  std::vector<std::string> gone_;
};

bool is_blob(std::string_view name) {
  return name.ends_with(kBlobSuffix) && Uuid::parse(name.substr(0, name.size() - kBlobSuffix.size()));
}
bool is_cache(std::string_view name) { return name.starts_with(kCachePrefix); }

}  // namespace

Result<std::vector<std::string>> clean(const Config& pipeline, const CleanOptions& options, Disk& disk) {
  Clean work(disk);
  for (const Preset& platform : pipeline.platforms) {
    if (!options.cache && !options.cooked) break;
    ASSETC_TRY(const Profile profile, resolve_platform(pipeline, platform.name));
    if (!disk.status(profile.output)) continue;
    ASSETC_TRY(auto lock, disk.lock(profile.output + "/" + std::string(kCacheName) + ".lock"));
    if (options.cooked) {
      ASSETC_CHECK(work.files(profile.output + "/Assets", is_blob));
      for (const std::string_view path : cooked_target().index_paths)
        ASSETC_CHECK(work.remove(profile.output + "/" + std::string(path)));
      disk.remove_empty_directory(profile.output + "/Registry");
    }
    ASSETC_CHECK(work.files(profile.output, is_cache));
    lock.reset();
    disk.remove_empty_directory(profile.output);
  }
  const std::string build_root = build_root_of(pipeline);
  if (options.cache || options.cooked) ASSETC_CHECK(work.remove(cook_keys_path(pipeline)));
  if (options.cache || options.imported) {
    for (const std::string_view path : {kImportMarkPath, kRememberedPath})
      ASSETC_CHECK(work.remove(build_root + "/" + std::string(path)));
  }
  disk.remove_empty_directory(build_root + "/Cache");
  return work.gone();
}

}  // namespace assetc::engine
