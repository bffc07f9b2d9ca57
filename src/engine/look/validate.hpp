// Whether a cooked tree is what its registry says, and its registry what an engine can trust.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/disk/disk.hpp"
#include "engine/look/budgets.hpp"

namespace assetc::engine {

struct ValidateReport {
  std::vector<Error> problems;  // by file, which is below the cooked folder
  std::uint64_t assets = 0;
  std::uint64_t redirectors = 0;
  std::uint64_t dependencies = 0;
  std::uint64_t files = 0;                // that were read
  std::optional<std::uint64_t> compared;  // with what the cook recorded; nothing where no record is
  std::uint64_t bundles = 0;              // that were read
  std::vector<BudgetItem> items;          // every asset that could be read, by UUID
  std::vector<std::string> unregistered;  // files of assets that the registry does not list
};

// Reads Registry/AssetRegistry.json and .bin of a cooked folder, and every file that they list: UUIDs and virtual paths
// are there once, dependencies lead to assets and not in a circle, both forms say the same, each blob is valid, is what
// the registry says of it, and has the bytes that the cook wrote; every byte of the bundles in Bundles/ is as it was
// written, and they are for this platform. Fails where there is no registry to begin with.
Result<ValidateReport> validate(const std::string& cooked, Disk& disk);

}  // namespace assetc::engine
