// Selects the folders that a watch observes.
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

// The folders of sources and the folder of the configuration. session: of builds with this profile; it may already know
// the folders of sources. Errors: kNotFound if there is no input, kIo.
Result<std::vector<std::string>> folders_to_watch(const Profile& profile, const Target& target, Disk& disk,
                                                  const Session& session);

// Differs if an entry of the input or the configuration has changed. Takes the time of a walk.
ContentHash state_of_input(const Profile& profile, const Target& target, Disk& disk);

// Keeps the changed paths that lie below the input; other paths do not matter. Returns nothing if anything may have
// changed, for example after a change of the configuration.
std::optional<std::vector<std::string>> changes_of_input(const std::optional<std::vector<std::string>>& changed,
                                                         const Profile& profile);

}  // namespace assetc::engine
