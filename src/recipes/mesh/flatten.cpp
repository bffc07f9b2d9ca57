#include <algorithm>
#include <iterator>

#include "base/plural.hpp"
#include "import/model/source.hpp"
#include "recipes/container/hcluster_morphs.hpp"
#include "recipes/mesh/parts.hpp"
#include "recipes/texture/usage.hpp"

namespace assetc::recipes {
namespace {

using importer::ModelKind;
using scene::Mat4;
using scene::Primitive;
using scene::Vec3;
using scene::Vec4;

struct Draw {
  std::uint32_t mesh;
  std::uint32_t node;
};

// The meshes that are drawn, and their nodes. If no node shows a mesh, the file is a library: every mesh is drawn once.
std::vector<Draw> list_draws(const scene::Scene& scene, bool merge) {
  std::vector<Draw> draws;
  std::vector<bool> reduced(scene.nodes.size(), false);  // nodes that are a level of detail of another node
  for (const scene::Node& node : scene.nodes)
    for (const std::uint32_t level : node.lods) reduced[level] = true;
  const std::vector<bool> hidden = hidden_nodes(scene.nodes);
  bool any_hidden = false;
  for (std::uint32_t n = 0; n < scene.nodes.size(); ++n) {
    if (scene.nodes[n].mesh == scene::kNone || reduced[n]) continue;
    any_hidden = any_hidden || hidden[n];
    if (!hidden[n]) draws.push_back({scene.nodes[n].mesh, n});
  }
  if (draws.empty() && !any_hidden) {
    const bool is_elsewhere =
        std::ranges::any_of(scene.dropped, [](const scene::Dropped& d) { return d.what.starts_with("mesh nodes"); });
    for (std::uint32_t m = 0; m < scene.meshes.size() && !is_elsewhere; ++m) draws.push_back({m, scene::kNone});
  } else if (!merge) {
    std::ranges::stable_sort(draws, {}, &Draw::mesh);
    const auto rest = std::ranges::unique(draws, {}, &Draw::mesh);
    draws.erase(rest.begin(), rest.end());
  }
  return draws;
}

}  // namespace

std::string MeshSource::primitive_place(std::uint32_t mesh, std::size_t primitive) const {
  switch (kind) {
    case ModelKind::kGltf:
      return "/meshes/" + std::to_string(mesh) + "/primitives/" + std::to_string(primitive);
    case ModelKind::kGalileo:
      return "/vertex_groups/" + std::to_string(primitive);
    case ModelKind::kHmesh:
    case ModelKind::kHcluster:
      return "submesh " + std::to_string(primitive) + (mesh == 0 ? "" : " of level " + std::to_string(mesh));
    case ModelKind::kObj:
    case ModelKind::kFbx:
    case ModelKind::kHscene:
      break;
  }
  const std::string& name = scene.meshes[mesh].name;
  return name.empty() ? "the mesh" : "\"" + name + "\"";
}

std::string MeshSource::node_place(std::uint32_t node) const {
  return is_gltf() ? "/nodes/" + std::to_string(node) : "\"" + scene.nodes[node].name + "\"";
}

std::string MeshSource::material_place(std::uint32_t material) const {
  if (is_gltf()) return "/materials/" + std::to_string(material);
  const std::string& name = scene.materials[material].name;
  const bool is_compiled = kind == ModelKind::kGalileo || kind == ModelKind::kHmesh || kind == ModelKind::kHcluster;
  return is_compiled && name.empty() ? "material " + std::to_string(material) : "material \"" + name + "\"";
}

void MeshReport::drop(std::string_view what, std::string_view where, std::uint32_t count) {
  importer::add_dropped(dropped_, what, where, count);
}

void MeshReport::drop_flat(std::string_view what, std::string_view where, std::uint32_t count) {
  loses_much_ = loses_much_ || count != 0;
  importer::add_dropped(flat_dropped_, what, where, count);
}

void MeshReport::drop_all(const scene::Scene& scene) {
  for (const scene::Dropped& d : scene.dropped) {
    if (d.is_minor) {
      importer::add_dropped(flat_dropped_, d.what, d.where, d.count);
    } else if (d.is_in_scene || d.is_in_materials) {
      drop_flat(d.what, d.where, d.count);
    } else {
      drop(d.what, d.where, d.count);
    }
  }
}

void MeshReport::leave_out(std::string_view name, std::string_view where) {
  if (left_out_++ != 0) return;
  first_left_out_ = name;
  first_left_out_place_ = where;
}

void MeshReport::warn(WarningKind kind, std::string place, std::string what, std::string hint) {
  warnings_.push_back(warning(kind, ErrorCode::kInvalidData, std::move(place), std::move(what), std::move(hint)));
}

void MeshReport::warn_flat(WarningKind kind, std::string place, std::string what, std::string hint, bool is_minor) {
  loses_much_ = loses_much_ || !is_minor;
  flat_warnings_.push_back(warning(kind, ErrorCode::kInvalidData, std::move(place), std::move(what), std::move(hint)));
}

void MeshReport::note_levels(std::string place, const MeshExtent& extent) {
  const std::string_view why = extent.has_variants ? "material variants, which clusters cannot hold"
                                                   : "more offsets of morph targets than a page of clusters can hold";
  warnings_.push_back({Severity::kNote, Error{ErrorCode::kUnsupported,
                                              {},
                                              std::move(place),
                                              "has " + std::string(why) + ", so it keeps levels of detail",
                                              {}}});
}

void MeshReport::check_name(std::string place, std::string_view picture, TextureUsage mode, std::string_view what) {
  recipes::check_name(picture, mode, what, std::move(place), warnings_);
}

void MeshReport::keep_in_scene(std::string_view mesh, std::string_view scene) {
  if (!loses_by_flattening()) return;
  std::string place, what;
  const auto add = [&](const std::string& where, const std::string& text) {
    if (what.empty()) place = where;
    what += what.empty() ? "" : "; ";
    what += text;
  };
  for (const Diagnostic& d : flat_warnings_) add(d.what.place, d.what.what + " (" + d.what.place + ")");
  for (const scene::Dropped& d : flat_dropped_) add(d.where, importer::describe(d));
  const bool is_minor = !loses_much_;
  keep_flat();
  what = std::string(mesh) + " lacks what " + std::string(scene) + " keeps: " + what;
  if (is_minor) {
    warnings_.push_back({Severity::kNote, Error{ErrorCode::kInvalidData, {}, std::move(place), std::move(what), {}}});
  } else {
    warn(WarningKind::kFlattened, std::move(place), std::move(what), "load the scene, or accept the loss");
  }
}

std::vector<Diagnostic> MeshReport::take() && {
  std::ranges::move(flat_warnings_, std::back_inserter(warnings_));
  for (const scene::Dropped& d : flat_dropped_) importer::add_dropped(dropped_, d.what, d.where, d.count);
  for (const scene::Dropped& d : dropped_) warnings_.emplace_back(importer::dropped_warning(d));
  dropped_.clear();
  keep_flat();
  if (left_out_ != 0) {
    warnings_.push_back(
        warning(WarningKind::kDroppedAttribute, ErrorCode::kUnsupported, first_left_out_place_,
                plural(left_out_, "vertex attribute") + (left_out_ == 1 ? " is" : " are") +
                    " left out, because no material uses " +
                    (left_out_ == 1 ? "it: " + first_left_out_ : "them; the first is " + first_left_out_),
                "to keep attributes, set mesh.attributes to all or to a list of names"));
    left_out_ = 0;
  }
  return std::move(warnings_);
}

namespace {

// A morphed normal is normalize(n + w d). Its transform is normalize(N n + w N d). As N n is normalized, N d is divided
// by the length of N n. The same holds for tangents.
std::vector<scene::MorphTarget> transformed_morphs(const mesh::SubmeshInput& s, const Mat4& m) {
  std::vector<scene::MorphTarget> out(s.morphs.begin(), s.morphs.end());
  const auto per_length = [](Vec3 v, float length) { return length > 0 ? v * (1 / length) : v; };
  for (scene::MorphTarget& target : out) {
    for (Vec3& d : target.positions) d = transform_direction(m, d);
    for (std::size_t i = 0; i < target.normals.size() && !s.normals.empty(); ++i) {
      Vec3& d = target.normals[i];
      d = per_length(transform_normal(m, d), length(transform_normal(m, s.normals[target.vertices[i]])));
    }
    for (std::size_t i = 0; i < target.tangents.size() && !s.tangents.empty(); ++i) {
      const Vec4 t = s.tangents[target.vertices[i]];
      Vec3& d = target.tangents[i];
      d = per_length(transform_direction(m, d), length(transform_direction(m, {t.x, t.y, t.z})));
    }
  }
  return out;
}

}  // namespace

void transform_submesh(mesh::SubmeshInput& s, const Mat4& m) {
  if (m == Mat4{}) return;
  std::vector<Vec3> positions(s.positions.size());
  std::ranges::transform(s.positions, positions.begin(), [&](Vec3 p) { return transform_point(m, p); });
  std::vector<Vec3> normals(s.normals.size());
  std::ranges::transform(s.normals, normals.begin(), [&](Vec3 n) { return normalize_or(transform_normal(m, n), n); });
  const bool mirrored = determinant3(m) < 0;
  std::vector<Vec4> tangents(s.tangents.size());
  std::ranges::transform(s.tangents, tangents.begin(), [&](Vec4 t) {
    const Vec3 d = normalize_or(transform_direction(m, {t.x, t.y, t.z}), {t.x, t.y, t.z});
    return Vec4{d.x, d.y, d.z, mirrored ? -t.w : t.w};
  });
  if (!s.morphs.empty()) {
    s.morphs = transformed_morphs(s, m);
  }
  if (mirrored && s.is_of_triangles()) {
    std::vector<std::uint32_t> indices(s.indices.begin(), s.indices.end());
    for (std::size_t i = 0; i + 2 < indices.size(); i += 3) std::swap(indices[i + 1], indices[i + 2]);
    s.indices = std::move(indices);
  }
  s.positions = std::move(positions);
  s.normals = std::move(normals);
  s.tangents = std::move(tangents);
}

namespace {

// Makes the submeshes of draws, one draw after the other.
class Flattener {
 public:
  Flattener(const MeshSource& source, bool merge, MeshReport& report)
      : source_(source),
        merge_(merge),
        report_(report),
        world_(world_matrices(source.scene)),
        skeleton_(build_skeleton(source, report)),
        told_(source.scene.meshes.size()) {}

  bool is_skinned() const { return skeleton_.has_value(); }
  std::optional<Skeleton> take_skeleton() { return std::move(skeleton_); }

  // first_morph: the first target of the mesh, if it has any.
  Result<std::vector<mesh::SubmeshInput>> flatten(const Draw& draw, std::uint32_t first_morph) {
    std::vector<mesh::SubmeshInput> flat;
    const scene::Mesh& mesh = source_.scene.meshes[draw.mesh];
    for (std::size_t p = 0; p < mesh.primitives.size(); ++p) {
      const Primitive& primitive = mesh.primitives[p];
      if (primitive.indices.empty()) continue;
      mesh::SubmeshInput s = submesh_of(source_, draw.mesh, p);
      s.node = draw.node;
      // The losses of a primitive are reported once, however often it is drawn.
      MeshReport silent;
      MeshReport& to = told_[draw.mesh] ? silent : report_;
      keep_attributes(source_, primitive, choose_texcoords(source_, primitive, s, to), s, to);
      if (source_.keeps_morphs && first_morph != scene::kNone) {
        s.morphs = primitive.morphs;
        s.first_morph = first_morph;
      } else {
        to.drop("morph targets", s.place, static_cast<std::uint32_t>(primitive.morphs.size()));
      }
      if (skeleton_) {
        ASSETC_CHECK(bind_submesh(source_, *skeleton_, world_, primitive, s, to));
      } else if (merge_ && draw.node != scene::kNone) {
        transform_submesh(s, world_[draw.node]);
      }
      flat.push_back(std::move(s));
    }
    told_[draw.mesh] = true;
    return flat;
  }

 private:
  const MeshSource& source_;
  bool merge_;
  MeshReport& report_;
  std::vector<Mat4> world_;
  std::optional<Skeleton> skeleton_;
  std::vector<bool> told_;
};

enum class Pairing : std::uint8_t { kNone, kByMaterial, kByOrder };

// Gives each submesh its part of a level of detail: the part with the same material, otherwise the part at the same
// position. A level range is drawn with the material of its submesh, so a level with more or fewer parts cannot be
// used.
Pairing add_level(std::vector<mesh::SubmeshInput> level, std::span<mesh::SubmeshInput* const> full) {
  if (level.size() != full.size()) return Pairing::kNone;
  Pairing pairing = Pairing::kByMaterial;
  std::vector<std::size_t> part_of;
  std::vector<bool> used(level.size());
  for (const mesh::SubmeshInput* s : full) {
    std::size_t part = 0;
    while (part < level.size() && (used[part] || level[part].material_slot != s->material_slot)) ++part;
    if (part == level.size()) {
      pairing = Pairing::kByOrder;
      break;
    }
    used[part] = true;
    part_of.push_back(part);
  }
  for (std::size_t s = 0; s < full.size(); ++s)
    full[s]->levels.push_back(std::move(level[pairing == Pairing::kByOrder ? s : part_of[s]]));
  return pairing;
}

// Reports named nodes that no other part of the model needs. Such nodes are usually sockets. One at the place of its
// parent is only a name.
void report_empties(const MeshSource& source, MeshReport& report) {
  const std::vector<scene::Node>& nodes = source.scene.nodes;
  std::vector<bool> kept(nodes.size());  // needed itself, or by a node below it
  for (std::uint32_t n = 0; n < nodes.size(); ++n) {
    const bool has_content = nodes[n].mesh != scene::kNone || nodes[n].camera != scene::kNone ||
                             nodes[n].light != scene::kNone || nodes[n].holds_other;
    if (!has_content) continue;
    for (std::uint32_t up = n; up != scene::kNone && !kept[up]; up = nodes[up].parent) kept[up] = true;
  }
  for (const scene::Skin& skin : source.scene.skins) {
    for (const std::uint32_t joint : skin.joints) {
      for (std::uint32_t up = joint; up != scene::kNone && !kept[up]; up = nodes[up].parent) kept[up] = true;
    }
  }
  std::size_t empties = 0, first = 0;
  bool is_minor = true;
  for (std::size_t n = nodes.size(); n-- > 0;) {
    if (kept[n] || nodes[n].name.empty()) continue;
    ++empties, first = n;
    is_minor = is_minor && nodes[n].local_matrix() == Mat4{};
  }
  if (empties != 0) {
    report.warn_flat(
        WarningKind::kEmptyNodes, source.node_place(static_cast<std::uint32_t>(first)),
        (empties == 1 ? "the empty node \"" : plural(empties, "empty node") + ", of which the first is \"") +
            nodes[first].name + (empties == 1 ? "\" is dropped" : "\", are dropped") + ": a mesh cannot store sockets",
        "make them joints of a skeleton: joints keep their names and transforms", is_minor);
  }
}

// Reports that several placed nodes become one mesh.
void report_tree(const MeshSource& source, std::span<const Draw> draws, MeshReport& report) {
  const std::vector<scene::Node>& nodes = source.scene.nodes;
  const auto placed = [&](const Draw& draw) {
    return draw.node != scene::kNone &&
           (nodes[draw.node].parent != scene::kNone || nodes[draw.node].local_matrix() != scene::Mat4{});
  };
  if (draws.size() > 1 && std::ranges::any_of(draws, placed)) {
    report.warn_flat(WarningKind::kMergedNodes, "/nodes/" + std::to_string(std::ranges::find_if(draws, placed)->node),
                     plural(draws.size(), "node") +
                         " with meshes become one mesh, at the positions that the tree gives them; "
                         "the parts can no longer move separately",
                     "bind moving parts to joints, or export them to separate files");
  }
}

}  // namespace

namespace {

// Of each vertex, how many numbers the offsets of its morph targets have.
std::vector<std::uint32_t> number_counts_of(const Primitive& p) {
  if (p.morphs.empty()) return {};
  std::vector<std::uint32_t> counts(p.positions.size());
  for (const scene::MorphTarget& target : p.morphs) {
    std::uint32_t numbers = 0;
    for (const auto* offsets : {&target.positions, &target.normals, &target.tangents})
      numbers += offsets->empty() ? 0 : 3;
    for (const auto& set : target.texcoords) numbers += set.empty() ? 0 : 2;
    for (const auto& set : target.colors) numbers += set.empty() ? 0 : 4;
    for (const std::uint32_t v : target.vertices) counts[v] += numbers;
  }
  return counts;
}

}  // namespace

MeshExtent extent_of(const scene::Mesh& mesh) {
  MeshExtent extent;
  for (const Primitive& p : mesh.primitives) {
    if (p.indices.empty()) continue;
    ++extent.primitive_count;
    if (p.topology == scene::Topology::kTriangles) extent.triangle_count += p.indices.size() / 3;
    extent.has_variants |= !p.variant_materials.empty();
    extent.has_large_morphs |= !fits_page(number_counts_of(p));
  }
  return extent;
}

MeshExtent extent_of_drawn(const scene::Scene& scene, bool merge) {
  MeshExtent all;
  std::vector<std::optional<MeshExtent>> of_mesh(scene.meshes.size());
  for (const Draw& draw : list_draws(scene, merge)) {
    std::optional<MeshExtent>& known = of_mesh[draw.mesh];
    if (!known) known = extent_of(scene.meshes[draw.mesh]);
    const MeshExtent& one = *known;
    all.triangle_count += one.triangle_count;
    all.primitive_count += one.primitive_count;
    all.has_variants |= one.has_variants;
    all.has_large_morphs |= one.has_large_morphs;
  }
  return all;
}

bool outgrows_flat(const MeshExtent& drawn, const MeshExtent& own) {
  constexpr std::uint64_t kGrowth = 16, kTriangles = 10'000'000, kPrimitives = 1 << 16;
  const auto outgrows = [](std::uint64_t drawn_count, std::uint64_t own_count, std::uint64_t limit) {
    return drawn_count > limit && drawn_count / kGrowth > own_count;
  };
  return outgrows(drawn.triangle_count, own.triangle_count, kTriangles) ||
         outgrows(drawn.primitive_count, own.primitive_count, kPrimitives);
}

mesh::SubmeshInput submesh_of(const MeshSource& source, std::uint32_t mesh, std::size_t primitive) {
  const Primitive& from = source.scene.meshes[mesh].primitives[primitive];
  mesh::SubmeshInput s;
  s.place = source.primitive_place(mesh, primitive);
  s.name = from.name.empty() ? source.scene.meshes[mesh].name : from.name;
  s.material_slot = from.material;
  s.topology = from.topology;
  s.indices = from.indices;
  s.positions = from.positions;
  s.normals = from.normals;
  s.tangents = from.tangents;
  s.smoothing_groups = from.smoothing_groups;
  return s;
}

std::vector<std::string> places_of(std::span<const mesh::SubmeshInput> flat) {
  std::vector<std::string> places, others;
  for (const mesh::SubmeshInput& s : flat) (s.is_of_triangles() ? places : others).push_back(s.place);
  std::ranges::move(others, std::back_inserter(places));
  return places;
}

Result<FlatScene> flatten(const MeshSource& source, bool merge, MeshReport& report) {
  const scene::Scene& scene = source.scene;
  Flattener flattener(source, merge, report);
  const std::vector<Draw> draws = list_draws(scene, merge);
  // The many helpers of an FBX with meshes are no sockets.
  if (source.is_gltf() || (source.kind == ModelKind::kFbx && scene.meshes.empty())) report_empties(source, report);
  if (source.is_gltf() && merge && !flattener.is_skinned()) report_tree(source, draws, report);
  FlatScene flat;
  std::size_t recolored = 0;
  std::string first_recolored;
  for (const Draw& draw : draws) {
    const std::size_t morph_count = source.keeps_morphs ? scene.meshes[draw.mesh].morph_weights.size() : 0;
    const auto first_morph = static_cast<std::uint32_t>(flat.morphs.size());
    if (morph_count != 0) {
      const std::span<const std::uint32_t> nodes(&draw.node, draw.node == scene::kNone ? 0 : 1);
      std::ranges::move(morphs_of(scene, draw.mesh, nodes), std::back_inserter(flat.morphs));
      flat.morph_groups.push_back({draw.node, first_morph, static_cast<std::uint32_t>(morph_count)});
    }
    ASSETC_TRY(std::vector<mesh::SubmeshInput> full, flattener.flatten(draw, first_morph));
    if (draw.node != scene::kNone) {
      std::vector<mesh::SubmeshInput*> triangles;
      for (mesh::SubmeshInput& s : full) {
        if (s.is_of_triangles()) triangles.push_back(&s);
      }
      for (const std::uint32_t node : scene.nodes[draw.node].lods) {
        // A level of detail is moved by the weights of the full mesh, so it needs the same targets.
        const std::size_t targets = scene.meshes[scene.nodes[node].mesh].morph_weights.size();
        const std::uint32_t first_of_level = targets <= morph_count ? first_morph : scene::kNone;
        ASSETC_TRY(std::vector<mesh::SubmeshInput> level,
                   flattener.flatten({scene.nodes[node].mesh, node}, first_of_level));
        const std::string place = source.node_place(node);
        // Points and lines of the full mesh are drawn at every level.
        const std::size_t others =
            std::erase_if(level, [](const mesh::SubmeshInput& s) { return !s.is_of_triangles(); });
        if (others > full.size() - triangles.size()) {
          report.drop_flat("point and line primitives that only a level of detail has", place,
                           static_cast<std::uint32_t>(others - (full.size() - triangles.size())));
        }
        const Pairing pairing = add_level(std::move(level), triangles);
        if (pairing == Pairing::kByOrder && recolored++ == 0) first_recolored = place;
        if (pairing != Pairing::kNone) continue;
        report.warn_flat(
            WarningKind::kLevelParts, place,
            "the level of detail has more or fewer parts than the full mesh; it and all coarser levels are ignored",
            "give all levels the same materials");
        break;
      }
    }
    std::ranges::move(full, std::back_inserter(flat.submeshes));
  }
  if (recolored != 0) {
    report.warn_flat(WarningKind::kLevelMaterials, first_recolored,
                     std::to_string(recolored) + (recolored == 1 ? " level of detail has" : " levels of detail have") +
                         " other materials than the full mesh, and will be drawn with the materials of the full mesh",
                     "give all levels the same materials");
  }
  drop_unlike_custom(flat.submeshes, report);
  flat.skeleton = flattener.take_skeleton();
  return flat;
}

}  // namespace assetc::recipes
