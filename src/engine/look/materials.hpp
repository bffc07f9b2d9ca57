// Finds materials of an output folder that an engine could draw as one. Reads files; never compiles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"

namespace assetc::engine {

// A row of a .hmat.
struct MaterialPlace {
  std::string path;  // below the output folder
  std::uint32_t row = 0;
};

// Materials of which each is like the first.
struct MaterialGroup {
  bool has_same_textures = false;  // otherwise, they differ in their textures, and in nothing else
  std::vector<MaterialPlace> places;
};

struct MaterialGroups {
  std::uint64_t materials = 0;             // of all .hmat
  std::uint64_t different = 0;             // with equal ones counted once
  std::uint64_t different_without = 0;     // the same, if textures are not compared
  std::vector<MaterialGroup> groups = {};  // of two or more, the largest first; each material is in one group of a kind
  std::vector<Error> unreadable = {};
};

// Names are not compared. Two textures are the same if their files have the same bytes, whatever their paths.
// Errors: kNotFound if there is no folder, kIo.
Result<MaterialGroups> find_equal_materials(const std::string& output, Disk& disk);

}  // namespace assetc::engine
