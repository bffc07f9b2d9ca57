#include "mesh/tangents.hpp"

#include <algorithm>
#include <array>
#include <cfloat>
#include <cmath>
#include <cstddef>
#include <memory>

#include "mesh/angle.hpp"
#include "mesh/parallel.hpp"
#include "mesh/weld.hpp"

// How this computes the reference's result without its sorts and its recursion:
//
// - A tangent space belongs to one vertex (after equal ones are welded) and a set of its triangles. Work therefore
//   proceeds vertex by vertex over the vertex's fan, the triangles around it. Vertices are independent, with one
//   exception:
// - A triangle without texture area takes the orientation of the first group that reaches it, in order of corners.
//   Vertices that touch such triangles are grouped in that order, one after another.
// - Within a fan, two triangles are neighbors over an edge if they run along it in opposite directions. If more than
//   two share an edge, they pair in order of face. A group is a connected set of one orientation.
// - A group splits only if two of its tangents are exactly opposite (the default threshold is 180 degrees).

namespace assetc::mesh {
namespace {

using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

constexpr std::uint32_t kUnset = 0xFFFFFFFF;
constexpr Vec4 kNoTangent{1, 0, 0, 1};
constexpr std::size_t kTangentBlock = 2048;  // vertices or triangles of one task

// A fan larger than this is not searched for opposite tangents, because the search takes quadratic time.
constexpr std::size_t kMaxSplitFan = 2048;

enum FaceFlag : std::uint8_t {
  kDegenerate = 1,  // two corners at one position: ignored
  kNoArea = 2,      // no usable texture gradient: joins any group, contributes nothing to it
  kMirrored = 4,    // texture orientation
};

// The directions over a triangle in which u and v grow.
struct Gradient {
  Vec3 s, t;
};

bool not_zero(float x) { return std::fabs(x) > FLT_MIN; }
unsigned next_corner(unsigned c) { return c % 3 == 2 ? c - 2 : c + 1; }
unsigned previous_corner(unsigned c) { return c % 3 == 0 ? c + 2 : c - 1; }

struct Fans {
  std::vector<std::uint32_t> begin;          // for each vertex its start in corners, and one end
  std::unique_ptr<std::uint32_t[]> corners;  // ascending within a vertex
  std::span<const std::uint32_t> of(std::uint32_t vertex) const {
    return {corners.get() + begin[vertex], begin[vertex + 1] - begin[vertex]};
  }
};

struct Context {
  TangentInput input;
  std::span<const std::uint32_t> welded;  // indices with equal vertices merged
  std::vector<std::uint8_t> flags;        // of faces
  bool any_no_area = false;
  Fans fans;
  // Only if some triangle has no texture area: for corners of vertices that touch one, the first corner of their group.
  std::vector<std::uint32_t> group_of;
  std::vector<std::uint8_t> ordered;  // whether a vertex touches such a triangle
};

struct Face {
  Gradient gradient;
  std::uint8_t flags = 0;
};

Face face_of(const TangentInput& in, const std::uint32_t* v) {
  const Vec3 p0 = in.position(v[0]), p1 = in.position(v[1]), p2 = in.position(v[2]);
  if (p0 == p1 || p0 == p2 || p1 == p2) return {{}, kDegenerate};
  const Vec2 t0 = in.texcoord(v[0]), t1 = in.texcoord(v[1]), t2 = in.texcoord(v[2]);
  const float t21x = t1.x - t0.x, t21y = t1.y - t0.y, t31x = t2.x - t0.x, t31y = t2.y - t0.y;
  const Vec3 d1 = p1 - p0, d2 = p2 - p0;
  const float area = t21x * t31y - t21y * t31x;
  Face face{{}, static_cast<std::uint8_t>(area > 0 ? 0 : kMirrored)};
  bool usable = false;
  if (not_zero(area)) {
    const Vec3 s = d1 * t31y - d2 * t21y;
    const Vec3 t = d1 * -t31x + d2 * t21x;
    const float length_s = scene::length(s), length_t = scene::length(t);
    const float sign = area > 0 ? 1.0f : -1.0f;
    if (not_zero(length_s)) face.gradient.s = s * (sign / length_s);
    if (not_zero(length_t)) face.gradient.t = t * (sign / length_t);
    usable = not_zero(length_s / std::fabs(area)) && not_zero(length_t / std::fabs(area));
  }
  if (!usable) face.flags |= kNoArea;
  return face;
}

// Gradients are not kept: they would take more memory than the mesh.
void flag_faces(Context& c) {
  const std::size_t faces = c.welded.size() / 3;
  c.flags.resize(faces);
  std::vector<std::uint8_t> block_no_area(block_count(faces, kTangentBlock));
  for_blocks(faces, kTangentBlock, [&](std::size_t begin, std::size_t end, std::size_t block) {
    std::uint8_t no_area = 0;
    for (std::size_t f = begin; f < end; ++f) {
      c.flags[f] = face_of(c.input, &c.welded[f * 3]).flags;
      no_area |= c.flags[f] & kNoArea;
    }
    block_no_area[block] = no_area;
  });
  for (std::uint8_t b : block_no_area) c.any_no_area |= b != 0;
}

Fans build_fans(const Context& c) {
  const std::size_t vertices = c.input.size(), corners = c.welded.size();
  Fans fans;
  fans.begin.assign(vertices + 2, 0);
  fans.corners = std::make_unique_for_overwrite<std::uint32_t[]>(corners);
  // Counts are stored two positions ahead, so that filling moves begin[v + 1] from the start of v to its end.
  std::uint32_t* counts = fans.begin.data() + 2;
  for (std::size_t f = 0; f < corners / 3; ++f) {
    if (c.flags[f] & kDegenerate) continue;
    for (std::size_t i = 0; i < 3; ++i) ++counts[c.welded[f * 3 + i]];
  }
  for (std::size_t v = 1; v < vertices; ++v) counts[v] += counts[v - 1];
  for (std::size_t f = 0; f < corners / 3; ++f) {
    if (c.flags[f] & kDegenerate) continue;
    for (std::size_t i = 0; i < 3; ++i) {
      fans.corners[fans.begin[c.welded[f * 3 + i] + 1]++] = static_cast<std::uint32_t>(f * 3 + i);
    }
  }
  fans.begin.pop_back();
  return fans;
}

// The fan of one vertex, stored by component so that the arithmetic handles several triangles at a time.
class Fan {
 public:
  explicit Fan(Context& context) : context_(context) { reserve(32); }

  void load(std::uint32_t vertex) {
    vertex_ = vertex;
    const auto corners = context_.fans.of(vertex);
    size_ = corners.size();
    reserve(size_);
    for (std::size_t i = 0; i < size_; ++i) {
      corner_[i] = corners[i];
      next_[i] = context_.welded[next_corner(corners[i])];
      previous_[i] = context_.welded[previous_corner(corners[i])];
      flags_[i] = context_.flags[corners[i] / 3];
      link_next_[i] = link_previous_[i] = kUnset;
    }
    link();
  }

  std::size_t size() const { return size_; }
  std::uint32_t corner(std::size_t i) const { return corner_[i]; }
  std::uint8_t flags(std::size_t i) const { return flags_[i]; }
  std::uint32_t link_next(std::size_t i) const { return link_next_[i]; }
  std::uint32_t link_previous(std::size_t i) const { return link_previous_[i]; }

  // Calls emit(members, value) once for each tangent space of the fan. members are positions in the fan, ascending.
  template <class Emit>
  void solve(const Emit& emit) {
    if (size_ == 0) return;
    if (context_.any_no_area && context_.ordered[vertex_]) {
      for (std::size_t i = 0; i < size_; ++i) label_[i] = context_.group_of[corner_[i]];
    } else {
      label();
    }
    project();
    bool one = true;  // true of most fans
    for (std::size_t i = 1; i < size_; ++i) one &= label_[i] == label_[0];
    order_.resize(size_);
    for (std::uint32_t i = 0; i < size_; ++i) order_[i] = i;
    if (!one) {
      std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
        return label_[a] != label_[b] ? label_[a] < label_[b] : a < b;
      });
    }
    for (std::size_t begin = 0, end = 0; begin < size_; begin = end) {
      const std::uint32_t group = label_[order_[begin]];
      if (group == kUnset) break;  // sorted last: triangles without texture area that no group reached
      for (end = begin; end < size_ && label_[order_[end]] == group;) ++end;
      members_.assign(order_.begin() + static_cast<std::ptrdiff_t>(begin),
                      order_.begin() + static_cast<std::ptrdiff_t>(end));
      solve_group(emit);
    }
  }

 private:
  static constexpr std::size_t kFloatArrays = 20;

  void reserve(std::size_t size) {
    const std::size_t padded = (size + 3) / 4 * 4;
    if (padded <= capacity_) return;
    capacity_ = padded * 2;
    for (auto* array : {&corner_, &next_, &previous_, &link_next_, &link_previous_, &label_}) array->resize(capacity_);
    flags_.resize(capacity_);
    floats_.assign(capacity_ * kFloatArrays, 0.0f);
    stack_.reserve(capacity_);
    members_.reserve(capacity_);
  }
  float* array(std::size_t i) { return floats_.data() + i * capacity_; }

  // Pairs the triangles of the fan over the edges that leave the vertex. A small fan compares all pairs, which takes
  // quadratic time; a larger one sorts to find partners.
  void link() {
    if (size_ <= 24) {
      for (std::size_t i = 0; i < size_; ++i) {
        for (std::size_t j = i + 1; j < size_ && link_next_[i] == kUnset; ++j) try_link_next(i, j);
        for (std::size_t j = i + 1; j < size_ && link_previous_[i] == kUnset; ++j) try_link_previous(i, j);
      }
      return;
    }
    edges_.clear();
    for (std::uint32_t i = 0; i < size_; ++i) {
      edges_.push_back({next_[i], i});
      edges_.push_back({previous_[i], i});
    }
    std::sort(edges_.begin(), edges_.end());
    for (std::size_t begin = 0, end = 0; begin < edges_.size(); begin = end) {
      for (end = begin + 1; end < edges_.size() && edges_[end][0] == edges_[begin][0];) ++end;
      link_edge(begin, end);
    }
  }

  // Pairs triangles over one edge: each unpaired triangle, in order, with the first unpaired later one that runs the
  // other way. The unpaired triangles at any time all run the same way, so one queue is enough.
  void link_edge(std::size_t begin, std::size_t end) {
    const std::uint32_t other = edges_[begin][0];
    stack_.clear();
    std::size_t head = 0;
    for (std::size_t e = begin; e < end; ++e) {
      const std::uint32_t j = edges_[e][1];
      const bool leaves = next_[j] == other;
      if (head < stack_.size() && (next_[stack_[head]] == other) != leaves) {
        const std::uint32_t i = stack_[head++];
        (leaves ? link_previous_[i] : link_next_[i]) = j;
        (leaves ? link_next_[j] : link_previous_[j]) = i;
      } else {
        stack_.push_back(j);
      }
    }
  }
  void try_link_next(std::size_t i, std::size_t j) {
    if (previous_[j] != next_[i] || link_previous_[j] != kUnset) return;
    link_next_[i] = static_cast<std::uint32_t>(j);
    link_previous_[j] = static_cast<std::uint32_t>(i);
  }
  void try_link_previous(std::size_t i, std::size_t j) {
    if (next_[j] != previous_[i] || link_next_[j] != kUnset) return;
    link_previous_[i] = static_cast<std::uint32_t>(j);
    link_next_[j] = static_cast<std::uint32_t>(i);
  }

  // Labels every triangle with the first one of its group. A group is connected and of one orientation.
  void label() {
    for (std::size_t i = 0; i < size_; ++i) label_[i] = kUnset;
    for (std::uint32_t start = 0; start < size_; ++start) {
      if (label_[start] != kUnset) continue;
      label_[start] = start;
      stack_.assign(1, start);
      while (!stack_.empty()) {
        const std::uint32_t i = stack_.back();
        stack_.pop_back();
        for (std::uint32_t j : {link_next_[i], link_previous_[i]}) {
          if (j == kUnset || label_[j] != kUnset || ((flags_[j] ^ flags_[start]) & kMirrored)) continue;
          label_[j] = start;
          stack_.push_back(j);
        }
      }
    }
  }

  // Projects each (x, y, z)[i] onto the plane of the normal and normalizes the result, unless it is zero.
  void project_and_normalize(float* __restrict x, float* __restrict y, float* __restrict z) {
    const Vec3 n = context_.input.normals[vertex_];
    const std::size_t padded = (size_ + 3) / 4 * 4;
    for (std::size_t i = 0; i < padded; ++i) {
      const float d = n.x * x[i] + n.y * y[i] + n.z * z[i];
      const float px = x[i] - d * n.x, py = y[i] - d * n.y, pz = z[i] - d * n.z;
      const float length = std::sqrt(px * px + py * py + pz * pz);
      const float inverse = 1.0f / length;
      const float largest = std::max(std::max(std::fabs(px), std::fabs(py)), std::fabs(pz));
      const float scale = largest > FLT_MIN ? inverse : 1.0f;
      x[i] = px * scale;
      y[i] = py * scale;
      z[i] = pz * scale;
    }
  }

  // Fills the projected gradients (arrays 0 to 5) and each triangle's angle at the vertex (array 12).
  void project() {
    const Vec3 p = context_.input.position(vertex_);
    for (std::size_t i = 0; i < size_; ++i) {
      const Gradient g = face_of(context_.input, &context_.welded[corner_[i] / 3 * 3]).gradient;
      const Vec3 before = context_.input.position(previous_[i]) - p, after = context_.input.position(next_[i]) - p;
      array(0)[i] = g.s.x, array(1)[i] = g.s.y, array(2)[i] = g.s.z;
      array(3)[i] = g.t.x, array(4)[i] = g.t.y, array(5)[i] = g.t.z;
      array(6)[i] = before.x, array(7)[i] = before.y, array(8)[i] = before.z;
      array(9)[i] = after.x, array(10)[i] = after.y, array(11)[i] = after.z;
    }
    for (std::size_t a = 0; a < 12; a += 3) project_and_normalize(array(a), array(a + 1), array(a + 2));
    const float *ax = array(6), *ay = array(7), *az = array(8), *bx = array(9), *by = array(10), *bz = array(11);
    float* angle = array(12);
    const std::size_t padded = (size_ + 3) / 4 * 4;
    for (std::size_t i = 0; i < padded; ++i) {
      const float cosine = ax[i] * bx[i] + ay[i] * by[i] + az[i] * bz[i];
      const float clamped = cosine > 1 ? 1 : cosine < -1 ? -1 : cosine;
      angle[i] = static_cast<float>(angle_of_cosine(clamped));
    }
  }

  float cos_s(std::size_t i, std::size_t j) {
    return array(0)[i] * array(0)[j] + array(1)[i] * array(1)[j] + array(2)[i] * array(2)[j];
  }
  float cos_t(std::size_t i, std::size_t j) {
    return array(3)[i] * array(3)[j] + array(4)[i] * array(4)[j] + array(5)[i] * array(5)[j];
  }
  bool together(std::size_t i, std::size_t j) {
    if (i == j || ((flags_[i] | flags_[j]) & kNoArea)) return true;
    return cos_s(i, j) > -1.0f && cos_t(i, j) > -1.0f;
  }
  // Whether all of members_ lie within 45 degrees of the first, so that no two can be opposite.
  bool all_near_first() {
    for (std::uint32_t j : members_) {
      if (!(cos_s(members_[0], j) > 0.71f) || !(cos_t(members_[0], j) > 0.71f)) return false;
    }
    return true;
  }

  template <class Emit>
  void solve_group(const Emit& emit) {
    if (members_.size() == 1 || members_.size() > kMaxSplitFan || all_near_first()) {
      emit(std::span<const std::uint32_t>(members_), average(members_));
      return;
    }
    bool whole = true;
    for (std::size_t a = 0; a < members_.size() && whole; ++a) {
      for (std::size_t b = a + 1; b < members_.size() && whole; ++b) whole = together(members_[a], members_[b]);
    }
    if (whole) {
      emit(std::span<const std::uint32_t>(members_), average(members_));
      return;
    }
    // Each triangle averages over those that are not opposite to it. Triangles with equal sets share one tangent space.
    std::vector<std::vector<std::uint32_t>> sets, users;
    for (std::uint32_t i : members_) {
      std::vector<std::uint32_t> set;
      for (std::uint32_t j : members_) {
        if (together(i, j)) set.push_back(j);
      }
      const auto found = static_cast<std::size_t>(std::find(sets.begin(), sets.end(), set) - sets.begin());
      if (found == sets.size()) {
        sets.push_back(std::move(set));
        users.emplace_back();
      }
      users[found].push_back(i);
    }
    for (std::size_t k = 0; k < sets.size(); ++k) emit(std::span<const std::uint32_t>(users[k]), average(sets[k]));
  }

  // The tangent of a set of triangles: their projected gradients, weighted by angle, added in order of face.
  Vec4 average(const std::vector<std::uint32_t>& set) {
    const float *sx = array(0), *sy = array(1), *sz = array(2), *angle = array(12);
    Vec3 sum;
    for (std::uint32_t i : set) {
      if (flags_[i] & kNoArea) continue;
      sum = sum + Vec3{angle[i] * sx[i], angle[i] * sy[i], angle[i] * sz[i]};
    }
    // At this point all members have one orientation, including those without texture area.
    const bool mirrored = (flags_[set[0]] & kMirrored) != 0;
    const float inverse = 1.0f / scene::length(sum);
    if (!(not_zero(sum.x) || not_zero(sum.y) || not_zero(sum.z)) || !std::isfinite(inverse) || inverse == 0) {
      return {kNoTangent.x, kNoTangent.y, kNoTangent.z, mirrored ? 1.0f : -1.0f};
    }
    return {inverse * sum.x, inverse * sum.y, inverse * sum.z, mirrored ? 1.0f : -1.0f};
  }

  Context& context_;
  std::uint32_t vertex_ = 0;
  std::size_t size_ = 0, capacity_ = 0;
  std::vector<std::uint32_t> corner_, next_, previous_, link_next_, link_previous_, label_;
  std::vector<std::uint8_t> flags_;
  std::vector<float> floats_;
  std::vector<std::uint32_t> stack_, order_, members_;
  std::vector<std::array<std::uint32_t, 2>> edges_;
};

// Groups the corners of vertices that touch a triangle without texture area, in order of corners. The first group that
// reaches such a triangle decides its orientation at all its corners.
void group_in_order(Context& c) {
  const std::size_t faces = c.flags.size();
  c.ordered.assign(c.input.size(), 0);
  for (std::size_t f = 0; f < faces; ++f) {
    if (!(c.flags[f] & kNoArea)) continue;
    for (std::size_t i = 0; i < 3; ++i) c.ordered[c.welded[f * 3 + i]] = 1;
  }
  c.group_of.assign(faces * 3, kUnset);
  std::vector<std::array<std::uint32_t, 2>> links(faces * 3, {kUnset, kUnset});
  for_blocks(c.ordered.size(), kTangentBlock, [&](std::size_t begin, std::size_t end, std::size_t) {
    Fan fan(c);
    for (std::size_t v = begin; v < end; ++v) {
      if (!c.ordered[v]) continue;
      fan.load(static_cast<std::uint32_t>(v));
      for (std::size_t i = 0; i < fan.size(); ++i) {
        if (fan.link_next(i) != kUnset) links[fan.corner(i)][0] = fan.corner(fan.link_next(i));
        if (fan.link_previous(i) != kUnset) links[fan.corner(i)][1] = fan.corner(fan.link_previous(i));
      }
    }
  });
  std::vector<std::uint32_t> stack;
  for (std::uint32_t start = 0; start < faces * 3; ++start) {
    if ((c.flags[start / 3] & (kNoArea | kDegenerate)) || !c.ordered[c.welded[start]] || c.group_of[start] != kUnset)
      continue;
    const std::uint8_t orientation = c.flags[start / 3] & kMirrored;
    c.group_of[start] = start;
    stack.assign(1, start);
    while (!stack.empty()) {
      const std::uint32_t from = stack.back();
      stack.pop_back();
      for (std::uint32_t corner : links[from]) {
        if (corner == kUnset || c.group_of[corner] != kUnset) continue;
        std::uint8_t& flags = c.flags[corner / 3];
        const std::uint32_t* assigned = c.group_of.data() + corner / 3 * 3;
        if ((flags & kNoArea) && assigned[0] == kUnset && assigned[1] == kUnset && assigned[2] == kUnset) {
          flags = static_cast<std::uint8_t>((flags & ~kMirrored) | orientation);
        }
        if ((flags & kMirrored) != orientation) continue;
        c.group_of[corner] = start;
        stack.push_back(corner);
      }
    }
  }
}

std::vector<std::uint32_t> equal_vertices(const TangentInput& in) {
  return first_equal(
      static_cast<std::uint32_t>(in.size()),
      [&](std::uint32_t i) {
        const Vec2 t = in.texcoord(i);
        return hash_mix(hash_of(in.normals[i], hash_of(in.position(i))), float_key(t.x, t.y));
      },
      [&](std::uint32_t i, std::uint32_t j) {
        return in.position(i) == in.position(j) && in.normals[i] == in.normals[j] && in.texcoord(i) == in.texcoord(j);
      });
}

// Gives degenerate triangles the further values of the first good triangle at the same vertex.
void copy_to_degenerate(const Context& c, std::vector<Tangents::Corner>& corners) {
  std::vector<Tangents::Corner> added;
  for (std::uint32_t corner = 0; corner < c.welded.size(); ++corner) {
    if (!(c.flags[corner / 3] & kDegenerate)) continue;
    const auto fan = c.fans.of(c.welded[corner]);
    if (fan.empty()) continue;
    const auto good = std::ranges::lower_bound(corners, fan[0], {}, &Tangents::Corner::corner);
    if (good != corners.end() && good->corner == fan[0]) added.push_back({corner, good->value});
  }
  corners.insert(corners.end(), added.begin(), added.end());
  std::ranges::sort(corners, {}, &Tangents::Corner::corner);
}

}  // namespace

Tangents generate_tangents(const TangentInput& input) {
  const std::size_t vertices = input.size(), corners = input.indices.size();
  // Allocate the result before the temporary arrays, so that the allocator can return those to the system.
  Tangents out;
  out.values.reserve(vertices + vertices / 8);  // usually a few have further values
  Context c;
  c.input = input;
  const std::vector<std::uint32_t> first = equal_vertices(input);
  std::vector<std::uint32_t> welded_indices;
  c.welded = input.indices;
  bool any_equal = false;
  for (std::uint32_t v = 0; v < vertices; ++v) any_equal |= first[v] != v;
  if (any_equal) {
    welded_indices.resize(corners);
    for_blocks(corners, kTangentBlock * 8, [&](std::size_t begin, std::size_t end, std::size_t) {
      for (std::size_t i = begin; i < end; ++i) welded_indices[i] = first[input.indices[i]];
    });
    c.welded = welded_indices;
  }
  flag_faces(c);
  c.fans = build_fans(c);
  if (c.any_no_area) group_in_order(c);

  out.values.assign(vertices, kNoTangent);
  // Further values; corners count them within the block.
  struct Extras {
    std::vector<Vec4> values;
    std::vector<Tangents::Corner> corners;
  };
  std::vector<Extras> extras(block_count(vertices, kTangentBlock));
  for_blocks(vertices, kTangentBlock, [&](std::size_t begin, std::size_t end, std::size_t block) {
    Fan fan(c);
    Extras& extra = extras[block];
    const auto use_last_extra = [&](std::uint32_t corner) {
      extra.corners.push_back({corner, static_cast<std::uint32_t>(extra.values.size() - 1)});
    };
    for (std::size_t v = begin; v < end; ++v) {
      fan.load(static_cast<std::uint32_t>(v));
      bool own_taken = false;
      fan.solve([&](std::span<const std::uint32_t> members, Vec4 value) {
        if (own_taken) {
          extra.values.push_back(value);
          for (std::uint32_t i : members) use_last_extra(fan.corner(i));
        } else {
          own_taken = true;
          out.values[v] = value;
        }
      });
      if (!c.any_no_area || !c.ordered[v] || !own_taken) continue;
      bool added = false;
      for (std::size_t i = 0; i < fan.size(); ++i) {
        if (c.group_of[fan.corner(i)] != kUnset) continue;
        if (!added) extra.values.push_back(kNoTangent);
        added = true;
        use_last_extra(fan.corner(i));
      }
    }
  });

  for (const Extras& extra : extras) {
    const auto base = static_cast<std::uint32_t>(out.values.size());
    for (const auto& [corner, value] : extra.corners) out.corners.push_back({corner, base + value});
    out.values.insert(out.values.end(), extra.values.begin(), extra.values.end());
  }
  std::ranges::sort(out.corners, {}, &Tangents::Corner::corner);
  if (!out.corners.empty()) copy_to_degenerate(c, out.corners);
  for (std::size_t v = 0; v < vertices; ++v) out.values[v] = out.values[first[v]];
  return out;
}

}  // namespace assetc::mesh
