#include "import/compiled/hcluster.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>

#include "assetc/formats/hcluster_view.hpp"
#include "assetc/formats/octahedral.hpp"
#include "base/portable_math.hpp"
#include "import/compiled/aligned_bytes.hpp"
#include "import/compiled/skeleton.hpp"

namespace assetc::importer {
namespace {

using namespace scene;

Vec3 vector_of(const std::array<float, 3>& v) { return {v[0], v[1], v[2]}; }

Vec4 tangent_of(Vec3 n, std::uint32_t stored, unsigned bits) {
  const double turn = static_cast<double>(stored >> 1) / static_cast<double>(1u << (bits - 1));
  const auto cosine = static_cast<float>(cos_pi(2 * turn)), sine = static_cast<float>(sin_pi(2 * turn));
  const auto [x, y] = hcluster::tangent_basis({n.x, n.y, n.z});
  const Vec3 t = normalize_or(vector_of(x) * cosine + vector_of(y) * sine, {1, 0, 0});
  return {t.x, t.y, t.z, (stored & 1) != 0 ? -1.0f : 1.0f};
}

// Collects the clusters of a cut.
class Cut {
 public:
  explicit Cut(const hcluster::View& view) : view_(view) {}

  // offsets: by morph targets.
  void add(const hcluster::DecodedCluster& cluster, const hcluster::ClusterOffsets& offsets, std::uint32_t number) {
    for (auto& moves : moves_) moves.clear();
    for (const hcluster::OffsetTrack& track : offsets.tracks) {
      for (const hcluster::VertexOffset& offset : std::span(offsets.offsets).subspan(track.first, track.count))
        moves_[offset.vertex].emplace_back(track, offset.value);
    }
    std::uint32_t begin = 0;
    for (std::uint32_t r = 0; r < cluster.material_count; ++r) {
      const auto [material, end] = cluster.materials[r];
      Part& part = parts_[material];
      part.primitive.material = material == hcluster::kNone ? kNone : material;
      for (std::uint32_t t = begin; t < end; ++t) {
        for (const std::uint8_t corner : cluster.triangles[t])
          part.primitive.indices.push_back(vertex(cluster, corner, part));
        part.primitive.clusters.push_back(number);
      }
      begin = end;
    }
  }

  Scene take() {
    Scene scene;
    scene.meshes.resize(1);
    for (auto& [material, part] : parts_) {
      complete_morphs(part.primitive);
      scene.meshes[0].primitives.push_back(std::move(part.primitive));
    }
    if (view_.morphs()) {
      for (std::size_t t = 0; t < view_.morphs()->targets().size(); ++t) {
        scene.meshes[0].morph_weights.push_back(view_.morphs()->targets()[t].weight);
        scene.meshes[0].morph_names.emplace_back(view_.morphs()->name(t));
      }
    }
    scene.nodes.resize(1);
    scene.nodes[0].mesh = 0;
    if (view_.is_skinned()) {
      scene.nodes[0].skin = 0;
      add_skeleton(
          view_.joints(), [&](std::size_t j) { return view_.names() ? view_.names()->joint(j) : std::string_view(); },
          scene);
    }
    scene.materials.resize(view_.materials().size());
    return scene;
  }

 private:
  // What a target adds to an attribute of a vertex.
  using Move = std::pair<hcluster::OffsetTrack, std::array<std::int16_t, 4>>;
  struct Part {
    Primitive primitive;
    std::map<std::vector<std::uint32_t>, std::uint32_t> numbers;  // of vertices, by their integers and moves
  };

  std::uint32_t vertex(const hcluster::DecodedCluster& cluster, std::uint32_t v, Part& part) const {
    std::vector<std::uint32_t> integers;
    std::uint32_t component = 0;
    for (const hcluster::Channel& channel : view_.channels()) {
      for (std::uint32_t k = 0; k < channel.components; ++k) integers.push_back(cluster.vertices.at(component++, v));
    }
    const std::size_t count = integers.size();
    for (const auto& [track, value] : moves_[v]) {
      integers.push_back(std::uint32_t{track.target} << 8 | static_cast<std::uint32_t>(track.attribute) << 4 |
                         track.set);
      for (const std::int16_t steps : value) integers.push_back(static_cast<std::uint16_t>(steps));
    }
    const auto [at, added] =
        part.numbers.try_emplace(integers, static_cast<std::uint32_t>(part.primitive.positions.size()));
    if (added) {
      put(std::span(integers).first(count), part.primitive);
      put_moves(moves_[v], at->second, part.primitive);
    }
    return at->second;
  }

  // number: of the vertex, larger than those of the vertices before.
  void put_moves(std::span<const Move> moves, std::uint32_t number, Primitive& p) const {
    if (!view_.morphs()) return;
    p.morphs.resize(view_.morphs()->targets().size());
    for (const auto& [track, value] : moves) {
      MorphTarget& target = p.morphs[track.target];
      if (target.vertices.empty() || target.vertices.back() != number) target.vertices.push_back(number);
      // Offsets of 0 for the vertices that other attributes of the target moved before.
      const auto set_last = [&](auto& offsets, const auto& offset) {
        offsets.resize(target.vertices.size());
        offsets.back() = offset;
      };
      const auto set_of = [&](auto& sets) -> auto& {
        if (sets.size() <= track.set) sets.resize(track.set + std::size_t{1});
        return sets[track.set];
      };
      const float step = view_.offset_step(track);
      const auto number_of = [&](std::size_t k) { return step * static_cast<float>(value[k]); };
      const Vec3 xyz{number_of(0), number_of(1), number_of(2)};
      switch (track.attribute) {
        case hcluster::OffsetAttribute::kPosition:
          set_last(target.positions, xyz);
          break;
        case hcluster::OffsetAttribute::kNormal:
          set_last(target.normals, xyz);
          break;
        case hcluster::OffsetAttribute::kTangent:
          set_last(target.tangents, xyz);
          break;
        case hcluster::OffsetAttribute::kTexcoord:
          set_last(set_of(target.texcoords), Vec2{xyz.x, xyz.y});
          break;
        case hcluster::OffsetAttribute::kColor:
          set_last(set_of(target.colors), Vec4{xyz.x, xyz.y, xyz.z, number_of(3)});
          break;
      }
    }
  }

  // Every attribute of a target has an offset for each vertex that the target moves.
  static void complete_morphs(Primitive& p) {
    for (MorphTarget& target : p.morphs) {
      const auto complete = [&](auto& offsets) {
        if (!offsets.empty()) offsets.resize(target.vertices.size());
      };
      complete(target.positions);
      complete(target.normals);
      complete(target.tangents);
      std::ranges::for_each(target.texcoords, complete);
      std::ranges::for_each(target.colors, complete);
    }
  }

  void put(std::span<const std::uint32_t> integers, Primitive& p) const {
    const auto set_of = [](auto& sets, std::size_t set) -> auto& {
      if (sets.size() <= set) sets.resize(set + 1);
      return sets[set];
    };
    for (const hcluster::Channel& c : view_.channels()) {
      const auto value = [&](std::size_t k) { return c.value(k, integers[k]); };
      switch (c.semantic) {
        case hcluster::Semantic::kPosition:
          p.positions.push_back({value(0), value(1), value(2)});
          break;
        case hcluster::Semantic::kNormal:
          p.normals.push_back(normalize_or(vector_of(octahedral_direction(value(0), value(1))), {0, 0, 1}));
          break;
        case hcluster::Semantic::kTangent:
          if (p.normals.size() == p.positions.size())
            p.tangents.push_back(tangent_of(p.normals.back(), integers[0], c.bits));
          break;
        case hcluster::Semantic::kTexcoord:
          if (c.set < kMaxSets) set_of(p.texcoords, c.set).push_back({value(0), value(1)});
          break;
        case hcluster::Semantic::kColor:
          if (c.set < kMaxSets) set_of(p.colors, c.set).push_back({value(0), value(1), value(2), value(3)});
          break;
        case hcluster::Semantic::kJoints: {
          std::array<std::uint16_t, 4>& joints = set_of(p.influences, c.set).joints.emplace_back();
          for (std::size_t k = 0; k < 4; ++k) joints[k] = static_cast<std::uint16_t>(integers[k]);
          break;
        }
        case hcluster::Semantic::kWeights:
          set_of(p.influences, c.set).weights.push_back({value(0), value(1), value(2), value(3)});
          break;
        default:
          break;
      }
      integers = integers.subspan(c.components);
    }
    if (!p.influences.empty()) scale_weights(p.influences);
  }

  // The weights of all influences have a sum of 1, in the file those of the first four alone.
  static void scale_weights(std::span<Influences> sets) {
    float sum = 0;
    for (const Influences& set : sets) {
      const Vec4& w = set.weights.back();
      sum += w.x + w.y + w.z + w.w;
    }
    if (!(sum > 0)) {  // no file of assetc; as repair_weights() does
      sets[0].joints.back() = {};
      sets[0].weights.back() = {1, 0, 0, 0};
    }
    if (!(sum > 0) || sets.size() < 2) return;
    for (Influences& set : sets) {
      Vec4& w = set.weights.back();
      w = {w.x / sum, w.y / sum, w.z / sum, w.w / sum};
    }
  }

  static constexpr std::uint16_t kMaxSets = 8;

  const hcluster::View& view_;
  std::map<std::uint32_t, Part> parts_;                                 // by material
  std::array<std::vector<Move>, hcluster::kMaxClusterVertices> moves_;  // of the vertices of a cluster
};

}  // namespace

Result<Scene> import_hcluster(const Bytes& file, const Companions& companions, const ClusterCut& cut) {
  const AlignedBytes bytes(file);
  ASSETC_TRY(const hcluster::View view, hcluster::View::open(bytes.span()));
  Cut clusters(view);
  hcluster::PageDecoder decoder(view);
  const auto cluster = std::make_unique<hcluster::DecodedCluster>();
  hcluster::ClusterOffsets offsets;
  const auto outside = [&](const float(&center)[3], float radius) {
    return length(Vec3{center[0], center[1], center[2]} - cut.eye) - radius;
  };
  // A skinned mesh may be anywhere in the bounds of its poses.
  float from_poses = std::numeric_limits<float>::infinity();
  for (const hmesh::MeshBounds& pose : view.pose_bounds())
    from_poses = std::min(from_poses, outside(pose.sphere_center, pose.sphere_radius));
  const auto is_replaced = [&](const hcluster::Group& group) {
    const float distance = view.pose_bounds().empty() ? outside(group.center, group.radius) : from_poses;
    return group.error <= cut.error + cut.error_per_distance * std::max(distance, cut.near);
  };
  // At 0, groups that were simplified without an error stay as they are in the source.
  const bool is_source = cut.error == 0 && cut.error_per_distance == 0;
  std::uint32_t number = 0;
  for (std::uint32_t page = 0; page < view.pages().size(); ++page) {
    ASSETC_CHECK(decoder.open(page, view.page(page)));
    for (;; ++number) {
      ASSETC_TRY(const bool more, decoder.next(*cluster));
      if (!more) break;
      const bool is_of_source = cluster->refined == hcluster::kNone;
      const bool is_coarsest = is_of_source || is_replaced(view.groups()[cluster->refined]);
      if (!(is_source ? is_of_source : is_coarsest && !is_replaced(view.groups()[cluster->group]))) continue;
      ASSETC_CHECK(decoder.offsets(offsets));
      clusters.add(*cluster, offsets, number);
    }
  }
  Scene scene = clusters.take();
  ASSETC_CHECK(add_companions(companions, scene));
  return scene;
}

}  // namespace assetc::importer
