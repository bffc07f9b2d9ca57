// The files of an output folder that is looked at: the build's own bookkeeping is left out, and so are folders below
// it that are outputs of their own, by the cache or the manifest in them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

inline constexpr std::string_view kManifestName = "assets.hman";

struct OutputFolder {
  Tree tree;
  std::vector<std::string> other_outputs;  // folders below it
};

// Errors: kNotFound when there is no folder, kIo.
Result<OutputFolder> open_output(const std::string& output, Disk& disk);

}  // namespace assetc::engine
