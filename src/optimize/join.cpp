#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>

#include "assetc/base/hash.hpp"
#include "base/plural.hpp"
#include "export/glb_instances.hpp"
#include "optimize/keep.hpp"

namespace assetc::optimize {
namespace {

using scene::kNone;
using scene::Mat4;
using scene::Node;
using scene::Primitive;
using scene::Vec3;
using scene::Vec4;

// What becomes of a node.
enum class Fate : std::uint8_t {
  kGoes,   // draws nothing, or a mesh that is joined
  kMoves,  // only draws a mesh of several nodes, or one that cannot be joined
  kStays
};

class Joiner {
 public:
  Joiner(scene::Scene& scene, bool has_instances)
      : scene_(scene),
        fates_(scene.nodes.size(), Fate::kGoes),
        anchors_(scene.nodes.size(), kNone),
        matrices_(scene.nodes.size()) {
    choose(has_instances);
    place();
  }

  void run(std::vector<Error>& notes) {
    const std::size_t nodes_before = scene_.nodes.size();
    move_nodes();
    join();
    remove_nodes();
    remove_meshes();
    const auto say = [&](std::string what) { notes.push_back({ErrorCode::kUnsupported, {}, {}, std::move(what), {}}); };
    if (joined_from_ > joined_to_) {
      say("joined " + plural(joined_from_, "mesh") + " of nodes that nothing moves into " + plural(joined_to_, "mesh"));
    }
    if (nodes_before > scene_.nodes.size())
      say("left out " + plural(nodes_before - scene_.nodes.size(), "node") + " that nothing moves or refers to");
  }

 private:
  void keep(std::uint32_t n) {
    for (; n != kNone && fates_[n] != Fate::kStays; n = scene_.nodes[n].parent) fates_[n] = Fate::kStays;
  }

  void choose(bool has_instances) {
    // Equal meshes count as one: a file stores them once.
    std::map<ContentHash, std::uint32_t> users;
    std::vector<ContentHash> contents;
    contents.reserve(scene_.meshes.size());
    for (const scene::Mesh& mesh : scene_.meshes) contents.push_back(content_of(mesh));
    for (const Node& node : scene_.nodes)
      if (node.mesh != kNone) ++users[contents[node.mesh]];
    for (std::uint32_t n = 0; n < scene_.nodes.size(); ++n) {
      const Node& node = scene_.nodes[n];
      if (node.skin != kNone || node.camera != kNone || node.light != kNone || !node.extra.empty() ||
          !node.is_visible || node.holds_other || !node.lods.empty() || node.referred_as != kNone)
        keep(n);
      for (const std::uint32_t level : node.lods) keep(level);
      if (node.mesh == kNone || fates_[n] == Fate::kStays) continue;
      if (users[contents[node.mesh]] > 1 || !is_plain(scene_.meshes[node.mesh])) fates_[n] = Fate::kMoves;
    }
    for (const scene::Skin& skin : scene_.skins)
      for (const std::uint32_t joint : skin.joints) keep(joint);
    for (const scene::Clip& clip : scene_.clips) {
      for (const scene::Channel& c : clip.channels)
        if (scene::is_of_node(c.path) && c.node < scene_.nodes.size()) keep(c.node);
    }
    if (!has_instances) return;
    for (const std::vector<std::uint32_t>& instances : exporter::find_instances(scene_))
      for (const std::uint32_t n : instances) keep(n);
  }

  static ContentHash content_of(const scene::Mesh& mesh) {
    ContentHasher hasher;
    for (const Primitive& p : mesh.primitives) {
      hasher.add(key_of(p)).add(as_text(std::as_bytes(std::span(p.indices))));
      hasher.add(as_text(std::as_bytes(std::span(p.positions))));
      if (!p.texcoords.empty()) hasher.add(as_text(std::as_bytes(std::span(p.texcoords.front()))));
    }
    return hasher.finish();
  }

  static bool is_plain(const scene::Mesh& mesh) {
    return mesh.extra.empty() && mesh.morph_weights.empty() && mesh.referred_as == kNone &&
           std::ranges::all_of(mesh.primitives, [](const Primitive& p) { return p.morphs.empty(); });
  }

  // The nearest node above each that stays, and the matrix to its space.
  void place() {
    std::vector<bool> is_placed(scene_.nodes.size());
    std::vector<std::uint32_t> chain;
    for (std::uint32_t start = 0; start < scene_.nodes.size(); ++start) {
      std::uint32_t n = start;
      for (; n != kNone && !is_placed[n]; n = scene_.nodes[n].parent) chain.push_back(n);
      for (; !chain.empty(); chain.pop_back()) {
        n = chain.back();
        const std::uint32_t parent = scene_.nodes[n].parent;
        const bool is_below = parent == kNone || fates_[parent] == Fate::kStays;
        anchors_[n] = is_below ? parent : anchors_[parent];
        matrices_[n] = is_below ? scene_.nodes[n].local_matrix() : matrices_[parent] * scene_.nodes[n].local_matrix();
        is_placed[n] = true;
      }
    }
  }

  void move_nodes() {
    for (std::uint32_t n = 0; n < scene_.nodes.size(); ++n) {
      Node& node = scene_.nodes[n];
      if (fates_[n] != Fate::kMoves || node.parent == anchors_[n]) continue;
      node.parent = anchors_[n];
      node.transform = scene::decompose(matrices_[n]);
      node.matrix.reset();
      const Mat4 made = scene::to_matrix(node.transform);
      float largest = 0, error = 0;
      for (std::size_t i = 0; i < 16; ++i) {
        largest = std::max(largest, std::fabs(matrices_[n].m[i]));
        error = std::max(error, std::fabs(matrices_[n].m[i] - made.m[i]));
      }
      if (!(error <= 1e-6f * largest)) node.matrix = matrices_[n];  // it shears
    }
  }

  // Primitives with equal keys can be one.
  static std::string key_of(const Primitive& p) {
    std::string key;
    const auto add = [&](std::size_t value) { key += std::to_string(value) + ' '; };
    add(p.material), add(static_cast<std::size_t>(p.topology)), add(p.normals.empty() ? 0 : 1);
    add(p.tangents.empty() ? 0 : 1), add(p.texcoords.size()), add(p.colors.size()), add(p.influences.size());
    for (const scene::VariantMaterial& v : p.variant_materials) add(v.variant), add(v.material);
    for (const scene::CustomAttribute& a : p.custom) {
      key += a.name + ' ';
      add(static_cast<std::size_t>(a.type)), add(a.normalized ? 1 : 0), add(a.rows), add(a.columns);
    }
    return key;
  }

  static void transform(const Mat4& matrix, Primitive& p) {
    if (matrix == Mat4{}) return;
    for (Vec3& v : p.positions) v = scene::transform_point(matrix, v);
    for (Vec3& n : p.normals) n = scene::normalize_or(scene::transform_normal(matrix, n), n);
    const bool mirrors = scene::determinant3(matrix) < 0;
    for (Vec4& t : p.tangents) {
      const Vec3 along{t.x, t.y, t.z};
      const Vec3 d = scene::normalize_or(scene::transform_direction(matrix, along), along);
      t = {d.x, d.y, d.z, mirrors ? -t.w : t.w};
    }
    if (!mirrors || p.topology != scene::Topology::kTriangles) return;
    for (std::size_t i = 0; i + 2 < p.indices.size(); i += 3) std::swap(p.indices[i + 1], p.indices[i + 2]);
  }

  template <class T>
  static void append(std::vector<T>& to, const std::vector<T>& from) {
    to.insert(to.end(), from.begin(), from.end());
  }
  static void append(Primitive& to, const Primitive& from) {
    const auto first = static_cast<std::uint32_t>(to.positions.size());
    for (const std::uint32_t index : from.indices) to.indices.push_back(first + index);
    append(to.positions, from.positions), append(to.normals, from.normals), append(to.tangents, from.tangents);
    for (std::size_t s = 0; s < to.texcoords.size(); ++s) append(to.texcoords[s], from.texcoords[s]);
    for (std::size_t s = 0; s < to.colors.size(); ++s) append(to.colors[s], from.colors[s]);
    for (std::size_t s = 0; s < to.influences.size(); ++s) {
      append(to.influences[s].joints, from.influences[s].joints);
      append(to.influences[s].weights, from.influences[s].weights);
    }
    for (std::size_t a = 0; a < to.custom.size(); ++a) append(to.custom[a].values, from.custom[a].values);
    to.name.clear();
  }

  // The nodes whose meshes are joined, by the node whose mesh they become.
  std::map<std::uint32_t, std::vector<std::uint32_t>> groups() const {
    std::map<std::uint32_t, std::vector<std::uint32_t>> out;
    for (std::uint32_t n = 0; n < fates_.size(); ++n)
      if (fates_[n] == Fate::kGoes && scene_.nodes[n].mesh != kNone) out[anchors_[n]].push_back(n);
    return out;
  }

  void join() {
    // A node whose children may be written as its instances must not get a mesh.
    std::vector<bool> has_drawing_child(scene_.nodes.size());
    for (std::uint32_t n = 0; n < fates_.size(); ++n) {
      const Node& node = scene_.nodes[n];
      if (fates_[n] != Fate::kGoes && node.mesh != kNone && node.parent != kNone) has_drawing_child[node.parent] = true;
    }
    for (const auto& [anchor, members] : groups()) {
      scene::Mesh mesh;
      std::map<std::string, std::size_t> numbers;
      for (const std::uint32_t n : members) {
        scene::Mesh& from = scene_.meshes[std::exchange(scene_.nodes[n].mesh, kNone)];
        if (members.size() == 1) mesh.name = from.name;
        for (Primitive& p : from.primitives) {
          if (p.positions.empty()) continue;
          transform(matrices_[n], p);
          p.smoothing_groups.clear(), p.clusters.clear();
          const auto [at, is_new] = numbers.try_emplace(key_of(p), mesh.primitives.size());
          if (is_new || mesh.primitives[at->second].positions.size() + p.positions.size() > kMostVertices) {
            at->second = mesh.primitives.size();
            mesh.primitives.push_back(std::move(p));
          } else {
            append(mesh.primitives[at->second], p);
          }
        }
        from.primitives.clear();
      }
      joined_from_ += members.size(), ++joined_to_;
      Node* drawing = anchor == kNone ? nullptr : &scene_.nodes[anchor];
      if (drawing == nullptr || drawing->mesh != kNone || has_drawing_child[anchor] || drawing->referred_as != kNone) {
        Node node;
        node.parent = anchor;
        if (members.size() == 1) node.name = scene_.nodes[members.front()].name;
        scene_.nodes.push_back(std::move(node));
        fates_.push_back(Fate::kStays);
        drawing = &scene_.nodes.back();
      }
      drawing->mesh = static_cast<std::uint32_t>(scene_.meshes.size());
      scene_.meshes.push_back(std::move(mesh));
    }
  }

  void remove_nodes() {
    std::vector<std::uint32_t> number(scene_.nodes.size(), kNone);
    std::vector<Node> kept;
    for (std::size_t n = 0; n < scene_.nodes.size(); ++n) {
      if (fates_[n] == Fate::kGoes) continue;
      number[n] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(std::move(scene_.nodes[n]));
    }
    for (Node& node : kept) {
      if (node.parent != kNone) node.parent = number[node.parent];
      for (std::uint32_t& level : node.lods) level = number[level];
    }
    for (scene::Skin& skin : scene_.skins)
      for (std::uint32_t& joint : skin.joints) joint = number[joint];
    for (scene::Clip& clip : scene_.clips) {
      for (scene::Channel& c : clip.channels)
        if (scene::is_of_node(c.path) && c.node < number.size()) c.node = number[c.node];
    }
    scene_.nodes = std::move(kept);
  }

  void remove_meshes() {
    std::vector<std::uint32_t> number(scene_.meshes.size(), kNone);
    for (const Node& node : scene_.nodes)
      if (node.mesh != kNone) number[node.mesh] = 0;
    for (std::size_t m = 0; m < number.size(); ++m)
      if (scene_.meshes[m].referred_as != kNone) number[m] = 0;
    std::vector<scene::Mesh> kept;
    for (std::size_t m = 0; m < number.size(); ++m) {
      if (number[m] == kNone) continue;
      number[m] = static_cast<std::uint32_t>(kept.size());
      kept.push_back(std::move(scene_.meshes[m]));
    }
    for (Node& node : scene_.nodes)
      if (node.mesh != kNone) node.mesh = number[node.mesh];
    scene_.meshes = std::move(kept);
  }

  static constexpr std::size_t kMostVertices = 0x7FFFFFFF;

  scene::Scene& scene_;
  std::vector<Fate> fates_;
  std::vector<std::uint32_t> anchors_;
  std::vector<Mat4> matrices_;
  std::size_t joined_from_ = 0, joined_to_ = 0;
};

}  // namespace

void join_nodes(scene::Scene& scene, bool has_instances, std::vector<Error>& notes) {
  Joiner(scene, has_instances).run(notes);
}

}  // namespace assetc::optimize
