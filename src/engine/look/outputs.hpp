// Lists the files of an output folder for inspection. It leaves out the build's own bookkeeping, and folders below that
// are outputs of their own. Those are recognized by the cache or manifest in them.
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

// Errors: kNotFound if there is no folder, kIo.
Result<OutputFolder> open_output(const std::string& output, Disk& disk);

}  // namespace assetc::engine
