#include "engine/run/workspace.hpp"

#include "engine/plan/discover.hpp"
#include "engine/target/output_tree.hpp"

namespace assetc::engine {

Result<Workspace> open_workspace(const Profile& profile, const Target& target, Disk& disk, int threads,
                                 bool read_only) {
  auto status = disk.status(profile.input);
  if (!status && status.error().code != ErrorCode::kNotFound) return std::unexpected(std::move(status).error());
  if (!status || status->type != FileType::kDirectory) {
    return std::unexpected(Error{ErrorCode::kNotFound,
                                 profile.input,
                                 {},
                                 "the input directory does not exist",
                                 "create it, or set input: in assetc.yml"});
  }
  const std::string in = disk.real_path(profile.input), out = disk.real_path(profile.output);
  if (in == out || in.starts_with(out == "/" ? out : out + "/")) {
    return std::unexpected(Error{ErrorCode::kUsage,
                                 profile.config_file,
                                 {},
                                 "the output \"" + profile.output + "\" contains the input \"" + profile.input + "\"",
                                 "build into a directory of its own"});
  }
  Workspace space;
  if (!read_only) {
    if (auto made = disk.make_directories(profile.output); !made)
      return std::unexpected(std::move(made).error().in(profile.output));
    ASSETC_TRY(space.lock, disk.lock(cache_path(profile) + ".lock"));
  }
  space.found = cache_stamp(profile, disk);
  ASSETC_TRY(space.cache, Cache::open(disk, cache_path(profile), read_only));
  space.walked_at_ns = disk.now_ns();
  ASSETC_TRY(space.input, walk_input(profile, target, disk, threads));
  ASSETC_TRY(space.output, disk.walk(profile.output, output_skip(profile, target, disk), threads, Links::kFiles));
  return space;
}

}  // namespace assetc::engine
