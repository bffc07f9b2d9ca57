// The hashes that builds recorded for the files of an output folder.
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
  std::string dropped;                                       // why a part is not known; empty if everything is known
  bool unfinished = false;  // a build is writing there now, or was stopped while writing
};

// nullopt if the folder has no build cache, for example because it was unpacked or copied. Changes nothing. Errors:
// kIo.
Result<std::optional<Recorded>> recorded_of(const std::string& output, const Target& target, Disk& disk);

// What made a file of an output folder.
struct RecordedOrigin {
  std::string source;  // the file, below the input folder; of a picture inside a model, the model
  std::string recipe;
  ContentHash hash;  // of the file
};
// By path below the folder; empty if the folder has no build cache. Changes nothing. Errors: kIo.
Result<std::map<std::string, RecordedOrigin, std::less<>>> recorded_origins(const std::string& output,
                                                                            const Target& target, Disk& disk);

// The recorded hash of a file, from the build whose output contains it. nullopt if there is no such build. Errors: kIo.
Result<std::optional<ContentHash>> recorded_hash(const std::string& file, const Target& target, Disk& disk);

}  // namespace assetc::engine
