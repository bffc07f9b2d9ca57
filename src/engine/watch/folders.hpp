// What a watch of a build watches.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/run/session.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

// The folders of sources, and the one that the configuration is read from. Errors: kNotFound without an input, kIo.
// session: of builds with this profile, which may know the former.
Result<std::vector<std::string>> folders_to_watch(const Profile& profile, const Target& target, Disk& disk,
                                                  const Session& session);

// Of changed paths in those folders, the ones below the input; nothing where anything may have changed, as where a
// configuration has. Others do not matter.
std::optional<std::vector<std::string>> changes_of_input(const std::optional<std::vector<std::string>>& changed,
                                                         const Profile& profile);

}  // namespace assetc::engine
