// Decodes vertices on a grid: sums of predictions and residuals, and floats of their integers.
#include <bit>
#include <cstddef>
#include <cstring>
#include <optional>

#include "assetc/formats/hmesh_view.hpp"
#include "codec/mesh/decode/grid.hpp"
#include "codec/mesh/decode/meshopt_stream.hpp"

namespace assetc::hmesh {
namespace {

namespace streams = meshopt_stream;

using U16x8 = std::uint16_t __attribute__((vector_size(16)));
using S16x8 = std::int16_t __attribute__((vector_size(16)));
using U16x4 = std::uint16_t __attribute__((vector_size(8)));
using S16x4 = std::int16_t __attribute__((vector_size(8)));
struct Row {
  U16x8 low;   // the first eight lanes
  U16x4 high;  // the others, and zeros
};
static_assert(sizeof(U16x8) + sizeof(U16x4) <= sizeof(GpuVertex));

// The residuals of a block, vertex by vertex.
class Residuals {
 public:
  Residuals(const streams::Block& block, std::size_t count) {
    const std::size_t groups = (count + 7) / 8;
    for (std::size_t g = 0; g < groups; ++g) {
      std::array<U16x8, 8> lanes;
      for (std::size_t k = 0; k < 8; ++k) lanes[k] = lane(block, k, g);
      transpose(lanes, &rows_[g * 8]);
      const U16x8 zero{}, eighth = lane(block, 8, g), ninth = lane(block, 9, g);
      static_assert(kLaneCount == 10);
      const U16x8 first = __builtin_shufflevector(eighth, ninth, 0, 8, 1, 9, 2, 10, 3, 11);
      const U16x8 second = __builtin_shufflevector(eighth, ninth, 4, 12, 5, 13, 6, 14, 7, 15);
      for (std::size_t half = 0; half < 2; ++half) {
        const U16x8 pairs = half == 0 ? first : second;
        Row* const rows = &rows_[g * 8 + half * 4];
        rows[0].high = __builtin_shufflevector(pairs, zero, 0, 1, 8, 8);
        rows[1].high = __builtin_shufflevector(pairs, zero, 2, 3, 8, 8);
        rows[2].high = __builtin_shufflevector(pairs, zero, 4, 5, 8, 8);
        rows[3].high = __builtin_shufflevector(pairs, zero, 6, 7, 8, 8);
      }
    }
  }
  const Row& of(std::size_t i) const { return rows_[i]; }

 private:
  static U16x8 lane(const streams::Block& block, std::size_t k, std::size_t group) {
    using S8x8 = std::int8_t __attribute__((vector_size(8)));
    S8x8 low, high;
    std::memcpy(&low, &block.channels[k][group * 8], sizeof low);
    std::memcpy(&high, &block.channels[kLaneCount + k][group * 8], sizeof high);
    return std::bit_cast<U16x8>(__builtin_convertvector(low, S16x8)) +
           (std::bit_cast<U16x8>(__builtin_convertvector(high, S16x8)) << 8);
  }
  static void transpose(const std::array<U16x8, 8>& in, Row* out) {
    const auto zip = [](U16x8 a, U16x8 b, U16x8& low, U16x8& high) {
      low = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
      high = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
    };
    std::array<U16x8, 8> a, b;
    for (std::size_t i = 0; i < 4; ++i) zip(in[i], in[i + 4], a[2 * i], a[2 * i + 1]);
    for (std::size_t i = 0; i < 4; ++i) zip(a[i], a[i + 4], b[2 * i], b[2 * i + 1]);
    for (std::size_t i = 0; i < 4; ++i) zip(b[i], b[i + 4], out[2 * i].low, out[2 * i + 1].low);
  }
  alignas(16) std::array<Row, streams::kMaxBlock> rows_;
};

// Adds residuals to predictions. A row is at the start of a vertex.
class LaneSums {
 public:
  explicit LaneSums(std::uint16_t middle_lanes) {
    for (std::size_t k = 0; k < 8; ++k) middle_low_[k] = (middle_lanes >> k & 1) != 0 ? 0xFFFF : 0;
    for (std::size_t k = 0; k < 2; ++k) middle_high_[k] = (middle_lanes >> (8 + k) & 1) != 0 ? 0xFFFF : 0;
  }
  void first(const Row& residual, std::byte* out) const { store(residual, out); }
  void add(const std::byte* from_a, const std::byte* from_b, const std::byte* from_c, const Row& residual,
           std::byte* out) const {
    const Row a = load_row(from_a), b = load_row(from_b), c = load_row(from_c);
    store({sum<S16x8>(a.low, b.low, c.low, residual.low, middle_low_),
           sum<S16x4>(a.high, b.high, c.high, residual.high, middle_high_)},
          out);
  }

 private:
  template <class Signed, class Unsigned>
  static Unsigned sum(Unsigned a, Unsigned b, Unsigned c, Unsigned residual, Unsigned middle) {
    const auto half = std::bit_cast<Unsigned>(std::bit_cast<Signed>(b - a) >> 1);
    return a + ((half & middle) | ((b - c) & ~middle)) + residual;
  }
  static Row load_row(const std::byte* from) {
    Row row;
    std::memcpy(&row.low, from, sizeof row.low);
    std::memcpy(&row.high, from + sizeof row.low, sizeof row.high);
    return row;
  }
  static void store(const Row& row, std::byte* out) {
    std::memcpy(out, &row.low, sizeof row.low);
    std::memcpy(out + sizeof row.low, &row.high, sizeof row.high);
  }
  U16x8 middle_low_{};
  U16x4 middle_high_{};
};

void restore(const GridHeader& h, std::span<std::byte> out) {
  const float position_step = power_of_two(h.position_exponent), texcoord_step = power_of_two(h.texcoord_exponent);
  const Snorm normal(h.normal_bits), tangent(h.tangent_bits);
  for (std::size_t at = 0; at < out.size(); at += sizeof(GpuVertex)) {
    std::byte* const to = out.data() + at;
    const auto lanes = load<Lanes>(out, at);
    // Values are stored one by one: a vertex that is put together in memory would have to be read back.
    const auto put = [&](std::size_t offset, auto value) { std::memcpy(to + offset, &value, sizeof value); };
    const auto value = [&](std::size_t k, float step) {
      return static_cast<float>(
                 static_cast<std::int32_t>(static_cast<std::uint32_t>(h.base[k]) + std::uint32_t{lanes[k]})) *
             step;
    };
    const auto component = [&](const Snorm& snorm, std::size_t k) {
      return snorm.wide(static_cast<std::int16_t>(lanes[k]));
    };
    for (std::size_t k = 0; k < 3; ++k) put(offsetof(GpuVertex, position) + k * sizeof(float), value(k, position_step));
    for (std::size_t k = 0; k < 2; ++k) {
      put(offsetof(GpuVertex, uv) + k * sizeof(float), value(kU + k, texcoord_step));
      put(offsetof(GpuVertex, normal) + k * sizeof(std::int16_t), component(normal, kNormalX + k));
    }
    const int turned = (component(tangent, kTangentX) & ~1) | (lanes[kHandedness] & 1);
    put(offsetof(GpuVertex, tangent), static_cast<std::int16_t>(turned));
    put(offsetof(GpuVertex, tangent) + sizeof(std::int16_t), component(tangent, kTangentY));
  }
}

// Vertices are first decoded as lanes, each in the place of its vertex, because later ones refer to them.
template <class Index>
bool decode_vertices(const GridHeader& header, ByteSpan stream, std::span<const Index> indices,
                     std::span<std::byte> out) {
  const std::uint64_t count = out.size() / sizeof(GpuVertex);
  std::optional<streams::Attributes> attributes = streams::Attributes::open(stream, count, kGridStride);
  if (!attributes) return false;
  NeighborWalk<Index> walk(indices);
  LaneSums sums(header.middle_lanes);
  streams::Block block;
  std::uint64_t vertex = 0;
  std::byte* const rows = out.data();
  while (const std::size_t found = attributes->differences(block)) {
    const Residuals residuals(block, found);
    const std::span<const Neighbors> neighbors = walk.next(found);
    for (std::size_t i = 0; i < found; ++i, ++vertex) {
      const Neighbors n = neighbors[i];
      std::byte* const row = rows + vertex * sizeof(GpuVertex);
      if (vertex == 0) {
        sums.first(residuals.of(i), row);
      } else {
        sums.add(rows + std::size_t{n.a} * sizeof(GpuVertex), rows + std::size_t{n.b} * sizeof(GpuVertex),
                 rows + std::size_t{n.c} * sizeof(GpuVertex), residuals.of(i), row);
      }
    }
  }
  if (!attributes->is_complete()) return false;
  restore(header, out);
  return true;
}

}  // namespace

bool decode_grid_vertices(const GridHeader& header, ByteSpan stream, ByteSpan indices, std::size_t index_bytes,
                          std::span<std::byte> out) {
  const auto with = [&]<class Index>(Index) {
    return decode_vertices<Index>(
        header, stream, {reinterpret_cast<const Index*>(indices.data()), indices.size() / sizeof(Index)}, out);
  };
  return index_bytes == 2 ? with(std::uint16_t{}) : with(std::uint32_t{});
}

}  // namespace assetc::hmesh
