// Compiled files against the budgets of a configuration.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"
#include "engine/config/budget.hpp"
#include "engine/look/inspect.hpp"

namespace assetc::engine {

// A file as budgets count it.
struct BudgetItem {
  std::string path;       // below the output folder; of a cook the virtual path
  std::string_view kind;  // of Budget::kind, or another, which budgets of no kind count alone
  std::uint64_t bytes = 0;
  std::uint64_t memory_bytes = 0;  // on a GPU
  std::uint32_t side_texels = 0;   // the longest of a texture
};

struct BudgetUse {
  const Budget* budget;   // of those that were held
  std::string_view unit;  // the key: "bytes", "memory", "texture_size"
  std::uint64_t used = 0;
  std::uint64_t allowed = 0;
};

struct BudgetReport {
  std::vector<BudgetUse> uses;  // of every bound, in the order of the configuration
  std::vector<Error> problems;  // one a bound that does not hold, its largest offenders named
};

// Deterministic, whatever the order of items.
BudgetReport hold_budgets(std::span<const Budget> budgets, std::span<const BudgetItem> items,
                          const std::string& config_file);

// What is in an output folder. Textures take their inflated levels on a GPU, meshes their file.
std::vector<BudgetItem> budget_items(const Contents& contents);
// A cooked asset of a type of a registry: "Texture2D". Textures and meshes lie in the blob as GPUs take them.
BudgetItem cooked_budget_item(std::string virtual_path, std::string_view type, std::uint64_t bytes,
                              std::uint32_t side_texels);

}  // namespace assetc::engine
