#include "mesh/compact.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "mesh/optimize.hpp"
#include "mesh/weld.hpp"

namespace assetc::mesh {
namespace {

constexpr std::uint32_t kNoItem = scene::kNone;
// Vertices are not merged if their table would be larger: sparse morph targets can make it larger than the source.
constexpr std::uint64_t kMaxTableBytes = 1ull << 28;

// Calls use(array) for each array that has an item for each vertex.
template <class Use>
void for_each_array(scene::Primitive& p, const Use& use) {
  use(p.positions);
  use(p.normals);
  use(p.tangents);
  for (auto& set : p.texcoords) use(set);
  for (auto& set : p.colors) use(set);
  for (scene::Influences& set : p.influences) use(set.joints), use(set.weights);
}
template <class Use>
void for_each_offsets(scene::MorphTarget& m, const Use& use) {
  use(m.positions);
  use(m.normals);
  use(m.tangents);
  for (auto& set : m.texcoords) use(set);
  for (auto& set : m.colors) use(set);
}

// The bytes of everything that belongs to a vertex, as a row of a table. Zeros have no sign.
class Rows {
 public:
  explicit Rows(scene::Primitive& p) : count_(p.positions.size()) {
    for_each_array(p, [this](const auto& array) { width_ += array.empty() ? 0 : sizeof array[0]; });
    for (const scene::CustomAttribute& c : p.custom) width_ += c.values.size() / count_;
    for (scene::MorphTarget& m : p.morphs)
      for_each_offsets(m, [this](const auto& array) { width_ += array.empty() ? 0 : sizeof array[0]; });
    if (width_ > kMaxTableBytes / count_) return;
    bytes_.resize(count_ * width_);
    for_each_array(p, [this](const auto& array) { add(array); });
    for (const scene::CustomAttribute& c : p.custom) add_bytes(c.values, c.values.size() / count_);
    for (scene::MorphTarget& m : p.morphs) for_each_offsets(m, [&](const auto& array) { add(array, m.vertices); });
  }

  bool is_complete() const { return !bytes_.empty(); }
  std::uint64_t hash(std::uint32_t v) const {
    std::uint64_t h = 0;
    const std::byte* row = bytes_.data() + v * width_;
    std::size_t at = 0;
    for (; at + 8 <= width_; at += 8) h = hash_mix(h, word(row + at, 8));
    return at == width_ ? h : hash_mix(h, word(row + at, width_ - at));
  }
  bool equal(std::uint32_t a, std::uint32_t b) const {
    return std::memcmp(bytes_.data() + a * width_, bytes_.data() + b * width_, width_) == 0;
  }

 private:
  static std::uint64_t word(const std::byte* from, std::size_t size) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, size);
    return value;
  }
  static void add_zero(std::byte* item, std::size_t size) {
    for (std::size_t k = 0; k + 4 <= size; k += 4) {
      float value = 0;
      std::memcpy(&value, item + k, 4);
      if (value == 0) std::memset(item + k, 0, 4);
    }
  }
  template <class T>
  void put(std::uint32_t v, const T& item) {
    std::byte* to = bytes_.data() + v * width_ + at_;
    std::memcpy(to, &item, sizeof item);
    if constexpr (!std::is_same_v<T, std::array<std::uint16_t, 4>>) add_zero(to, sizeof item);
  }
  template <class T>
  void add(const std::vector<T>& array) {
    if (array.empty()) return;
    for (std::uint32_t v = 0; v < count_; ++v) put(v, array[v]);
    at_ += sizeof(T);
  }
  template <class T>
  void add(const std::vector<T>& array, std::span<const std::uint32_t> vertices) {
    if (array.empty()) return;
    for (std::size_t i = 0; i < vertices.size(); ++i) put(vertices[i], array[i]);
    at_ += sizeof(T);
  }
  void add_bytes(ByteSpan values, std::size_t size) {
    for (std::size_t v = 0; v < count_; ++v)
      if (size != 0) std::memcpy(bytes_.data() + v * width_ + at_, values.data() + v * size, size);
    at_ += size;
  }

  std::size_t count_, width_ = 0, at_ = 0;
  ByteVector bytes_;
};

// Keeps the items of source vertices, in that order.
template <class T>
void pick(std::vector<T>& array, std::span<const std::uint32_t> sources) {
  if (array.empty()) return;
  std::vector<T> picked(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i) picked[i] = std::move(array[sources[i]]);
  array = std::move(picked);
}

// number: the new vertex of each old one. Costs as much as the target moves: many targets may move few vertices.
void pick_morph(scene::MorphTarget& morph, std::span<const std::uint32_t> number) {
  std::vector<std::uint32_t> vertices, items;
  for (std::uint32_t i = 0; i < morph.vertices.size(); ++i) {
    if (number[morph.vertices[i]] != kNoItem) items.push_back(i);
  }
  std::ranges::sort(items, {}, [&](std::uint32_t i) { return number[morph.vertices[i]]; });
  for (const std::uint32_t i : items) vertices.push_back(number[morph.vertices[i]]);
  for_each_offsets(morph, [&](auto& array) {
    if (items.empty()) array.clear();
    pick(array, items);
  });
  morph.vertices = std::move(vertices);
}

}  // namespace

void compact_primitive(scene::Primitive& p, TriangleOrder order) {
  p.smoothing_groups.clear();
  p.clusters.clear();
  const std::size_t count = p.positions.size();
  if (count == 0 || p.indices.empty()) return;
  if (const Rows rows(p); rows.is_complete()) {
    const auto first = first_equal(
        static_cast<std::uint32_t>(count), [&](std::uint32_t v) { return rows.hash(v); },
        [&](std::uint32_t a, std::uint32_t b) { return rows.equal(a, b); });
    for (std::uint32_t& index : p.indices) index = first[index];
  }
  if (p.topology == scene::Topology::kPoints) {
    std::vector<scene::Vec3> points(p.indices.size());
    for (std::size_t i = 0; i < points.size(); ++i) points[i] = p.positions[p.indices[i]];
    const std::vector<std::uint32_t> sources = order_points(points), indices = p.indices;
    for (std::size_t i = 0; i < sources.size(); ++i) p.indices[i] = indices[sources[i]];
  } else if (p.topology == scene::Topology::kTriangles) {
    if (order == TriangleOrder::kStreams) {
      optimize_for_streams(p.indices, count);
    } else {
      optimize_triangle_order(p.indices, p.positions);
    }
  }
  std::vector<std::uint32_t> number(count, kNoItem), sources;
  for (std::uint32_t& index : p.indices) {
    if (number[index] == kNoItem) {
      number[index] = static_cast<std::uint32_t>(sources.size());
      sources.push_back(index);
    }
    index = number[index];
  }
  for_each_array(p, [&](auto& array) { pick(array, sources); });
  for (scene::CustomAttribute& custom : p.custom) {
    const std::size_t size = custom.values.size() / count;
    ByteVector picked(sources.size() * size);
    for (std::size_t i = 0; i < sources.size() && size != 0; ++i)
      std::memcpy(picked.data() + i * size, custom.values.data() + sources[i] * size, size);
    custom.values = std::move(picked);
  }
  for (scene::MorphTarget& morph : p.morphs) pick_morph(morph, number);
}

}  // namespace assetc::mesh
