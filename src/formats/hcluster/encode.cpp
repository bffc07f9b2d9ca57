#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>

#include "formats/hcluster/bit_sink.hpp"
#include "formats/hcluster/bits.hpp"

namespace assetc::hcluster {
namespace {

constexpr std::uint8_t kNoVertex = 0xFF;
constexpr std::uint32_t kNoTriangle = 0xFFFFFFFF;

// Walks along neighboring triangles.
class Strips {
 public:
  // known: numbers of the group's vertices so far, by id.
  Strips(std::span<const std::array<std::uint8_t, 3>> triangles,
         const std::array<std::uint32_t, kMaxClusterVertices>& ids,
         const std::unordered_map<std::uint32_t, std::uint32_t>& known, std::uint32_t known_count, BitSink& sink)
      : triangles_(triangles), ids_(ids), known_(known), known_count_(known_count), sink_(sink) {
    number_.fill(kNoVertex);
    visited_.fill(0);
    across_.fill(kNone);
  }

  void run(std::span<const std::uint32_t> material_ends) {
    std::uint32_t begin = 0;
    for (const std::uint32_t end : material_ends) {
      link(begin, end);
      for (std::uint32_t left = end - begin; left > 0; --left) step(begin, end);
      unlink(begin, end);
      has_last_ = false;
      begin = end;
    }
  }

  // In the order in which the decoder sees them.
  const std::array<std::uint8_t, kMaxClusterVertices>& vertices() const { return vertices_; }
  const std::array<Prediction, kMaxClusterVertices>& predictions() const { return predictions_; }
  std::uint32_t vertex_count() const { return next_; }
  bool is_copied(std::uint32_t number) const { return copied_[number]; }
  // Triangles as the decoder returns them.
  const ClusterTriangles& triangles() const { return out_; }

 private:
  static constexpr std::uint8_t kNone = 0xFF;
  struct Edge {
    std::uint8_t first, second, apex;
  };

  std::uint8_t& edge(std::uint8_t a, std::uint8_t b) { return across_[a * std::size_t{kMaxClusterVertices} + b]; }
  void link(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t t = begin; t < end; ++t) {
      const auto [a, b, c] = triangles_[t];
      edge(a, b) = edge(b, c) = edge(c, a) = static_cast<std::uint8_t>(t);
    }
  }
  void unlink(std::uint32_t begin, std::uint32_t end) {
    for (std::uint32_t t = begin; t < end; ++t) {
      const auto [a, b, c] = triangles_[t];
      edge(a, b) = edge(b, c) = edge(c, a) = kNone;
    }
  }

  // The triangle that has the directed edge and is not visited.
  std::uint32_t behind(std::uint8_t first, std::uint8_t second) {
    const std::uint8_t t = edge(first, second);
    return t == kNone || visited_[t] ? kNoTriangle : t;
  }
  int open_neighbors(std::uint32_t t) {
    const auto [a, b, c] = triangles_[t];
    return (behind(b, a) != kNoTriangle) + (behind(c, b) != kNoTriangle) + (behind(a, c) != kNoTriangle);
  }

  void step(std::uint32_t begin, std::uint32_t end) {
    if (has_last_) {
      const Edge right{c_, b_, a_}, left{a_, c_, b_};
      const std::uint32_t by_right = behind(right.first, right.second), by_left = behind(left.first, left.second);
      const std::uint32_t by_other = behind(other_.first, other_.second);
      // First the neighbor that has fewer ways out: it would need a new start later.
      const bool go_right =
          by_right != kNoTriangle && (by_left == kNoTriangle || open_neighbors(by_right) <= open_neighbors(by_left));
      if (go_right) {
        other_ = left;
        return follow(Step::kRight, right, by_right);
      }
      if (by_left != kNoTriangle) {
        other_ = right;
        return follow(Step::kLeft, left, by_left);
      }
      if (by_other != kNoTriangle) return follow(Step::kOther, other_, by_other);
    }
    start(begin, end);
  }

  void follow(Step how, Edge from, std::uint32_t t) {
    put_step(how);
    visited_[t] = 1;
    const auto& corners = triangles_[t];
    std::size_t i = 0;
    while (corners[i] != from.first || corners[(i + 1) % 3] != from.second) ++i;
    a_ = from.first, b_ = from.second, c_ = corners[(i + 2) % 3];
    put_corner(c_, {number_[a_], number_[b_], number_[from.apex]});
    put_triangle();
  }
  void put_triangle() { out_[done_++] = {number_[a_], number_[b_], number_[c_]}; }

  void start(std::uint32_t begin, std::uint32_t end) {
    // The triangle with the fewest ways out, and of these the one with most known vertices.
    std::uint32_t best = kNoTriangle;
    int best_rank = std::numeric_limits<int>::max();
    for (std::uint32_t t = begin; t < end; ++t) {
      if (visited_[t]) continue;
      int known = 0;
      for (const std::uint8_t v : triangles_[t]) known += number_[v] != kNoVertex;
      const int rank = 4 * open_neighbors(t) + 3 - known;
      if (rank < best_rank) best = t, best_rank = rank;
    }
    if (next_ > 0) put_step(Step::kStart);
    visited_[best] = 1;
    // Rotated so that the strip can go on to the right, across the edge b, c, and so that known corners come first.
    std::array<std::uint8_t, 3> corners = triangles_[best];
    int best_score = -1;
    for (int turn = 0; turn < 3; ++turn) {
      const auto [a, b, c] = corners;
      const int score = 4 * ((behind(c, b) != kNoTriangle) + (behind(a, c) != kNoTriangle)) +
                        2 * (number_[a] != kNoVertex) + (number_[b] != kNoVertex);
      if (score > best_score) best_score = score, a_ = a, b_ = b, c_ = c;
      std::ranges::rotate(corners, corners.begin() + 1);
    }
    const std::uint8_t last = next_ == 0 ? kOrigin : last_number_;
    put_corner(a_, {last, last, last});
    put_corner(b_, {number_[a_], number_[a_], number_[a_]});
    put_corner(c_, {number_[b_], number_[b_], number_[b_]});
    put_triangle();
    other_ = {b_, a_, c_};
    has_last_ = true;
  }

  void put_step(Step step) {
    const auto ones = static_cast<unsigned>(step);
    sink_.put((1u << ones) - 1, std::min(ones + 1, 3u));
  }
  void put_reference(std::uint32_t number, std::uint32_t& last, std::uint32_t count, unsigned near_bits) {
    const std::uint32_t difference = number - last + (1u << (near_bits - 1));
    if (difference < 1u << near_bits) {
      sink_.put(1 | difference << 1, 1 + near_bits);
    } else {
      sink_.put(number << 1, 1 + reference_bits(count));
    }
    last = number;
  }

  void put_corner(std::uint8_t vertex, Prediction prediction) {
    if (number_[vertex] == kNoVertex) {
      sink_.put(1, 1);
      number_[vertex] = static_cast<std::uint8_t>(next_);
      vertices_[next_] = vertex;
      predictions_[next_] = prediction;
      copied_[next_] = false;
      if (known_count_ > 0) {
        const auto known = known_.find(ids_[vertex]);
        copied_[next_] = known != known_.end();
        sink_.put(copied_[next_] ? 1 : 0, 1);
        if (copied_[next_]) put_reference(known->second, last_copy_, known_count_, kNearCopyBits);
      }
      ++next_;
    } else {
      sink_.put(0, 1);
      put_reference(number_[vertex], last_corner_, next_, kNearCornerBits);
    }
    last_number_ = number_[vertex];
  }

  std::span<const std::array<std::uint8_t, 3>> triangles_;
  const std::array<std::uint32_t, kMaxClusterVertices>& ids_;
  const std::unordered_map<std::uint32_t, std::uint32_t>& known_;
  std::uint32_t known_count_;
  BitSink& sink_;
  ClusterTriangles out_;
  std::uint32_t done_ = 0;
  std::array<bool, kMaxClusterVertices> copied_{};
  std::array<std::uint8_t, std::size_t{kMaxClusterVertices} * kMaxClusterVertices> across_;
  std::array<std::uint8_t, kMaxClusterTriangles> visited_;
  std::array<std::uint8_t, kMaxClusterVertices> number_, vertices_{};
  std::array<Prediction, kMaxClusterVertices> predictions_;
  std::uint32_t next_ = 0;
  std::uint32_t last_corner_ = 0, last_copy_ = 0;
  bool has_last_ = false;
  std::uint8_t a_ = 0, b_ = 0, c_ = 0, last_number_ = 0;
  Edge other_{};
};

// The differences of a channel from its predictions, and the width that each vertex needs.
struct Differences {
  std::array<std::array<std::uint32_t, 4>, kMaxClusterVertices> coded;
  std::array<std::uint8_t, kMaxClusterVertices> width;
  std::uint32_t count = 0;
};

// vertices: in the order of the decoder.
Differences differences(const Strips& strips, const ClusterVertices& vertices, std::uint32_t first_component,
                        ChannelBits channel, std::uint32_t triangle_count) {
  Differences result;
  const std::uint32_t mask = (1u << channel.bits) - 1;
  std::optional<NormalPredictions> normals;
  if (channel.predictor == Predictor::kNormal)
    normals.emplace(vertices, strips.triangles(), triangle_count, strips.vertex_count(), channel.bits);
  for (std::uint32_t v = 0; v < strips.vertex_count(); ++v) {
    if (strips.is_copied(v)) continue;
    std::uint32_t all = 0;
    for (std::uint32_t k = 0; k < channel.components; ++k) {
      const auto at = [&](std::uint8_t number) {
        return number == kOrigin ? 0 : vertices.at(first_component + k, number);
      };
      const Prediction p = strips.predictions()[v];
      const std::uint32_t predicted = normals ? normals->at(v)[k] : at(p.a) + at(p.b) - at(p.c);
      std::uint32_t difference = (at(static_cast<std::uint8_t>(v)) - predicted) & mask;
      // The shorter way around, as a signed number whose sign is the lowest bit.
      const bool negative = difference > mask / 2;
      difference = negative ? mask - difference : difference;
      result.coded[result.count][k] = difference << 1 | (negative ? 1 : 0);
      all |= result.coded[result.count][k];
    }
    result.width[result.count++] = static_cast<std::uint8_t>(std::bit_width(all));
  }
  return result;
}

}  // namespace

void GroupEncoder::encode(std::span<const std::array<std::uint8_t, 3>> triangles,
                          std::span<const std::uint32_t> material_ends, std::uint32_t vertex_count,
                          const ClusterVertices& vertices, ByteVector& out, VertexNumbers* numbers) {
  assert(!triangles.empty() && triangles.size() <= kMaxClusterTriangles && material_ends.back() == triangles.size());
  BitSink sink(out);
  Strips strips(triangles, vertices.ids, numbers_, known_, sink);
  strips.run(material_ends);
  assert(strips.vertex_count() == vertex_count && known_ + vertex_count <= kMaxGroupVertices);
  std::uint32_t components = 0;
  for (const ChannelBits& channel : channels_) components += channel.components;
  ClusterVertices ordered;
  for (std::uint32_t v = 0; v < vertex_count; ++v) {
    for (std::uint32_t k = 0; k < components; ++k) ordered.at(k, v) = vertices.at(k, strips.vertices()[v]);
  }

  std::uint32_t component = 0;
  for (const ChannelBits channel : channels_) {
    const Differences d =
        differences(strips, ordered, component, channel, static_cast<std::uint32_t>(triangles.size()));
    const auto widths = choose_widths(std::span(d.width).first(d.count));
    for (const std::uint8_t width : widths) sink.put(width, kWidthBits);
    std::array<std::uint8_t, kMaxClusterVertices> tags;
    for (std::uint32_t i = 0; i < d.count; ++i) {
      tags[i] = static_cast<std::uint8_t>(std::ranges::lower_bound(widths, d.width[i]) - widths.begin());
      sink.put(tags[i], kTagBits);
    }
    for (std::uint32_t i = 0; i < d.count; ++i) {
      for (std::uint32_t k = 0; k < channel.components; ++k) sink.put(d.coded[i][k], widths[tags[i]]);
    }
    component += channel.components;
  }
  sink.finish();
  for (std::uint32_t v = 0; v < vertex_count && numbers != nullptr; ++v)
    (*numbers)[strips.vertices()[v]] = static_cast<std::uint8_t>(v);
  for (std::uint32_t v = 0; v < vertex_count; ++v) {
    if (!strips.is_copied(v)) numbers_[vertices.ids[strips.vertices()[v]]] = known_++;
  }
}

}  // namespace assetc::hcluster
