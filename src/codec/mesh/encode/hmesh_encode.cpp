#include "codec/mesh/encode/hmesh_encode.hpp"

#include <meshoptimizer.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "assetc/formats/hmesh_encoded.hpp"
#include "assetc/formats/hmesh_view.hpp"
#include "codec/mesh/decode/grid.hpp"
#include "codec/mesh/decode/meshlet_stream.hpp"
#include "codec/mesh/decode/meshopt_stream.hpp"
#include "codec/mesh/encode/meshlet_encode.hpp"
#include "compression/decode.hpp"
#include "compression/encode.hpp"
#include "parallel/parallel.hpp"

namespace assetc::hmesh {
namespace {

using chunks::ChunkEntry;

// The body of a chunk before Zstd.
struct Body {
  Encoding encoding = Encoding::kPlain;
  std::size_t stride_bytes = 0;
  std::size_t prefix_bytes = 0;
  ByteVector bytes;
};

void append_attributes(ByteVector& out, const void* elements, std::size_t count, std::size_t stride_bytes) {
  const std::size_t begin = out.size();
  out.resize(begin + meshopt_encodeVertexBufferBound(count, stride_bytes));
  const std::size_t size = meshopt_encodeVertexBuffer(reinterpret_cast<unsigned char*>(out.data() + begin),
                                                      out.size() - begin, elements, count, stride_bytes);
  out.resize(begin + size);
}

// Elements after a prefix that is stored unchanged.
std::optional<Body> attributes(ByteSpan chunk, std::size_t stride_bytes, std::size_t prefix_bytes = 0) {
  if (stride_bytes == 0 || stride_bytes % 4 != 0 || stride_bytes > meshopt_stream::kMaxStride ||
      chunk.size() < prefix_bytes || (chunk.size() - prefix_bytes) % stride_bytes != 0)
    return std::nullopt;
  Body body{Encoding::kAttributes, stride_bytes, prefix_bytes, {}};
  append_bytes(body.bytes, chunk.first(prefix_bytes));
  append_attributes(body.bytes, chunk.data() + prefix_bytes, (chunk.size() - prefix_bytes) / stride_bytes,
                    stride_bytes);
  return body;
}

// A triangle stream begins most triangles with another corner.
ByteVector triangle_stream(std::span<const std::uint32_t> indices, std::size_t vertex_count) {
  ByteVector stream(meshopt_encodeIndexBufferBound(indices.size(), vertex_count));
  stream.resize(meshopt_encodeIndexBuffer(reinterpret_cast<unsigned char*>(stream.data()), stream.size(),
                                          indices.data(), indices.size()));
  return stream;
}

void rotate(std::span<std::uint32_t> indices, std::size_t vertex_count) {
  if (indices.empty()) return;
  const ByteVector stream = triangle_stream(indices, vertex_count);
  auto read = meshopt_stream::Triangles::open(stream, indices.size() / 3);
  for (std::size_t i = 0; i < indices.size(); i += 3)
    std::ranges::copy(read->next(), indices.begin() + static_cast<std::ptrdiff_t>(i));
}

// How often the stream's triangle has to be turned left to be the source's.
unsigned rotation_of(const meshopt_stream::Triangle& stored, std::span<const std::uint32_t> wanted) {
  for (unsigned r = 0; r < 2; ++r) {
    if (stored[r] == wanted[0] && stored[(r + 1) % 3] == wanted[1] && stored[(r + 2) % 3] == wanted[2]) return r;
  }
  return 2;
}

Body triangles(std::span<const std::uint32_t> indices, std::size_t vertex_count, std::size_t index_width) {
  const ByteVector stream = triangle_stream(indices, vertex_count);
  ByteVector rotations((indices.size() / 3 + 4) / 5);
  bool has_any = false;
  auto read = meshopt_stream::Triangles::open(stream, indices.size() / 3);
  constexpr std::array<unsigned, 5> kFactors{1, 3, 9, 27, 81};
  for (std::size_t i = 0; i < indices.size(); i += 3) {
    const unsigned rotation = rotation_of(read->next(), indices.subspan(i, 3));
    has_any |= rotation != 0;
    std::byte& packed = rotations[i / 15];
    packed = static_cast<std::byte>(static_cast<unsigned>(packed) + rotation * kFactors[i / 3 % 5]);
  }
  if (!has_any) rotations.clear();
  Body body{Encoding::kTriangles, index_width, rotations.size(), std::move(rotations)};
  append_bytes(body.bytes, stream);
  return body;
}

// ---- vertices ----

// The step of which all values are multiples, and the least multiple of each component.
struct Grid {
  int exponent = 0;
  std::array<std::int32_t, 3> base{};
};

// The exponent of the lowest bit of a finite float that is not 0.
int lowest_bit(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t exponent = bits >> 23 & 0xFF, fraction = bits & 0x7FFFFF;
  const std::uint32_t digits = exponent == 0 ? fraction : fraction | 0x800000;
  return static_cast<int>(std::max(exponent, 1u)) - 150 + std::countr_zero(digits);
}

// Nothing if no step has integers of 16 bits for all values. get(i, k): component k of value i.
template <class Get>
std::optional<Grid> find_grid(std::size_t count, std::size_t components, Get get) {
  std::array<float, 3> low, high;
  low.fill(INFINITY), high.fill(-INFINITY);
  int exponent = kMaxExponent;
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < components; ++k) {
      const float value = get(i, k);
      if (!std::isfinite(value) || (value == 0 && std::signbit(value))) return std::nullopt;
      low[k] = std::min(low[k], value), high[k] = std::max(high[k], value);
      if (value != 0) exponent = std::min(exponent, lowest_bit(value));
    }
  }
  if (exponent < kMinExponent) return std::nullopt;
  Grid grid{exponent, {}};
  for (std::size_t k = 0; k < components && count > 0; ++k) {
    const double least = std::ldexp(double{low[k]}, -exponent), most = std::ldexp(double{high[k]}, -exponent);
    if (std::max(std::fabs(least), std::fabs(most)) > double{kMaxGridInteger} || most - least > 65535)
      return std::nullopt;
    grid.base[k] = static_cast<std::int32_t>(least);
  }
  return grid;
}

// The fewest bits from which all components are restored. 16 always restores those above -32768.
template <class Restores>
unsigned fewest_bits(std::span<const GpuVertex> vertices, Restores restores) {
  constexpr std::array<unsigned, 8> kBits{2, 4, 6, 8, 10, 12, 14, 16};
  for (const unsigned bits : kBits) {
    const Snorm snorm(bits);
    if (std::ranges::all_of(vertices, [&](const GpuVertex& v) { return restores(snorm, v); })) return bits;
  }
  return 0;
}

bool restores_normal(const Snorm& snorm, const GpuVertex& v) {
  return std::ranges::all_of(v.normal, [&](std::int16_t n) { return snorm.wide(snorm.narrow(n)) == n; });
}

// Bit 0 of the first component is the handedness.
std::optional<std::int16_t> narrow_tangent(const Snorm& snorm, std::int16_t value) {
  for (const int wanted : {value & ~1, value | 1}) {
    const std::int16_t narrow = snorm.narrow(static_cast<std::int16_t>(wanted));
    if ((snorm.wide(narrow) & ~1) == (value & ~1)) return narrow;
  }
  return std::nullopt;
}
bool restores_tangent(const Snorm& snorm, const GpuVertex& v) {
  return narrow_tangent(snorm, v.tangent[0]) && snorm.wide(snorm.narrow(v.tangent[1])) == v.tangent[1];
}

// The bits that residuals take, about.
class Cost {
 public:
  void add(std::uint16_t residual) {
    const int value = static_cast<std::int16_t>(residual);
    bits_ += static_cast<std::uint64_t>(std::bit_width(static_cast<std::uint32_t>(std::abs(value))));
  }
  bool operator<(const Cost& other) const { return bits_ < other.bits_; }

 private:
  std::uint64_t bits_ = 0;
};

std::uint16_t middle(std::uint16_t a, std::uint16_t b) {
  return static_cast<std::uint16_t>(a + (static_cast<std::int16_t>(b - a) >> 1));
}
std::uint16_t across(std::uint16_t a, std::uint16_t b, std::uint16_t c) {
  return static_cast<std::uint16_t>(a + b - c);
}

// Calls use(v, neighbors) for each vertex, in order.
template <class Index, class Use>
void walk_neighbors(std::span<const Index> indices, std::size_t vertex_count, Use use) {
  NeighborWalk<Index> walk(indices);
  for (std::size_t v = 0; v < vertex_count;) {
    for (const Neighbors& n : walk.next(std::min(vertex_count - v, walk.kMaxCount))) use(v++, n);
  }
}

template <class Index>
void append_residuals(std::span<const Lanes> rows, std::span<const Index> indices, GridHeader& header,
                      ByteVector& elements) {
  std::array<Cost, kLaneCount> as_middle, as_corner;
  walk_neighbors(indices, rows.size(), [&](std::size_t v, const Neighbors& n) {
    for (std::size_t k = 0; k < kLaneCount && v > 0; ++k) {
      as_middle[k].add(static_cast<std::uint16_t>(rows[v][k] - middle(rows[n.a][k], rows[n.b][k])));
      as_corner[k].add(static_cast<std::uint16_t>(rows[v][k] - across(rows[n.a][k], rows[n.b][k], rows[n.c][k])));
    }
  });
  for (std::size_t k = 0; k < kLaneCount; ++k) {
    if (as_middle[k] < as_corner[k]) header.middle_lanes = static_cast<std::uint16_t>(header.middle_lanes | 1u << k);
  }
  elements.resize(rows.size() * kGridStride);
  std::array<std::uint8_t, kGridStride> sums{};
  walk_neighbors(indices, rows.size(), [&](std::size_t v, const Neighbors& n) {
    for (std::size_t k = 0; k < kLaneCount; ++k) {
      std::uint16_t predicted = 0;
      if (v > 0) {
        predicted = (header.middle_lanes >> k & 1) != 0 ? middle(rows[n.a][k], rows[n.b][k])
                                                        : across(rows[n.a][k], rows[n.b][k], rows[n.c][k]);
      }
      // A low byte that is near 0 or 255 leaves a high byte of 0.
      const auto residual = static_cast<std::uint16_t>(rows[v][k] - predicted);
      const auto low = static_cast<std::int8_t>(residual & 0xFF);
      const auto high = static_cast<std::uint8_t>(static_cast<std::uint16_t>(residual - low) >> 8);
      // The stream stores differences of bytes, so its bytes are the sums of those of the residuals.
      sums[k] = static_cast<std::uint8_t>(sums[k] + static_cast<std::uint8_t>(low));
      sums[kLaneCount + k] = static_cast<std::uint8_t>(sums[kLaneCount + k] + high);
    }
    std::memcpy(elements.data() + v * kGridStride, sums.data(), sums.size());
  });
}

// Vertices whose values are multiples of a step.
std::optional<Body> grid_vertices(const View& mesh) {
  const std::span<const GpuVertex> vertices = mesh.vertices();
  const auto positions =
      find_grid(vertices.size(), 3, [&](std::size_t i, std::size_t k) { return vertices[i].position[k]; });
  if (!positions) return std::nullopt;
  const auto texcoords = find_grid(vertices.size(), 2, [&](std::size_t i, std::size_t k) { return vertices[i].uv[k]; });
  if (!texcoords) return std::nullopt;
  GridHeader header{};
  header.position_exponent = static_cast<std::int8_t>(positions->exponent);
  header.texcoord_exponent = static_cast<std::int8_t>(texcoords->exponent);
  header.normal_bits = static_cast<std::uint8_t>(fewest_bits(vertices, restores_normal));
  header.tangent_bits = static_cast<std::uint8_t>(fewest_bits(vertices, restores_tangent));
  if (header.normal_bits == 0 || header.tangent_bits == 0) return std::nullopt;
  std::copy_n(positions->base.begin(), 3, header.base.begin());
  std::copy_n(texcoords->base.begin(), 2, header.base.begin() + 3);

  const Snorm normal(header.normal_bits), tangent(header.tangent_bits);
  std::vector<Lanes> rows(vertices.size());
  const auto integer = [](float value, int exponent, std::int32_t base) {
    return static_cast<std::uint16_t>(static_cast<std::int32_t>(std::ldexp(double{value}, -exponent)) - base);
  };
  for (std::size_t v = 0; v < rows.size(); ++v) {
    const GpuVertex& from = vertices[v];
    Lanes& row = rows[v];
    for (std::size_t k = 0; k < 3; ++k) row[k] = integer(from.position[k], positions->exponent, header.base[k]);
    for (std::size_t k = 0; k < 2; ++k) {
      row[kU + k] = integer(from.uv[k], texcoords->exponent, header.base[3 + k]);
      row[kNormalX + k] = static_cast<std::uint16_t>(normal.narrow(from.normal[k]));
    }
    row[kTangentX] = static_cast<std::uint16_t>(*narrow_tangent(tangent, from.tangent[0]));
    row[kTangentY] = static_cast<std::uint16_t>(tangent.narrow(from.tangent[1]));
    row[kHandedness] = from.tangent[0] & 1;
  }
  ByteVector elements;
  if (mesh.desc().index_width_bytes == 2) {
    append_residuals(std::span<const Lanes>(rows), mesh.indices16(), header, elements);
  } else {
    append_residuals(std::span<const Lanes>(rows), mesh.indices32(), header, elements);
  }
  Body body{Encoding::kGrid, kGridStride, sizeof header, {}};
  append(body.bytes, header);
  append_attributes(body.bytes, elements.data(), rows.size(), kGridStride);
  return body;
}

// ---- meshlets ----

// Whether the ranges of meshlets follow each other, and their vertices are in the order in which triangles use them.
bool can_derive_meshlets(const View& mesh) {
  std::uint64_t vertex = 0, triangle = 0;
  for (const Meshlet& m : mesh.meshlets()) {
    if (m.vertex_offset != vertex || m.triangle_offset != triangle || m.vertex_count > meshlet_stream::kMaxVertices ||
        m.triangle_count > meshlet_stream::kMaxTriangles)
      return false;
    vertex += m.vertex_count, triangle += m.triangle_count;
    std::uint32_t used = 0;
    for (const MeshletTriangle& t : mesh.meshlet_triangles().subspan(m.triangle_offset, m.triangle_count)) {
      for (const std::uint8_t corner : t.corners) {
        if (corner > used) return false;
        used += corner == used;
      }
    }
    std::vector<std::uint32_t> vertices(mesh.meshlet_vertices().begin() + m.vertex_offset,
                                        mesh.meshlet_vertices().begin() + m.vertex_offset + m.vertex_count);
    std::ranges::sort(vertices);
    if (used != m.vertex_count || std::ranges::adjacent_find(vertices) != vertices.end()) return false;
  }
  return vertex == mesh.meshlet_vertices().size() && triangle == mesh.meshlet_triangles().size();
}

std::vector<std::uint32_t> indices_of(const View& mesh) {
  if (mesh.desc().index_width_bytes == 2) return {mesh.indices16().begin(), mesh.indices16().end()};
  return {mesh.indices32().begin(), mesh.indices32().end()};
}

std::vector<std::uint32_t> meshlet_indices(const View& mesh) {
  std::vector<std::uint32_t> indices;
  indices.reserve(mesh.meshlet_triangles().size() * 3);
  for (const Meshlet& m : mesh.meshlets()) {
    for (const MeshletTriangle& t : mesh.meshlet_triangles().subspan(m.triangle_offset, m.triangle_count)) {
      for (const std::uint8_t corner : t.corners) indices.push_back(mesh.meshlet_vertices()[m.vertex_offset + corner]);
    }
  }
  return indices;
}

std::vector<std::uint8_t> triangle_counts(std::span<const Meshlet> meshlets) {
  std::vector<std::uint8_t> counts;
  counts.reserve(meshlets.size());
  for (const Meshlet& m : meshlets) counts.push_back(static_cast<std::uint8_t>(m.triangle_count));
  return counts;
}

Body meshlets(const View& mesh) {
  return {Encoding::kMeshlets, 0, 0, encode_meshlets(meshlet_indices(mesh), triangle_counts(mesh.meshlets()))};
}

// ---- the file ----

// What MLTR holds beside its triangles: nothing; the counts and vertices of meshlets; or IDXS too.
enum class Derivation { kNone, kMeshlets, kIndices };
const Body kDerivedBody{Encoding::kDerived, 0, 0, {}};

std::optional<Body> encode_chunk(const View& mesh, std::uint32_t id, ByteSpan chunk, Derivation derivation) {
  switch (id) {
    case kVerticesId: {
      auto grid = grid_vertices(mesh);
      return grid ? std::move(grid) : attributes(chunk, sizeof(GpuVertex));
    }
    case kIndicesId:
      return derivation == Derivation::kIndices
                 ? kDerivedBody
                 : triangles(indices_of(mesh), mesh.vertices().size(), mesh.desc().index_width_bytes);
    case kLodIndicesId:
      return mesh.lod_indices().size() % 3 == 0
                 ? std::optional(triangles(mesh.lod_indices(), mesh.vertices().size(), 4))
                 : attributes(chunk, 4);
    case kMeshletsId:
      return derivation != Derivation::kNone ? std::optional(kDerivedBody) : attributes(chunk, sizeof(Meshlet));
    case kMeshletTrianglesId:
      return derivation != Derivation::kNone ? std::optional(meshlets(mesh)) : std::nullopt;
    case kMeshletVerticesId:
      return derivation != Derivation::kNone ? std::optional(kDerivedBody) : attributes(chunk, 4);
    case kMeshletBoundsId:
      return attributes(chunk, sizeof(MeshletBounds));
    case kSkinId:
    case kFurtherSkinId:
      return attributes(chunk, sizeof(GpuSkinVertex));
    case kFurtherVerticesId:
      return attributes(chunk, mesh.further_attributes()->stride_bytes());
    case kMorphsId: {
      const std::size_t move_bytes = mesh.morphs()->move_stride_bytes();
      const std::size_t moves = mesh.morphs()->moves().size();
      return attributes(chunk, move_bytes, chunk.size() - moves);
    }
    default:
      return std::nullopt;
  }
}

// The payload and flags of a chunk.
struct Encoded {
  std::uint32_t flags = 0;
  ByteVector payload;
};

std::optional<Encoded> stored(Body body, std::size_t decoded_bytes, const HmeshEncoding& encoding) {
  constexpr std::size_t kMaxInflation = 512;  // half of what readers accept
  Encoded out{static_cast<std::uint32_t>(body.encoding), {}};
  append(out.payload, EncodedHeader{decoded_bytes, body.bytes.size(), static_cast<std::uint32_t>(body.prefix_bytes),
                                    static_cast<std::uint16_t>(body.stride_bytes), 0});
  std::optional<ByteVector> frame;
  if (encoding.zstd && !body.bytes.empty()) frame = compression::deflate_if_smaller(body.bytes, {.level = 19});
  if (frame && frame->size() * kMaxInflation > body.bytes.size()) {
    out.flags |= kZstdFlag;
    append_bytes(out.payload, *frame);
  } else {
    append_bytes(out.payload, body.bytes);
  }
  if (out.payload.size() >= decoded_bytes) return std::nullopt;
  return out;
}

Result<void> inflate(ByteSpan frame, std::span<std::byte> out) {
  const auto done = compression::inflate_into(frame, out);
  if (!done) return std::unexpected(done.error().to_error(out.size()));
  return {};
}

}  // namespace

Result<ByteVector> encode_hmesh(ByteSpan plain, const HmeshEncoding& encoding) {
  ASSETC_TRY(const View mesh, View::open(plain));
  const std::span<const ChunkEntry> table = mesh.chunk_table();
  const auto payload_of = [&](const ChunkEntry& entry) { return plain.subspan(entry.offset_bytes, entry.size_bytes); };
  const auto encode_all = [&](Derivation derivation) {
    std::vector<std::optional<Encoded>> encoded(table.size());
    parallel_for(table.size(), [&](std::size_t i) {
      std::optional<Body> body = encode_chunk(mesh, table[i].id, payload_of(table[i]), derivation);
      if (body) encoded[i] = stored(std::move(*body), table[i].size_bytes, encoding);
    });
    return encoded;
  };
  const auto is_stored = [&](std::span<const std::optional<Encoded>> encoded, std::uint32_t id) {
    const auto at = std::ranges::find(table, id, &ChunkEntry::id) - table.begin();
    return at < std::ssize(table) && encoded[static_cast<std::size_t>(at)].has_value();
  };
  Derivation derivation = Derivation::kNone;
  if (!mesh.meshlets().empty() && can_derive_meshlets(mesh))
    derivation = meshlet_indices(mesh) == indices_of(mesh) ? Derivation::kIndices : Derivation::kMeshlets;
  std::vector<std::optional<Encoded>> encoded = encode_all(derivation);
  // Chunks are derived all or none: each of them needs MLTR, and MLTR needs each of them.
  const bool holds_all = is_stored(encoded, kMeshletTrianglesId) && is_stored(encoded, kMeshletsId) &&
                         is_stored(encoded, kMeshletVerticesId) &&
                         (derivation != Derivation::kIndices || is_stored(encoded, kIndicesId));
  if (derivation != Derivation::kNone && !holds_all) encoded = encode_all(Derivation::kNone);
  std::vector<chunks::Chunk> list;
  for (std::size_t i = 0; i < table.size(); ++i) {
    chunks::Chunk& chunk = list.emplace_back(chunks::Chunk{table[i].id, payload_of(table[i])});
    if (!encoded[i]) continue;
    chunk.payload = encoded[i]->payload;
    chunk.flags = encoded[i]->flags;
  }
  ByteVector file = chunks::write_file(kVersion, list);
  // A file that does not decode to the same bytes is never written.
  ByteVector again(plain.size());
  ASSETC_CHECK(decode(file, again, inflate));
  if (!std::ranges::equal(again, plain)) {
    return fail(ErrorCode::kInvalidData, "the encoded mesh does not decode to the same bytes",
                "set mesh.compress: none, and report this");
  }
  return file;
}

void rotate_for_encoding(mesh::Mesh& mesh) {
  if (mesh.meshlets.empty()) {
    rotate(mesh.indices, mesh.positions.size());
  } else {
    rotate_for_meshlets(mesh.indices, triangle_counts(mesh.meshlets));
  }
  rotate(mesh.lod_indices, mesh.positions.size());
  // The order in which the triangles use vertices may have changed.
  std::size_t index = 0;
  for (const hmesh::Meshlet& m : mesh.meshlets) {
    const std::span vertices = std::span(mesh.meshlet_vertices).subspan(m.vertex_offset, m.vertex_count);
    std::size_t used = 0;
    for (hmesh::MeshletTriangle& t : std::span(mesh.meshlet_triangles).subspan(m.triangle_offset, m.triangle_count)) {
      for (std::uint8_t& corner : t.corners) {
        const std::uint32_t vertex = mesh.indices[index++];
        const auto found = std::ranges::find(vertices.first(used), vertex);
        corner = static_cast<std::uint8_t>(found - vertices.begin());
        if (corner == used) vertices[used++] = vertex;
      }
    }
  }
}

}  // namespace assetc::hmesh
