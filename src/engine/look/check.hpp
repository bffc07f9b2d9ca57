// Checks whether an output folder is complete: each file on its own, and the references between files.
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
  // Files whose bytes were compared with the build's records; nullopt if there is no cache of a build.
  std::optional<std::uint64_t> compared;
  std::vector<std::string> other_outputs;  // folders below that are outputs of their own; they are not checked
  // These are no problems; in byte order.
  std::vector<std::string> unreferenced;  // plain textures that no material names; empty if materials name none at all
  std::vector<std::string> unrecorded;    // files that no record of the build names, if all records are intact
  std::vector<Error> problems;            // by file, then place; Error::file is below the output folder
};

// Checks the following. Each problem names the file and the place in it.
// - .hmesh .gali .hmat .hman .hanim .ktx2: every rule of the format; Zstd levels inflate to the size they state
// - .spv: the rules of SPIR-V and of the Vulkan version that belongs to its version; no two descriptors at one place,
//   also among the stages of one .shader folder
// - all files that a build wrote: they exist, with the bytes that the cache has recorded
// - assets.hman: every path is a file; the hash of a texture is that of its path; its color space is the file's
// - .hmat: every texture ref is in the manifest
// - .hmesh, .gali: have as many materials as the .hmat beside it has rows
// - .hanim: there is a mesh beside it, in any container, and every joint is one of its joints; with two meshes, of
//   both. Clips with their own joints belong to no mesh
// Errors: kNotFound if there is no folder, kIo.
Result<CheckReport> check(const std::string& output, Disk& disk);

// Checks a pack: its checksums, and each file in it on its own. Errors: kNotFound, kIo.
Result<CheckReport> check_pack(const std::string& file, Disk& disk);

// Checks every byte of a bundle; of an encrypted one, as it is stored. Errors: kNotFound, kIo.
Result<CheckReport> check_bundle(const std::string& file, Disk& disk);

// Checks one compiled file on its own and against the records of the build of its folder; or a pack or bundle as above.
// Errors: kUsage if no row of the table of file types opens it, kNotFound, kIo.
Result<CheckReport> check_file(const std::string& file, Disk& disk);

}  // namespace assetc::engine
