// Reads meshes and their skins. assimp makes one mesh per material of a geometry, with a separate vertex per corner.
#include <meshoptimizer.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "import/assimp/parts.hpp"
#include "import/triangulate.hpp"

namespace assetc::importer::assimp {
namespace {

using scene::kNone;
using scene::Mat4;
using scene::Primitive;
using scene::Vec3;

constexpr std::size_t kInfluencesOfSet = 4;
constexpr std::size_t kMaxSets = 2;      // of influences
constexpr std::size_t kMaxStreams = 16;  // limit of meshoptimizer for one comparison
constexpr std::size_t kMaxJoints = 0xFFFF;

bool is_finite(const aiVector3D& v) { return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z); }
float finite_or_zero(float value) { return std::isfinite(value) ? value : 0; }

template <class T>
std::span<T> items(T* first, std::size_t count) {
  return first == nullptr ? std::span<T>() : std::span<T>(first, count);
}

struct Influence {
  std::uint32_t joint = 0;  // index in the skin
  float weight = 0;
};

class MeshReader {
 public:
  explicit MeshReader(Context& context) : context_(context) {}

  Result<void> run() {
    for (const NodeChain& chain : context_.chains) {
      const aiNode& source = *chain.nodes.back();
      if (source.mNumMeshes == 0) continue;
      const std::vector<std::uint32_t> parts(source.mMeshes, source.mMeshes + source.mNumMeshes);
      const auto [known, is_new] = read_.try_emplace(parts);
      if (is_new) {
        ASSETC_TRY(known->second, read(parts, context_.out.scene.nodes[chain.node].name));
      }
      scene::Node& node = context_.out.scene.nodes[chain.node];
      node.mesh = known->second.mesh;
      node.skin = known->second.skin;
    }
    name_skins();
    return {};
  }

 private:
  struct Made {
    std::uint32_t mesh = kNone;
    std::uint32_t skin = kNone;
  };

  Result<Made> read(const std::vector<std::uint32_t>& parts, const std::string& node_name) {
    scene::Mesh mesh;
    for (const std::uint32_t part : parts) {
      const std::string_view name = view(context_.source.mMeshes[part]->mName);
      if (mesh.name.empty()) mesh.name = name.empty() ? node_name : name;
    }
    const std::string place = quoted("mesh", mesh.name);
    Made made{static_cast<std::uint32_t>(context_.out.scene.meshes.size()), kNone};
    ASSETC_TRY(made.skin, skin_of(parts, place));
    for (const std::uint32_t part : parts) {
      auto primitive = read_primitive(*context_.source.mMeshes[part], made.skin, place);
      if (!primitive) return std::unexpected(std::move(primitive).error().at(place));
      mesh.primitives.push_back(std::move(*primitive));
    }
    context_.out.scene.meshes.push_back(std::move(mesh));
    return made;
  }

  // Returns the skin with these bones as joints. An existing skin is reused and extended if the bind matrices of all
  // shared joints are equal.
  Result<std::uint32_t> skin_of(const std::vector<std::uint32_t>& parts, const std::string& place) {
    std::vector<std::pair<std::uint32_t, Mat4>> joints;
    for (const std::uint32_t part : parts) {
      const aiMesh& source = *context_.source.mMeshes[part];
      for (const aiBone* bone : items(source.mBones, source.mNumBones)) {
        const auto found = context_.node_of_name.find(view(bone->mName));
        if (found == context_.node_of_name.end()) {
          context_.drop("joints without a node", place);
          continue;
        }
        if (std::ranges::find(joints, found->second, &std::pair<std::uint32_t, Mat4>::first) != joints.end()) continue;
        const Mat4 inverse_bind = in_meters(to_mat4(bone->mOffsetMatrix), context_.meters);
        if (!std::ranges::all_of(inverse_bind.m, [](float v) { return std::isfinite(v); }))
          return fail_at(ErrorCode::kInvalidData, place,
                         "the bind matrix of " + quoted("joint", view(bone->mName)) + " is not finite");
        joints.emplace_back(found->second, inverse_bind);
      }
    }
    if (joints.empty()) return kNone;
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

  Result<Primitive> read_primitive(const aiMesh& source, std::uint32_t skin, const std::string& place) {
    Primitive p;
    if (source.mMaterialIndex < context_.material_of.size()) p.material = context_.material_of[source.mMaterialIndex];
    for (const aiVector3D& v : items(source.mVertices, source.mNumVertices)) {
      const Vec3 position = to_vec3(v) * context_.meters;
      if (!is_finite(v) || !std::isfinite(length(position)))
        return fail(ErrorCode::kInvalidData, "a position is not finite", "repair the mesh and export it again");
      p.positions.push_back(position);
    }
    read_faces(source, p, place);
    context_.drop("morph targets", place, source.mNumAnimMeshes);
    if (p.positions.empty()) return p;
    read_frames(source, p);
    for (std::size_t set = 0; set < AI_MAX_NUMBER_OF_TEXTURECOORDS && source.HasTextureCoords(set); ++set) {
      // FBX measures v from the bottom.
      for (const aiVector3D& uv : items(source.mTextureCoords[set], source.mNumVertices)) {
        if (set == p.texcoords.size()) p.texcoords.emplace_back().reserve(source.mNumVertices);
        p.texcoords[set].push_back({finite_or_zero(uv.x), finite_or_zero(1 - uv.y)});
      }
    }
    for (std::size_t set = 0; set < AI_MAX_NUMBER_OF_COLOR_SETS && source.HasVertexColors(set); ++set) {
      auto& colors = p.colors.emplace_back();
      colors.reserve(source.mNumVertices);
      for (const aiColor4D& c : items(source.mColors[set], source.mNumVertices))
        colors.push_back({finite_or_zero(c.r), finite_or_zero(c.g), finite_or_zero(c.b), finite_or_zero(c.a)});
    }
    if (skin != kNone) read_influences(source, context_.out.scene.skins[skin], p, place);
    weld(p);
    return p;
  }

  void read_faces(const aiMesh& source, Primitive& p, const std::string& place) {
    std::vector<Vec3> corners;
    std::vector<std::uint32_t> triangles;
    std::uint32_t lines = 0, fans = 0;
    for (const aiFace& face : items(source.mFaces, source.mNumFaces)) {
      const auto indices = items(face.mIndices, face.mNumIndices);
      if (std::ranges::any_of(indices, [&](unsigned index) { return index >= source.mNumVertices; })) continue;
      if (indices.size() < 3) {
        ++lines;
      } else if (indices.size() == 3) {
        p.indices.insert(p.indices.end(), indices.begin(), indices.end());
      } else {
        corners.clear();
        triangles.clear();
        for (const unsigned index : indices) corners.push_back(p.positions[index]);
        if (!triangulate(corners, triangles)) ++fans;
        for (const std::uint32_t corner : triangles) p.indices.push_back(indices[corner]);
      }
    }
    context_.drop("lines and points", place, lines);
    if (fans != 0) {
      context_.warn(
          WarningKind::kPolygonFan, place,
          std::to_string(fans) + (fans == 1 ? " polygon" : " polygons") + " with very many corners cut as a fan",
          "triangulate the mesh before the export");
    }
    if (p.indices.empty()) p.positions.clear();
  }

  static void read_frames(const aiMesh& source, Primitive& p) {
    const auto normals = items(source.mNormals, source.mNumVertices);
    if (normals.empty() || !std::ranges::all_of(normals, is_finite)) return;
    std::ranges::transform(normals, std::back_inserter(p.normals), to_vec3);
    const auto tangents = items(source.mTangents, source.mNumVertices);
    const auto others = items(source.mBitangents, source.mNumVertices);
    if (tangents.empty() || others.empty() || !std::ranges::all_of(tangents, is_finite) ||
        !std::ranges::all_of(others, is_finite)) {
      return;
    }
    for (std::size_t v = 0; v < tangents.size(); ++v) {
      const Vec3 t = normalize_or(to_vec3(tangents[v]), {1, 0, 0});
      const float sign = dot(cross(p.normals[v], t), to_vec3(others[v])) < 0 ? -1.0f : 1.0f;
      p.tangents.push_back({t.x, t.y, t.z, sign});
    }
  }

  void read_influences(const aiMesh& source, const scene::Skin& skin, Primitive& p, const std::string& place) {
    std::vector<std::vector<Influence>> of_vertex(p.positions.size());
    for (const aiBone* bone : items(source.mBones, source.mNumBones)) {
      const auto node = context_.node_of_name.find(view(bone->mName));
      if (node == context_.node_of_name.end()) continue;
      const auto joint = static_cast<std::uint32_t>(std::ranges::find(skin.joints, node->second) - skin.joints.begin());
      for (const aiVertexWeight& weight : items(bone->mWeights, bone->mNumWeights)) {
        if (weight.mVertexId >= of_vertex.size() || !(weight.mWeight > 0) || !std::isfinite(weight.mWeight)) continue;
        of_vertex[weight.mVertexId].push_back({joint, weight.mWeight});
      }
    }
    std::size_t most = 0;
    std::uint32_t cut = 0;
    for (auto& influences : of_vertex) {
      std::ranges::stable_sort(influences, std::ranges::greater{}, &Influence::weight);
      if (influences.size() > kMaxSets * kInfluencesOfSet) {
        influences.resize(kMaxSets * kInfluencesOfSet);
        ++cut;
      }
      most = std::max(most, influences.size());
    }
    context_.drop("influences beyond eight of a vertex", place, cut);
    const std::size_t sets = (most + kInfluencesOfSet - 1) / kInfluencesOfSet;
    for (std::size_t set = 0; set < sets; ++set) {
      scene::Influences& out = p.influences.emplace_back();
      for (const auto& influences : of_vertex) {
        float sum = 0;
        for (const Influence& influence : influences) sum += influence.weight;
        std::array<std::uint16_t, 4> joints{};
        std::array<float, 4> weights{};
        for (std::size_t i = set * kInfluencesOfSet; i < influences.size() && i < (set + 1) * kInfluencesOfSet; ++i) {
          joints[i % kInfluencesOfSet] = static_cast<std::uint16_t>(influences[i].joint);
          weights[i % kInfluencesOfSet] = finite_or_zero(influences[i].weight / sum);
        }
        out.joints.push_back(joints);
        out.weights.push_back({weights[0], weights[1], weights[2], weights[3]});
      }
    }
  }

  // Merges corners that are equal in every bit into one vertex.
  static void weld(Primitive& p) {
    std::vector<meshopt_Stream> streams;
    const auto each = [&](const auto& act) {
      act(p.positions);
      act(p.normals);
      act(p.tangents);
      for (auto& set : p.texcoords) act(set);
      for (auto& set : p.colors) act(set);
      for (auto& set : p.influences) act(set.joints), act(set.weights);
    };
    each([&](const auto& values) {
      if (!values.empty()) streams.push_back({values.data(), sizeof(values[0]), sizeof(values[0])});
    });
    if (p.indices.empty() || streams.size() > kMaxStreams) return;
    const std::size_t count = p.positions.size();
    std::vector<std::uint32_t> remap(count);
    const std::size_t kept = meshopt_generateVertexRemapMulti(remap.data(), p.indices.data(), p.indices.size(), count,
                                                              streams.data(), streams.size());
    each([&](auto& values) {
      if (values.empty()) return;
      meshopt_remapVertexBuffer(values.data(), values.data(), count, sizeof(values[0]), remap.data());
      values.resize(kept);
      values.shrink_to_fit();
    });
    meshopt_remapIndexBuffer(p.indices.data(), p.indices.data(), p.indices.size(), remap.data());
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
  std::map<std::vector<std::uint32_t>, Made> read_;
};

}  // namespace

Result<void> read_meshes(Context& context) { return MeshReader(context).run(); }

}  // namespace assetc::importer::assimp
