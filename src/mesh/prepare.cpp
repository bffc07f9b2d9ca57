#include "mesh/prepare.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <utility>

#include "base/plural.hpp"
#include "base/release.hpp"
#include "mesh/channels.hpp"
#include "mesh/frames.hpp"
#include "mesh/normals.hpp"
#include "mesh/parallel.hpp"
#include "mesh/tangents.hpp"
#include "mesh/weld.hpp"
#include "text/format.hpp"

namespace assetc::mesh {
namespace {

using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

constexpr std::size_t kPrepareBlock = 1u << 14;

bool finite(float v) { return std::isfinite(v); }
bool finite(Vec2 v) { return finite(v.x) && finite(v.y); }
bool finite(Vec3 v) { return finite(v.x) && finite(v.y) && finite(v.z); }

// The first i of [0, count) with broken(i); count if there is none.
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

Result<void> check_morphs(const SubmeshInput& in) {
  const auto refuse = [&](std::size_t target, std::string_view what) {
    return fail_at(ErrorCode::kInvalidData, in.place, formatted("morph target {} {}", target, what));
  };
  for (std::size_t t = 0; t < in.morphs.size(); ++t) {
    const scene::MorphTarget& m = in.morphs[t];
    const std::size_t count = m.vertices.size();
    if (std::ranges::adjacent_find(m.vertices, std::ranges::greater_equal{}) != m.vertices.end() ||
        (count != 0 && m.vertices.back() >= in.positions.size()))
      return refuse(t, "moves vertices out of order or out of range");
    const auto fits = [&](const auto& values) { return values.empty() || values.size() == count; };
    if (!fits(m.positions) || !fits(m.normals) || !fits(m.tangents) || !std::ranges::all_of(m.texcoords, fits) ||
        !std::ranges::all_of(m.colors, fits))
      return refuse(t, "has an attribute with another number of offsets than vertices");
    const auto far = std::ranges::find_if_not(m.positions, [](Vec3 d) {
      return std::fabs(d.x) <= kMaxCoordinate && std::fabs(d.y) <= kMaxCoordinate && std::fabs(d.z) <= kMaxCoordinate;
    });
    if (far != m.positions.end()) return refuse(t, "moves a vertex by more than 1e18, or not by a finite number");
  }
  return {};
}

}  // namespace

Result<void> check_submesh(const SubmeshInput& in) {
  const std::size_t count = in.positions.size();
  const auto refuse = [&](std::string what, std::string_view hint = {}) {
    return fail_at(ErrorCode::kInvalidData, in.place, std::move(what), hint);
  };
  static constexpr std::array kWhat{"triangle", "line", "point"}, kCorners{"three", "two", "one"};
  const auto topology = static_cast<std::size_t>(in.topology);
  if (in.indices.empty())
    return refuse(formatted("has no {}s, expected at least one", kWhat[topology]), "remove the empty primitive");
  if (in.indices.size() % scene::corner_count(in.topology) != 0) {
    return refuse(formatted("has {}, expected {} a {}", counted(in.indices.size(), "index"), kCorners[topology],
                            kWhat[topology]));
  }
  const auto wrong_size = [&](std::size_t size) { return size != 0 && size != count; };
  std::vector<std::pair<const char*, std::size_t>> attributes = {{"normals", in.normals.size()},
                                                                 {"tangents", in.tangents.size()},
                                                                 {"texture coordinates", in.texcoords.size()},
                                                                 {"skin weights", in.skin.size()},
                                                                 {"further skin weights", in.further_skin.size()}};
  for (const auto& set : in.texcoord_sets) attributes.emplace_back("texture coordinates", set.size());
  for (const auto& set : in.color_sets) attributes.emplace_back("colors", set.size());
  for (const auto& [name, size] : attributes) {
    if (wrong_size(size))
      return refuse(formatted("has {} {} for {}, expected as many", size, name, counted(count, "position")));
  }
  if (!in.smoothing_groups.empty() && in.smoothing_groups.size() != in.indices.size() / 3) {
    return refuse(formatted("has {} for {}, expected as many", counted(in.smoothing_groups.size(), "smoothing group"),
                            counted(in.indices.size() / 3, "triangle")));
  }
  for (const scene::CustomAttribute* custom : in.custom) {
    if (custom->values.size() != count * value_bytes(*custom))
      return refuse(formatted("{} does not have a value for each of {}", custom->name, counted(count, "position")));
  }
  ASSETC_CHECK(check_morphs(in));
  const std::size_t i = first_broken(in.indices.size(), [&](std::size_t k) { return in.indices[k] >= count; });
  if (i < in.indices.size()) {
    return refuse(formatted("index {} is {}, expected less than the {}", i, in.indices[i], counted(count, "vertex")));
  }
  const std::size_t v = first_broken(count, [&](std::size_t k) { return !finite(in.positions[k]); });
  if (v < count) {
    const Vec3 p = in.positions[v];
    return refuse(formatted("position {} is ({}, {}, {}), expected finite numbers", v, p.x, p.y, p.z),
                  "export the model again; a modifier or a transform of zero scale often leaves such vertices");
  }
  const auto beyond = [](float x) { return std::fabs(x) > kMaxCoordinate; };
  const std::size_t far = first_broken(count, [&](std::size_t k) {
    return beyond(in.positions[k].x) || beyond(in.positions[k].y) || beyond(in.positions[k].z);
  });
  if (far < count) {
    const Vec3 p = in.positions[far];
    return fail_at(ErrorCode::kLimit, in.place,
                   formatted("position {} is ({}, {}, {}), expected numbers between {} and {}", far, p.x, p.y, p.z,
                             -kMaxCoordinate, kMaxCoordinate),
                   "scale the model down");
  }
  return {};
}

Result<void> check_inputs(std::span<const SubmeshInput> submeshes, const MeshOptions& options) {
  if (submeshes.empty()) {
    return fail(ErrorCode::kInvalidData, "found no triangles, lines or points, expected at least one",
                "check that the source has meshes and that its scene uses them");
  }
  std::uint64_t corners = 0;
  for (const SubmeshInput& in : submeshes) {
    corners += in.indices.size() + in.positions.size();
    for (const SubmeshInput& level : in.levels) corners += level.indices.size() + level.positions.size();
  }
  if (corners > kMaxCorners) {
    return fail(
        ErrorCode::kLimit,
        formatted("the indices and vertices of the mesh add up to {}, expected at most {}", corners, kMaxCorners),
        "split it into several sources");
  }
  std::map<std::string_view, const scene::CustomAttribute*> custom;
  const auto check_custom = [&](const SubmeshInput& in) -> Result<void> {
    for (const scene::CustomAttribute* a : in.custom) {
      if (same_form(*custom.try_emplace(a->name, a).first->second, *a)) continue;
      return fail_at(ErrorCode::kInvalidData, in.place,
                     a->name + " has another type than in an earlier submesh, expected one type in the whole mesh");
    }
    return {};
  };
  for (const SubmeshInput& in : submeshes) {
    ASSETC_CHECK(check_custom(in));
    for (const SubmeshInput& level : in.levels) ASSETC_CHECK(check_custom(level));
  }
  const MeshletLimits& l = options.meshlets;
  if (l.max_vertices < 3 || l.max_vertices > 255 || l.max_triangles < 1 || l.max_triangles > 255 ||
      !(l.cone_weight >= 0 && l.cone_weight <= 1)) {
    return fail(
        ErrorCode::kUsage,
        formatted("found meshlets of {} and {} with a cone weight of {}, expected 3 to 255, 1 to 255 and 0 to 1",
                  counted(l.max_vertices, "vertex"), counted(l.max_triangles, "triangle"), l.cone_weight));
  }
  if (options.lods > kMaxLods || !(options.lod_ratio > 0 && options.lod_ratio < 1)) {
    return fail(ErrorCode::kUsage,
                formatted("found {} of detail with a ratio of {}, expected at most {} with a ratio between 0 and 1",
                          counted(options.lods, "level"), options.lod_ratio, kMaxLods));
  }
  return {};
}

namespace {

// Vertices during preparation: those of the input, or several for one input vertex if its corners differ.
struct Vertices {
  std::vector<std::uint32_t> sources;  // into the input; empty: the same vertices
  std::span<const std::uint32_t> indices;
  std::span<const Vec3> normals;
  std::vector<Vec4> tangents;
  bool authored_tangents = false;

  // Storage for the spans, if they do not point into the input.
  std::vector<std::uint32_t> own_indices;
  std::vector<Vec3> own_normals;

  std::size_t size() const { return normals.size(); }
  std::uint32_t source(std::size_t v) const { return sources.empty() ? static_cast<std::uint32_t>(v) : sources[v]; }
  void own_all() {
    if (own_indices.empty()) own_indices.assign(indices.begin(), indices.end());
    if (own_normals.empty()) own_normals.assign(normals.begin(), normals.end());
  }
};

// Replaces broken normals of the input by smooth ones.
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

// Gives each corner its computed normal: one vertex for each pair of a vertex and a normal.
void compute_normals(const SubmeshInput& in, Vertices& v) {
  SplitVertices split = split_by_normal(in.indices, in.positions, in.smoothing_groups);
  v.own_indices = std::move(split.indices);
  v.sources = std::move(split.sources);
  v.own_normals = std::move(split.normals);
  v.indices = v.own_indices;
  v.normals = v.own_normals;
}

// If corners of a vertex have different tangents, splits the vertex.
void split_by_tangent(Vertices& v, Tangents&& tangents) {
  const std::size_t count = v.size();
  v.tangents = std::move(tangents.values);
  if (v.tangents.size() == count) return;
  // The (vertex, value) pairs in addition to each vertex's own value, numbered in order.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  pairs.reserve(tangents.corners.size());
  for (const auto& [corner, value] : tangents.corners) pairs.emplace_back(v.indices[corner], value);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  v.sources.reserve(count + pairs.size());
  if (v.sources.empty()) {
    v.sources.resize(count);
    std::iota(v.sources.begin(), v.sources.end(), 0u);
  }
  v.own_normals.reserve(count + pairs.size());
  v.own_all();
  std::vector<Vec4> added;
  added.reserve(pairs.size());
  for (const auto& [vertex, value] : pairs) {
    v.sources.push_back(std::uint32_t{v.sources[vertex]});
    v.own_normals.push_back(Vec3(v.own_normals[vertex]));
    added.push_back(v.tangents[value]);
  }
  for (const auto& [corner, value] : tangents.corners) {
    std::uint32_t& index = v.own_indices[corner];
    const auto at = std::lower_bound(pairs.begin(), pairs.end(), std::pair(index, value));
    index = static_cast<std::uint32_t>(count + static_cast<std::size_t>(at - pairs.begin()));
  }
  v.tangents.resize(count);
  v.tangents.insert(v.tangents.end(), added.begin(), added.end());
  v.indices = v.own_indices;
  v.normals = v.own_normals;
}

}  // namespace

bool usable_tangents(std::span<const Vec4> tangents) {
  return first_broken(tangents.size(), [&](std::size_t i) {
           const Vec4 t = tangents[i];
           return !has_direction({t.x, t.y, t.z}) || !(t.w == 1 || t.w == -1);
         }) == tangents.size();
}

Vec4 any_tangent(Vec3 n) {
  const Vec3 axis = std::fabs(n.x) < 0.7f ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 t = scene::normalize_or(axis - n * scene::dot(n, axis), {1, 0, 0});
  return {t.x, t.y, t.z, 1};
}

Stream<Vec2> repaired_texcoords(const SubmeshInput& in, std::vector<Repair>& repairs) {
  if (first_broken(in.texcoords.size(), [&](std::size_t i) { return !finite(in.texcoords[i]); }) == in.texcoords.size())
    return {};
  std::vector<Vec2> out(in.texcoords.begin(), in.texcoords.end());
  const auto count = std::count_if(in.texcoords.begin(), in.texcoords.end(), [](Vec2 t) { return !finite(t); });
  for (Vec2& t : out) t = finite(t) ? t : Vec2{};
  repairs.push_back({in.place, plural(static_cast<std::uint64_t>(count), "texture coordinate") +
                                   (count == 1 ? " is not finite; replaced it with (0, 0)"
                                               : " are not finite; replaced them with (0, 0)")});
  return out;
}

void replace_texcoords(SubmeshInput& in, const Stream<Vec2>& repaired) {
  if (repaired.empty()) return;
  for (Stream<Vec2>& set : in.texcoord_sets) {
    if (set.data() == in.texcoords.data()) set = repaired;
  }
  in.texcoords = repaired;
}

namespace {

std::vector<PackedFrame> pack(const Vertices& v, bool with_tangents) {
  std::vector<PackedFrame> packed(v.size());
  for_blocks(packed.size(), kPrepareBlock, [&](std::size_t begin, std::size_t end, std::size_t) {
    std::vector<Vec4> chosen;
    std::span<const Vec4> tangents;
    if (with_tangents && v.tangents.empty()) {
      chosen.reserve(end - begin);
      for (std::size_t i = begin; i < end; ++i) chosen.push_back(any_tangent(v.normals[i]));
      tangents = chosen;
    } else if (with_tangents) {
      tangents = std::span(v.tangents).subspan(begin, end - begin);
    }
    pack_frames(v.normals.subspan(begin, end - begin), tangents, std::span(packed).subspan(begin, end - begin));
  });
  return packed;
}

// in: its positions are indexed by the sources of v, as are the repaired texture coordinates.
std::vector<std::uint32_t> find_equal(const SubmeshInput& in, std::span<const Vec2> texcoords, const MorphIndex& morphs,
                                      const Vertices& v, std::span<const PackedFrame> frames, bool exact_frames) {
  // Computed normals and tangents differ by rounding alone, so only authored ones are compared exactly.
  const bool exact_normals = exact_frames && !in.normals.empty(), exact_tangents = exact_frames && v.authored_tangents;
  const bool channels = has_channels(in);
  const auto texcoord = [&](std::uint32_t source) { return texcoords.empty() ? Vec2{} : texcoords[source]; };
  return first_equal(
      static_cast<std::uint32_t>(frames.size()),
      [&](std::uint32_t i) {
        const std::uint32_t source = v.source(i);
        const Vec3 p = in.positions[source];
        const Vec2 uv = texcoord(source);
        std::uint64_t frame;
        static_assert(sizeof frame == sizeof(PackedFrame));
        std::memcpy(&frame, &frames[i], sizeof frame);
        std::uint64_t h = hash_mix(float_key(p.x, p.y), float_key(p.z, uv.x));
        h = hash_mix(hash_mix(h, frame), float_key(uv.y));
        return channels ? hash_channels(in, morphs, source, h) : h;
      },
      [&](std::uint32_t i, std::uint32_t j) {
        const std::uint32_t a = v.source(i), b = v.source(j);
        return frames[i] == frames[j] && in.positions[a] == in.positions[b] && texcoord(a) == texcoord(b) &&
               (!exact_normals || v.normals[i] == v.normals[j]) &&
               (!exact_tangents || v.tangents[i] == v.tangents[j]) && (!channels || channels_equal(in, morphs, a, b));
      });
}

// The triangles with three different corners. If there is none, all triangles.
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

void split_crowded_vertices(PreparedSubmesh& out) {
  const std::vector<std::uint32_t> originals = split_crowded(out.indices, out.vertex_count());
  const auto copy_values = [&]<class T>(std::vector<T>& stream) {
    if (stream.empty()) return;
    for (const std::uint32_t original : originals) stream.push_back(T(stream[original]));
  };
  copy_values(out.normals);
  copy_values(out.tangents);
  copy_values(out.sources);
}

// Keeps the vertices that equal no earlier vertex. Moves the normals and tangents out of v.
void keep_firsts(std::span<const std::uint32_t> number, bool tangents, Vertices& v, PreparedSubmesh& out) {
  const auto is_first = [&](std::uint32_t i) { return number[i] == i; };
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < number.size(); ++i) count += is_first(i) ? 1 : 0;
  const auto made = [&]<class T>(std::vector<T>& to, const auto& value) {
    to.reserve(count);
    for (std::uint32_t i = 0; i < number.size(); ++i) {
      if (is_first(i)) to.push_back(value(i));
    }
  };
  // In place, because the values are in these vectors already.
  const auto moved = [&]<class T>(std::vector<T>& values, std::vector<T>& to) {
    std::size_t kept = 0;
    for (std::uint32_t i = 0; i < number.size() && count != number.size(); ++i) {
      if (is_first(i)) values[kept++] = values[i];
    }
    values.resize(count);
    if (count <= number.size() / 2) values.shrink_to_fit();
    to = std::move(values);
  };
  if (v.sources.empty()) {
    made(out.sources, [](std::uint32_t i) { return i; });
  } else {
    moved(v.sources, out.sources);
  }
  if (tangents && v.tangents.empty()) made(out.tangents, [&](std::uint32_t i) { return any_tangent(v.normals[i]); });
  if (tangents && !v.tangents.empty()) moved(v.tangents, out.tangents);
  moved(v.own_normals, out.normals);
}

}  // namespace

Result<PreparedSubmesh> prepare_submesh(SubmeshInput& in, const MeshOptions& options) {
  const bool tangents = options.tangents, exact_frames = options.exact_frames;
  ASSETC_CHECK(check_submesh(in));
  PreparedSubmesh out;
  Vertices v;
  v.indices = in.indices;
  v.normals = in.normals;

  const Stream<Vec2> repaired = repaired_texcoords(in, out.repairs);
  const std::span<const Vec2> texcoords = repaired.empty() ? in.texcoords : repaired;
  out.morphs = MorphIndex(in.morphs, in.positions.size());
  if (in.normals.empty()) {
    compute_normals(in, v);
  } else {
    repair_normals_of(in, v, out.repairs);
  }

  out.has_tangents = tangents && (!in.tangents.empty() || !in.texcoords.empty());
  if (out.has_tangents) {
    const bool authored = !in.tangents.empty() && usable_tangents(in.tangents);
    if (!in.tangents.empty() && !authored) {
      out.repairs.push_back(
          {in.place, formatted("some tangents are not finite, have no length or have a w other than 1 and -1; {}",
                               in.texcoords.empty() ? "replaced all with arbitrary ones" : "computed all again")});
    }
    v.authored_tangents = authored;
    if (authored) {
      v.tangents.resize(v.size());
      for (std::size_t i = 0; i < v.size(); ++i) v.tangents[i] = in.tangents[v.source(i)];
    } else if (!in.texcoords.empty()) {
      split_by_tangent(v, generate_tangents({v.indices, in.positions, v.normals, texcoords, v.sources}));
    }
  }

  // Each array of a large mesh is freed as soon as the next one exists.
  std::vector<PackedFrame> frames = pack(v, tangents);
  std::vector<std::uint32_t> number = find_equal(in, texcoords, out.morphs, v, frames, exact_frames);
  release(frames);
  v.own_all();
  out.indices = std::move(v.own_indices);
  v.normals = v.own_normals;
  keep_firsts(number, tangents, v, out);
  if (out.vertex_count() != number.size()) {
    number_firsts(number);
    for_blocks(out.indices.size(), kPrepareBlock, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t c = begin; c < end; ++c) out.indices[c] = number[out.indices[c]];
    });
  }
  release(number);
  out.indices = drop_degenerate(std::move(out.indices));
  split_crowded_vertices(out);
  replace_texcoords(in, repaired);
  return out;
}

}  // namespace assetc::mesh
