// What a watch of a build watches.
#pragma once

#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/config/config.hpp"
#include "engine/disk/disk.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

// The folders of sources, and the one that the configuration is read from. Errors: kNotFound without an input, kIo.
Result<std::vector<std::string>> folders_to_watch(const Profile& profile, const Target& target, Disk& disk);

}  // namespace assetc::engine
