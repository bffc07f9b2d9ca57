#include <algorithm>
#include <array>
#include <cmath>

#include "base/plural.hpp"
#include "mesh/joints.hpp"
#include "recipes/mesh/parts.hpp"
#include "scene/pose.hpp"

namespace assetc::recipes {
namespace {

using scene::Mat4;
using scene::Transform;
using scene::Vec3;

constexpr std::size_t kInfluences = 4;

// Applies b, then a. Exact if a scales all axes by the same factor.
Transform compose(const Transform& a, const Transform& b) {
  return {transform_point(to_matrix(a), b.translation),
          rotation_within(a, b.rotation),
          {a.scale.x * b.scale.x, a.scale.y * b.scale.y, a.scale.z * b.scale.z}};
}

// Whether all axes have the same scale; mirroring does not matter.
bool uniform(const Vec3& s) {
  const float x = std::fabs(s.x), tolerance = 1e-4f * std::max({x, s.y, s.z});
  return std::fabs(x - s.y) <= tolerance && std::fabs(x - s.z) <= tolerance;
}

struct Influence {
  std::uint32_t joint;
  float weight;
};

hmesh::GpuSkinVertex rigid(std::uint32_t joint) { return {{static_cast<std::uint16_t>(joint), 0, 0, 0}, {1, 0, 0, 0}}; }

// Puts the four largest influences into v, with weights scaled to a sum of 1, and the next four into further, with
// weights scaled by the same factor. A vertex without influences is bound to joint 0.
void pack(std::vector<Influence>& influences, hmesh::GpuSkinVertex& v, hmesh::GpuSkinVertex& further) {
  if (influences.empty()) {
    v = rigid(0);
    return;
  }
  std::ranges::stable_sort(influences, std::ranges::greater{}, &Influence::weight);
  float sum = 0;
  for (std::size_t k = 0; k < std::min(influences.size(), kInfluences); ++k) sum += influences[k].weight;
  for (std::size_t k = 0; k < std::min(influences.size(), 2 * kInfluences); ++k) {
    hmesh::GpuSkinVertex& to = k < kInfluences ? v : further;
    to.joints[k % kInfluences] = static_cast<std::uint16_t>(influences[k].joint);
    to.weights[k % kInfluences] = influences[k].weight / sum;
  }
}

// For every node: the nearest joint at or above it, and the transform from that joint (or from the root) to the node.
// Each node is visited once, because ten thousand joints may be in one chain.
struct JointsAbove {
  JointsAbove(const scene::Scene& scene, const std::vector<std::uint32_t>& joint_of_node)
      : joint(joint_of_node), between(scene.nodes.size()) {
    std::vector<bool> done(scene.nodes.size(), false);
    std::vector<std::uint32_t> chain;
    for (std::uint32_t start = 0; start < scene.nodes.size(); ++start) {
      for (std::uint32_t n = start; n != scene::kNone && !done[n]; n = scene.nodes[n].parent) chain.push_back(n);
      for (; !chain.empty(); chain.pop_back()) {
        const std::uint32_t n = chain.back(), parent = scene.nodes[n].parent;
        done[n] = true;
        if (joint[n] != kNoJoint) continue;
        const Mat4 local = scene.nodes[n].local_matrix();
        between[n] = parent == scene::kNone ? local : between[parent] * local;
        if (parent != scene::kNone) joint[n] = joint[parent];
      }
    }
  }
  std::vector<std::uint32_t> joint;  // kNoJoint: none
  std::vector<Mat4> between;
};

// The joint of meshes that no joint moves: a root at the origin that no clip moves. It follows the joints of the skin,
// so that those keep their numbers.
Result<std::uint32_t> static_joint(Skeleton& skeleton, std::string_view place) {
  if (!skeleton.static_joint) {
    constexpr std::size_t kMaxJoints = 1 << 16;  // vertices have 16 bits for a joint
    if (skeleton.joints.size() >= kMaxJoints) {
      return fail_at(ErrorCode::kLimit, std::string(place),
                     "the mesh is not below a joint, so it needs a joint of its own beside " +
                         plural(skeleton.joints.size(), "joint") + " of the skin, expected at most 65,535",
                     "set mesh.scene to true, or make the mesh a child of a joint");
    }
    skeleton.static_joint = static_cast<std::uint32_t>(skeleton.joints.size());
    skeleton.joints.push_back(mesh::joint_of(Mat4{}, Transform{}, hmesh::kNoParent));
    skeleton.names.emplace_back("static");
    skeleton.prefix.emplace_back();
  }
  return *skeleton.static_joint;
}

// Binds a mesh to the nearest joint at or above its node.
Result<void> bind_rigidly(const scene::Scene& scene, Skeleton& skeleton, const std::vector<Mat4>& world,
                          const Mat4& place_in_world, mesh::SubmeshInput& submesh) {
  std::uint32_t joint = submesh.node == scene::kNone ? kNoJoint : skeleton.nearest_joint[submesh.node];
  Mat4 back;
  if (joint == kNoJoint) {
    ASSETC_TRY(joint, static_joint(skeleton, submesh.place));
  } else {
    const scene::Skin& skin = scene.skins[skeleton.skin];
    // At rest a joint moves a vertex by world * inverse bind. Undoing that leaves the vertex where the scene shows it.
    back = inverse_affine(world[skin.joints[joint]] * skin.inverse_bind[joint]).value_or(Mat4{});
  }
  transform_submesh(submesh, back * place_in_world);
  submesh.skin = std::vector(submesh.positions.size(), rigid(joint));
  return {};
}

// For each joint of another skin: the joint of the skeleton with the same node and bind pose, or kNoJoint.
std::vector<std::uint32_t> remap_joints(const scene::Scene& scene, const Skeleton& skeleton, std::uint32_t skin_index) {
  const scene::Skin& skin = scene.skins[skin_index];
  std::vector<std::uint32_t> map(skin.joints.size(), kNoJoint);
  for (std::size_t k = 0; k < skin.joints.size(); ++k) {
    const std::uint32_t joint = skeleton.joint_of_node[skin.joints[k]];
    if (joint == kNoJoint) continue;
    const auto& a = skin.inverse_bind[k].m;
    const auto& b = scene.skins[skeleton.skin].inverse_bind[joint].m;
    const bool same = std::ranges::equal(
        a, b, [](float x, float y) { return std::fabs(x - y) <= 1e-4f * std::max(1.0f, std::fabs(x)); });
    if (same) map[k] = joint;
  }
  if (skin_index == skeleton.skin) {
    for (std::size_t k = 0; k < map.size(); ++k) map[k] = static_cast<std::uint32_t>(k);
  }
  return map;
}

}  // namespace

scene::Quat rotation_within(const Transform& above, const scene::Quat& q) {
  // For a mirror S of the x axis, S R = (S R S) S. S R S rotates in the opposite direction around y and z.
  return above.rotation * (above.scale.x < 0 ? scene::Quat{q.x, -q.y, -q.z, q.w} : q);
}

std::optional<Skeleton> build_skeleton(const MeshSource& source, MeshReport& report) {
  const scene::Scene& scene = source.scene;
  std::vector<bool> used(scene.skins.size());
  std::vector<bool> is_level(scene.nodes.size());  // nodes that are a level of detail; only full meshes choose the skin
  for (const scene::Node& node : scene.nodes)
    for (const std::uint32_t level : node.lods) is_level[level] = true;
  std::uint32_t skin = scene::kNone;
  for (std::uint32_t n = 0; n < scene.nodes.size(); ++n) {
    const scene::Node& node = scene.nodes[n];
    if (node.mesh == scene::kNone || node.skin == scene::kNone) continue;
    if (std::ranges::none_of(scene.meshes[node.mesh].primitives, [](const auto& p) { return !p.influences.empty(); }))
      continue;
    used[node.skin] = true;
    if (!is_level[n]) skin = std::min(skin, node.skin);
  }
  if (skin == scene::kNone) return std::nullopt;
  const auto place = [](std::size_t s) { return "/skins/" + std::to_string(s); };
  std::vector<bool> others = used;
  others[skin] = false;
  if (const auto second = std::ranges::find(others, true); second != others.end()) {
    report.warn_flat(WarningKind::kOtherSkins, place(static_cast<std::size_t>(second - others.begin())),
                     "found " + plural(static_cast<std::size_t>(std::ranges::count(used, true)), "skin") + "; only " +
                         place(skin) + " is exported, and others only if they use its joints",
                     "join the armatures, or export each skinned mesh to a separate file");
  }
  if (const auto unused = std::ranges::find(used, false); unused != used.end()) {
    report.drop_flat("skins that no mesh of the scene uses", place(static_cast<std::size_t>(unused - used.begin())),
                     static_cast<std::uint32_t>(std::ranges::count(used, false)));
  }
  return skeleton_of_skin(source, skin, report);
}

Skeleton skeleton_of_skin(const MeshSource& source, std::uint32_t skin_index, MeshReport& report) {
  const scene::Scene& scene = source.scene;
  const scene::Skin& skin = scene.skins[skin_index];
  Skeleton skeleton;
  skeleton.skin = skin_index;
  skeleton.joint_of_node.assign(scene.nodes.size(), kNoJoint);
  for (std::uint32_t j = 0; j < skin.joints.size(); ++j) {
    auto& joint = skeleton.joint_of_node[skin.joints[j]];
    if (joint == kNoJoint) joint = j;
  }
  JointsAbove above(scene, skeleton.joint_of_node);
  for (std::uint32_t j = 0; j < skin.joints.size(); ++j) {
    const scene::Node& node = scene.nodes[skin.joints[j]];
    std::int32_t parent = hmesh::kNoParent;
    Mat4 between;
    if (node.parent != scene::kNone) {
      if (above.joint[node.parent] != kNoJoint) parent = static_cast<std::int32_t>(above.joint[node.parent]);
      between = above.between[node.parent];
    }
    Transform rest = node.transform;
    std::optional<Transform> prefix;
    if (!(between == Mat4{})) {
      prefix = decompose(between);
      if (!uniform(prefix->scale)) {
        report.warn_flat(
            WarningKind::kJointScale, source.is_gltf() ? "/nodes/" + std::to_string(skin.joints[j]) : "",
            "the nodes above this joint scale its axes differently, which a joint cannot store; the pose may differ",
            "apply the scale of the armature before exporting");
      }
      rest = compose(*prefix, rest);
    }
    skeleton.prefix.push_back(prefix);
    skeleton.joints.push_back(mesh::joint_of(skin.inverse_bind[j], rest, parent));
    skeleton.names.push_back(node.name);
  }
  skeleton.nearest_joint = std::move(above.joint);
  for (std::uint32_t s = 0; s < scene.skins.size(); ++s)
    skeleton.joints_of_skin.push_back(remap_joints(scene, skeleton, s));
  return skeleton;
}

Result<void> bind_submesh(const MeshSource& source, Skeleton& skeleton, const std::vector<Mat4>& world,
                          const scene::Primitive& primitive, mesh::SubmeshInput& submesh, MeshReport& report) {
  const scene::Scene& scene = source.scene;
  const std::uint32_t node = submesh.node;
  const std::uint32_t skin_index = node == scene::kNone ? scene::kNone : scene.nodes[node].skin;
  if (skin_index == scene::kNone || primitive.influences.empty()) {
    return bind_rigidly(scene, skeleton, world, node == scene::kNone ? Mat4{} : world[node], submesh);
  }

  const std::vector<std::uint32_t>& map = skeleton.joints_of_skin[skin_index];
  ASSETC_TRY(auto skin, gather_skin(source, primitive, map, skin_index, submesh.place, report));
  if (!skin) {
    // The skeleton lacks one of the joints: the whole primitive keeps its rest pose.
    std::vector<Vec3> positions(primitive.positions.size()), normals(primitive.normals.size());
    skin_vertices(primitive, scene.skins[skin_index], world, positions, normals);
    report.drop_flat("skin bindings to joints that /skins/" + std::to_string(skeleton.skin) +
                         " lacks or binds differently; the mesh keeps its rest pose",
                     submesh.place);
    submesh.positions = std::move(positions);
    submesh.normals = std::move(normals);
    submesh.tangents = {};
    report.drop("morph targets of a mesh that keeps its rest pose", submesh.place,
                static_cast<std::uint32_t>(submesh.morphs.size()));
    submesh.morphs = {};
    return bind_rigidly(scene, skeleton, world, Mat4{}, submesh);
  }
  submesh.skin = std::move(skin->skin);
  submesh.further_skin = std::move(skin->further);
  return {};
}

Result<std::optional<SkinStreams>> gather_skin(const MeshSource& source, const scene::Primitive& primitive,
                                               std::span<const std::uint32_t> map, std::uint32_t skin_index,
                                               std::string_view place, MeshReport& report) {
  SkinStreams out;
  std::vector<hmesh::GpuSkinVertex>& skin = out.skin;
  skin.resize(primitive.positions.size());
  const AttributeSelection& selection = source.attributes;
  const bool keeps_further = (source.keeps_attributes || source.keeps_channels) &&
                             (selection.mode == AttributeSelection::Mode::kAuto || selection.keeps("JOINTS_1"));
  std::vector<Influence> influences;
  std::uint32_t reduced = 0;
  for (std::size_t v = 0; v < skin.size(); ++v) {
    influences.clear();
    for (std::size_t set = 0; set < primitive.influences.size(); ++set) {
      const auto& joints = primitive.influences[set].joints[v];
      const scene::Vec4 w = primitive.influences[set].weights[v];
      const std::array weights{w.x, w.y, w.z, w.w};
      for (std::size_t k = 0; k < 4; ++k) {
        if (!(weights[k] > 0)) continue;
        if (joints[k] >= map.size()) {
          return fail_at(ErrorCode::kInvalidData, std::string(place) + "/attributes/JOINTS_" + std::to_string(set),
                         "vertex " + std::to_string(v) + " is moved by joint " + std::to_string(joints[k]) +
                             ", but skin " + std::to_string(skin_index) + " has " + plural(map.size(), "joint"));
        }
        if (map[joints[k]] == kNoJoint) return std::nullopt;
        influences.push_back({map[joints[k]], weights[k]});
      }
    }
    if (influences.size() > (keeps_further ? 2 * kInfluences : kInfluences)) ++reduced;
    hmesh::GpuSkinVertex further{};
    pack(influences, skin[v], further);
    if (!keeps_further || further == hmesh::GpuSkinVertex{}) continue;
    out.further.resize(skin.size());
    out.further[v] = further;
  }
  report.drop(keeps_further ? "influences beyond the eight largest of a vertex"
                            : "influences beyond the four largest of a vertex",
              place, reduced);
  return out;
}

}  // namespace assetc::recipes
