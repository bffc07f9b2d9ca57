#include "mesh/build.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

#include "base/release.hpp"
#include "mesh/bounds.hpp"
#include "mesh/channels.hpp"
#include "mesh/chunks.hpp"
#include "mesh/lod.hpp"
#include "mesh/lod_budget.hpp"
#include "mesh/optimize.hpp"
#include "mesh/own_levels.hpp"
#include "mesh/parallel.hpp"
#include "mesh/prepare.hpp"
#include "mesh/primitives.hpp"
#include "mesh/quantize.hpp"
#include "mesh/weld.hpp"
#include "parallel/parallel.hpp"

// Work proceeds chunk by chunk (chunks.hpp). The chunks of all submeshes are in one list, so that a mesh of one large
// submesh and a mesh of a hundred small ones both keep all cores busy. Each chunk is ordered, cut into meshlets and
// simplified separately. While a chunk is simplified, vertices whose position another chunk or submesh shares are
// locked, so that no cracks open. Each coarser level merges chunks in pairs, which frees the borders that the level
// before had to keep. lod_budget.hpp decides how many triangles each group may keep, from its roughness.
//
// A large mesh is in memory only once: the input of a stage is freed chunk by chunk while the results of the next stage
// are added.

namespace assetc::mesh {
namespace {

using scene::Vec2;
using scene::Vec3;

constexpr std::size_t kBuildBlock = 1u << 14;
constexpr std::uint32_t kChunkTriangles = 1u << 15;
// If a level keeps more than this fraction of the level before, it is not worth its draw call.
constexpr double kStalledRatio = 0.95;
constexpr std::uint8_t kNever = 0xFF;  // not a level of detail: there are at most kMaxLods

// A run of the mesh's indices that belongs to one part. Indices are local to the chunk until vertices are numbered, and
// in source order until triangles are reordered.
struct Chunk {
  std::uint32_t part = 0;
  std::size_t first_index = 0, index_count = 0;
  std::vector<std::uint32_t> vertices;  // local vertex -> vertex of the part, in order of first use
  Meshlets meshlets;                    // in local vertices
};

// A part's triangles at one level of detail, in groups of chunks that are simplified together.
struct Group {
  std::uint32_t part = 0;
  std::uint32_t base_triangles = 0;    // at full resolution
  Roughness roughness;                 // at full resolution; empty if the part is one group
  std::vector<std::uint32_t> indices;  // into the part's vertices
};
using Level = std::vector<Group>;

struct Part {
  const SubmeshInput* input = nullptr;
  PreparedSubmesh prepared;
  std::uint32_t first_vertex = 0;  // in the concatenated vertices of all parts
  std::uint32_t first_chunk = 0;
  std::uint32_t chunk_count = 0;
  float extent = 0, texcoord_extent = 0;
  std::vector<std::vector<std::uint32_t>> lods;  // indices into the part's vertices; empty if simplification stalled
  std::vector<std::uint32_t> final_of;           // vertex -> vertex of the mesh

  Vec3 position(std::size_t vertex) const { return input->positions[prepared.sources[vertex]]; }
};

class Builder {
 public:
  Builder(std::span<const SubmeshInput> inputs, const MeshOptions& options)
      : inputs_(inputs.begin(), inputs.end()), options_(options), parts_(inputs.size()) {}

  Result<BuiltMesh> run() {
    ASSETC_CHECK(prepare());
    if (options_.streams_alone) {
      keep_order();
      return std::move(out_);
    }
    make_chunks();
    find_seams();
    Level level = first_level();
    parallel_invoke([&] { order_and_cut(); }, [&] { make_lods(std::move(level)); });
    release(first_free_level_);
    assemble();
    if (options_.lods > 0) ASSETC_CHECK(use_own_levels(inputs_, options_, out_));
    return std::move(out_);
  }

 private:
  Result<void> prepare() {
    std::vector<Result<PreparedSubmesh>> results(inputs_.size());
    parallel_for(inputs_.size(), [&](std::size_t s) { results[s] = prepare_submesh(inputs_[s], options_); });
    std::uint32_t first_vertex = 0;
    for (std::size_t s = 0; s < inputs_.size(); ++s) {
      ASSETC_TRY(parts_[s].prepared, std::move(results[s]));
      PreparedSubmesh& p = parts_[s].prepared;
      parts_[s].input = &inputs_[s];
      parts_[s].first_vertex = first_vertex;
      first_vertex += static_cast<std::uint32_t>(p.vertex_count());
      out_.mesh.has_tangents |= p.has_tangents;
      out_.repairs.insert(out_.repairs.end(), p.repairs.begin(), p.repairs.end());
    }
    vertex_count_ = first_vertex;
    for (SubmeshInput& in : inputs_) round_positions(in, options_.position_step);
    return {};
  }

  void make_chunks() {
    std::vector<Chunks> splits(parts_.size());
    parallel_for(parts_.size(), [&](std::size_t s) {
      const PreparedSubmesh& p = parts_[s].prepared;
      const SubmeshInput& in = inputs_[s];
      Vec3 low = parts_[s].position(0), high = low;
      Vec2 uv_low, uv_high;
      if (!in.texcoords.empty()) uv_low = uv_high = in.texcoords[p.sources[0]];
      for (const std::uint32_t source : p.sources) {
        const Vec3 at = in.positions[source];
        low = {std::min(low.x, at.x), std::min(low.y, at.y), std::min(low.z, at.z)};
        high = {std::max(high.x, at.x), std::max(high.y, at.y), std::max(high.z, at.z)};
        if (in.texcoords.empty()) continue;
        const Vec2 uv = in.texcoords[source];
        uv_low = {std::min(uv_low.x, uv.x), std::min(uv_low.y, uv.y)};
        uv_high = {std::max(uv_high.x, uv.x), std::max(uv_high.y, uv.y)};
      }
      parts_[s].extent = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
      parts_[s].texcoord_extent = std::max(uv_high.x - uv_low.x, uv_high.y - uv_low.y);
      const auto corner = [&](std::size_t i) { return parts_[s].position(p.indices[i]); };
      splits[s] = split_into_chunks(
          p.indices.size() / 3,
          [&](std::size_t t) { return triangle_center(corner(t * 3), corner(t * 3 + 1), corner(t * 3 + 2)); },
          kChunkTriangles);
    });
    std::size_t index_count = 0;
    for (std::uint32_t s = 0; s < parts_.size(); ++s) {
      parts_[s].first_chunk = static_cast<std::uint32_t>(chunks_.size());
      parts_[s].chunk_count = static_cast<std::uint32_t>(splits[s].size());
      for (std::uint32_t c = 0; c < parts_[s].chunk_count; ++c) {
        chunks_.push_back({s, index_count, splits[s].of(c).size() * 3, {}, {}});
        index_count += chunks_.back().index_count;
      }
    }
    out_.mesh.indices.resize(index_count);
    parallel_for(chunks_.size(), [&](std::size_t c) {
      Chunk& chunk = chunks_[c];
      const Part& part = parts_[chunk.part];
      LocalMesh local = make_local(part.prepared.indices, splits[chunk.part].of(c - part.first_chunk));
      std::ranges::copy(local.indices, indices_of(chunk).begin());
      chunk.vertices = std::move(local.vertices);
    });
    for (Part& part : parts_) release(part.prepared.indices);
  }

  std::span<std::uint32_t> indices_of(const Chunk& chunk) {
    return std::span(out_.mesh.indices).subspan(chunk.first_index, chunk.index_count);
  }

  static std::vector<Vec3> gather_positions(const Part& part, std::span<const std::uint32_t> vertices) {
    std::vector<Vec3> result(vertices.size());
    for (std::size_t v = 0; v < vertices.size(); ++v) result[v] = part.position(vertices[v]);
    return result;
  }

  static std::vector<Vec3> gather_normals(const PreparedSubmesh& p, std::span<const std::uint32_t> vertices) {
    std::vector<Vec3> result(vertices.size());
    for (std::size_t v = 0; v < vertices.size(); ++v) result[v] = p.normals[vertices[v]];
    return result;
  }

  // The level of detail at which two chunks are in one group. Groups merge in pairs within their part, level by level.
  std::uint8_t level_of_one_group(std::uint32_t a, std::uint32_t b) const {
    if (chunks_[a].part != chunks_[b].part) return kNever;
    const std::uint32_t first = parts_[chunks_[a].part].first_chunk;
    return static_cast<std::uint8_t>(std::bit_width((a - first) ^ (b - first)));
  }

  // For every vertex: the first level of detail at which all chunks with a vertex at the same position are one group.
  void find_seams() {
    if (chunks_.size() == 1 || options_.lods == 0) return;
    std::vector<std::uint32_t> place_of;  // a position is named by its first vertex
    if (parts_.size() == 1) {
      place_of = equal_positions([&](std::uint32_t v) { return parts_[0].position(v); });
    } else {
      std::vector<Vec3> positions;
      positions.reserve(vertex_count_);
      for (const Part& part : parts_) {
        for (const std::uint32_t source : part.prepared.sources) positions.push_back(part.input->positions[source]);
      }
      place_of = equal_positions([&](std::uint32_t v) { return positions[v]; });
    }
    std::vector<std::uint32_t> first_chunk(vertex_count_, kNoSlot);
    first_free_level_.assign(vertex_count_, 0);
    for (std::uint32_t c = 0; c < chunks_.size(); ++c) {
      const std::uint32_t first_vertex = parts_[chunks_[c].part].first_vertex;
      for (std::uint32_t v : chunks_[c].vertices) {
        const std::uint32_t place = place_of[first_vertex + v];
        first_chunk[place] = std::min(first_chunk[place], c);
        first_free_level_[place] = std::max(first_free_level_[place], level_of_one_group(first_chunk[place], c));
      }
    }
    for (std::uint32_t v = 0; v < vertex_count_; ++v) first_free_level_[v] = first_free_level_[place_of[v]];
  }
  std::vector<std::uint32_t> equal_positions(const auto& position_of) const {
    return first_equal(
        vertex_count_, [&](std::uint32_t v) { return hash_of(position_of(v)); },
        [&](std::uint32_t a, std::uint32_t b) { return position_of(a) == position_of(b); });
  }

  void order_and_cut() {
    parallel_for(chunks_.size(), [&](std::size_t c) {
      Chunk& chunk = chunks_[c];
      const std::vector<Vec3> source = gather_positions(parts_[chunk.part], chunk.vertices);
      const std::span<std::uint32_t> indices = indices_of(chunk);
      std::vector<std::uint32_t> order(indices.begin(), indices.end());
      optimize_triangle_order(order, source);
      // Order vertices by first use.
      std::vector<std::uint32_t> slots(source.size(), kNoSlot);
      const LocalMesh ordered = make_dense_local(order, slots);
      std::ranges::copy(ordered.indices, indices.begin());
      std::vector<Vec3> positions(source.size());
      for (std::size_t v = 0; v < positions.size(); ++v) {
        positions[v] = source[ordered.vertices[v]];
        slots[v] = chunk.vertices[ordered.vertices[v]];
      }
      chunk.vertices = std::move(slots);
      chunk.meshlets = build_meshlets(indices, positions, options_.meshlets);
      if (options_.has_meshlet_order) order_by_meshlets(chunk.meshlets, indices, chunk.vertices);
    });
  }

  Level first_level() {
    if (options_.lods == 0) return {};
    Level level(chunks_.size());
    parallel_for(chunks_.size(), [&](std::size_t c) {
      const Chunk& chunk = chunks_[c];
      const std::span<const std::uint32_t> indices = indices_of(chunk);
      const Part& part = parts_[chunk.part];
      level[c].part = chunk.part;
      level[c].base_triangles = static_cast<std::uint32_t>(indices.size() / 3);
      level[c].indices.resize(indices.size());
      for (std::size_t i = 0; i < indices.size(); ++i) level[c].indices[i] = chunk.vertices[indices[i]];
      if (part.chunk_count > 1)
        level[c].roughness = measure_roughness(indices, gather_positions(part, chunk.vertices),
                                               gather_normals(part.prepared, chunk.vertices));
    });
    return level;
  }

  void make_lods(Level level) {
    double ratio = 1;
    for (std::uint32_t l = 0; l < options_.lods; ++l) {
      ratio *= options_.lod_ratio;
      const std::vector<std::size_t> targets = triangle_targets(level, ratio);
      Level next(level.size());
      parallel_for(level.size(), [&](std::size_t g) { next[g] = simplify_group(level[g], l, targets[g]); });
      keep_level(level, next);
      if (l + 1 < options_.lods) level = merge_groups(std::move(level));
    }
  }

  // The number of triangles that each group may keep, so that each part keeps ratio of its full resolution.
  std::vector<std::size_t> triangle_targets(const Level& level, double ratio) const {
    std::vector<std::size_t> targets(level.size());
    for (std::size_t begin = 0, end = 0; begin < level.size(); begin = end) {
      std::vector<BudgetPart> shares;
      for (end = begin; end < level.size() && level[end].part == level[begin].part; ++end) {
        shares.push_back({level[end].base_triangles, &level[end].roughness});
      }
      const std::vector<double> kept = split_budget(shares, ratio);
      for (std::size_t g = begin; g < end; ++g)
        targets[g] = static_cast<std::size_t>(level[g].base_triangles * kept[g - begin]);
    }
    return targets;
  }

  Group simplify_group(const Group& group, std::uint32_t level, std::size_t target) {
    const Part& part = parts_[group.part];
    const LocalMesh local = make_local(group.indices);
    const std::size_t count = local.vertices.size();
    const PreparedSubmesh& p = part.prepared;
    const std::vector<Vec3> positions = gather_positions(part, local.vertices);
    const std::vector<Vec3> normals = gather_normals(p, local.vertices);
    std::vector<Vec2> texcoords(count);
    const std::span<const Vec2> of_input = part.input->texcoords;
    for (std::size_t v = 0; v < count && !of_input.empty(); ++v) texcoords[v] = of_input[p.sources[local.vertices[v]]];
    std::vector<std::uint8_t> locked(first_free_level_.empty() ? 0 : count);
    for (std::size_t v = 0; v < locked.size(); ++v)
      locked[v] = first_free_level_[part.first_vertex + local.vertices[v]] > level;
    Group result{group.part, group.base_triangles, group.roughness, {}};
    const std::vector<float> shapes = shapes_of(p.morphs, p.sources, local.vertices);
    result.indices = simplify({.indices = local.indices,
                               .positions = positions,
                               .normals = normals,
                               .texcoords = texcoords,
                               .shapes = shapes,
                               .locked = locked,
                               .target_index_count = target * 3,
                               .mesh_extent = part.extent,
                               .texcoord_extent = part.texcoord_extent});
    optimize_vertex_cache(result.indices, count);
    for (std::uint32_t& i : result.indices) i = local.vertices[i];
    return result;
  }

  // If next has enough fewer triangles to be worth a level, makes it the parts' next level and the input of the one
  // after.
  void keep_level(Level& level, Level& next) {
    for (std::size_t begin = 0, end = 0; begin < level.size(); begin = end) {
      const std::uint32_t part = level[begin].part;
      std::size_t before = 0, after = 0;
      for (end = begin; end < level.size() && level[end].part == part; ++end) {
        before += level[end].indices.size();
        after += next[end].indices.size();
      }
      std::vector<std::uint32_t>& lod = parts_[part].lods.emplace_back();
      const bool worth_it = after > 0 && static_cast<double>(after) <= static_cast<double>(before) * kStalledRatio;
      if (worth_it) lod.reserve(after);
      for (std::size_t g = begin; g < end && worth_it; ++g) {
        lod.insert(lod.end(), next[g].indices.begin(), next[g].indices.end());
        level[g] = std::move(next[g]);
      }
    }
  }

  static Level merge_groups(Level&& level) {
    Level merged;
    for (std::size_t g = 0, in_part = 0; g < level.size(); ++g) {
      in_part = g > 0 && level[g].part == level[g - 1].part ? in_part + 1 : 0;
      if (in_part % 2 == 0) {
        merged.push_back(std::move(level[g]));
      } else {
        merged.back().base_triangles += level[g].base_triangles;
        merged.back().roughness.add(level[g].roughness);
        merged.back().indices.insert(merged.back().indices.end(), level[g].indices.begin(), level[g].indices.end());
      }
    }
    return merged;
  }

  void assemble() {
    Mesh& m = out_.mesh;
    m.meshlet_max_vertices = options_.meshlets.max_vertices;
    m.meshlet_max_triangles = options_.meshlets.max_triangles;

    std::vector<Place> places(chunks_.size());
    Place end{};
    for (std::size_t c = 0; c < chunks_.size(); ++c) {
      const Chunk& chunk = chunks_[c];
      places[c] = end;
      end.meshlet += chunk.meshlets.meshlets.size();
      end.meshlet_vertex += chunk.meshlets.vertices.size();
    }
    number_vertices();
    m.meshlets.resize(end.meshlet);
    m.meshlet_bounds.resize(end.meshlet);
    m.meshlet_vertices.resize(end.meshlet_vertex);
    m.meshlet_triangles.resize(m.indices.size() / 3);
    parallel_for(chunks_.size(), [&](std::size_t c) {
      Chunk& chunk = chunks_[c];
      const Part& part = parts_[chunk.part];
      const Place at = places[c];
      const std::size_t first_triangle = chunk.first_index / 3;
      std::vector<std::uint32_t>& local = chunk.vertices;
      for (std::uint32_t& v : local) v = part.final_of[v];
      for (std::uint32_t& i : indices_of(chunk)) i = local[i];
      const Meshlets& cut = chunk.meshlets;
      for (std::size_t i = 0; i < cut.meshlets.size(); ++i) {
        m.meshlets[at.meshlet + i] = cut.meshlets[i];
        m.meshlets[at.meshlet + i].vertex_offset += static_cast<std::uint32_t>(at.meshlet_vertex);
        m.meshlets[at.meshlet + i].triangle_offset += static_cast<std::uint32_t>(first_triangle);
      }
      std::copy(cut.bounds.begin(), cut.bounds.end(),
                m.meshlet_bounds.begin() + static_cast<std::ptrdiff_t>(at.meshlet));
      for (std::size_t i = 0; i < cut.vertices.size(); ++i)
        m.meshlet_vertices[at.meshlet_vertex + i] = local[cut.vertices[i]];
      std::copy(cut.triangles.begin(), cut.triangles.end(),
                m.meshlet_triangles.begin() + static_cast<std::ptrdiff_t>(first_triangle));
      release(local);
      chunk.meshlets = {};
    });
    place_lods();
    place_vertices();
    describe_submeshes(places, end.meshlet);
  }

  // The position of a chunk's meshlets in the output.
  struct Place {
    std::size_t meshlet = 0, meshlet_vertex = 0;
  };

  // The mesh of streams alone: each part is one chunk.
  void keep_order() {
    Mesh& m = out_.mesh;
    std::uint32_t next = 0;
    std::size_t index_count = 0;
    for (const Part& part : parts_) index_count += part.prepared.indices.size();
    for (std::uint32_t s = 0; s < parts_.size(); ++s) {
      Part& part = parts_[s];
      part.first_chunk = s;
      part.chunk_count = 1;
      std::vector<std::uint32_t>& indices = part.prepared.indices;
      chunks_.push_back({s, m.indices.size(), indices.size(), {}, {}});
      vertex_begin_.push_back(next);
      part.final_of.assign(part.prepared.vertex_count(), kNoSlot);
      for (const std::uint32_t v : indices) part.final_of[v] = 0;
      for (std::uint32_t& number : part.final_of) number = number == kNoSlot ? kNoSlot : next++;
      for_blocks(indices.size(), kBuildBlock, [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) indices[i] = part.final_of[indices[i]];
      });
      append_to(m.indices, indices, index_count);
    }
    vertex_begin_.push_back(next);
    place_vertices();
    describe_submeshes(std::vector<Place>(chunks_.size()), 0);
  }

  // Numbers the vertices that are used, in order of first use, chunk by chunk.
  void number_vertices() {
    std::uint32_t next = 0;
    for (Part& part : parts_) {
      vertex_begin_.push_back(next);
      part.final_of.assign(part.prepared.vertex_count(), kNoSlot);
      for (std::uint32_t c = part.first_chunk; c < part.first_chunk + part.chunk_count; ++c) {
        for (std::uint32_t v : chunks_[c].vertices) {
          if (part.final_of[v] == kNoSlot) part.final_of[v] = next++;
        }
      }
    }
    vertex_begin_.push_back(next);
  }

  // Moves a part's vertex values into mesh order, in place. Values of unused vertices are dropped.
  // place: the new position of each value, kNoSlot if it has none; overwritten.
  static void put_in_place(PreparedSubmesh& p, std::span<std::uint32_t> place, std::size_t count) {
    const auto swap_values = [](auto& stream, std::uint32_t a, std::uint32_t b) {
      if (!stream.empty()) std::swap(stream[a], stream[b]);
    };
    for (std::uint32_t v = 0; v < place.size(); ++v) {
      while (place[v] != v && place[v] != kNoSlot) {
        const std::uint32_t to = place[v];
        swap_values(p.normals, v, to);
        swap_values(p.tangents, v, to);
        swap_values(p.sources, v, to);
        std::swap(place[v], place[to]);
      }
    }
    const auto cut = [&](auto& stream) { stream.resize(std::min(stream.size(), count)); };
    cut(p.normals);
    cut(p.tangents);
    cut(p.sources);
  }

  // Appends a part's values, or moves them if the mesh has only this part. total: values of all parts.
  template <class T>
  void append_to(std::vector<T>& all, std::vector<T>& part, std::size_t total) const {
    if (parts_.size() == 1) {
      all = std::move(part);
    } else if (!part.empty()) {
      all.reserve(total);
      all.insert(all.end(), part.begin(), part.end());
      release(part);
    }
  }

  void place_vertices() {
    parallel_for(parts_.size(), [&](std::size_t s) {
      Part& part = parts_[s];
      const std::uint32_t begin = vertex_begin_[s], count = vertex_begin_[s + 1] - begin;
      for (std::uint32_t& to : part.final_of) to -= to == kNoSlot ? 0 : begin;
      put_in_place(part.prepared, part.final_of, count);
      release(part.final_of);
    });
    Mesh& m = out_.mesh;
    for (std::size_t s = 0; s < parts_.size(); ++s) {
      PreparedSubmesh& p = parts_[s].prepared;
      append_to(m.normals, p.normals, vertex_begin_.back());
      append_to(m.tangents, p.tangents, vertex_begin_.back());
      add_channels({inputs_[s], p.sources, p.morphs}, vertex_begin_.back(), m);
      p.morphs = {};
      release(p.sources);
    }
  }

  void describe_submeshes(std::span<const Place> places, std::size_t meshlet_count) {
    Mesh& m = out_.mesh;
    m.submeshes.resize(parts_.size());
    m.submesh_vertices.resize(parts_.size());
    parallel_for(parts_.size(), [&](std::size_t s) {
      const Part& part = parts_[s];
      const std::size_t next_chunk = part.first_chunk + part.chunk_count;
      const bool last = next_chunk == chunks_.size();
      hmesh::SubMesh& sub = m.submeshes[s];
      DrawVertices& vertices = m.submesh_vertices[s];
      sub.first_index = static_cast<std::uint32_t>(chunks_[part.first_chunk].first_index);
      sub.index_count =
          static_cast<std::uint32_t>((last ? m.indices.size() : chunks_[next_chunk].first_index) - sub.first_index);
      sub.first_meshlet = static_cast<std::uint32_t>(places[part.first_chunk].meshlet);
      sub.meshlet_count =
          static_cast<std::uint32_t>((last ? meshlet_count : places[next_chunk].meshlet) - sub.first_meshlet);
      sub.material_slot = inputs_[s].material_slot;
      vertices.first_vertex = vertex_begin_[s];
      vertices.vertex_count = vertex_begin_[s + 1] - vertices.first_vertex;
      sub.bounds = bounds_of(std::span(m.positions).subspan(vertices.first_vertex, vertices.vertex_count));
      describe_channels(inputs_[s], vertices);
    });
    m.bounds = parts_.size() == 1 ? m.submeshes[0].bounds : bounds_of(m.positions);
    if (std::any_of(inputs_.begin(), inputs_.end(), [](const SubmeshInput& in) { return !in.name.empty(); })) {
      for (const SubmeshInput& in : inputs_) m.names.submeshes.push_back(in.name);
    }
  }

  // Drops the levels of detail that no part has: they would equal the level before.
  void drop_stalled_levels() {
    for (std::size_t l = parts_[0].lods.size(); l-- > 0;) {
      if (std::ranges::any_of(parts_, [&](const Part& part) { return !part.lods[l].empty(); })) continue;
      for (Part& part : parts_) part.lods.erase(part.lods.begin() + static_cast<std::ptrdiff_t>(l));
    }
  }

  void place_lods() {
    drop_stalled_levels();
    Mesh& m = out_.mesh;
    m.lod_count = static_cast<std::uint32_t>(parts_[0].lods.size());
    std::size_t total = 0;
    for (const Part& part : parts_) {
      for (const auto& lod : part.lods) {
        m.lods.push_back({static_cast<std::uint32_t>(total), static_cast<std::uint32_t>(lod.size())});
        total += lod.size();
      }
    }
    m.lod_indices.reserve(total);
    for (Part& part : parts_) {
      for (std::vector<std::uint32_t>& lod : part.lods) {
        const std::size_t at = m.lod_indices.size();
        m.lod_indices.resize(at + lod.size());
        for_blocks(lod.size(), kBuildBlock, [&](std::size_t begin, std::size_t end, std::size_t) {
          for (std::size_t i = begin; i < end; ++i) m.lod_indices[at + i] = part.final_of[lod[i]];
        });
        release(lod);
      }
    }
  }

  std::vector<SubmeshInput> inputs_;  // repaired and rounded
  const MeshOptions& options_;
  std::vector<Part> parts_;
  std::vector<Chunk> chunks_;
  std::uint32_t vertex_count_ = 0;
  std::vector<std::uint8_t> first_free_level_;  // of every vertex; empty if all are free
  // The vertices of submesh s are [vertex_begin_[s], vertex_begin_[s + 1]) of the mesh.
  std::vector<std::uint32_t> vertex_begin_;
  BuiltMesh out_;
};

}  // namespace

Result<BuiltMesh> build_mesh(std::span<const SubmeshInput> submeshes, const MeshOptions& options) {
  ASSETC_CHECK(check_inputs(submeshes, options));
  if (std::ranges::all_of(submeshes, &SubmeshInput::is_of_triangles)) return Builder(submeshes, options).run();
  std::vector<SubmeshInput> triangles;
  std::ranges::copy_if(submeshes, std::back_inserter(triangles), &SubmeshInput::is_of_triangles);
  BuiltMesh built;
  built.mesh.meshlet_max_vertices = options.meshlets.max_vertices;
  built.mesh.meshlet_max_triangles = options.meshlets.max_triangles;
  if (!triangles.empty()) {
    ASSETC_TRY(built, Builder(triangles, options).run());
  }
  ASSETC_CHECK(add_primitives(submeshes, options, built));
  return built;
}

}  // namespace assetc::mesh
