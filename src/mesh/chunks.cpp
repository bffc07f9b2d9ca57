#include "mesh/chunks.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <numeric>

#include "mesh/parallel.hpp"
#include "parallel/parallel.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec3;

constexpr std::size_t kChunkBlock = 1u << 14;
constexpr std::size_t kCutBins = 1024;

struct Split {
  std::span<const Vec3> centers;     // of triangles
  std::span<std::uint32_t> scratch;  // one item a triangle
  std::span<std::uint32_t> begin;    // of chunks

  // Orders items, which start at position offset of the whole list, into chunks [first, first + chunks).
  void run(std::span<std::uint32_t> items, std::size_t offset, std::size_t first, std::size_t chunks) const {
    begin[first] = static_cast<std::uint32_t>(offset);
    if (chunks <= 1 || items.size() <= 1) {
      for (std::size_t c = 1; c < chunks; ++c) begin[first + c] = static_cast<std::uint32_t>(offset + items.size());
      return;
    }
    const std::size_t left_chunks = chunks / 2;
    const std::size_t middle = partition(items, offset, items.size() * left_chunks / chunks);
    const auto left = [&] { run(items.first(middle), offset, first, left_chunks); };
    const auto right = [&] { run(items.subspan(middle), offset + middle, first + left_chunks, chunks - left_chunks); };
    if (items.size() > kChunkBlock) {
      parallel_invoke(left, right);
    } else {
      left();
      right();
    }
  }

  // Moves about target items, those lowest along the longest axis, to the front. Both sides keep their order.
  std::size_t partition(std::span<std::uint32_t> items, std::size_t offset, std::size_t target) const {
    Vec3 low = centers[items[0]], high = low;
    for (std::uint32_t item : items) {
      const Vec3 p = centers[item];
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
    const Vec3 size = high - low;
    float Vec3::* axis = size.x >= size.y && size.x >= size.z ? &Vec3::x : size.y >= size.z ? &Vec3::y : &Vec3::z;
    const float extent = size.*axis, origin = low.*axis;
    const float scale = static_cast<float>(kCutBins) / extent;
    if (!(extent > 0) || !(scale < 3.0e38f) || !(extent < 3.0e38f))
      return target;  // all at one point: any half will do

    const auto bin_of = [&](std::uint32_t item) {
      const float b = (centers[item].*axis - origin) * scale;
      return std::min(static_cast<std::size_t>(b), kCutBins - 1);
    };
    std::array<std::uint32_t, kCutBins> counts{};
    for (std::uint32_t item : items) ++counts[bin_of(item)];
    // Find the boundary between bins that is nearest to the target and leaves items on both sides.
    std::size_t cut = 0, before = 0, best_cut = 0, best_distance = items.size();
    for (; cut + 1 < kCutBins; ++cut) {
      before += counts[cut];
      const std::size_t distance = before > target ? before - target : target - before;
      if (before > 0 && before < items.size() && distance < best_distance) {
        best_distance = distance;
        best_cut = cut;
      }
    }
    if (best_distance > items.size() / 4) return target;  // too many in one bin: cut by order
    std::size_t kept = 0, moved = 0;
    for (std::uint32_t item : items) {
      if (bin_of(item) <= best_cut) {
        items[kept++] = item;
      } else {
        scratch[offset + moved++] = item;
      }
    }
    std::copy_n(scratch.begin() + static_cast<std::ptrdiff_t>(offset), moved,
                items.begin() + static_cast<std::ptrdiff_t>(kept));
    return kept;
  }
};

// slot(v): a reference to the local number of vertex v, kNoSlot if it has none yet.
template <class Corner, class Slot>
LocalMesh renumber(std::size_t corner_count, const Corner& corner, const Slot& slot) {
  LocalMesh local;
  local.indices.resize(corner_count);
  local.vertices.reserve(corner_count / 5);  // a mesh has about two triangles a vertex
  for (std::size_t i = 0; i < corner_count; ++i) {
    const std::uint32_t v = corner(i);
    std::uint32_t& number = slot(v);
    if (number == kNoSlot) {
      number = static_cast<std::uint32_t>(local.vertices.size());
      local.vertices.push_back(v);
    }
    local.indices[i] = number;
  }
  return local;
}

template <class Corner>
LocalMesh renumber(std::size_t corner_count, const Corner& corner) {
  struct Entry {
    std::uint32_t vertex = kNoSlot;
    std::uint32_t number = kNoSlot;
  };
  std::vector<Entry> table(std::bit_ceil(corner_count + corner_count / 2 + 1));
  const int shift = 64 - std::countr_zero(table.size());
  LocalMesh local = renumber(corner_count, corner, [&](std::uint32_t v) -> std::uint32_t& {
    std::size_t at = v * 0x9E3779B97F4A7C15ull >> shift;
    while (table[at].vertex != v && table[at].vertex != kNoSlot) at = (at + 1) & (table.size() - 1);
    table[at].vertex = v;
    return table[at].number;
  });
  local.vertices.shrink_to_fit();
  return local;
}

}  // namespace

Chunks split_into_chunks(std::size_t triangles, const std::function<Vec3(std::size_t)>& center,
                         std::uint32_t max_triangles) {
  const std::size_t count = std::max<std::size_t>(1, (triangles + max_triangles - 1) / max_triangles);
  Chunks chunks;
  chunks.triangles.resize(triangles);
  std::iota(chunks.triangles.begin(), chunks.triangles.end(), 0u);
  chunks.begin.resize(count + 1);
  chunks.begin[count] = static_cast<std::uint32_t>(triangles);
  if (count == 1) return chunks;

  const auto centers = std::make_unique_for_overwrite<Vec3[]>(triangles);
  const auto scratch = std::make_unique_for_overwrite<std::uint32_t[]>(triangles);
  for_blocks(triangles, kChunkBlock, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t t = begin; t < end; ++t) centers[t] = center(t);
  });
  const Split split{{centers.get(), triangles}, {scratch.get(), triangles}, chunks.begin};
  split.run(chunks.triangles, 0, 0, count);
  return chunks;
}

LocalMesh make_local(std::span<const std::uint32_t> indices) {
  return renumber(indices.size(), [&](std::size_t i) { return indices[i]; });
}

LocalMesh make_local(std::span<const std::uint32_t> indices, std::span<const std::uint32_t> triangles) {
  return renumber(triangles.size() * 3, [&](std::size_t i) { return indices[triangles[i / 3] * 3 + i % 3]; });
}

LocalMesh make_dense_local(std::span<const std::uint32_t> indices, std::span<std::uint32_t> slots) {
  LocalMesh local = renumber(
      indices.size(), [&](std::size_t i) { return indices[i]; },
      [&](std::uint32_t v) -> std::uint32_t& { return slots[v]; });
  for (std::uint32_t v : local.vertices) slots[v] = kNoSlot;
  return local;
}

}  // namespace assetc::mesh
