#include "mesh/cluster/split.hpp"

#include <algorithm>
#include <cassert>

#include "parallel/parallel.hpp"

namespace assetc::mesh::cluster {
namespace {

// Below this number of items, another thread costs more than it saves.
constexpr std::size_t kParallelItems = 1u << 14;

struct Key {
  float value;
  std::uint32_t item;
  // Equal values are ordered by item, so that the split is the same with every library.
  static bool before(const Key& a, const Key& b) { return a.value != b.value ? a.value < b.value : a.item < b.item; }
};

struct Splitter {
  std::span<const SplitPoint> points;
  const SplitOptions& options;

  void run(std::span<std::uint32_t> items, std::size_t parts, std::uint32_t first, std::span<std::uint32_t> ends,
           std::vector<Key>& keys) const {
    if (parts == 1) {
      ends[0] = first + static_cast<std::uint32_t>(items.size());
      return;
    }
    const std::size_t left_parts =
        std::clamp<std::size_t>(options.fifths == 0 ? parts / 2 : parts * options.fifths / 5, 1, parts - 1);
    const std::size_t right_parts = parts - left_parts;
    std::size_t left = (items.size() * left_parts + parts / 2) / parts;
    // Neither side may have more than its groups can hold, or fewer than one item for each.
    const std::size_t least =
        std::max(left_parts, items.size() - std::min(items.size(), right_parts * options.max_size));
    const std::size_t most = std::min(items.size() - right_parts, left_parts * options.max_size);
    left = std::clamp(left, least, most);

    const std::size_t axis = widest_axis(items);
    keys.resize(items.size());
    for (std::size_t i = 0; i < items.size(); ++i) keys[i] = {points[items[i]][axis], items[i]};
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(left), keys.end(), Key::before);
    for (std::size_t i = 0; i < items.size(); ++i) items[i] = keys[i].item;

    const auto middle = first + static_cast<std::uint32_t>(left);
    const auto run_left = [&](std::vector<Key>& scratch) {
      run(items.first(left), left_parts, first, ends.first(left_parts), scratch);
    };
    const auto run_right = [&](std::vector<Key>& scratch) {
      run(items.subspan(left), right_parts, middle, ends.subspan(left_parts), scratch);
    };
    if (items.size() >= kParallelItems) {
      std::vector<Key>().swap(keys);
      parallel_invoke(
          [&] {
            std::vector<Key> scratch;
            run_left(scratch);
          },
          [&] {
            std::vector<Key> scratch;
            run_right(scratch);
          });
    } else {
      run_left(keys);
      run_right(keys);
    }
  }

  std::size_t widest_axis(std::span<const std::uint32_t> items) const {
    SplitPoint low = points[items[0]], high = low;
    for (const std::uint32_t item : items) {
      for (std::size_t axis = 0; axis < low.size(); ++axis) {
        low[axis] = std::min(low[axis], points[item][axis]);
        high[axis] = std::max(high[axis], points[item][axis]);
      }
    }
    std::size_t widest = 0;
    for (std::size_t axis = 1; axis < low.size(); ++axis) {
      if (high[axis] - low[axis] > high[widest] - low[widest]) widest = axis;
    }
    return widest;
  }
};

}  // namespace

std::vector<std::uint32_t> split(std::span<std::uint32_t> items, std::span<const SplitPoint> points,
                                 const SplitOptions& options) {
  assert(options.parts >= 1 && options.parts <= items.size() && options.parts * options.max_size >= items.size());
  std::vector<std::uint32_t> ends(options.parts);
  std::vector<Key> keys;
  Splitter{points, options}.run(items, options.parts, 0, ends, keys);
  return ends;
}

}  // namespace assetc::mesh::cluster
