// What builds recorded of the files of an output folder: the hash of the bytes that each was written with.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "assetc/base/hash.hpp"
#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"
#include "engine/target/target.hpp"

namespace assetc::engine {

struct Recorded {
  std::map<std::string, ContentHash, std::less<>> contents;  // by path below the folder
  std::string dropped;                                       // why a part is not known; empty when all is
  bool unfinished = false;                                   // a build writes there now, or was stopped while it did
};

// Nothing where no build left its cache: a folder that was unpacked or copied. Changes nothing. Errors: kIo.
Result<std::optional<Recorded>> recorded_of(const std::string& output, const Target& target, Disk& disk);

// What the build whose output a file lies in recorded of it. Nothing where there is no such build. Errors: kIo.
Result<std::optional<ContentHash>> recorded_hash(const std::string& file, const Target& target, Disk& disk);

}  // namespace assetc::engine
