// Writes .hcluster: levels of detail in clusters.

#include "assetc/formats/hcluster.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>

#include "assetc/formats/aas1_clusters.hpp"
#include "assetc/formats/octahedral.hpp"
#include "base/plural.hpp"
#include "base/portable_math.hpp"
#include "mesh/bounds.hpp"
#include "mesh/cluster/hierarchy.hpp"
#include "mesh/parallel.hpp"
#include "parallel/parallel.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/container/hcluster_morphs.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::recipes {
namespace {

namespace cluster = mesh::cluster;

constexpr unsigned kPositionBits = 16, kNormalBits = 8, kColorBits = 8, kTangentBits = 9, kWeightBits = 8;
// A quarter of a texel of a texture of 4096.
constexpr float kTexcoordStep = 1.0f / 16384;
// Of groups; less where a group of large vertices does not fit a page. Then with a larger page of its own, which only
// files with morph targets may have.
struct GroupSize {
  std::uint32_t clusters;
  std::uint32_t page_bytes;
};
constexpr std::array<GroupSize, 4> kGroupSizes = {{{32, hcluster::kMaxPageBytes},
                                                   {16, hcluster::kMaxPageBytes},
                                                   {4, hcluster::kMaxPageBytes},
                                                   {4, hcluster::kMaxMorphPageBytes}}};
constexpr std::size_t kGroupsAtOnce = 256;

// Joints in ascending order, so that neighbors have the same ones at the same places.
struct StoredInfluences {
  std::array<std::uint16_t, 4> joints{};
  std::array<std::uint8_t, 4> weights{};
};

// Rounds weights to whole numbers; if sums_to_one, their sum is `most`. Joints without a weight become the last one
// with a weight. error: grows to the largest error of a weight.
StoredInfluences stored_influences(const hmesh::GpuSkinVertex& v, bool sums_to_one, float most, float& error) {
  struct Influence {
    std::uint16_t joint;
    float weight;
    int whole;
  };
  std::array<Influence, 4> all{};
  int sum = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const float scaled = v.weights[i] * most;
    all[i] = {v.joints[i], v.weights[i], static_cast<int>(sums_to_one ? scaled : scaled + 0.5f)};
    sum += all[i].whole;
  }
  // The weights that rounding down changed most get what is left.
  for (; sums_to_one && sum < static_cast<int>(most); ++sum) {
    ++std::ranges::max_element(all, {}, [&](const Influence& i) {
        return i.weight * most - static_cast<float>(i.whole);
      })->whole;
  }
  StoredInfluences result;
  std::ranges::stable_sort(all, {}, [](const Influence& i) { return std::pair(i.whole == 0, i.joint); });
  for (std::size_t i = 0; i < 4; ++i) {
    error = std::max(error, std::fabs(static_cast<float>(all[i].whole) / most - all[i].weight));
    if (all[i].whole == 0) all[i].joint = i == 0 ? std::uint16_t{0} : result.joints[i - 1];
    result.joints[i] = all[i].joint;
    result.weights[i] = static_cast<std::uint8_t>(all[i].whole);
  }
  return result;
}

// Turns the vertices of a mesh into integers.
class Quantizer {
 public:
  // m: its normals are unit vectors. measures: also finds the largest error of each channel.
  explicit Quantizer(const mesh::Mesh& m, bool measures = true) : mesh_(m) {
    add_positions();
    channels_.push_back(channel(hcluster::Semantic::kNormal, 0, 2, kNormalBits, -1, 2.0f / ((1u << kNormalBits) - 1)));
    channels_.back().predictor = hcluster::Predictor::kNormal;
    if (m.has_tangents) {
      channels_.push_back(channel(hcluster::Semantic::kTangent, 0, 1, kTangentBits, 0, 1));
      channels_.back().error = std::numbers::pi_v<float> / (1u << (kTangentBits - 1));
    }
    for (std::size_t set = 0; set < m.texcoords.size(); ++set) add_texcoords(set);
    for (std::size_t set = 0; set < m.colors.size(); ++set) add_colors(set);
    add_skin(0, m.skin);
    add_skin(1, m.further_skin);
    if (!measures) return;
    for (hcluster::Channel& c : channels_) {
      if (c.semantic != hcluster::Semantic::kTangent && !is_of_skin(c)) c.error = measured_error(c);
    }
  }

  // kLimit if the values of a channel span more than a float can hold, or if a vertex has too many components.
  Result<void> check_range() const {
    std::uint32_t components = 0;
    for (const hcluster::Channel& c : channels_) {
      components += c.components;
      if (components > hcluster::kMaxComponents || channels_.size() > hcluster::kMaxChannels)
        return fail(ErrorCode::kLimit,
                    "a vertex has more than " + std::to_string(hcluster::kMaxComponents) + " components in all",
                    "remove texture coordinate or color sets, or use mesh.container: hmesh");
      const double most = (1u << c.bits) - 1;
      for (std::size_t k = 0; k < c.components; ++k) {
        if (std::fabs(c.minimum[k] + c.step * most) > kLargestValue)
          return fail(ErrorCode::kLimit, "texture coordinates or colors span more than a float can hold",
                      "correct these values in the source");
      }
    }
    return {};
  }

  const std::vector<hcluster::Channel>& channels() const { return channels_; }
  float position_error() const { return channels_[0].error * std::sqrt(3.0f) * (1 + 1e-6f); }

  // Writes vertex v of the mesh as vertex number of out.
  void put(std::uint32_t v, std::uint32_t number, hcluster::ClusterVertices& out) const {
    out.ids[number] = v;
    std::uint32_t component = 0;
    for (const hcluster::Channel& c : channels_) {
      const auto values = values_of(c, v);
      for (std::size_t k = 0; k < c.components; ++k) out.at(component++, number) = values[k];
    }
  }

 private:
  static constexpr double kLargestValue = 3.4e38;

  static hcluster::Channel channel(hcluster::Semantic semantic, std::size_t set, std::uint8_t components, unsigned bits,
                                   float minimum, float step) {
    return {.semantic = semantic,
            .set = static_cast<std::uint16_t>(set),
            .components = components,
            .bits = static_cast<std::uint8_t>(bits),
            .predictor = hcluster::Predictor::kNeighbors,
            .reserved = 0,
            .minimum = {minimum, minimum, minimum, minimum},
            .step = step,
            .error = step * 0.5f};
  }

  // Steps that reach from the least to the largest value, with the bits that they need; larger steps if that are more
  // than a component can have.
  template <class Vector, std::size_t kCount>
  static hcluster::Channel ranged(hcluster::Semantic semantic, std::size_t set, std::span<const Vector> items,
                                  const std::array<float Vector::*, kCount>& members, float step, unsigned max_bits) {
    std::array<float, 4> low{};
    double extent = 0;
    for (std::size_t k = 0; k < kCount; ++k) {
      float least = std::numeric_limits<float>::max(), most = std::numeric_limits<float>::lowest();
      for (const Vector& item : items) {
        const float value = item.*members[k];
        if (std::isfinite(value)) least = std::min(least, value), most = std::max(most, value);
      }
      if (least > most) least = most = 0;
      low[k] = least;
      extent = std::max(extent, static_cast<double>(most) - least);
    }
    const double most = (1u << max_bits) - 1;
    // Slightly more than exact, so that the largest value does not round beyond the last integer.
    step = std::max(step, static_cast<float>(extent / most * (1 + 1e-6)));
    if (!(step > 0)) step = 1;
    const unsigned bits =
        std::max(1u, static_cast<unsigned>(std::bit_width(static_cast<std::uint32_t>(extent / step + 0.5))));
    hcluster::Channel result = channel(semantic, set, kCount, std::min(bits, max_bits), 0, step);
    std::ranges::copy(low, result.minimum);
    return result;
  }

  void add_positions() {
    constexpr std::array kMembers = {&scene::Vec3::x, &scene::Vec3::y, &scene::Vec3::z};
    channels_.push_back(ranged(hcluster::Semantic::kPosition, 0, std::span<const scene::Vec3>(mesh_.positions),
                               kMembers, 0, kPositionBits));
    channels_.back().bits = kPositionBits;
  }
  void add_texcoords(std::size_t set) {
    constexpr std::array kMembers = {&scene::Vec2::x, &scene::Vec2::y};
    channels_.push_back(ranged(hcluster::Semantic::kTexcoord, set, std::span<const scene::Vec2>(mesh_.texcoords[set]),
                               kMembers, kTexcoordStep, hcluster::kMaxComponentBits));
  }
  static bool is_of_skin(const hcluster::Channel& c) {
    return c.semantic == hcluster::Semantic::kJoints || c.semantic == hcluster::Semantic::kWeights;
  }
  void add_skin(std::size_t set, std::span<const hmesh::GpuSkinVertex> skin) {
    if (skin.empty()) return;
    constexpr float kMost = (1u << kWeightBits) - 1;
    float error = 0;
    skins_[set].reserve(skin.size());
    for (const hmesh::GpuSkinVertex& v : skin) skins_[set].push_back(stored_influences(v, set == 0, kMost, error));
    const auto joint_bits =
        std::max(1u, static_cast<unsigned>(std::bit_width(static_cast<std::uint32_t>(mesh_.joints.size() - 1))));
    channels_.push_back(channel(hcluster::Semantic::kJoints, set, 4, joint_bits, 0, 1));
    channels_.back().error = 0;
    channels_.push_back(channel(hcluster::Semantic::kWeights, set, 4, kWeightBits, 0, 1 / kMost));
    channels_.back().error = std::nextafter(error, 1.0f);
  }
  void add_colors(std::size_t set) {
    constexpr std::array kMembers = {&scene::Vec4::x, &scene::Vec4::y, &scene::Vec4::z, &scene::Vec4::w};
    auto colors = ranged(hcluster::Semantic::kColor, set, std::span<const scene::Vec4>(mesh_.colors[set]), kMembers,
                         1.0f / 255, kColorBits);
    channels_.push_back(colors);
  }

  // The components of a vertex in the source; not of a tangent.
  std::array<float, 4> source_of(const hcluster::Channel& c, std::uint32_t v) const {
    switch (c.semantic) {
      case hcluster::Semantic::kNormal: {
        const scene::Vec3 n = mesh_.normals[v];
        const auto [u, w] = octahedral_coordinates(n.x, n.y, n.z);
        return {u, w, 0, 0};
      }
      case hcluster::Semantic::kTexcoord: {
        const scene::Vec2 uv = mesh_.texcoords[c.set][v];
        return {uv.x, uv.y, 0, 0};
      }
      case hcluster::Semantic::kColor: {
        const scene::Vec4 color = mesh_.colors[c.set][v];
        return {color.x, color.y, color.z, color.w};
      }
      default: {
        const scene::Vec3 p = mesh_.positions[v];
        return {p.x, p.y, p.z, 0};
      }
    }
  }

  std::array<std::uint32_t, 4> values_of(const hcluster::Channel& c, std::uint32_t v) const {
    if (c.semantic == hcluster::Semantic::kTangent) return {tangent(c, v), 0, 0, 0};
    if (is_of_skin(c)) {
      const StoredInfluences& stored = skins_[c.set][v];
      return c.semantic == hcluster::Semantic::kJoints ? widened(stored.joints) : widened(stored.weights);
    }
    const std::array<float, 4> source = source_of(c, v);
    std::array<std::uint32_t, 4> result{};
    const double most = (1u << c.bits) - 1;
    for (std::size_t k = 0; k < c.components; ++k) {
      const double steps = (static_cast<double>(source[k]) - c.minimum[k]) / c.step + 0.5;
      if (std::isfinite(steps)) result[k] = static_cast<std::uint32_t>(std::clamp(steps, 0.0, most));
    }
    return result;
  }

  // More than half a step where the numbers are so large that readers round more.
  float measured_error(const hcluster::Channel& c) const {
    constexpr std::size_t kBlock = 1u << 14;
    std::vector<double> errors(mesh::block_count(mesh_.positions.size(), kBlock));
    mesh::for_blocks(mesh_.positions.size(), kBlock, [&](std::size_t begin, std::size_t end, std::size_t block) {
      double error = 0;
      for (std::size_t v = begin; v < end; ++v) {
        const auto source = source_of(c, static_cast<std::uint32_t>(v));
        const auto stored = values_of(c, static_cast<std::uint32_t>(v));
        for (std::size_t k = 0; k < c.components; ++k) {
          const double difference = std::fabs(static_cast<double>(c.value(k, stored[k])) - source[k]);
          if (std::isfinite(difference)) error = std::max(error, difference);
        }
      }
      errors[block] = error;
    });
    const double error = errors.empty() ? 0 : std::ranges::max(errors);
    return std::nextafter(static_cast<float>(error), std::numeric_limits<float>::max());
  }

  // Around the normal that the file stores, which is the one that the reader has.
  std::uint32_t tangent(const hcluster::Channel& c, std::uint32_t v) const {
    const hcluster::Channel& normals = channels_[1];
    const auto stored = values_of(normals, v);
    const auto [x, y] =
        hcluster::tangent_basis(octahedral_direction(normals.value(0, stored[0]), normals.value(1, stored[1])));
    const scene::Vec4 t = mesh_.tangents[v];
    const auto along = [&](const std::array<float, 3>& axis) {
      return static_cast<double>(scene::dot({t.x, t.y, t.z}, {axis[0], axis[1], axis[2]}));
    };
    const double turn = arc_tangent_pi(along(y), along(x)) / 2;
    const std::uint32_t angles = 1u << (c.bits - 1);
    const auto angle = static_cast<std::uint32_t>(std::lround((turn < 0 ? turn + 1 : turn) * angles)) % angles;
    return angle << 1 | (t.w < 0 ? 1 : 0);
  }

  template <class T>
  static std::array<std::uint32_t, 4> widened(const std::array<T, 4>& from) {
    return {from[0], from[1], from[2], from[3]};
  }

  const mesh::Mesh& mesh_;
  std::vector<hcluster::Channel> channels_;
  std::array<std::vector<StoredInfluences>, 2> skins_;  // by set
};

std::uint16_t material_of(const hmesh::SubMesh& s) {
  return s.material_slot == hmesh::kNoMaterial ? hcluster::kNoMaterial : static_cast<std::uint16_t>(s.material_slot);
}

// The material of each triangle; empty if all have the one of the first submesh.
std::vector<std::uint16_t> materials_of(const mesh::Mesh& m) {
  std::vector<std::uint16_t> result;
  const auto is_first = [&](const hmesh::SubMesh& s) { return material_of(s) == material_of(m.submeshes[0]); };
  if (std::ranges::all_of(m.submeshes, is_first)) return result;
  result.resize(m.indices.size() / 3);
  for (const hmesh::SubMesh& s : m.submeshes)
    std::fill_n(result.begin() + s.first_index / 3, s.index_count / 3, material_of(s));
  return result;
}

// Encodes groups of a hierarchy, one at a time.
class GroupMaker {
 public:
  // material: of all triangles, if the hierarchy has no materials.
  GroupMaker(const cluster::Hierarchy& h, const Quantizer& quantizer, const ClusterMorphs& morphs,
             std::uint16_t material, const hcluster::Model& model)
      : h_(h),
        quantizer_(quantizer),
        morphs_(morphs),
        material_(material),
        writer_(std::make_unique<hcluster::GroupWriter>(model.channels, model.desc.box_shift)),
        vertices_(std::make_unique<hcluster::ClusterVertices>()) {}

  hcluster::EncodedGroup make(std::uint32_t g) {
    const auto last = static_cast<std::uint32_t>(h_.groups.size() - 1);
    const cluster::Group& group = h_.groups[g];
    const scene::Vec3 center = group.sphere.center;
    writer_->begin({{center.x, center.y, center.z}, group.sphere.radius, group.error, group.level, 0, 0, 0});
    for (std::uint32_t i = 0; i < group.cluster_count; ++i) {
      const cluster::Cluster& c = h_.clusters[h_.members[group.first_cluster + i]];
      const auto numbers = std::span(h_.vertices).subspan(c.first_vertex, c.vertex_count);
      for (std::uint32_t v = 0; v < c.vertex_count; ++v) quantizer_.put(numbers[v], v, *vertices_);
      if (!morphs_.is_empty()) morphs_.gather(numbers, offsets_);
      ranges_.clear();
      for (std::uint32_t t = 0; t < c.triangle_count; ++t) {
        const std::uint16_t stored = h_.materials.empty() ? material_ : h_.materials[c.first_triangle + t];
        const std::uint32_t number = stored == hcluster::kNoMaterial ? hcluster::kNone : stored;
        if (ranges_.empty() || ranges_.back().material != number) ranges_.push_back({number, 0});
        ranges_.back().end = t + 1;
      }
      writer_->add({.refined = c.refined == cluster::kNone ? hcluster::kNone : last - c.refined,
                    .vertex_count = c.vertex_count,
                    .triangles = std::span(h_.triangles).subspan(c.first_triangle, c.triangle_count),
                    .materials = ranges_,
                    .vertices = vertices_.get(),
                    .offsets = morphs_.is_empty() ? nullptr : &offsets_});
    }
    return writer_->end();
  }

 private:
  const cluster::Hierarchy& h_;
  const Quantizer& quantizer_;
  const ClusterMorphs& morphs_;
  std::uint16_t material_;
  std::unique_ptr<hcluster::GroupWriter> writer_;
  std::unique_ptr<hcluster::ClusterVertices> vertices_;
  std::vector<hcluster::MaterialRange> ranges_;
  hcluster::ClusterOffsets offsets_;
};

// Fills the pages from the root to the source; groups of one level are neighbors in the order of the hierarchy.
// material: of all triangles, if the hierarchy has no materials. False: a group takes more than page_bytes.
bool fill(const cluster::Hierarchy& h, const Quantizer& quantizer, const ClusterMorphs& morphs, std::uint16_t material,
          std::uint32_t page_bytes, hcluster::Model& model) {
  constexpr std::uint64_t kUsualBytes = 10;  // of a triangle of the source, with all levels
  model.desc.normal_weight = h.weights.normal;
  model.desc.texcoord_weight = h.weights.texcoord;
  model.desc.color_weight = h.weights.color;
  model.desc.skin_weight = h.weights.skin;
  model.data.reserve(static_cast<std::size_t>(model.desc.source_triangle_count * kUsualBytes));
  const auto last = static_cast<std::uint32_t>(h.groups.size() - 1);
  hcluster::PageWriter writer(model);
  PerThread<GroupMaker> makers([&] { return GroupMaker(h, quantizer, morphs, material, model); });
  // Groups are encoded many at a time, and put in order.
  std::vector<hcluster::EncodedGroup> encoded;
  for (std::size_t first = 0; first <= last; first += encoded.size()) {
    encoded.resize(std::min<std::size_t>(kGroupsAtOnce, last + 1 - first));
    mesh::for_blocks(encoded.size(), 1, [&](std::size_t i, std::size_t, std::size_t) {
      encoded[i] = makers.local().make(last - static_cast<std::uint32_t>(first + i));
    });
    for (const hcluster::EncodedGroup& group : encoded)
      if (!writer.put(group, page_bytes)) return false;
  }
  writer.finish();
  return true;
}

// Adds the vertices that a hierarchy made to all streams, after the first `count`.
void set_made(const cluster::Hierarchy& h, std::size_t count, mesh::Mesh& m) {
  const auto fill = [&](auto& stream) {
    if (stream.empty()) return;
    stream.resize(count + h.made.size());
    for (std::size_t i = 0; i < h.made.size(); ++i) stream[count + i] = stream[h.made[i].origin];
  };
  fill(m.normals);
  fill(m.tangents);
  for (auto& set : m.texcoords) fill(set);
  for (auto& set : m.colors) fill(set);
  fill(m.skin);
  fill(m.further_skin);
  m.positions.resize(count);
  for (const cluster::MadeVertex& made : h.made) m.positions.push_back(made.position);
}

// Says why a mesh could not be reduced to one group.
void report_rest(const cluster::Rest& rest, std::string place, MeshReport& report) {
  if (rest.groups == 0) return;
  const cluster::Blocked& b = rest.blocked;
  const std::array<std::pair<std::size_t, std::string_view>, 4> reasons = {{
      {b.folds, "triangles would turn over, or parts of the surface would join"},
      {b.texture, "their texture continues on no neighbor"},
      {b.crowded, "too many triangles meet at them"},
      {b.locked, "they lie between groups"},
  }};
  const auto most = std::ranges::max_element(reasons, {}, &std::pair<std::size_t, std::string_view>::first);
  report.warn(WarningKind::kUnreducedMesh, std::move(place),
              "the coarsest level has " + plural(rest.triangles, "triangle") + " in " + plural(rest.groups, "group") +
                  ": most of its points cannot move, because " + std::string(most->second));
}

void report_losses(const CompiledMesh& in, MeshReport& report) {
  const mesh::Mesh& m = in.mesh;
  const std::string place = in.place(0);
  report.drop("attributes, which hcluster cannot hold", place, static_cast<std::uint32_t>(m.custom.size()));
  report.drop("point and line primitives, which hcluster cannot hold", in.place(m.submeshes.size()),
              static_cast<std::uint32_t>(m.primitives.items.size()));
}

// count: of vertices.
cluster::Source source_of(const mesh::Mesh& m, std::size_t count, std::span<const std::uint16_t> materials,
                          const ClusterMorphs& morphs) {
  const auto first_of = [&]<class T>(const std::vector<T>& stream) {
    return std::span<const T>(stream).first(std::min(stream.size(), count));
  };
  return {.positions = first_of(m.positions),
          .normals = first_of(m.normals),
          .texcoords = m.texcoords.empty() ? std::span<const scene::Vec2>() : first_of(m.texcoords[0]),
          .colors = m.colors.empty() ? std::span<const scene::Vec4>() : first_of(m.colors[0]),
          .skin = {first_of(m.skin), first_of(m.further_skin)},
          .shapes = morphs.shapes(),
          .indices = m.indices,
          .materials = materials};
}

Result<Bytes> write_hcluster(CompiledMesh& in, MeshReport& report) {
  mesh::Mesh& m = in.mesh;
  if (m.indices.empty()) {
    return fail_at(ErrorCode::kUnsupported, in.place(0),
                   "the mesh has points and lines alone, but hcluster holds triangles only",
                   "use mesh.container: hmesh");
  }
  if (in.mesh.materials.size() > hcluster::kNoMaterial) {
    return fail(ErrorCode::kLimit,
                "the mesh has " + plural(in.mesh.materials.size(), "material") + ", but hcluster holds at most " +
                    std::to_string(hcluster::kNoMaterial),
                "use mesh.container: hmesh");
  }
  report_losses(in, report);
  for (scene::Vec3& n : m.normals) n = scene::normalize_or(n, {0, 0, 1});
  const std::size_t vertex_count = m.positions.size();
  const Quantizer channels(m, false);
  ASSETC_CHECK(channels.check_range());
  const ClusterMorphs morphs(m, channels.channels()[0].step);
  const std::vector<std::uint16_t> materials = materials_of(m);
  for (const GroupSize& size : kGroupSizes) {
    if (size.page_bytes > hcluster::kMaxPageBytes && morphs.is_empty()) break;
    hcluster::Model model;
    model.materials = m.materials;
    model.morphs = morphs.table();
    model.morph_radii = morphs.radii();
    if (!m.skin.empty()) {
      model.joints = m.joints;
      model.pose_bounds = m.pose_bounds;
      model.joint_names = m.names.joints;
    }
    model.desc.source_triangle_count = m.indices.size() / 3;
    cluster::Rest rest;
    {
      const cluster::Hierarchy h =
          cluster::build_hierarchy(source_of(m, vertex_count, materials, morphs),
                                   {.group_clusters = size.clusters, .keeps_area = in.keeps_area});
      rest = h.rest;
      set_made(h, vertex_count, m);
      if (!h.made.empty()) m.bounds = mesh::bounds_of(m.positions);
      model.bounds = m.bounds;
      const Quantizer quantizer(m);
      model.channels = quantizer.channels();
      model.desc.position_error = quantizer.position_error();
      if (!fill(h, quantizer, morphs, material_of(m.submeshes[0]), size.page_bytes, model)) continue;
    }
    report_rest(rest, in.place(0), report);
    hcluster::build_nodes(model);
    ASSETC_TRY(ByteVector file, hcluster::write(model));
    return Bytes(std::move(file));
  }
  if (!morphs.is_empty())
    return fail(ErrorCode::kLimit, "clusters that are replaced together take more than a page of 1 MiB",
                "remove morph targets, or set mesh.lod: levels");
  return fail(ErrorCode::kLimit, "clusters that are replaced together take more than a page of 128 KiB",
              "remove texture coordinate or color sets, or use mesh.container: hmesh");
}

Result<Bytes> write_aas1_clusters(CompiledMesh& in, MeshReport& report) {
  in.mesh.materials.resize(in.material_uuids.size());
  for (std::size_t m = 0; m < in.mesh.materials.size(); ++m) in.mesh.materials[m] = m;  // the blob has their UUIDs
  ASSETC_TRY(const Bytes file, write_hcluster(in, report));
  ASSETC_TRY(ByteVector blob, aas1::write_clusters(file, in.material_uuids, in.skeleton));
  return Bytes(std::move(blob));
}

}  // namespace

constinit const MeshContainer kAas1Clusters{.suffix = "",
                                            .name = "clusters",
                                            .keeps_channels = true,
                                            .keeps_lods = false,
                                            .keeps_materials = true,
                                            .keeps_skin = true,
                                            .keeps_morphs = true,
                                            .cuts_triangles = true,
                                            .write = write_aas1_clusters};

constinit const MeshContainer kHcluster{.suffix = ".hcluster",
                                        .name = "hcluster",
                                        .keeps_channels = true,
                                        .keeps_lods = false,
                                        .keeps_materials = true,
                                        .keeps_skin = true,
                                        .keeps_morphs = true,
                                        .cuts_triangles = true,
                                        .write = write_hcluster};

}  // namespace assetc::recipes
