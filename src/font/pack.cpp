#include "font/pack.hpp"

#include <algorithm>
#include <numeric>

namespace assetc::font {
namespace {

constexpr std::uint32_t kSideMultiple = 4;

std::uint32_t round_up(std::uint32_t side) { return (side + kSideMultiple - 1) / kSideMultiple * kSideMultiple; }

// Fills shelves from the top, tallest rectangles first. Returns the height that they need.
std::uint64_t fill(std::span<PackedRect> rects, std::span<const std::uint32_t> order, std::uint32_t padding,
                   std::uint32_t width) {
  std::uint64_t x = padding, y = padding, shelf_height = 0;
  for (const std::uint32_t i : order) {
    PackedRect& rect = rects[i];
    if (x + rect.width + padding > width) {
      x = padding;
      y += shelf_height + padding;
      shelf_height = 0;
    }
    rect.x = static_cast<std::uint32_t>(x);
    rect.y = static_cast<std::uint32_t>(y);
    x += rect.width + padding;
    shelf_height = std::max<std::uint64_t>(shelf_height, rect.height);
  }
  return y + shelf_height + padding;
}

}  // namespace

std::optional<AtlasSize> pack(std::span<PackedRect> rects, std::uint32_t padding, std::uint32_t max_side) {
  std::vector<std::uint32_t> order(rects.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::stable_sort(order, [&](std::uint32_t a, std::uint32_t b) {
    return rects[a].height != rects[b].height ? rects[a].height > rects[b].height : rects[a].width > rects[b].width;
  });
  std::uint64_t area = 0;
  std::uint32_t widest = 0;
  for (const PackedRect& rect : rects) {
    area += std::uint64_t{rect.width + padding} * (rect.height + padding);
    widest = std::max(widest, rect.width);
  }
  if (std::uint64_t{widest} + 2 * padding > max_side) return std::nullopt;
  std::optional<AtlasSize> best;
  const auto texels = [](const AtlasSize& size) { return std::uint64_t{size.width} * size.height; };
  const std::uint32_t step = std::max(kSideMultiple, round_up(max_side / 256));
  for (std::uint32_t width = round_up(widest + 2 * padding); width <= max_side; width += step) {
    const std::uint64_t squared = std::uint64_t{width} * width;
    if (squared * 2 < area) continue;  // not much taller than wide
    if (best && squared > area * 2) break;
    const std::uint64_t height = fill(rects, order, padding, width);
    if (height > max_side) continue;
    const AtlasSize size{width, round_up(static_cast<std::uint32_t>(height))};
    if (size.height <= max_side && (!best || texels(size) < texels(*best))) best = size;
  }
  if (best) fill(rects, order, padding, best->width);
  return best;
}

}  // namespace assetc::font
