#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/plural.hpp"
#include "formats/chunk_array.hpp"
#include "formats/hscene_chunks.hpp"
#include "formats/mesh_rules.hpp"
#include "formats/reader.hpp"
#include "formats/text.hpp"

namespace assetc::hscene {

using namespace formats;

// Opens one file. Each step relies on the checks of the steps before it.
class Opener {
 public:
  explicit Opener(ByteSpan file) : file_(file), place_(file) {}

  Result<View> open() {
    ASSETC_TRY(table_, chunks::open_table(file_, kVersion, kFormat));
    ASSETC_CHECK(open_arrays());
    ASSETC_CHECK(open_texts());
    ASSETC_CHECK(check_desc());
    ASSETC_CHECK(check_nodes());
    ASSETC_CHECK(check_details());
    ASSETC_CHECK(check_meshes());
    ASSETC_CHECK(check_skins());
    ASSETC_CHECK(check_cameras());
    ASSETC_CHECK(check_lights());
    ASSETC_CHECK(check_materials());
    ASSETC_CHECK(check_variants());
    ASSETC_CHECK(check_clips());
    ASSETC_CHECK(check_names());
    return std::move(view_);
  }

 private:
  template <class T>
  Result<void> array(std::uint32_t id, std::span<const T>& out) {
    ASSETC_TRY(out, chunk_array<T>(file_, table_, id));
    return {};
  }

  std::uint64_t offset_of(ByteSpan bytes) const { return static_cast<std::uint64_t>(bytes.data() - file_.data()); }

  Result<void> open_arrays() {
    std::span<const SceneDesc> desc;
    ASSETC_CHECK(array(kDescId, desc));
    if (desc.size() != 1) {
      return invalid(sizeof(chunks::FileHeader),
                     message("found ", counted(desc.size(), "scene descriptor"), ", expected one"));
    }
    view_.desc_ = desc.data();
    ASSETC_CHECK(array(kNodesId, view_.nodes_));
    ASSETC_CHECK(array(kMatricesId, view_.matrices_));
    ASSETC_CHECK(array(kWeightsId, view_.weights_));
    ASSETC_CHECK(array(kByNameId, view_.by_name_));
    ASSETC_CHECK(array(kMeshesId, view_.meshes_));
    ASSETC_CHECK(array(kSkinsId, view_.skins_));
    ASSETC_CHECK(array(kJointsId, view_.joints_));
    ASSETC_CHECK(array(kInverseBindId, view_.inverse_bind_));
    ASSETC_CHECK(array(kCamerasId, view_.cameras_));
    ASSETC_CHECK(array(kLightsId, view_.lights_));
    ASSETC_CHECK(array(kMaterialsId, view_.materials_));
    ASSETC_CHECK(array(kParametersId, view_.parameters_));
    ASSETC_CHECK(array(kTexturesId, view_.textures_));
    ASSETC_CHECK(array(kVariantsId, view_.variants_));
    ASSETC_CHECK(array(kVariantMaterialsId, view_.variant_materials_));
    ASSETC_CHECK(array(kClipsId, view_.clips_));
    ASSETC_CHECK(array(kClipNodesId, view_.clip_nodes_));
    if (!view_.inverse_bind_.empty() && view_.inverse_bind_.size() != view_.joints_.size()) {
      return invalid(place_(view_.inverse_bind_[0]),
                     message("found ", counted(view_.inverse_bind_.size(), "matrix"), " of joints, expected ",
                             view_.joints_.size(), " or none"));
    }
    return {};
  }

  Result<void> open_texts() {
    ASSETC_TRY(const ByteSpan bytes, chunk_payload(file_, table_, kTextsId));
    const std::uint64_t place = bytes.empty() ? sizeof(chunks::FileHeader) : offset_of(bytes);
    const std::uint32_t count = bytes.size() < 4 ? 0 : load<std::uint32_t>(bytes);
    const std::uint64_t head_bytes = 4 + std::uint64_t{4} * count;
    if (bytes.size() < head_bytes) {
      return fail_at(ErrorCode::kTruncated, byte_place(place),
                     message("found ", counted(bytes.size(), "byte"), " of TEXT, expected at least ", head_bytes),
                     kDamagedHint);
    }
    view_.text_ends_ = {reinterpret_cast<const std::uint32_t*>(bytes.data() + 4), count};
    view_.text_ = as_text(bytes.subspan(static_cast<std::size_t>(head_bytes)));
    std::uint32_t previous = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t end = view_.text_ends_[i];
      if (end < previous || end > view_.text_.size()) {
        return invalid(place_(view_.text_ends_[i]), message("found the end of text ", i, " at ", end, ", expected ",
                                                            previous, " to ", view_.text_.size()));
      }
      if (!is_utf8(view_.text_.substr(previous, end - previous)))
        return invalid(place_(view_.text_ends_[i]), message("text ", i, " is not UTF-8"));
      previous = end;
    }
    if (previous != view_.text_.size()) {
      return invalid(place + head_bytes + previous,
                     message("found ", counted(view_.text_.size() - previous, "extra byte"),
                             " of text, expected the end of TEXT"));
    }
    return {};
  }

  // An index of an array, or none.
  Result<void> below(const std::uint32_t& index, std::size_t count, std::string_view what) const {
    if (index == kNone || index < count) return {};
    return invalid(place_(index), message("found ", what, " ", index, ", expected less than ", count));
  }
  Result<void> some_below(const std::uint32_t& index, std::size_t count, std::string_view what) const {
    if (index < count) return {};
    return invalid(place_(index), message("found ", what, " ", index, ", expected less than ", count));
  }
  Result<void> text(const std::uint32_t& index) const { return below(index, view_.text_ends_.size(), "text"); }
  Result<void> range(const std::uint32_t& first, std::uint32_t size, std::size_t count, std::string_view what) const {
    if (std::uint64_t{first} + size <= count) return {};
    return invalid(place_(first), message("found ", what, " ", first, " to ", std::uint64_t{first} + size,
                                          ", expected at most ", count));
  }
  template <class T>
  Result<void> finite(const T& owner, std::span<const float> values, std::string_view what) const {
    if (std::ranges::all_of(values, [](float v) { return std::isfinite(v); })) return {};
    return invalid(place_(owner), message(what, " holds a number that is not finite"));
  }
  template <class T>
  Result<void> zero(const T& reserved) const {
    if (std::ranges::all_of(reserved, [](std::uint8_t b) { return b == 0; })) return {};
    return invalid(place_(reserved), "found a byte that is not 0 in a reserved place, expected 0");
  }
  Result<void> flags(const std::uint32_t& flags, std::uint32_t known) const {
    if ((flags & ~known) == 0) return {};
    return invalid(place_(flags), message("found flags ", flags, ", expected only bits of ", known));
  }
  Result<void> ref(const Ref& ref) const {
    if (view_.has_uuids() || std::all_of(ref.bytes.begin() + 8, ref.bytes.end(), [](std::uint8_t b) { return b == 0; }))
      return {};
    return invalid(place_(ref), "found a ref of 16 bytes, expected a hash of 8 bytes and zeros");
  }
  Result<void> box(const Box& box, bool is_valid) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float low = box.low[axis], high = box.high[axis];
      if (!std::isfinite(low) || !std::isfinite(high) || (is_valid && low > high))
        return invalid(place_(box),
                       message("found a box from ", low, " to ", high, ", expected finite ascending ends"));
    }
    return {};
  }

  Result<void> check_desc() const {
    const SceneDesc& d = *view_.desc_;
    ASSETC_CHECK(flags(d.flags, SceneDesc::kUuids | SceneDesc::kHasBox));
    ASSETC_CHECK(text(d.name));
    ASSETC_CHECK(text(d.extra));
    ASSETC_CHECK(text(d.asset_extra));
    ASSETC_CHECK(box(d.box, (d.flags & SceneDesc::kHasBox) != 0));
    return zero(d.reserved);
  }

  Result<void> check_nodes() const {
    const std::span<const Node> nodes = view_.nodes_;
    for (const Matrix& m : view_.matrices_) ASSETC_CHECK(finite(m, m, "the matrix"));
    for (const float& w : view_.weights_) ASSETC_CHECK(finite(w, {&w, 1}, "the weight"));
    // The node whose range the next node must be in. Ranges nest, so leaving it is a step to its parent.
    std::int32_t inside = Node::kNoParent;
    for (std::uint32_t n = 0; n < nodes.size(); ++n) {
      const Node& node = nodes[n];
      while (inside >= 0 && nodes[static_cast<std::uint32_t>(inside)].end == n)
        inside = nodes[static_cast<std::uint32_t>(inside)].parent;
      if (node.parent != inside) {
        return invalid(place_(node.parent), message("node ", n, " has parent ", node.parent, ", expected ", inside,
                                                    ", the node in whose range it lies"));
      }
      const std::size_t limit = inside < 0 ? nodes.size() : nodes[static_cast<std::uint32_t>(inside)].end;
      if (node.end <= n || node.end > limit) {
        return invalid(place_(node.end),
                       message("the nodes below node ", n, " end at ", node.end, ", expected ", n + 1, " to ", limit));
      }
      if (node.end > n + 1) inside = static_cast<std::int32_t>(n);
      ASSETC_CHECK(below(node.mesh, view_.meshes_.size(), "mesh"));
      ASSETC_CHECK(below(node.skin, view_.skins_.size(), "skin"));
      ASSETC_CHECK(below(node.camera, view_.cameras_.size(), "camera"));
      ASSETC_CHECK(below(node.light, view_.lights_.size(), "light"));
      ASSETC_CHECK(below(node.matrix, view_.matrices_.size(), "matrix"));
      ASSETC_CHECK(below(node.detail_of, nodes.size(), "node"));
      ASSETC_CHECK(text(node.name));
      ASSETC_CHECK(text(node.extra));
      ASSETC_CHECK(range(node.first_weight, node.weight_count, view_.weights_.size(), "weights"));
      ASSETC_CHECK(flags(node.flags, Node::kHidden | Node::kHasBox));
      ASSETC_CHECK(box(node.box, node.has_box()));
      const Transform& t = node.transform;
      ASSETC_CHECK(finite(node, t.translation, "the translation"));
      ASSETC_CHECK(finite(node, t.rotation, "the rotation"));
      ASSETC_CHECK(finite(node, t.scale, "the scale"));
      ASSETC_CHECK(zero(node.reserved));
    }
    return {};
  }

  Result<void> check_details() const {
    for (const Node& node : view_.nodes_) {
      if (node.detail_of == kNone) continue;
      const Node& full = view_.nodes_[node.detail_of];
      if (full.detail_of == kNone && &full != &node && node.mesh != kNone) continue;
      return invalid(place_(node.detail_of), message("found a node that replaces node ", node.detail_of,
                                                     ", expected one with a mesh that replaces a node of full detail"));
    }
    return {};
  }

  Result<void> check_meshes() const {
    for (const Mesh& mesh : view_.meshes_) {
      ASSETC_CHECK(ref(mesh.file));
      ASSETC_CHECK(box(mesh.box, !mesh.file.is_none()));
      ASSETC_CHECK(text(mesh.name));
      ASSETC_CHECK(text(mesh.extra));
      ASSETC_CHECK(zero(mesh.reserved));
    }
    return {};
  }

  Result<void> check_skins() const {
    for (const Skin& skin : view_.skins_) {
      ASSETC_CHECK(ref(skin.skeleton));
      ASSETC_CHECK(text(skin.name));
      ASSETC_CHECK(text(skin.extra));
      ASSETC_CHECK(range(skin.first_joint, skin.joint_count, view_.joints_.size(), "joints"));
    }
    for (const std::uint32_t& node : view_.joints_) ASSETC_CHECK(some_below(node, view_.nodes_.size(), "node"));
    for (const Matrix& m : view_.inverse_bind_) ASSETC_CHECK(finite(m, m, "the matrix"));
    return {};
  }

  Result<void> check_cameras() const {
    for (const Camera& c : view_.cameras_) {
      if (c.type > CameraType::kOrthographic) {
        return invalid(place_(c.type),
                       message("found camera type ", static_cast<std::uint32_t>(c.type), ", expected 0 or 1"));
      }
      const float values[] = {c.y_fov_radians, c.aspect_ratio, c.x_magnification, c.y_magnification, c.z_near, c.z_far};
      ASSETC_CHECK(finite(c, values, "the camera"));
      ASSETC_CHECK(text(c.name));
      ASSETC_CHECK(text(c.extra));
      ASSETC_CHECK(zero(c.reserved));
    }
    return {};
  }

  Result<void> check_lights() const {
    for (const Light& l : view_.lights_) {
      if (l.type > LightType::kSpot) {
        return invalid(place_(l.type),
                       message("found light type ", static_cast<std::uint32_t>(l.type), ", expected 0 to 2"));
      }
      const float values[] = {l.color[0], l.color[1],           l.color[2],          l.intensity,
                              l.range,    l.inner_cone_radians, l.outer_cone_radians};
      ASSETC_CHECK(finite(l, values, "the light"));
      ASSETC_CHECK(text(l.name));
      ASSETC_CHECK(text(l.extra));
      ASSETC_CHECK(zero(l.reserved));
    }
    return {};
  }

  Result<void> check_materials() const {
    for (const Material& m : view_.materials_) {
      ASSETC_CHECK(ref(m.file));
      ASSETC_CHECK(text(m.name));
      ASSETC_CHECK(text(m.extra));
      ASSETC_CHECK(range(m.first_parameter, m.parameter_count, view_.parameters_.size(), "parameters"));
      ASSETC_CHECK(range(m.first_texture, m.texture_count, view_.textures_.size(), "textures"));
    }
    for (const Parameter& p : view_.parameters_) {
      ASSETC_CHECK(text(p.name));
      if (p.component_count < 1 || p.component_count > 4) {
        return invalid(place_(p.component_count),
                       message("found ", counted(p.component_count, "component"), ", expected 1 to 4"));
      }
      ASSETC_CHECK(finite(p, p.value, "the parameter"));
    }
    for (const Texture& t : view_.textures_) {
      ASSETC_CHECK(text(t.name));
      ASSETC_CHECK(ref(t.file));
      const float values[] = {t.offset[0], t.offset[1], t.rotation_radians, t.scale[0], t.scale[1]};
      ASSETC_CHECK(finite(t, values, "the texture transform"));
      ASSETC_CHECK(zero(t.reserved));
    }
    return {};
  }

  Result<void> check_variants() const {
    for (const std::uint32_t& name : view_.variants_) ASSETC_CHECK(text(name));
    const VariantMaterial* before = nullptr;
    for (const VariantMaterial& v : view_.variant_materials_) {
      ASSETC_CHECK(some_below(v.mesh, view_.meshes_.size(), "mesh"));
      ASSETC_CHECK(some_below(v.submesh, view_.meshes_[v.mesh].submesh_count, "submesh"));
      ASSETC_CHECK(some_below(v.variant, view_.variants_.size(), "variant"));
      ASSETC_CHECK(below(v.material, view_.materials_.size(), "material"));
      const auto key = [](const VariantMaterial& m) { return std::tuple(m.mesh, m.submesh, m.variant); };
      if (before != nullptr && key(*before) >= key(v))
        return invalid(place_(v), "variant materials are out of order, expected each once, ascending");
      before = &v;
    }
    return {};
  }

  Result<void> check_clips() const {
    for (const Clip& clip : view_.clips_) {
      ASSETC_CHECK(ref(clip.file));
      ASSETC_CHECK(text(clip.name));
      ASSETC_CHECK(text(clip.extra));
      ASSETC_CHECK(range(clip.first_node, clip.node_count, view_.clip_nodes_.size(), "nodes of a clip"));
      ASSETC_CHECK(finite(clip, {&clip.duration_seconds, 1}, "the duration"));
      ASSETC_CHECK(zero(clip.reserved));
      const std::span<const std::uint32_t> nodes = view_.clip_nodes(clip);
      const auto repeated = std::ranges::adjacent_find(nodes, std::ranges::greater_equal());
      if (repeated != nodes.end()) return invalid(place_(*repeated), "the nodes of a clip are not ascending");
    }
    for (const std::uint32_t& node : view_.clip_nodes_) ASSETC_CHECK(some_below(node, view_.nodes_.size(), "node"));
    return {};
  }

  Result<void> check_names() const {
    const auto named = static_cast<std::size_t>(
        std::ranges::count_if(view_.nodes_, [](const Node& node) { return node.name != kNone; }));
    if (view_.by_name_.size() != named) {
      return invalid(sizeof(chunks::FileHeader), message("BYNM lists ", counted(view_.by_name_.size(), "node"),
                                                         ", expected ", named, ", those with a name"));
    }
    for (std::size_t i = 0; i < view_.by_name_.size(); ++i) {
      const std::uint32_t& node = view_.by_name_[i];
      ASSETC_CHECK(some_below(node, view_.nodes_.size(), "node"));
      if (view_.nodes_[node].name == kNone) return invalid(place_(node), message("node ", node, " has no name"));
      if (i == 0) continue;
      const std::uint32_t before = view_.by_name_[i - 1];
      if (std::tuple(view_.node_name(before), before) >= std::tuple(view_.node_name(node), node))
        return invalid(place_(node), "the nodes of BYNM are out of order");
    }
    return {};
  }

  ByteSpan file_;
  Places place_;
  std::span<const chunks::ChunkEntry> table_;
  View view_;
};

Result<View> View::open(ByteSpan file) { return Opener(file).open(); }

std::string_view View::text(std::uint32_t index) const {
  if (index == kNone) return {};
  const std::uint32_t begin = index == 0 ? 0 : text_ends_[index - 1];
  return text_.substr(begin, text_ends_[index] - begin);
}

Matrix View::local_matrix(std::uint32_t node) const {
  const Node& of = nodes_[node];
  return of.matrix != kNone ? matrices_[of.matrix] : to_matrix(of.transform);
}

std::uint32_t View::variant_material(std::uint32_t mesh, std::uint32_t submesh, std::uint32_t variant) const {
  const auto key = [](const VariantMaterial& m) { return std::tuple(m.mesh, m.submesh, m.variant); };
  const auto found = std::ranges::lower_bound(variant_materials_, std::tuple(mesh, submesh, variant), {}, key);
  return found != variant_materials_.end() && key(*found) == std::tuple(mesh, submesh, variant) ? found->material
                                                                                                : kNone;
}

std::span<const std::uint32_t> View::named(std::string_view name) const {
  const auto found = std::ranges::equal_range(by_name_, name, {}, [&](std::uint32_t n) { return node_name(n); });
  return {found.begin(), found.end()};
}

std::optional<std::uint32_t> View::find(std::string_view name) const {
  const auto found = named(name);
  if (found.empty()) return std::nullopt;
  return found.front();
}

// Whether the path ends with the names of the node and of nodes above it, and nothing is left.
bool View::ends_path(std::uint32_t node, std::string_view path) const {
  while (true) {
    const std::string_view name = node_name(node);
    if (!path.ends_with(name)) return false;
    path.remove_suffix(name.size());
    if (path.empty()) return true;
    if (!path.ends_with('/') || nodes_[node].parent < 0) return false;
    path.remove_suffix(1);
    node = static_cast<std::uint32_t>(nodes_[node].parent);
  }
}

std::optional<std::uint32_t> View::find_path(std::string_view path) const {
  std::optional<std::uint32_t> first;
  if (path.empty()) return first;
  // The last name may contain '/', so every '/' may be the one before it, and the name may begin with one.
  for (std::size_t slash = path.size(); slash != std::string_view::npos;) {
    slash = slash == 0 ? std::string_view::npos : path.rfind('/', slash - 1);
    const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
    for (const std::uint32_t node : named(name)) {
      if ((!first || node < *first) && ends_path(node, path)) first = node;
    }
  }
  return first;
}

}  // namespace assetc::hscene
