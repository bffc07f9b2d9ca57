// Checks compiled files against the budgets of a configuration.
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

// The sizes of a file that budgets count.
struct BudgetItem {
  std::string path;       // below the output folder; for a cook, the virtual path
  std::string_view kind;  // a Budget::kind, or another kind, which only budgets without a kind count
  std::uint64_t bytes = 0;
  std::uint64_t memory_bytes = 0;  // on a GPU
  std::uint32_t side_texels = 0;   // the longest side of a texture
};

struct BudgetUse {
  const Budget* budget;   // one of the budgets that were checked
  std::string_view unit;  // the key: "bytes", "memory", "texture_size"
  std::uint64_t used = 0;
  std::uint64_t allowed = 0;
};

struct BudgetReport {
  std::vector<BudgetUse> uses;  // for every limit, in the order of the configuration
  std::vector<Error> problems;  // one per exceeded limit; names its largest files
};

// The result does not depend on the order of items.
BudgetReport hold_budgets(std::span<const Budget> budgets, std::span<const BudgetItem> items,
                          const std::string& config_file);

// The files of an output folder. GPU memory: a texture's inflated levels, a mesh's file size.
std::vector<BudgetItem> budget_items(const Contents& contents);
// A cooked asset of a registry type such as "Texture2D". The blob holds textures and meshes in the form that GPUs use.
BudgetItem cooked_budget_item(std::string virtual_path, std::string_view type, std::uint64_t bytes,
                              std::uint32_t side_texels);

}  // namespace assetc::engine
