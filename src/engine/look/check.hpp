// Whether an output folder is whole: each file by itself, and what the files say of each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

struct CheckReport {
  std::uint64_t files = 0;
  std::uint64_t references = 0;  // texture refs of materials that were followed
  // Files whose bytes were compared with those that the build recorded; nothing where there is no cache of a build.
  std::optional<std::uint64_t> compared;
  std::vector<std::string> other_outputs;  // folders below that are outputs of their own, which are not looked into
  // No problems; in byte order.
  std::vector<std::string> unreferenced;  // plain textures that no material names, where some do
  std::vector<std::string> unrecorded;    // files that no record of the build names, where all records are whole
  std::vector<Error> problems;            // by file, then place; Error::file is below the output folder
};

// Checks, each with the file and the place in it:
//   - .hmesh .gali .hmat .hman .hanim .ktx2: every rule of its format; Zstd levels inflate to the size they state
//   - .spv: the rules of SPIR-V and of the Vulkan version that its own version belongs to
//   - all that a build wrote: it is there, with the bytes that the cache has recorded
//   - assets.hman: every path is a file; a texture's hash is that of its path; its color space is the file's
//   - .hmat: every texture ref is in the manifest
//   - .hmesh, .gali: has as many materials as its sibling .hmat has rows
//   - .hanim: a sibling mesh is there, whatever its container, and every joint is one of its; of both where there are
//     two. Clips that bring their joints belong to no mesh
// Errors: kNotFound when there is no folder, kIo.
Result<CheckReport> check(const std::string& output, Disk& disk);

// A pack: its own checksums, and every file in it by itself. Errors: kNotFound, kIo.
Result<CheckReport> check_pack(const std::string& file, Disk& disk);

// A bundle: every byte of it; of an encrypted one as it is stored. Errors: kNotFound, kIo.
Result<CheckReport> check_bundle(const std::string& file, Disk& disk);

// One compiled file by itself, and against what the build of the folder around it recorded; or a pack or bundle as
// above. Errors: kUsage for what no row of the table of file types opens, kNotFound, kIo.
Result<CheckReport> check_file(const std::string& file, Disk& disk);

}  // namespace assetc::engine
