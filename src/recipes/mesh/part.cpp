#include "recipes/mesh/part.hpp"

#include <numeric>

#include "mesh/morph_bounds.hpp"
#include "mesh/pose_bounds.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/mesh/model.hpp"

namespace assetc::recipes {

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

Result<std::optional<MeshParts::Part>> MeshParts::compile(std::uint32_t m, const MaterialTable* shared) {
  const scene::Scene& scene = source_.scene;
  const scene::Mesh& mesh = scene.meshes[m];
  const std::uint32_t skin = skin_of(m);
  const MeshSettings& settings = step_.settings.mesh;
  const MeshExtent extent = extent_of(mesh);
  const MeshContainer& container = containers_.of(settings, extent);
  source_.keeps_attributes = container.keeps_attributes;
  source_.keeps_morphs = container.keeps_morphs;
  if (settings.lod == MeshLod::kCluster && !extent.fits_clusters())
    report_.note_levels(source_.primitive_place(m, 0), extent);
  std::vector<mesh::SubmeshInput> flat;
  for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
    if (mesh.primitives[p].indices.empty()) continue;
    ASSETC_TRY(mesh::SubmeshInput submesh, flat_of(m, p, skin));
    flat.push_back(std::move(submesh));
  }
  drop_unlike_custom(flat, report_);
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
