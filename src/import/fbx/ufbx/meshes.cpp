// Reads meshes, their skins and their blend shapes. FBX has attributes for each corner of a face.
#include <meshoptimizer.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>

#include "import/fbx/ufbx/parts.hpp"
#include "import/model/finite.hpp"
#include "import/model/repair.hpp"
#include "import/model/triangulate.hpp"

namespace assetc::importer::fbx {
namespace {

using scene::kNone;
using scene::Mat4;
using scene::Primitive;
using scene::Topology;
using scene::Vec3;

constexpr std::size_t kInfluencesOfSet = 4;
constexpr std::size_t kMaxInfluenceSets = 2;
constexpr std::size_t kMaxTexcoordSets = 8;
// With positions, normals, tangents, vertex numbers and texture coordinates: 16 streams, the limit of meshoptimizer.
constexpr std::size_t kMaxColorSets = 4;
constexpr std::size_t kMaxJoints = 0xFFFF;
constexpr std::size_t kMaxTargets = 65535;

bool is_finite(Vec3 v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }

// Whether an attribute has a value at each corner of the mesh. Damaged files have sets without.
template <class Attribute>
bool is_whole(const Attribute& attribute, const ufbx_mesh& mesh) {
  return attribute.exists && attribute.indices.count >= mesh.num_indices;
}

struct Influence {
  std::uint32_t joint = 0;  // index in the skin
  float weight = 0;
};

// The joints of a skin deformer.
struct Rig {
  std::uint32_t skin = kNone;
  std::vector<std::vector<Influence>> of_vertex;  // by vertex of the FBX mesh; empty without a skin
  std::size_t most = 0;                           // influences of one vertex
};

class MeshReader {
 public:
  explicit MeshReader(Context& context) : context_(context) {}

  Result<void> run() {
    std::vector<const ufbx_node*> sources(context_.nodes.size());
    for (const ufbx_node* source : items(context_.source.nodes)) sources[source->typed_id] = source;
    // In the order of the scene's nodes.
    std::ranges::sort(sources, {}, [&](const ufbx_node* source) { return context_.nodes[source->typed_id].node; });
    for (const ufbx_node* source : sources) {
      if (source->is_root) continue;
      ASSETC_CHECK(read_node(*source));
    }
    name_skins();
    return {};
  }

 private:
  struct Made {
    std::uint32_t mesh = kNone;
    std::uint32_t skin = kNone;
  };
  // Nodes may show one mesh with different materials.
  struct Key {
    std::uint32_t element = 0;
    std::vector<std::uint32_t> materials;
    auto operator<=>(const Key&) const = default;
  };

  Result<void> read_node(const ufbx_node& source) {
    const auto* curve = ufbx_as_line_curve(source.attrib);
    if (source.mesh == nullptr && curve == nullptr) return {};
    scene::Node& node = context_.out.scene.nodes[context_.nodes[source.typed_id].node];
    Key key;
    key.element = source.mesh != nullptr ? source.mesh->element_id : curve->element_id;
    for (const ufbx_material* material : items(source.materials))
      key.materials.push_back(material == nullptr ? kNone : material->typed_id);
    const auto [known, is_new] = read_.try_emplace(key);
    if (is_new) {
      if (source.mesh != nullptr) {
        ASSETC_TRY(known->second, read_mesh(*source.mesh, key.materials, node.name));
      } else {
        ASSETC_TRY(known->second, read_curve(*curve, key.materials, node.name));
      }
    }
    node.mesh = known->second.mesh;
    node.skin = known->second.skin;
    return {};
  }

  Result<Made> read_mesh(const ufbx_mesh& source, const std::vector<std::uint32_t>& materials,
                         const std::string& node_name) {
    scene::Mesh mesh;
    mesh.name = source.name.length == 0 ? node_name : std::string(view(source.name));
    mesh.extra = extra_of(source.props);
    const std::string place = quoted("mesh", mesh.name);
    report(source, place);
    ASSETC_TRY(const Rig rig, read_rig(source, place));
    for (const ufbx_blend_channel* channel : channels_of(source)) {
      const std::size_t first = mesh.morph_weights.size();
      mesh.morph_weights.resize(first + channel->keyframes.count);
      shape_weights(*channel, rest_weight(source, *channel), mesh.morph_weights.data() + first);
      for (const ufbx_blend_keyframe& key : items(channel->keyframes)) {
        const bool is_last = key.shape == channel->target_shape && channel->name.length != 0;
        mesh.morph_names.emplace_back(view(is_last ? channel->name : key.shape->name));
      }
      if (mesh.morph_weights.size() > kMaxTargets) {
        return fail_at(ErrorCode::kLimit, place, "it has more than " + std::to_string(kMaxTargets) + " blend shapes",
                       "split the mesh");
      }
    }
    repair_values(mesh.morph_weights, "weights of blend shapes", place, context_.out.warnings);
    const bool has_positions = is_whole(source.vertex_position, source);
    for (const ufbx_mesh_part& part : items(source.material_parts)) {
      if (!has_positions) break;
      if (part.num_faces == 0) continue;
      const std::uint32_t material = part.index < materials.size() ? materials[part.index] : kNone;
      for (const Topology topology : {Topology::kTriangles, Topology::kLines, Topology::kPoints}) {
        auto primitive = read_part(source, part, topology, rig, place);
        if (!primitive) return std::unexpected(std::move(primitive).error());
        primitive->material = material;
        if (!primitive->positions.empty()) mesh.primitives.push_back(std::move(*primitive));
      }
    }
    // An empty mesh keeps one primitive, so that its node keeps its place.
    if (mesh.primitives.empty()) {
      mesh.primitives.emplace_back();
      mesh.primitives.back().morphs.resize(mesh.morph_weights.size());
    }
    const Made made{static_cast<std::uint32_t>(context_.out.scene.meshes.size()), rig.skin};
    context_.out.scene.meshes.push_back(std::move(mesh));
    return made;
  }

  Result<Made> read_curve(const ufbx_line_curve& source, const std::vector<std::uint32_t>& materials,
                          const std::string& node_name) {
    scene::Mesh mesh;
    mesh.name = source.name.length == 0 ? node_name : std::string(view(source.name));
    const std::string place = quoted("mesh", mesh.name);
    Primitive& p = mesh.primitives.emplace_back();
    p.topology = Topology::kLines;
    if (!materials.empty()) p.material = materials.front();
    for (const ufbx_vec3& point : items(source.control_points)) {
      p.positions.push_back(to_vec3(point));
      if (!is_finite(p.positions.back()))
        return fail_at(ErrorCode::kInvalidData, place, "a position is not finite", "repair it and export it again");
    }
    for (const ufbx_line_segment& segment : items(source.segments)) {
      for (std::uint32_t i = 1; i < segment.num_indices; ++i) {
        for (const std::uint32_t at : {segment.index_begin + i - 1, segment.index_begin + i}) {
          if (at < source.point_indices.count && source.point_indices.data[at] < p.positions.size())
            p.indices.push_back(source.point_indices.data[at]);
        }
      }
    }
    if (p.indices.size() % 2 != 0) p.indices.pop_back();
    context_.out.scene.meshes.push_back(std::move(mesh));
    return Made{static_cast<std::uint32_t>(context_.out.scene.meshes.size() - 1), kNone};
  }

  void report(const ufbx_mesh& source, const std::string& place) {
    if (source.skin_deformers.count > 1)
      context_.drop("further skins", place, static_cast<std::uint32_t>(source.skin_deformers.count - 1));
    if (source.skin_deformers.count != 0 &&
        source.skin_deformers.data[0]->skinning_method == UFBX_SKINNING_METHOD_DUAL_QUATERNION) {
      context_.drop("dual quaternion skins, which become linear", place);
    }
    context_.drop("vertex caches", place, static_cast<std::uint32_t>(source.cache_deformers.count));
    if (source.subdivision_display_mode != UFBX_SUBDIVISION_DISPLAY_DISABLED)
      context_.drop("subdivision surfaces, which keep the faces of the cage", place);
    if (source.uv_sets.count > kMaxTexcoordSets) {
      context_.drop("UV sets beyond eight", place, static_cast<std::uint32_t>(source.uv_sets.count - kMaxTexcoordSets));
    }
    if (source.color_sets.count > kMaxColorSets) {
      context_.drop("vertex colors beyond four sets", place,
                    static_cast<std::uint32_t>(source.color_sets.count - kMaxColorSets));
    }
  }

  Result<Primitive> read_part(const ufbx_mesh& source, const ufbx_mesh_part& part, Topology topology, const Rig& rig,
                              const std::string& place) {
    Primitive p;
    p.topology = topology;
    std::vector<std::uint32_t> corners;  // of the FBX mesh, one for each vertex
    ASSETC_CHECK(read_faces(source, part, p, corners, place));
    if (corners.empty()) return p;
    for (const std::uint32_t corner : corners) {
      const Vec3 position = to_vec3(ufbx_get_vertex_vec3(&source.vertex_position, corner));
      if (!is_finite(position))
        return fail_at(ErrorCode::kInvalidData, place, "a position is not finite", "repair it and export it again");
      p.positions.push_back(position);
    }
    read_frames(source, corners, p);
    repair_frames(p, place, place, context_.out.warnings);
    for (const ufbx_uv_set& set : items(source.uv_sets).first(std::min(source.uv_sets.count, kMaxTexcoordSets))) {
      auto& values = p.texcoords.emplace_back();
      if (!is_whole(set.vertex_uv, source)) {
        values.resize(corners.size());
        continue;
      }
      values.reserve(corners.size());
      for (const std::uint32_t corner : corners) {  // FBX measures v from the bottom.
        const ufbx_vec2 uv = ufbx_get_vertex_vec2(&set.vertex_uv, corner);
        values.push_back({static_cast<float>(uv.x), static_cast<float>(1 - uv.y)});
      }
      repair_values({&values[0].x, values.size() * 2}, "texture coordinates", place, context_.out.warnings);
    }
    for (const ufbx_color_set& set : items(source.color_sets).first(std::min(source.color_sets.count, kMaxColorSets))) {
      auto& values = p.colors.emplace_back();
      if (!is_whole(set.vertex_color, source)) {
        values.resize(corners.size(), {1, 1, 1, 1});
        continue;
      }
      values.reserve(corners.size());
      for (const std::uint32_t corner : corners) {
        const ufbx_vec4 c = ufbx_get_vertex_vec4(&set.vertex_color, corner);
        values.push_back(
            {static_cast<float>(c.x), static_cast<float>(c.y), static_cast<float>(c.z), static_cast<float>(c.w)});
      }
      repair_values({&values[0].x, values.size() * 4}, "vertex colors", place, context_.out.warnings);
    }
    std::vector<std::uint32_t> vertices;  // of the FBX mesh
    vertices.reserve(corners.size());
    for (const std::uint32_t corner : corners) vertices.push_back(source.vertex_indices.data[corner]);
    const bool are_vertices_apart = rig.skin != kNone || source.blend_deformers.count != 0;
    weld(p, vertices, are_vertices_apart);
    if (rig.skin != kNone) read_influences(rig, vertices, p);
    if (source.blend_deformers.count != 0) read_morphs(source, vertices, p, place);
    return p;
  }

  // The indices of the primitive, and a vertex for each corner that they use.
  Result<void> read_faces(const ufbx_mesh& source, const ufbx_mesh_part& part, Primitive& p,
                          std::vector<std::uint32_t>& corners, const std::string& place) {
    std::vector<Vec3> places;
    std::vector<std::uint32_t> triangles;
    std::uint32_t fans = 0;
    for (const std::uint32_t number : items(part.face_indices)) {
      const ufbx_face face = source.faces.data[number];
      const Topology topology = face.num_indices == 1   ? Topology::kPoints
                                : face.num_indices == 2 ? Topology::kLines
                                                        : Topology::kTriangles;
      if (topology != p.topology || face.num_indices == 0) continue;
      if (number < source.face_hole.count && source.face_hole.data[number]) continue;
      const auto first = static_cast<std::uint32_t>(corners.size());
      for (std::uint32_t i = 0; i < face.num_indices; ++i) corners.push_back(face.index_begin + i);
      if (face.num_indices <= 3) {
        for (std::uint32_t i = 0; i < face.num_indices; ++i) p.indices.push_back(first + i);
        continue;
      }
      places.clear();
      triangles.clear();
      for (std::uint32_t i = 0; i < face.num_indices; ++i)
        places.push_back(to_vec3(ufbx_get_vertex_vec3(&source.vertex_position, face.index_begin + i)));
      if (!std::ranges::all_of(places, is_finite))
        return fail_at(ErrorCode::kInvalidData, place, "a position is not finite", "repair it and export it again");
      if (!triangulate(places, triangles)) ++fans;
      for (const std::uint32_t corner : triangles) p.indices.push_back(first + corner);
    }
    if (fans != 0) {
      context_.warn(
          WarningKind::kPolygonFan, place,
          std::to_string(fans) + (fans == 1 ? " polygon" : " polygons") + " with very many corners cut as a fan",
          "triangulate the mesh before the export");
    }
    return {};
  }

  static void read_frames(const ufbx_mesh& source, const std::vector<std::uint32_t>& corners, Primitive& p) {
    if (!is_whole(source.vertex_normal, source)) return;
    for (const std::uint32_t corner : corners)
      p.normals.push_back(to_vec3(ufbx_get_vertex_vec3(&source.vertex_normal, corner)));
    if (!is_whole(source.vertex_tangent, source) || !is_whole(source.vertex_bitangent, source)) return;
    for (std::size_t v = 0; v < corners.size(); ++v) {
      const Vec3 tangent = to_vec3(ufbx_get_vertex_vec3(&source.vertex_tangent, corners[v]));
      const Vec3 other = to_vec3(ufbx_get_vertex_vec3(&source.vertex_bitangent, corners[v]));
      if (!is_finite(tangent) || !is_finite(other)) {
        p.tangents.push_back({std::numeric_limits<float>::quiet_NaN(), 0, 0, 1});  // repair_frames() removes them all
        continue;
      }
      const Vec3 t = normalize_or(tangent, {1, 0, 0});
      p.tangents.push_back({t.x, t.y, t.z, dot(cross(p.normals[v], t), other) < 0 ? -1.0f : 1.0f});
    }
  }

  // Merges corners that are equal in every bit into one vertex. are_vertices_apart: only those of one FBX vertex.
  static void weld(Primitive& p, std::vector<std::uint32_t>& vertices, bool are_vertices_apart) {
    std::vector<meshopt_Stream> streams;
    const auto each = [&](const auto& act) {
      act(p.positions);
      act(p.normals);
      act(p.tangents);
      for (auto& set : p.texcoords) act(set);
      for (auto& set : p.colors) act(set);
    };
    each([&](const auto& values) {
      if (!values.empty()) streams.push_back({values.data(), sizeof(values[0]), sizeof(values[0])});
    });
    if (are_vertices_apart) streams.push_back({vertices.data(), sizeof(vertices[0]), sizeof(vertices[0])});
    const std::size_t count = p.positions.size(), index_count = p.indices.size();
    // Meshoptimizer takes whole triangles; these may be lines or points.
    while (p.indices.size() % 3 != 0) p.indices.push_back(p.indices.back());
    std::vector<std::uint32_t> remap(count);
    const std::size_t kept = meshopt_generateVertexRemapMulti(remap.data(), p.indices.data(), p.indices.size(), count,
                                                              streams.data(), streams.size());
    const auto move = [&](auto& values) {
      if (values.empty()) return;
      meshopt_remapVertexBuffer(values.data(), values.data(), count, sizeof(values[0]), remap.data());
      values.resize(kept);
      values.shrink_to_fit();
    };
    each(move);
    move(vertices);
    meshopt_remapIndexBuffer(p.indices.data(), p.indices.data(), p.indices.size(), remap.data());
    p.indices.resize(index_count);
  }

  Result<Rig> read_rig(const ufbx_mesh& source, const std::string& place) {
    Rig rig;
    if (source.skin_deformers.count == 0) return rig;
    const ufbx_skin_deformer& deformer = *source.skin_deformers.data[0];
    std::vector<std::pair<std::uint32_t, Mat4>> joints;
    std::vector<std::uint32_t> nodes;  // by cluster
    for (const ufbx_skin_cluster* cluster : items(deformer.clusters)) {
      const std::uint32_t node = context_.nodes[cluster->bone_node->typed_id].node;
      nodes.push_back(node);
      if (node == kNone) {
        context_.drop("joints without a node", place);
        continue;
      }
      if (std::ranges::find(joints, node, &std::pair<std::uint32_t, Mat4>::first) != joints.end()) continue;
      const Mat4 inverse_bind = to_mat4(cluster->geometry_to_bone);
      if (!all_finite(inverse_bind.m)) {
        return fail_at(ErrorCode::kInvalidData, place,
                       "the bind matrix of " + quoted("joint", view(cluster->bone_node->name)) + " is not finite");
      }
      joints.emplace_back(node, inverse_bind);
    }
    if (joints.empty()) return rig;
    const std::vector<std::uint32_t> unbound = collect(source, deformer, nodes, place, rig);
    const ufbx_node& shown_by = *source.instances.data[0];
    const std::uint32_t own = context_.nodes[shown_by.typed_id].node;
    // FBX leaves vertices without weights where the node of the mesh has them.
    if (!unbound.empty() && std::ranges::find(joints, own, &std::pair<std::uint32_t, Mat4>::first) == joints.end())
      joints.emplace_back(own, to_mat4(shown_by.geometry_to_node));
    for (const std::uint32_t v : unbound) {
      rig.of_vertex[v] = {{own, 1}};
      rig.most = std::max<std::size_t>(rig.most, 1);
    }
    ASSETC_TRY(rig.skin, skin_of(joints, place));
    const scene::Skin& skin = context_.out.scene.skins[rig.skin];
    std::map<std::uint32_t, std::uint32_t> joint_of;  // by node
    for (std::uint32_t j = 0; j < skin.joints.size(); ++j) joint_of.try_emplace(skin.joints[j], j);
    for (std::vector<Influence>& influences : rig.of_vertex) {
      for (Influence& influence : influences) influence.joint = joint_of.at(influence.joint);
    }
    return rig;
  }

  // Reads the influences of each vertex. Their joints are nodes. Returns the vertices without one.
  std::vector<std::uint32_t> collect(const ufbx_mesh& source, const ufbx_skin_deformer& deformer,
                                     const std::vector<std::uint32_t>& nodes, const std::string& place, Rig& rig) {
    rig.of_vertex.resize(source.num_vertices);
    std::vector<std::uint32_t> unbound;
    std::vector<float> values;
    WeightRepair repair;
    std::uint32_t cut = 0;
    for (std::uint32_t v = 0; v < source.num_vertices; ++v) {
      auto& influences = rig.of_vertex[v];
      values.clear();
      const ufbx_skin_vertex vertex = v < deformer.vertices.count ? deformer.vertices.data[v] : ufbx_skin_vertex{};
      for (const ufbx_skin_weight& weight : items(deformer.weights).subspan(vertex.weight_begin, vertex.num_weights)) {
        if (nodes[weight.cluster_index] == kNone) continue;
        influences.push_back({nodes[weight.cluster_index], 0});
        values.push_back(static_cast<float>(weight.weight));
      }
      repair_values(values, "skin weights", place, context_.out.warnings);
      if (std::ranges::count_if(values, is_positive) > std::ptrdiff_t{kMaxInfluenceSets * kInfluencesOfSet}) {
        values.resize(kMaxInfluenceSets * kInfluencesOfSet);  // the largest are first
        ++cut;
      }
      // FBX divides by the sum, whatever it is.
      float sum = 0;
      for (const float value : values) sum += std::max(value, 0.0f);
      if (sum > 0 && std::isfinite(sum)) {
        for (float& value : values) value /= sum;
      }
      if (!repair.repair(v, values)) unbound.push_back(v);
      std::size_t kept = 0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (is_positive(values[i])) influences[kept++] = {influences[i].joint, values[i]};
      }
      influences.resize(kept);
      rig.most = std::max(rig.most, kept);
    }
    repair.report(place, "the node that shows the mesh", context_.out.warnings);
    context_.drop("influences beyond eight of a vertex", place, cut);
    return unbound;
  }
  static bool is_positive(float value) { return value > 0; }

  // Returns the skin with these joints. An existing skin is reused and extended if the bind matrices of all shared
  // joints are equal.
  Result<std::uint32_t> skin_of(const std::vector<std::pair<std::uint32_t, Mat4>>& joints, const std::string& place) {
    auto& skins = context_.out.scene.skins;
    std::uint32_t at = 0;
    while (at < skins.size() && !agree(skins[at], joints)) ++at;
    if (at == skins.size()) skins.emplace_back();
    scene::Skin& skin = skins[at];
    for (const auto& [node, inverse_bind] : joints) {
      if (std::ranges::find(skin.joints, node) != skin.joints.end()) continue;
      skin.joints.push_back(node);
      skin.inverse_bind.push_back(inverse_bind);
    }
    if (skin.joints.size() > kMaxJoints)
      return fail_at(ErrorCode::kLimit, place, "its skin has more than 65,535 joints", "split the model");
    return at;
  }

  bool agree(const scene::Skin& skin, const std::vector<std::pair<std::uint32_t, Mat4>>& joints) const {
    constexpr float kTolerance = 1e-4f;
    bool share = top_of(skin.joints.front()) == top_of(joints.front().first);
    for (const auto& [node, inverse_bind] : joints) {
      const auto found = std::ranges::find(skin.joints, node);
      if (found == skin.joints.end()) continue;
      share = true;
      const Mat4& other = skin.inverse_bind[static_cast<std::size_t>(found - skin.joints.begin())];
      for (std::size_t i = 0; i < other.m.size(); ++i) {
        if (std::fabs(other.m[i] - inverse_bind.m[i]) > kTolerance * (1 + std::fabs(other.m[i]))) return false;
      }
    }
    return share;
  }

  std::uint32_t top_of(std::uint32_t node) const {
    const auto& nodes = context_.out.scene.nodes;
    while (nodes[node].parent != kNone) node = nodes[node].parent;
    return node;
  }

  static void read_influences(const Rig& rig, const std::vector<std::uint32_t>& vertices, Primitive& p) {
    const std::size_t sets = (rig.most + kInfluencesOfSet - 1) / kInfluencesOfSet;
    for (std::size_t set = 0; set < sets; ++set) {
      scene::Influences& out = p.influences.emplace_back();
      for (const std::uint32_t vertex : vertices) {
        const auto& influences = rig.of_vertex[vertex];
        std::array<std::uint16_t, 4> joints{};
        std::array<float, 4> weights{};
        for (std::size_t i = set * kInfluencesOfSet; i < influences.size() && i < (set + 1) * kInfluencesOfSet; ++i) {
          joints[i % kInfluencesOfSet] = static_cast<std::uint16_t>(influences[i].joint);
          weights[i % kInfluencesOfSet] = influences[i].weight;
        }
        out.joints.push_back(joints);
        out.weights.push_back({weights[0], weights[1], weights[2], weights[3]});
      }
    }
  }

  // Reads a morph target for each shape. The vertices of the primitive are those of the FBX mesh with these numbers.
  void read_morphs(const ufbx_mesh& source, const std::vector<std::uint32_t>& vertices, Primitive& p,
                   const std::string& place) {
    // The vertices of the primitive, sorted by their vertex of the FBX mesh.
    std::vector<std::uint32_t> first(source.num_vertices + 1);
    for (const std::uint32_t vertex : vertices) ++first[vertex + 1];
    for (std::size_t v = 0; v < source.num_vertices; ++v) first[v + 1] += first[v];
    std::vector<std::uint32_t> sorted(vertices.size()), next = first;
    for (std::uint32_t v = 0; v < vertices.size(); ++v) sorted[next[vertices[v]]++] = v;
    for (const ufbx_blend_channel* channel : channels_of(source)) {
      for (const ufbx_blend_keyframe& key : items(channel->keyframes))
        p.morphs.push_back(read_morph(*key.shape, first, sorted, !p.normals.empty(), place));
    }
  }

  scene::MorphTarget read_morph(const ufbx_blend_shape& shape, const std::vector<std::uint32_t>& first,
                                const std::vector<std::uint32_t>& sorted, bool with_normals, const std::string& place) {
    struct Move {
      std::uint32_t vertex;
      Vec3 position, normal;
    };
    const bool has_normals = with_normals && shape.normal_offsets.count == shape.num_offsets;
    const auto moved = [&](const ufbx_vec3& v, float weight) {
      Vec3 offset = to_vec3(v) * weight;
      repair_values({&offset.x, 3}, "offsets of blend shapes", place, context_.out.warnings);
      return offset;
    };
    std::vector<Move> moves;
    for (std::size_t i = 0; i < shape.num_offsets; ++i) {
      const std::uint32_t vertex = shape.offset_vertices.data[i];
      if (vertex >= first.size() - 1) continue;
      // Blender writes the vertex group of a shape as weights.
      const float weight = i < shape.offset_weights.count ? static_cast<float>(shape.offset_weights.data[i]) : 1;
      const Vec3 position = moved(shape.position_offsets.data[i], weight);
      const Vec3 normal = has_normals ? moved(shape.normal_offsets.data[i], weight) : Vec3{};
      if (position == Vec3{} && normal == Vec3{}) continue;
      for (std::uint32_t v = first[vertex]; v < first[vertex + 1]; ++v) moves.push_back({sorted[v], position, normal});
    }
    std::ranges::stable_sort(moves, {}, &Move::vertex);
    scene::MorphTarget morph;
    for (const Move& move : moves) {
      if (!morph.vertices.empty() && morph.vertices.back() == move.vertex) {
        morph.positions.back() = morph.positions.back() + move.position;
        if (has_normals) morph.normals.back() = morph.normals.back() + move.normal;
        continue;
      }
      morph.vertices.push_back(move.vertex);
      morph.positions.push_back(move.position);
      if (has_normals) morph.normals.push_back(move.normal);
    }
    return morph;
  }

  // FBX has no names for skins. A skin gets the name of the node above its highest joint, which is the armature.
  void name_skins() {
    const auto& nodes = context_.out.scene.nodes;
    for (scene::Skin& skin : context_.out.scene.skins) {
      const std::uint32_t highest = *std::ranges::min_element(skin.joints);
      const std::uint32_t above = nodes[highest].parent;
      skin.name = nodes[above == kNone ? highest : above].name;
    }
  }

  Context& context_;
  std::map<Key, Made> read_;
};

}  // namespace

Result<void> read_meshes(Context& context) { return MeshReader(context).run(); }

}  // namespace assetc::importer::fbx
