#include "recipes/mesh/part.hpp"

#include <algorithm>
#include <numeric>

#include "mesh/morph_bounds.hpp"
#include "mesh/pose_bounds.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/mesh/model.hpp"

namespace assetc::recipes {
namespace {

// Whether two streams or lists have the same bytes.
template <class T>
bool is_same_data(std::span<const T> a, std::span<const T> b) {
  return std::ranges::equal(std::as_bytes(a), std::as_bytes(b));
}
template <class T>
bool is_same_data(const std::vector<T>& a, const std::vector<T>& b) {
  return is_same_data(std::span<const T>(a), std::span<const T>(b));
}
template <class T>
bool is_same_data(const mesh::Stream<T>& a, const mesh::Stream<T>& b) {
  return a.data() == b.data() ? a.size() == b.size() : is_same_data(std::span<const T>(a), std::span<const T>(b));
}

// Whether two lists of streams have the same sets. Missing sets are empty streams, or absent at the end.
template <class T>
bool is_same_sets(std::span<const mesh::Stream<T>> a, std::span<const mesh::Stream<T>> b) {
  for (std::size_t s = 0; s < std::max(a.size(), b.size()); ++s) {
    const mesh::Stream<T> none;
    if (!is_same_data(s < a.size() ? a[s] : none, s < b.size() ? b[s] : none)) return false;
  }
  return true;
}

std::span<const mesh::Stream<scene::Vec2>> texcoord_sets_of(const mesh::SubmeshInput& s) {
  if (s.texcoord_sets.empty()) return {&s.texcoords, 1};
  return s.texcoord_sets;
}

// Whether two submeshes become the same geometry. Morph targets are those of the source in both.
bool is_same_submesh(const mesh::SubmeshInput& a, const mesh::SubmeshInput& b) {
  return a.levels.empty() && b.levels.empty() && a.material_slot == b.material_slot && a.topology == b.topology &&
         a.morphs.data() == b.morphs.data() && a.morphs.size() == b.morphs.size() && a.custom == b.custom &&
         is_same_data(a.indices, b.indices) && is_same_data(a.positions, b.positions) &&
         is_same_data(a.normals, b.normals) && is_same_data(a.tangents, b.tangents) &&
         is_same_data(a.texcoords, b.texcoords) && is_same_data(a.smoothing_groups, b.smoothing_groups) &&
         is_same_data(a.skin, b.skin) && is_same_data(a.further_skin, b.further_skin) &&
         is_same_sets(texcoord_sets_of(a), texcoord_sets_of(b)) &&
         is_same_sets(std::span<const mesh::Stream<scene::Vec4>>(a.color_sets),
                      std::span<const mesh::Stream<scene::Vec4>>(b.color_sets));
}

}  // namespace

MeshParts::MeshParts(const MeshSource& source, const Step& step, const MeshRows& containers, MeshReport& report)
    : source_(source), step_(step), containers_(containers), report_(report) {
  source_.raw_texcoords = true;
  source_.attributes = step.settings.mesh.attributes;
  const scene::Scene& scene = source.scene;
  for (std::uint32_t s = 0; s < scene.skins.size(); ++s) skeletons_.push_back(skeleton_of_skin(source, s, report));
  clips_of_skin_.resize(skeletons_.size());
  skin_of_mesh_.assign(scene.meshes.size(), scene::kNone);
  for (const scene::Node& node : scene.nodes) {
    if (node.mesh == scene::kNone || node.skin == scene::kNone) continue;
    std::uint32_t& skin = skin_of_mesh_[node.mesh];
    if (skin == scene::kNone) skin = node.skin;
  }
}

Result<mesh::SubmeshInput> MeshParts::flat_of(std::uint32_t mesh, std::size_t number, std::uint32_t skin) {
  const scene::Scene& scene = source_.scene;
  const scene::Primitive& primitive = scene.meshes[mesh].primitives[number];
  mesh::SubmeshInput s = submesh_of(source_, mesh, number);
  // The chosen set is used for tangents and simplification only: vertices keep every set, and materials say which
  // each texture uses.
  MeshReport kept;
  const ChosenTexcoords chosen = choose_texcoords(source_, primitive, s, kept);
  if (source_.keeps_attributes) {
    keep_attributes(source_, primitive, chosen, s, report_);
  } else {
    keep_numbered(primitive, s);
  }
  if (source_.keeps_morphs) {
    s.morphs = primitive.morphs;
  } else {
    report_.drop("morph targets", s.place, static_cast<std::uint32_t>(primitive.morphs.size()));
  }
  if (skin == scene::kNone || primitive.influences.empty()) return s;
  std::vector<std::uint32_t> map(scene.skins[skin].joints.size());
  std::iota(map.begin(), map.end(), 0u);
  ASSETC_TRY(auto bound, gather_skin(source_, primitive, map, skin, s.place, report_));
  if (bound) s.skin = std::move(bound->skin), s.further_skin = std::move(bound->further);
  return s;
}

// Set n of the source is set n of the output. If attributes are chosen automatically, all sets are kept.
void MeshParts::keep_numbered(const scene::Primitive& primitive, mesh::SubmeshInput& s) {
  const AttributeSelection& selection = source_.attributes;
  const bool is_auto = selection.mode == AttributeSelection::Mode::kAuto;
  const auto keep_sets = [&](const auto& sets, const std::string& prefix, std::size_t always, auto& to) {
    for (std::size_t n = 0; n < sets.size(); ++n) {
      if (sets[n].empty() || !(is_auto || n < always || selection.keeps(prefix + std::to_string(n)))) continue;
      to.resize(n);
      to.emplace_back(sets[n]);
    }
  };
  keep_sets(primitive.texcoords, "TEXCOORD_", 1, s.texcoord_sets);
  keep_sets(primitive.colors, "COLOR_", 0, s.color_sets);
  for (const scene::CustomAttribute& custom : primitive.custom) {
    if (selection.keeps(custom.name)) {
      s.custom.push_back(&custom);
    } else if (is_auto) {
      report_.leave_out(custom.name, s.place + "/attributes/" + custom.name);
    }
  }
}

// Built once, when the first mesh with this skin needs it.
const std::vector<hanim::Clip>& MeshParts::clips_of(std::uint32_t skin) {
  auto& clips = clips_of_skin_[skin];
  MeshReport silent;  // the output of clips reports losses
  if (!clips) clips = build_clips(source_, skeletons_[skin], silent);
  return *clips;
}

const MeshContainer& MeshParts::choose_container(std::uint32_t m) {
  const MeshSettings& settings = step_.settings.mesh;
  const MeshExtent extent = extent_of(source_.scene.meshes[m]);
  const MeshContainer& container = containers_.of(settings, extent);
  source_.keeps_attributes = container.keeps_attributes;
  source_.keeps_morphs = container.keeps_morphs;
  if (settings.lod == MeshLod::kCluster && !extent.fits_clusters())
    report_.note_levels(source_.primitive_place(m, 0), extent);
  return container;
}

Result<std::vector<mesh::SubmeshInput>> MeshParts::submeshes_of(std::uint32_t m) {
  const scene::Mesh& mesh = source_.scene.meshes[m];
  std::vector<mesh::SubmeshInput> flat;
  for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
    if (mesh.primitives[p].indices.empty()) continue;
    ASSETC_TRY(mesh::SubmeshInput submesh, flat_of(m, p, skin_of(m)));
    flat.push_back(std::move(submesh));
  }
  drop_unlike_custom(flat, report_);
  return flat;
}

Result<bool> MeshParts::equals(std::uint32_t m, const FlatScene& flat, const MeshContainer& container) {
  const scene::Scene& scene = source_.scene;
  const scene::Mesh& mesh = scene.meshes[m];
  const auto shows = [&](const scene::Node& node) { return node.mesh == m; };
  if (std::ranges::count_if(scene.nodes, shows) != 1 || &choose_container(m) != &container) return false;
  // A flattened mesh has the weights of the node.
  const std::vector<float>& weights = std::ranges::find_if(scene.nodes, shows)->morph_weights;
  if (!weights.empty() && weights != mesh.morph_weights) return false;
  const std::uint32_t skin = skin_of(m);
  if (flat.skeleton.has_value() != (skin != scene::kNone)) return false;
  if (flat.skeleton && !is_same_data(flat.skeleton->joints, skeletons_[skin].joints)) return false;
  ASSETC_TRY(const std::vector<mesh::SubmeshInput> own, submeshes_of(m));
  return std::ranges::equal(own, flat.submeshes, is_same_submesh);
}

Result<std::optional<MeshParts::Part>> MeshParts::compile(std::uint32_t m, const MaterialTable* shared) {
  const scene::Scene& scene = source_.scene;
  const scene::Mesh& mesh = scene.meshes[m];
  const std::uint32_t skin = skin_of(m);
  const MeshSettings& settings = step_.settings.mesh;
  const MeshContainer& container = choose_container(m);
  ASSETC_TRY(const std::vector<mesh::SubmeshInput> flat, submeshes_of(m));
  if (flat.empty()) {
    report_.drop("meshes without geometry", source_.primitive_place(m, 0));
    return std::nullopt;
  }
  Part part{.mesh = {.stem = step_.stem, .compress = settings.compress, .keeps_area = settings.keep_area},
            .table = shared != nullptr ? *shared : build_material_table(source_, flat, step_.stem),
            .container = &container};
  CompiledMesh& compiled = part.mesh;
  compiled.places = places_of(flat);
  mesh::Mesh& built = compiled.mesh;
  ASSETC_TRY(built, build_submeshes(flat, part.table, settings, container, report_));
  built.materials = part.table.hashes;
  if (source_.keeps_morphs && !mesh.morph_weights.empty()) {
    std::vector<std::uint32_t> nodes;
    for (std::uint32_t n = 0; n < scene.nodes.size(); ++n) {
      if (scene.nodes[n].mesh == m) nodes.push_back(n);
    }
    set_morphs(morphs_of(scene, m, nodes), built);
    // The weights of a node are in the scene.
    for (std::size_t t = 0; t < built.targets.size(); ++t) built.targets[t].weight = mesh.morph_weights[t];
    built.morphs.groups = {{static_cast<std::uint32_t>(built.targets.size()), hmesh::kNoNode}};
    mesh::widen_bounds(built);
  }
  built.names = {};
  built.primitives.names = {};
  if (settings.names) {
    for (const mesh::SubmeshInput& s : flat)
      (s.is_of_triangles() ? built.names.submeshes : built.primitives.names).push_back(s.name);
    for (const std::uint32_t material : part.table.sources)
      built.names.materials.push_back(scene.materials[material].name);
  }
  if (!built.skin.empty()) {
    built.joints = skeletons_[skin].joints;
    if (settings.names && shared != nullptr) built.names.joints = skeletons_[skin].names;
    built.pose_bounds = mesh::pose_bounds(built, clips_of(skin));
  }
  return part;
}

}  // namespace assetc::recipes
