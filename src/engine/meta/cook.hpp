// Builds of a repository for one platform: sources with their .meta in, Cooked/<Platform>/ out.
#pragma once

#include <functional>
#include <string>

#include "assetc/base/result.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/target/identities.hpp"

namespace assetc::engine {

// Who is who as the .meta files say. A source whose .meta an import would write is refused: its steps fail, and say so.
Result<Identities> load_identities(const Profile& profile, Disk& disk);

// BuildRequest::selects for the sources of one demo and those that all share. Errors: kUsage for one that is not there,
// naming those that are.
Result<std::function<bool(std::string_view)>> sources_of_demo(const Profile& profile, const std::string& demo,
                                                              Disk& disk);

}  // namespace assetc::engine
