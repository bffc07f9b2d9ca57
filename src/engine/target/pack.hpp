// Writes the output directory as one .hpack.
#pragma once

#include "engine/target/target.hpp"

namespace assetc::engine {

// The pack is streamed, so memory use does not depend on its size. If its bytes would not change, the file is not
// touched. without: paths of files that the pack lacks, in byte order.
Result<void> write_pack(const Target& target, const Profile& profile, std::span<const std::string> without, Disk& disk);

}  // namespace assetc::engine
