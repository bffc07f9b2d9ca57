#include "engine/look/budgets.hpp"

#include <algorithm>

#include "base/plural.hpp"
#include "base/size_text.hpp"
#include "engine/config/config.hpp"

namespace assetc::engine {
namespace {

constexpr std::size_t kNamed = 5;

using Measure = std::uint64_t (*)(const BudgetItem&);
struct Bound {
  std::string_view unit;
  Measure measure;
  bool is_sum;  // limits the sum over all items; otherwise each item
  std::uint64_t allowed;
};

std::vector<Bound> bounds_of(const Budget& budget) {
  std::vector<Bound> bounds;
  if (budget.bytes) bounds.push_back({"bytes", [](const BudgetItem& i) { return i.bytes; }, true, *budget.bytes});
  if (budget.memory_bytes)
    bounds.push_back({"memory", [](const BudgetItem& i) { return i.memory_bytes; }, true, *budget.memory_bytes});
  if (budget.texture_size_texels)
    bounds.push_back({"texture_size", [](const BudgetItem& i) { return std::uint64_t{i.side_texels}; }, false,
                      *budget.texture_size_texels});
  return bounds;
}

std::string amount_text(const Bound& bound, std::uint64_t amount) {
  return bound.is_sum ? size_text(amount) : plural(amount, "texel");
}

// "ui/a.ktx2 (21.3 MiB), ui/b.ktx2 (16.0 MiB) and 12 more"
std::string offenders_text(const Bound& bound, std::span<const BudgetItem* const> largest) {
  std::string text;
  for (std::size_t i = 0; i < std::min(largest.size(), kNamed); ++i)
    text += (i == 0 ? "" : ", ") + largest[i]->path + " (" + amount_text(bound, bound.measure(*largest[i])) + ")";
  if (largest.size() > kNamed) text += " and " + count_text(largest.size() - kNamed) + " more";
  return text;
}

// Whether a glob matches every path: "**", "*" and "**/*".
bool takes_all(std::string_view match) {
  if (match.starts_with("**/")) match.remove_prefix(3);
  return !match.empty() && match.find_first_not_of('*') == std::string_view::npos;
}

std::string noun_of(std::string_view kind) {
  if (kind.empty()) return "files";
  if (kind == "audio") return "sounds";
  return std::string(kind) + (kind == "mesh" ? "es" : "s");
}

Error problem_of(const Budget& budget, const Bound& bound, std::uint64_t used,
                 std::span<const BudgetItem* const> largest, const std::string& config_file) {
  const std::string where = takes_all(budget.match) ? "" : " of " + budget.match;
  std::string said;
  if (bound.is_sum) {
    said = noun_of(budget.kind) + where + " take " + size_text(used) +
           (bound.unit == "memory" ? " of video memory" : "") + ", but " + size_text(bound.allowed) +
           " are allowed; the largest: ";
  } else {
    said = "textures" + where + " have sides longer than the allowed " + plural(bound.allowed, "texel") + ": ";
  }
  return {ErrorCode::kLimit, config_file, budget.place, said + offenders_text(bound, largest),
          bound.is_sum ? "make the largest smaller, or raise the budget"
                       : "give them a texture.max_size, or raise the budget"};
}

std::string_view kind_of_type(std::string_view type) {
  if (type.starts_with("Texture")) return "texture";
  if (type == "Mesh") return "mesh";
  if (type == "Material") return "material";
  if (type == "Animation") return "animation";
  if (type == "Shader") return "shader";
  if (type == "Audio") return "audio";
  return "other";
}

}  // namespace

BudgetReport hold_budgets(std::span<const Budget> budgets, std::span<const BudgetItem> items,
                          const std::string& config_file) {
  BudgetReport report;
  for (const Budget& budget : budgets) {
    std::vector<const BudgetItem*> counted;
    for (const BudgetItem& item : items) {
      if ((budget.kind.empty() || budget.kind == item.kind) && glob_matches(budget.match, item.path))
        counted.push_back(&item);
    }
    for (const Bound& bound : bounds_of(budget)) {
      std::uint64_t used = 0;
      for (const BudgetItem* item : counted)
        used = bound.is_sum ? used + bound.measure(*item) : std::max(used, bound.measure(*item));
      report.uses.push_back({&budget, bound.unit, used, bound.allowed});
      if (used <= bound.allowed) continue;
      std::vector<const BudgetItem*> largest = counted;
      std::erase_if(largest,
                    [&](const BudgetItem* item) { return bound.measure(*item) <= (bound.is_sum ? 0 : bound.allowed); });
      std::ranges::sort(largest, [&](const BudgetItem* a, const BudgetItem* b) {
        const std::uint64_t of_a = bound.measure(*a), of_b = bound.measure(*b);
        return of_a != of_b ? of_a > of_b : a->path < b->path;
      });
      report.problems.push_back(problem_of(budget, bound, used, largest, config_file));
    }
  }
  return report;
}

std::vector<BudgetItem> budget_items(const Contents& contents) {
  std::vector<BudgetItem> items;
  for (const FileInfo& file : contents.files) {
    BudgetItem item{.path = file.path, .kind = file.kind, .bytes = file.size_bytes};
    if (const auto* texture = std::get_if<filetypes::TextureInfo>(&file.content)) {
      item.memory_bytes = texture->gpu_bytes;
      item.side_texels = std::max({texture->width_texels, texture->height_texels, texture->depth_texels});
    } else if (std::holds_alternative<filetypes::MeshInfo>(file.content)) {
      item.memory_bytes = file.size_bytes;
    }
    items.push_back(std::move(item));
  }
  return items;
}

BudgetItem cooked_budget_item(std::string virtual_path, std::string_view type, std::uint64_t bytes,
                              std::uint32_t side_texels) {
  BudgetItem item{.path = std::move(virtual_path), .kind = kind_of_type(type), .bytes = bytes};
  if (item.kind == "texture" || item.kind == "mesh") item.memory_bytes = bytes;
  if (item.kind == "texture") item.side_texels = side_texels;
  return item;
}

}  // namespace assetc::engine
