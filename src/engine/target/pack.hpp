// The output directory as one .hpack.
#pragma once

#include "engine/target/target.hpp"

namespace assetc::engine {

// Streamed: memory does not grow with the pack. Not touched when its bytes would be equal.
Result<void> write_pack(const Target& target, const Profile& profile, Disk& disk);

}  // namespace assetc::engine
