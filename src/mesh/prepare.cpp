#include "mesh/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "assetc/formats/octahedral.hpp"
#include "base/plural.hpp"
#include "base/release.hpp"
#include "mesh/normals.hpp"
#include "mesh/parallel.hpp"
#include "mesh/tangents.hpp"
#include "mesh/weld.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

constexpr std::size_t kPrepareBlock = 1u << 14;

bool finite(float v) { return std::isfinite(v); }
bool finite(Vec2 v) { return finite(v.x) && finite(v.y); }
bool finite(Vec3 v) { return finite(v.x) && finite(v.y) && finite(v.z); }

// The first i of [0, count) for which broken(i); count if there is none.
template <class Broken>
std::size_t first_broken(std::size_t count, const Broken& broken) {
  std::vector<std::size_t> of_block(block_count(count, kPrepareBlock), count);
  for_blocks(count, kPrepareBlock, [&](std::size_t begin, std::size_t end, std::size_t block) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!broken(i)) continue;
      of_block[block] = i;
      return;
    }
  });
  return of_block.empty() ? count : *std::min_element(of_block.begin(), of_block.end());
}

Result<void> check(const SubmeshInput& in) {
  const std::size_t count = in.positions.size();
  const auto refuse = [&](std::string what, std::string hint = {}) {
    return fail_at(ErrorCode::kInvalidData, in.place, std::move(what), std::move(hint));
  };
  if (in.indices.empty()) return refuse("has no triangles, expected at least one", "remove the empty primitive");
  if (in.indices.size() % 3 != 0)
    return refuse(fmt::format("has {}, expected three a triangle", counted(in.indices.size(), "index")));
  const auto wrong_size = [&](std::size_t size) { return size != 0 && size != count; };
  const std::pair<const char*, std::size_t> attributes[] = {{"normals", in.normals.size()},
                                                            {"tangents", in.tangents.size()},
                                                            {"texture coordinates", in.texcoords.size()},
                                                            {"skin weights", in.skin.size()}};
  for (const auto& [name, size] : attributes) {
    if (wrong_size(size))
      return refuse(fmt::format("has {} {} for {}, expected as many", size, name, counted(count, "position")));
  }
  if (in.extra.size() != in.extra_stride_bytes * count) {
    return refuse(fmt::format("has {} of other attributes for {} of {}", counted(in.extra.size(), "byte"),
                              counted(count, "vertex"), counted(in.extra_stride_bytes, "byte")));
  }
  if (!in.smoothing_groups.empty() && in.smoothing_groups.size() != in.indices.size() / 3) {
    return refuse(fmt::format("has {} for {}, expected as many", counted(in.smoothing_groups.size(), "smoothing group"),
                              counted(in.indices.size() / 3, "triangle")));
  }
  const std::size_t i = first_broken(in.indices.size(), [&](std::size_t k) { return in.indices[k] >= count; });
  if (i < in.indices.size()) {
    return refuse(fmt::format("index {} is {}, expected less than the {}", i, in.indices[i], counted(count, "vertex")));
  }
  const std::size_t v = first_broken(count, [&](std::size_t k) { return !finite(in.positions[k]); });
  if (v < count) {
    const Vec3 p = in.positions[v];
    return refuse(fmt::format("position {} is ({}, {}, {}), expected finite numbers", v, p.x, p.y, p.z),
                  "export the model again; a modifier or a transform of zero scale often leaves such vertices");
  }
  const auto beyond = [](float x) { return std::fabs(x) > kMaxCoordinate; };
  const std::size_t far = first_broken(count, [&](std::size_t k) {
    return beyond(in.positions[k].x) || beyond(in.positions[k].y) || beyond(in.positions[k].z);
  });
  if (far < count) {
    const Vec3 p = in.positions[far];
    return fail_at(ErrorCode::kLimit, in.place,
                   fmt::format("position {} is ({}, {}, {}), expected numbers between {} and {}", far, p.x, p.y, p.z,
                               -kMaxCoordinate, kMaxCoordinate),
                   "scale the model down");
  }
  return {};
}

// Vertices on their way: the input's, or several of one of them once its corners differ.
struct Vertices {
  std::vector<std::uint32_t> sources;  // into the input; empty: one to one
  std::span<const std::uint32_t> indices;
  std::span<const Vec3> normals;
  std::vector<Vec4> tangents;
  bool authored_tangents = false;

  // What the spans point to where it is not the input.
  std::vector<std::uint32_t> own_indices;
  std::vector<Vec3> own_normals;

  std::size_t size() const { return normals.size(); }
  std::uint32_t source(std::size_t v) const { return sources.empty() ? static_cast<std::uint32_t>(v) : sources[v]; }
  void own_all() {
    if (own_indices.empty()) own_indices.assign(indices.begin(), indices.end());
    if (own_normals.empty()) own_normals.assign(normals.begin(), normals.end());
  }
};

// Replaces broken normals of the input's by smooth ones.
void repair_normals_of(const SubmeshInput& in, Vertices& v, std::vector<Repair>& repairs) {
  const std::size_t broken =
      first_broken(in.normals.size(), [&](std::size_t i) { return !has_direction(in.normals[i]); });
  if (broken == in.normals.size()) return;
  v.own_normals.assign(in.normals.begin(), in.normals.end());
  const std::size_t count = repair_normals(in.indices, in.positions, v.own_normals);
  v.normals = v.own_normals;
  repairs.push_back(
      {in.place, plural(count, "normal") + (count == 1 ? " is not finite or has no length; computed a smooth one"
                                                       : " are not finite or have no length; computed smooth ones")});
}

// Gives every corner its computed normal: a vertex for every pair of a vertex and a normal.
void compute_normals(const SubmeshInput& in, Vertices& v) {
  SplitVertices split = split_by_normal(in.indices, in.positions, in.smoothing_groups);
  v.own_indices = std::move(split.indices);
  v.sources = std::move(split.sources);
  v.own_normals = std::move(split.normals);
  v.indices = v.own_indices;
  v.normals = v.own_normals;
}

// Vertices whose corners have several tangents become several vertices.
void split_by_tangent(Vertices& v, Tangents&& tangents) {
  const std::size_t count = v.size();
  v.tangents = std::move(tangents.values);
  if (v.tangents.size() == count) return;
  // (vertex, value) pairs beyond every vertex's own value, numbered in order.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::size_t c = 0; c < tangents.corners.size(); ++c) {
    if (tangents.corners[c] >= count) pairs.emplace_back(v.indices[c], tangents.corners[c]);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  if (v.sources.empty()) {
    v.sources.resize(count);
    std::iota(v.sources.begin(), v.sources.end(), 0u);
  }
  v.own_all();
  std::vector<Vec4> added;
  added.reserve(pairs.size());
  for (const auto& [vertex, value] : pairs) {
    v.sources.push_back(std::uint32_t{v.sources[vertex]});
    v.own_normals.push_back(Vec3(v.own_normals[vertex]));
    added.push_back(v.tangents[value]);
  }
  for (std::size_t c = 0; c < v.own_indices.size(); ++c) {
    if (tangents.corners[c] < count) continue;
    const auto at = std::lower_bound(pairs.begin(), pairs.end(), std::pair(v.own_indices[c], tangents.corners[c]));
    v.own_indices[c] = static_cast<std::uint32_t>(count + static_cast<std::size_t>(at - pairs.begin()));
  }
  v.tangents.resize(count);
  v.tangents.insert(v.tangents.end(), added.begin(), added.end());
  v.indices = v.own_indices;
  v.normals = v.own_normals;
}

bool usable(std::span<const Vec4> tangents) {
  return first_broken(tangents.size(), [&](std::size_t i) {
           const Vec4 t = tangents[i];
           return !has_direction({t.x, t.y, t.z}) || !(t.w == 1 || t.w == -1);
         }) == tangents.size();
}

// A tangent for a surface without texture coordinates: any direction along it.
Vec4 any_tangent(Vec3 n) {
  const Vec3 axis = std::fabs(n.x) < 0.7f ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 t = scene::normalize_or(axis - n * scene::dot(n, axis), {1, 0, 0});
  return {t.x, t.y, t.z, 1};
}

// As it is where it is of unit length already, so that what a float container holds does not creep.
Vec3 unit_vector(Vec3 v) {
  constexpr float kUnitTolerance = 1e-5f;
  return std::fabs(scene::dot(v, v) - 1) <= kUnitTolerance ? v : scene::normalize_or(v, {0, 0, 1});
}

Vec4 tangent_of(const Vertices& v, std::size_t i) {
  return v.tangents.empty() ? any_tangent(v.normals[i]) : v.tangents[i];
}

// in: its positions and texture coordinates are those of v, by source.
std::vector<hmesh::GpuVertex> pack(const SubmeshInput& in, const Vertices& v, bool with_tangents) {
  const std::size_t count = v.normals.size();
  std::vector<hmesh::GpuVertex> packed(count);
  for_blocks(count, kPrepareBlock, [&](std::size_t begin, std::size_t end, std::size_t) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t source = v.source(i);
      const Vec3 p = in.positions[source], n = v.normals[i];
      hmesh::GpuVertex& out = packed[i];
      out.position[0] = p.x, out.position[1] = p.y, out.position[2] = p.z;
      const OctahedralVector normal = encode_octahedral(n.x, n.y, n.z);
      out.normal[0] = normal[0], out.normal[1] = normal[1];
      OctahedralVector tangent{};
      if (with_tangents) {
        const Vec4 t = tangent_of(v, i);
        tangent = encode_octahedral_tangent(t.x, t.y, t.z, t.w);
      }
      out.tangent[0] = tangent[0], out.tangent[1] = tangent[1];
      const Vec2 uv = in.texcoords.empty() ? Vec2{} : in.texcoords[source];
      out.uv[0] = uv.x, out.uv[1] = uv.y;
    }
  });
  return packed;
}

std::vector<std::uint32_t> find_equal(const SubmeshInput& in, const Vertices& v,
                                      std::span<const hmesh::GpuVertex> packed, bool exact_frames) {
  // Computed ones differ by rounding alone.
  const bool exact_normals = exact_frames && !in.normals.empty(), exact_tangents = exact_frames && v.authored_tangents;
  const auto extra = [&](std::uint32_t i) {
    return reinterpret_cast<const char*>(in.extra.data()) + v.source(i) * in.extra_stride_bytes;
  };
  return first_equal(
      static_cast<std::uint32_t>(packed.size()),
      [&](std::uint32_t i) {
        const hmesh::GpuVertex& g = packed[i];
        std::uint64_t h = hash_mix(float_key(g.position[0], g.position[1]), float_key(g.position[2], g.uv[0]));
        std::uint32_t normal, tangent;
        std::memcpy(&normal, g.normal, sizeof normal);
        std::memcpy(&tangent, g.tangent, sizeof tangent);
        h = hash_mix(hash_mix(h, normal | std::uint64_t{tangent} << 32), float_key(g.uv[1]));
        if (!in.skin.empty()) {
          std::uint64_t words[3];
          std::memcpy(words, &in.skin[v.source(i)], sizeof words);
          for (std::uint64_t w : words) h = hash_mix(h, w);
        }
        for (std::size_t b = 0; b < in.extra_stride_bytes; ++b)
          h = hash_mix(h, static_cast<unsigned char>(extra(i)[b]));
        return h;
      },
      [&](std::uint32_t i, std::uint32_t j) {
        return packed[i] == packed[j] && (!exact_normals || v.normals[i] == v.normals[j]) &&
               (!exact_tangents || v.tangents[i] == v.tangents[j]) &&
               (in.skin.empty() || in.skin[v.source(i)] == in.skin[v.source(j)]) &&
               (in.extra_stride_bytes == 0 || std::memcmp(extra(i), extra(j), in.extra_stride_bytes) == 0);
      });
}

// Triangles with three different corners; all of them if there is none such.
std::vector<std::uint32_t> drop_degenerate(std::vector<std::uint32_t>&& indices) {
  const auto degenerate = [&](std::size_t t) {
    const std::uint32_t* i = indices.data() + t * 3;
    return i[0] == i[1] || i[1] == i[2] || i[0] == i[2];
  };
  const std::size_t count = indices.size() / 3, first = first_broken(count, degenerate);
  if (first == count) return std::move(indices);
  std::vector<std::uint32_t> kept(indices.begin(), indices.begin() + static_cast<std::ptrdiff_t>(first * 3));
  for (std::size_t t = first; t < count; ++t) {
    if (!degenerate(t))
      kept.insert(kept.end(), indices.begin() + static_cast<std::ptrdiff_t>(t * 3),
                  indices.begin() + static_cast<std::ptrdiff_t>(t * 3 + 3));
  }
  if (kept.empty()) return std::move(indices);
  return kept;
}

// Ordering and simplifying look at all triangles of a vertex for each of them: past kMaxTrianglesOfVertex, copies of
// the vertex take the others.
void split_crowded(PreparedSubmesh& out) {
  std::vector<std::uint32_t> triangles(out.vertices.size());
  std::uint32_t most = 0;
  for (const std::uint32_t v : out.indices) most = std::max(most, ++triangles[v]);
  if (most <= kMaxTrianglesOfVertex) return;
  std::vector<std::uint32_t> copy(out.vertices.size());
  std::iota(copy.begin(), copy.end(), 0u);
  std::ranges::fill(triangles, 0u);
  for (std::uint32_t& v : out.indices) {
    const std::uint32_t original = v;
    if (triangles[original] != 0 && triangles[original] % kMaxTrianglesOfVertex == 0) {
      copy[original] = static_cast<std::uint32_t>(out.vertices.size());
      out.vertices.push_back(hmesh::GpuVertex(out.vertices[original]));
      if (!out.sources.empty()) out.sources.push_back(std::uint32_t{out.sources[original]});
      out.normals.push_back(Vec3(out.normals[original]));
      if (!out.tangents.empty()) out.tangents.push_back(Vec4(out.tangents[original]));
    }
    ++triangles[original];
    v = copy[original];
  }
}

}  // namespace

Result<PreparedSubmesh> prepare_submesh(const SubmeshInput& in, const MeshOptions& options) {
  const bool tangents = options.tangents, exact_frames = options.exact_frames;
  ASSETC_CHECK(check(in));
  PreparedSubmesh out;
  Vertices v;
  v.indices = in.indices;
  v.normals = in.normals;

  SubmeshInput repaired = in;
  std::vector<Vec2> repaired_texcoords;
  if (first_broken(in.texcoords.size(), [&](std::size_t i) { return !finite(in.texcoords[i]); }) <
      in.texcoords.size()) {
    repaired_texcoords.assign(in.texcoords.begin(), in.texcoords.end());
    const auto count = std::count_if(in.texcoords.begin(), in.texcoords.end(), [](Vec2 t) { return !finite(t); });
    for (Vec2& t : repaired_texcoords) t = finite(t) ? t : Vec2{};
    repaired.texcoords = repaired_texcoords;
    out.repairs.push_back(
        {in.place, plural(static_cast<std::uint64_t>(count), "texture coordinate") +
                       (count == 1 ? " is not finite; took (0, 0) for it" : " are not finite; took (0, 0) for them")});
  }
  if (in.normals.empty()) {
    compute_normals(repaired, v);
  } else {
    repair_normals_of(repaired, v, out.repairs);
  }

  out.has_tangents = tangents && (!in.tangents.empty() || !in.texcoords.empty());
  if (out.has_tangents) {
    const bool authored = !in.tangents.empty() && usable(in.tangents);
    if (!in.tangents.empty() && !authored) {
      out.repairs.push_back(
          {in.place, fmt::format("tangents are not finite, have no length or a w other than 1 and -1; {}",
                                 in.texcoords.empty() ? "chose some" : "computed them")});
    }
    v.authored_tangents = authored;
    if (authored) {
      v.tangents.resize(v.size());
      for (std::size_t i = 0; i < v.size(); ++i) v.tangents[i] = in.tangents[v.source(i)];
    } else if (!in.texcoords.empty()) {
      split_by_tangent(v, generate_tangents({v.indices, in.positions, v.normals, repaired.texcoords, v.sources}));
    }
  }

  // Every array of a large mesh goes as soon as the next one stands.
  out.vertices = pack(repaired, v, tangents);
  if (!exact_frames) release(v.tangents);
  if (!options.source_vertices && in.skin.empty() && in.extra.empty()) release(v.sources);
  std::vector<std::uint32_t> number = find_equal(in, v, out.vertices, exact_frames);
  v.own_all();
  out.indices = std::move(v.own_indices);
  v.normals = v.own_normals;
  if (!options.source_vertices) {
    release(v.sources);
  } else if (v.sources.empty()) {
    v.sources.resize(number.size());
    std::iota(v.sources.begin(), v.sources.end(), 0u);
  }
  // Those that equal none before them move up.
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i < number.size(); ++i) {
    if (number[i] != i) continue;
    if (exact_frames && tangents) {
      const Vec4 t = tangent_of(v, i);
      const Vec3 d = unit_vector({t.x, t.y, t.z});
      out.tangents.push_back({d.x, d.y, d.z, t.w});
    }
    out.vertices[kept] = out.vertices[i];
    v.own_normals[kept] = exact_frames ? unit_vector(v.own_normals[i]) : v.own_normals[i];
    if (options.source_vertices) v.sources[kept] = v.sources[i];
    ++kept;
  }
  if (kept != number.size()) {
    number_firsts(number);
    for_blocks(out.indices.size(), kPrepareBlock, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t c = begin; c < end; ++c) out.indices[c] = number[out.indices[c]];
    });
  }
  out.vertices.resize(kept);
  v.own_normals.resize(kept);
  v.sources.resize(std::min(v.sources.size(), kept));
  out.normals = std::move(v.own_normals);
  out.sources = std::move(v.sources);
  release(number);
  out.indices = drop_degenerate(std::move(out.indices));
  split_crowded(out);
  return out;
}

}  // namespace assetc::mesh
