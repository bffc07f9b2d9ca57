#include "mesh/cluster/thin.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace assetc::mesh::cluster {
namespace {

constexpr std::size_t kLeastPieces = 64;
// The largest growth of an area in one level.
constexpr float kMostGrowth = 2;
// How many pieces along the curve on each side are looked at to find a near one.
constexpr std::size_t kReach = 12;

// Joins points that triangles connect.
class Connected {
 public:
  explicit Connected(std::size_t count) : above_(count) { std::iota(above_.begin(), above_.end(), 0u); }
  std::uint32_t root(std::uint32_t p) {
    while (above_[p] != p) p = above_[p] = above_[above_[p]];
    return p;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a = root(a), b = root(b);
    if (a != b) above_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> above_;
};

// Whether a piece has an edge with one triangle. point_of(corner).
template <class PointOf>
bool is_open(std::span<const std::uint32_t> triangles, const PointOf& point_of) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const std::uint32_t t : triangles) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      const std::uint32_t a = point_of(3 * t + k), b = point_of(3 * t + (k + 1) % 3);
      if (a != b) ++edges[std::minmax(a, b)];
    }
  }
  return std::ranges::any_of(edges, [](const auto& edge) { return edge.second == 1; });
}

std::uint64_t spread_bits(std::uint64_t x) {
  x = (x | x << 32) & 0x1F00000000FFFF;
  x = (x | x << 16) & 0x1F0000FF0000FF;
  x = (x | x << 8) & 0x100F00F00F00F00F;
  x = (x | x << 4) & 0x10C30C30C30C30C3;
  return (x | x << 2) & 0x1249249249249249;
}
// The number of a point along a Morton curve. unit: in [0, 1].
std::uint64_t place_of(scene::Vec3 unit) {
  const auto axis = [](float x) {
    return spread_bits(static_cast<std::uint64_t>(std::clamp(x, 0.0f, 1.0f) * 1048575.0f));
  };
  return axis(unit.x) | axis(unit.y) << 1 | axis(unit.z) << 2;
}

float distance2(const Surface& surface, std::uint32_t a, scene::Vec3 at, std::uint32_t b) {
  const scene::Vec3 p = surface.positions[a] - at;
  float total = scene::dot(p, p);
  if (!surface.normals.empty()) {
    const scene::Vec3 n = (surface.normals[a] - surface.normals[b]) * surface.normal_weight;
    total += scene::dot(n, n);
  }
  if (!surface.texcoords.empty()) {
    const float u = (surface.texcoords[a].x - surface.texcoords[b].x) * surface.texcoord_weight;
    const float v = (surface.texcoords[a].y - surface.texcoords[b].y) * surface.texcoord_weight;
    total += u * u + v * v;
  }
  if (!surface.colors.empty()) {
    const scene::Vec4 x = surface.colors[a], y = surface.colors[b];
    for (const float d : {x.x - y.x, x.y - y.y, x.z - y.z, x.w - y.w})
      total += d * d * surface.color_weight * surface.color_weight;
  }
  return total;
}

}  // namespace

bool is_foliage(std::span<const std::uint32_t> points, std::uint32_t point_count,
                std::span<const std::uint32_t> indices) {
  const auto triangle_count = static_cast<std::uint32_t>(indices.size() / 3);
  // A surface has half as many points as triangles, and an open piece of n triangles n / 2 + 2.5 or more. This rejects
  // most meshes at once.
  if (point_count <= triangle_count / 2 + triangle_count / 32) return false;
  const auto point_of = [&](std::uint32_t corner) { return points[indices[corner]]; };
  Connected connected(point_count);
  for (std::uint32_t c = 0; c < 3 * triangle_count; c += 3) {
    connected.join(point_of(c), point_of(c + 1));
    connected.join(point_of(c), point_of(c + 2));
  }
  std::vector<std::uint32_t> sizes(point_count);
  for (std::uint32_t c = 0; c < 3 * triangle_count; c += 3) ++sizes[connected.root(point_of(c))];
  const auto is_small = [&](std::uint32_t size) { return size > 0 && size <= kMostPieceTriangles; };
  std::size_t small = 0, pieces = 0;
  for (const std::uint32_t size : sizes) {
    if (is_small(size)) small += size, ++pieces;
  }
  if (pieces < kLeastPieces || 2 * small <= triangle_count) return false;
  std::vector<std::vector<std::uint32_t>> triangles(point_count);
  for (std::uint32_t t = 0; t < triangle_count; ++t) {
    const std::uint32_t root = connected.root(point_of(3 * t));
    if (is_small(sizes[root])) triangles[root].push_back(t);
  }
  std::size_t open = 0;
  pieces = 0;
  for (const std::vector<std::uint32_t>& piece : triangles) {
    if (!piece.empty() && is_open(piece, point_of)) open += piece.size(), ++pieces;
  }
  return pieces >= kLeastPieces && 2 * open > triangle_count;
}

void GrownStreams::begin(const Surface& surface) {
  positions.assign(surface.positions.begin(), surface.positions.end());
  normals.assign(surface.normals.begin(), surface.normals.end());
  texcoords.assign(surface.texcoords.begin(), surface.texcoords.end());
  colors.assign(surface.colors.begin(), surface.colors.end());
  origins.resize(positions.size());
  std::iota(origins.begin(), origins.end(), 0u);
}

void GrownStreams::resize(std::uint32_t count) {
  positions.resize(count);
  origins.resize(count);
}

void GrownStreams::finish(std::uint32_t first, Surface& surface) {
  const auto copy = [&](auto& stream) {
    if (stream.empty()) return;
    stream.resize(positions.size());
    for (std::size_t v = first; v < stream.size(); ++v) stream[v] = stream[origins[v]];
  };
  copy(normals), copy(texcoords), copy(colors);
  for (std::size_t v = first; v < origins.size(); ++v) origins[v] = origins[origins[v]];
  surface.normals = normals, surface.texcoords = texcoords, surface.colors = colors;
}

void PatchThinner::find_pieces(const Surface& surface, const PatchInput& input) {
  const std::size_t corners = input.indices.size();
  point_numbers_.reset(corners);
  std::vector<std::uint32_t> point_of(corners);
  for (std::size_t c = 0; c < corners; ++c) point_of[c] = point_numbers_.of(surface.points[input.indices[c]]);
  Connected connected(point_numbers_.count());
  for (std::size_t c = 0; c < corners; c += 3) {
    connected.join(point_of[c], point_of[c + 1]);
    connected.join(point_of[c], point_of[c + 2]);
  }
  scene::Vec3 low = surface.positions[input.indices[0]], high = low;
  for (const std::uint32_t v : input.indices) {
    const scene::Vec3 p = surface.positions[v];
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  const float extent = std::max({high.x - low.x, high.y - low.y, high.z - low.z});

  pieces_.clear();
  std::vector<std::uint32_t> piece_of_root(point_numbers_.count(), Numbering::kUnknown);
  for (std::uint32_t t = 0; t < corners / 3; ++t) {
    std::uint32_t& piece = piece_of_root[connected.root(point_of[3 * t])];
    if (piece == Numbering::kUnknown) piece = static_cast<std::uint32_t>(pieces_.size()), pieces_.emplace_back();
    pieces_[piece].triangles.push_back(t);
  }
  for (Piece& piece : pieces_) {
    scene::Vec3 sum{};
    for (const std::uint32_t t : piece.triangles) {
      std::array<scene::Vec3, 3> p;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t v = input.indices[3 * t + k];
        p[k] = surface.positions[v];
        sum = sum + p[k];
        piece.vertices.push_back(v);
        if (input.locked[surface.points[v]] != 0) piece.may_go = false;
      }
      piece.area += scene::length(scene::cross(p[1] - p[0], p[2] - p[0])) * 0.5f;
    }
    std::ranges::sort(piece.vertices);
    const auto repeated = std::ranges::unique(piece.vertices);
    piece.vertices.erase(repeated.begin(), repeated.end());
    piece.center = sum * (1 / static_cast<float>(3 * piece.triangles.size()));
    if (extent > 0) piece.place = place_of((piece.center - low) * (1 / extent));
    piece.may_go = piece.may_go && piece.triangles.size() <= kMostPieceTriangles &&
                   is_open(piece.triangles, [&](std::uint32_t corner) { return point_of[corner]; });
  }
  std::ranges::stable_sort(pieces_, {}, &Piece::place);
}

// Takes pieces evenly along the curve, and no more than the growth of the others makes up for.
void PatchThinner::choose(const PatchInput& input, std::size_t free_triangles) {
  const std::size_t all = input.indices.size() / 3;
  const double share =
      std::min(static_cast<double>(all - std::min(all, input.target_triangles)) / static_cast<double>(free_triangles),
               1 - 1.0 / static_cast<double>(kMostGrowth));
  double due = 0.5;
  for (Piece& piece : pieces_) {
    if (!piece.may_go) continue;
    due += share * static_cast<double>(piece.triangles.size());
    if (due < static_cast<double>(piece.triangles.size())) continue;
    due -= static_cast<double>(piece.triangles.size());
    piece.stays = false;
  }
}

// Makes the vertices of pieces that stay, farther from their centers. Returns how far they moved.
float PatchThinner::grow(const Surface& surface, const PatchInput& input, MadeVertices made) {
  double before = 0, after = 0;
  for (const Piece& piece : pieces_) {
    if (!piece.may_go) continue;
    before += static_cast<double>(piece.area);
    if (piece.stays) after += static_cast<double>(piece.area);
  }
  const float growth = after > 0 ? std::min(static_cast<float>(before / after), kMostGrowth) : 1;
  const float scale = std::sqrt(growth);
  float farthest = 0;
  std::uint32_t count = 0;
  Numbering points;
  for (Piece& piece : pieces_) {
    if (!piece.stays) continue;
    const bool grows = piece.may_go && scale > 1;
    const std::uint32_t first = count;
    points.reset(piece.vertices.size());
    vertex_numbers_.reset(piece.vertices.size());
    for (const std::uint32_t v : piece.vertices) {
      vertex_numbers_.of(v);
      if (!grows) continue;
      const scene::Vec3 offset = surface.positions[v] - piece.center;
      farthest = std::max(farthest, scene::length(offset) * (scale - 1));
      made.positions[count] = piece.center + offset * scale;
      made.origins[count] = v;
      made.points[count] = made.first + first + points.of(surface.points[v]);
      ++count;
    }
    for (const std::uint32_t t : piece.triangles) {
      for (std::size_t k = 0; k < 3; ++k) {
        const std::uint32_t v = input.indices[3 * t + k];
        indices_.push_back(grows ? made.first + first + vertex_numbers_.find(v) : v);
      }
      if (!input.materials.empty()) materials_.push_back(input.materials[t]);
    }
    if (!grows) continue;
    for (std::size_t i = 0; i < piece.vertices.size(); ++i)
      piece.vertices[i] = made.first + first + static_cast<std::uint32_t>(i);
  }
  return farthest;
}

// The nearest vertex among the pieces that stay near the piece: no nearer than the surface.
Sample PatchThinner::nearest(const Surface& surface, std::uint32_t vertex, std::size_t piece, MadeVertices made) const {
  float least = std::numeric_limits<float>::infinity();
  std::uint32_t anchor = 0;
  const auto consider = [&](const Piece& other) {
    for (const std::uint32_t v : other.vertices) {
      const bool is_made = v >= made.first && v - made.first < made.positions.size();
      const float distance =
          is_made ? distance2(surface, vertex, made.positions[v - made.first], made.origins[v - made.first])
                  : distance2(surface, vertex, surface.positions[v], v);
      if (distance < least) least = distance, anchor = v;
    }
  };
  if (pieces_[piece].stays) consider(pieces_[piece]);
  for (const int step : {-1, 1}) {
    std::size_t left = kReach;
    for (auto at = static_cast<std::ptrdiff_t>(piece) + step;
         left > 0 && at >= 0 && at < static_cast<std::ptrdiff_t>(pieces_.size()); at += step) {
      const Piece& other = pieces_[static_cast<std::size_t>(at)];
      if (!other.stays || other.triangles.size() > kMostPieceTriangles) continue;
      consider(other);
      --left;
    }
  }
  if (!std::isfinite(least)) {
    for (const Piece& other : pieces_) {
      if (other.stays) consider(other);
    }
  }
  return {vertex, anchor, std::sqrt(least)};
}

bool PatchThinner::thin(const Surface& surface, const PatchInput& input, std::span<const std::uint32_t> origins,
                        MadeVertices made) {
  indices_.clear(), materials_.clear(), samples_.clear();
  find_pieces(surface, input);
  std::size_t free_triangles = 0, free_pieces = 0;
  for (const Piece& piece : pieces_) {
    if (piece.may_go) free_triangles += piece.triangles.size(), ++free_pieces;
  }
  if (free_pieces < 2 || 2 * free_triangles < input.indices.size() / 3) return false;
  choose(input, free_triangles);

  // The pieces of anchors, before vertices have other numbers.
  Numbering numbers;
  numbers.reset(input.indices.size());
  std::vector<std::uint32_t> piece_of;
  for (std::uint32_t p = 0; p < pieces_.size(); ++p) {
    for (const std::uint32_t v : pieces_[p].vertices) {
      if (numbers.of(v) == piece_of.size()) piece_of.push_back(p);
    }
  }
  const float moved = grow(surface, input, made);
  float largest = 0;
  const auto add = [&](std::uint32_t vertex, std::uint32_t piece) {
    samples_.push_back(nearest(surface, vertex, piece, made));
    largest = std::max(largest, samples_.back().distance);
  };
  for (const Sample& sample : input.samples) {
    const std::uint32_t number = numbers.find(sample.anchor);
    assert(number != Numbering::kUnknown);
    add(sample.vertex, piece_of[number]);
  }
  for (std::uint32_t p = 0; p < pieces_.size(); ++p) {
    if (pieces_[p].stays) continue;
    for (const std::uint32_t v : pieces_[p].vertices) add(origins[v], p);
  }
  error_ = std::max(input.error + moved, kSampleMargin * largest);
  return true;
}

}  // namespace assetc::mesh::cluster
