// Checks that a cooked tree matches its registry, and that an engine can rely on the registry.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "assetc/base/result.hpp"
#include "bundle/rules.hpp"
#include "engine/disk/disk.hpp"
#include "engine/look/budgets.hpp"

namespace assetc::engine {

struct ValidateReport {
  std::vector<Error> problems;  // by file, which is below the cooked folder
  std::uint64_t assets = 0;
  std::uint64_t redirectors = 0;
  std::uint64_t dependencies = 0;
  std::uint64_t files = 0;                // files that were read
  std::optional<std::uint64_t> compared;  // files compared with the cook's records; nullopt if there are no records
  std::uint64_t bundles = 0;              // bundles that were read
  std::uint64_t sealed_bundles = 0;       // of these: encrypted ones, whose contents were not compared
  std::vector<BudgetItem> items;          // every asset that could be read, by UUID
  std::vector<std::string> unregistered;  // files of assets that the registry does not list
};

// Reads Registry/AssetRegistry.json and .bin of a cooked folder, every file that they list, and the bundles in
// Bundles/. Checks:
// - UUIDs and virtual paths are unique.
// - Dependencies lead to assets and form no cycle.
// - The two forms of the registry agree.
// - Each blob is valid, matches the registry, and has the bytes that the cook wrote.
// - Every byte of the bundles is as it was written. They are for this platform, and have the contents of the listed
//   files; the contents of encrypted ones are not compared.
// - Each bundle of the rules is there, with the assets that its rule selects.
// Fails if there is no registry.
Result<ValidateReport> validate(const std::string& cooked, std::span<const bundle::Rule> rules, Disk& disk);

}  // namespace assetc::engine
