#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>

#include "base/plural.hpp"
#include "import/gltf/parts.hpp"
#include "import/model/finite.hpp"
#include "import/model/repair.hpp"

namespace assetc::importer {
namespace {

using scene::Primitive;
using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

// These are read in place as rows of floats.
static_assert(sizeof(Vec2) == 8 && sizeof(Vec3) == 12 && sizeof(Vec4) == 16);

constexpr std::uint32_t kMaxSets = 8;  // of TEXCOORD_n, COLOR_n, JOINTS_n

enum class Mode : std::uint8_t { kPoints, kLines, kLineLoop, kLineStrip, kTriangles, kStrip, kFan };

struct Attribute {
  std::string semantic;
  std::string place;
  Accessor accessor;
};

template <class V>
std::span<float> floats_of(std::vector<V>& rows) {
  return {reinterpret_cast<float*>(rows.data()), rows.size() * (sizeof(V) / sizeof(float))};
}

// The number of a set: "TEXCOORD_1" with the prefix "TEXCOORD_" is 1.
std::optional<std::uint32_t> set_number(std::string_view semantic, std::string_view prefix) {
  if (!semantic.starts_with(prefix)) return std::nullopt;
  std::uint32_t n = 0;
  const auto [end, error] = std::from_chars(semantic.data() + prefix.size(), semantic.data() + semantic.size(), n);
  if (error != std::errc() || end != semantic.data() + semantic.size()) return std::nullopt;
  return n;
}

Result<void> expect_rows(const Attribute& a, std::size_t low, std::size_t high) {
  if (a.accessor.columns == 1 && a.accessor.rows >= low && a.accessor.rows <= high) return {};
  return fail_at(ErrorCode::kInvalidData, a.place,
                 a.accessor.place + " is " + a.accessor.type_name() + ", expected VEC" + std::to_string(low) +
                     (low == high ? "" : " or VEC" + std::to_string(high)));
}

// Limits an accessor without sparse data to the elements [first, first + count).
void narrow(Accessor& a, std::uint64_t first, std::uint64_t count) {
  if (!a.data.empty()) {
    a.data = a.data.slice(static_cast<std::size_t>(first) * a.stride_bytes,
                          static_cast<std::size_t>(count - 1) * a.stride_bytes + a.element_bytes());
  }
  a.count = count;
}

class PrimitiveReader {
 public:
  PrimitiveReader(GltfContext& context, const Value& json) : context_(context), json_(json) {}

  // A primitive without vertices is returned empty, so that the indices of primitives do not change.
  Result<Primitive> read() {
    ASSETC_TRY(out_.material, json_.index_or_none("material", context_.out.scene.materials.size(), "materials"));
    ASSETC_TRY(const std::uint64_t mode, json_.uint_or("mode", 4));
    if (mode > 6)
      return fail_at(ErrorCode::kInvalidData, json_.pointer() + "/mode",
                     "found " + std::to_string(mode) + ", expected 0 to 6");
    mode_ = static_cast<Mode>(mode);
    if (mode_ < Mode::kTriangles) {
      out_.topology = mode_ == Mode::kPoints ? scene::Topology::kPoints : scene::Topology::kLines;
      if (json_.extension("KHR_draco_mesh_compression")) {
        context_.drop("point and line primitives with KHR_draco_mesh_compression", json_.pointer());
        out_.topology = scene::Topology::kTriangles;
        return out_;
      }
    }
    ASSETC_TRY(const bool has_vertices, collect_attributes());
    if (!has_vertices) {
      ASSETC_TRY(const std::uint32_t index,
                 json_.index_or_none("indices", context_.data.accessor_count(), "accessors"));
      if (index != scene::kNone) ASSETC_CHECK(context_.data.accessor(index));
      context_.drop("primitives without vertices", json_.pointer());
      return out_;
    }
    ASSETC_CHECK(read_indices());
    if (out_.indices.empty()) {
      context_.drop("primitives without a whole triangle, line or point", json_.pointer());
      return out_;
    }
    ASSETC_CHECK(narrow_to_used());
    for (const Attribute& a : attributes_) ASSETC_CHECK(read_attribute(a));
    ASSETC_TRY(out_.morphs, read_morphs(context_, json_, first_vertex_, vertex_count_, full_vertex_count_));
    return finish();
  }

 private:
  Result<bool> collect_attributes() {
    ASSETC_TRY(const Value attributes, json_.get("attributes"));
    if (!attributes.is_object()) return attributes.refuse(ErrorCode::kInvalidData, "expected an object of attributes");
    if (const auto extension = json_.extension("KHR_draco_mesh_compression")) {
      ASSETC_TRY(DracoPrimitive draco, decode_draco(context_, json_, *extension));
      for (auto& a : draco.attributes) {
        std::string place = attributes.pointer() + "/" + pointer_token(a.semantic);
        attributes_.push_back({std::move(a.semantic), std::move(place), std::move(a.accessor)});
      }
      out_.indices = std::move(draco.indices);
      has_decoded_indices_ = true;
    }
    std::optional<Error> error;
    attributes.for_each_member([&](std::string_view semantic, const Value&) {
      if (error || find(semantic) != nullptr) return;
      const auto add = [&]() -> Result<void> {
        ASSETC_TRY(const std::uint32_t index,
                   attributes.get_index(semantic, context_.data.accessor_count(), "accessors"));
        const std::string place = attributes.pointer() + "/" + pointer_token(semantic);
        if (!is_known(semantic) && !is_custom(semantic)) {
          context_.drop("attribute " + std::string(semantic), place);
          return {};
        }
        ASSETC_TRY(Accessor accessor, context_.data.accessor(index));
        attributes_.push_back({std::string(semantic), place, std::move(accessor)});
        return {};
      };
      if (auto added = add(); !added) error = std::move(added).error();
    });
    if (error) return std::unexpected(std::move(*error));
    const Attribute* positions = find("POSITION");
    if (positions == nullptr || positions->accessor.count == 0) return false;
    vertex_count_ = full_vertex_count_ = positions->accessor.count;
    for (const Attribute& a : attributes_) {
      if (a.accessor.count == vertex_count_) continue;
      return fail_at(ErrorCode::kInvalidData, a.place,
                     "found " + counted(a.accessor.count, "element") + ", expected " + std::to_string(vertex_count_) +
                         ", as many as POSITION has");
    }
    return true;
  }

  static bool is_known(std::string_view semantic) {
    if (semantic == "POSITION" || semantic == "NORMAL" || semantic == "TANGENT") return true;
    for (std::string_view prefix : {"TEXCOORD_", "COLOR_", "JOINTS_", "WEIGHTS_"}) {
      if (const auto n = set_number(semantic, prefix)) return *n < kMaxSets;
    }
    return false;
  }

  // An attribute of the application. Its name is also a name in other files, so it must be plain text.
  static bool is_custom(std::string_view semantic) {
    constexpr std::size_t kLongestName = 256;
    return semantic.starts_with('_') && semantic.size() > 1 && semantic.size() <= kLongestName &&
           std::ranges::all_of(semantic, [](char c) { return static_cast<unsigned char>(c) > ' ' && c != 0x7F; });
  }

  const Attribute* find(std::string_view semantic) const {
    const auto at = std::ranges::find(attributes_, semantic, &Attribute::semantic);
    return at == attributes_.end() ? nullptr : &*at;
  }

  Result<void> read_indices() {
    ASSETC_TRY(const std::uint32_t index, json_.index_or_none("indices", context_.data.accessor_count(), "accessors"));
    const std::string place = json_.pointer() + "/indices";
    std::vector<std::uint32_t> list;
    if (has_decoded_indices_) {
      list = std::move(out_.indices);
      mode_ = Mode::kTriangles;
    } else if (index != scene::kNone) {
      ASSETC_TRY(const Accessor accessor, context_.data.accessor(index));
      const bool is_unsigned = accessor.component == Component::kU8 || accessor.component == Component::kU16 ||
                               accessor.component == Component::kU32;
      if (!is_unsigned || accessor.components() != 1) {
        return fail_at(ErrorCode::kInvalidData, place,
                       accessor.place + " is " + accessor.type_name() + ", expected SCALAR of an unsigned type");
      }
      ASSETC_CHECK(context_.data.budget().take(accessor.count, 4, place));
      list.resize(static_cast<std::size_t>(accessor.count));
      ASSETC_CHECK(read_uints(accessor, 1, list));
    } else {
      ASSETC_CHECK(context_.data.budget().take(vertex_count_, 4, place));
      list.resize(static_cast<std::size_t>(vertex_count_));
      for (std::size_t i = 0; i < list.size(); ++i) list[i] = static_cast<std::uint32_t>(i);
    }
    std::uint32_t largest = 0;
    for (std::uint32_t i : list) largest = std::max(largest, i);
    if (!list.empty() && largest >= vertex_count_) {
      const auto at = std::ranges::find_if(list, [&](std::uint32_t i) { return i >= vertex_count_; }) - list.begin();
      return fail_at(ErrorCode::kInvalidData, place,
                     "index " + std::to_string(at) + " is " + std::to_string(list[static_cast<std::size_t>(at)]) +
                         ", expected less than " + std::to_string(vertex_count_) + ", the number of vertices");
    }
    return mode_ < Mode::kTriangles ? to_lines(std::move(list), place) : to_triangles(std::move(list), place);
  }

  // Points stay as they are. Strips and loops become lists of lines.
  Result<void> to_lines(std::vector<std::uint32_t> list, const std::string& place) {
    if (mode_ == Mode::kLines && list.size() % 2 != 0) {
      context_.warn(WarningKind::kRepairedMesh, ErrorCode::kInvalidData, place,
                    "found " + counted(list.size(), "index") +
                        " of a line list, expected a multiple of 2; the incomplete line is left out");
      list.pop_back();
    }
    if (mode_ == Mode::kPoints || mode_ == Mode::kLines) {
      out_.indices = std::move(list);
      return {};
    }
    ASSETC_CHECK(context_.data.budget().take(list.size(), 8, place));
    out_.indices.reserve(list.size() * 2);
    for (std::size_t i = 1; i < list.size(); ++i) out_.indices.insert(out_.indices.end(), {list[i - 1], list[i]});
    if (mode_ == Mode::kLineLoop && list.size() > 1)
      out_.indices.insert(out_.indices.end(), {list.back(), list.front()});
    return {};
  }

  Result<void> to_triangles(std::vector<std::uint32_t> list, const std::string& place) {
    if (mode_ == Mode::kTriangles) {
      if (list.size() % 3 != 0) {
        context_.warn(WarningKind::kRepairedMesh, ErrorCode::kInvalidData, place,
                      "found " + counted(list.size(), "index") +
                          " of a triangle list, expected a multiple of 3; the incomplete triangle is left out");
        list.resize(list.size() / 3 * 3);
      }
      out_.indices = std::move(list);
      return {};
    }
    const std::size_t triangle_count = list.size() < 3 ? 0 : list.size() - 2;
    ASSETC_CHECK(context_.data.budget().take(triangle_count, 12, place));
    out_.indices.reserve(triangle_count * 3);
    for (std::size_t i = 0; i < triangle_count; ++i) {
      // glTF 2.0, 3.7.2.1: the winding of every second triangle of a strip is reversed.
      std::uint32_t a = list[i], b = list[i + 1 + i % 2], c = list[i + 2 - i % 2];
      if (mode_ == Mode::kFan) a = list[i + 1], b = list[i + 2], c = list[0];
      if (a == b || b == c || c == a) continue;  // joins of strips
      out_.indices.insert(out_.indices.end(), {a, b, c});
    }
    return {};
  }

  // Exporters let many primitives share one long accessor. Only the vertices that this primitive uses are read.
  Result<void> narrow_to_used() {
    const bool sparse =
        std::ranges::any_of(attributes_, [](const Attribute& a) { return a.accessor.sparse.has_value(); });
    if (!sparse && !out_.indices.empty()) {
      const auto [low, high] = std::ranges::minmax(out_.indices);
      if (high - low + 1u < vertex_count_) {
        for (std::uint32_t& i : out_.indices) i -= low;
        for (Attribute& a : attributes_) narrow(a.accessor, low, high - low + 1u);
        vertex_count_ = high - low + 1u;
        first_vertex_ = low;
      }
    }
    return {};
  }

  template <class V>
  Result<std::vector<V>> read_rows(const Attribute& a) {
    ASSETC_CHECK(context_.data.budget().take(vertex_count_, sizeof(V), a.place));
    std::vector<V> rows(static_cast<std::size_t>(vertex_count_));
    ASSETC_CHECK(read_floats(a.accessor, sizeof(V) / sizeof(float), floats_of(rows)));
    return rows;
  }

  std::string place_of(std::string_view semantic) const {
    const Attribute* a = find(semantic);
    return a == nullptr ? std::string() : a->place;
  }

  Result<void> read_attribute(const Attribute& a) {
    const bool quantized = a.accessor.component != Component::kF32;
    if (a.semantic == "POSITION") {
      ASSETC_CHECK(expect_rows(a, 3, 3));
      ASSETC_TRY(out_.positions, read_rows<Vec3>(a));
      const auto values = floats_of(out_.positions);
      if (!all_finite(values)) {
        const auto bad = std::ranges::find_if_not(values, [](float v) { return std::isfinite(v); }) - values.begin();
        return fail_at(ErrorCode::kInvalidData, a.place,
                       "the position of vertex " + std::to_string(bad / 3) + " is not finite");
      }
    } else if (a.semantic == "NORMAL") {
      ASSETC_CHECK(expect_rows(a, 3, 3));
      ASSETC_TRY(out_.normals, read_rows<Vec3>(a));
      if (quantized) {
        for (Vec3& n : out_.normals) n = scene::normalize_or(n, n);
      }
    } else if (a.semantic == "TANGENT") {
      ASSETC_CHECK(expect_rows(a, 4, 4));
      ASSETC_TRY(out_.tangents, read_rows<Vec4>(a));
      for (Vec4& t : out_.tangents) {
        if (quantized) {
          const Vec3 d = scene::normalize_or({t.x, t.y, t.z}, {t.x, t.y, t.z});
          t = {d.x, d.y, d.z, t.w};
        }
        t.w = t.w < 0 ? -1.0f : 1.0f;
      }
    } else if (const auto uv_set = set_number(a.semantic, "TEXCOORD_")) {
      ASSETC_CHECK(expect_rows(a, 2, 2));
      ASSETC_TRY(auto rows, read_rows<Vec2>(a));
      repair_values(floats_of(rows), "texture coordinates", a.place, context_.out.warnings);
      place_set(out_.texcoords, *uv_set) = std::move(rows);
    } else if (const auto color_set = set_number(a.semantic, "COLOR_")) {
      ASSETC_CHECK(expect_rows(a, 3, 4));
      ASSETC_TRY(auto rows, read_colors(a));
      repair_values(floats_of(rows), "vertex colors", a.place, context_.out.warnings);
      place_set(out_.colors, *color_set) = std::move(rows);
    } else if (const auto joint_set = set_number(a.semantic, "JOINTS_")) {
      ASSETC_CHECK(read_joints(a, place_set(out_.influences, *joint_set)));
    } else if (const auto weight_set = set_number(a.semantic, "WEIGHTS_")) {
      ASSETC_CHECK(expect_rows(a, 4, 4));
      ASSETC_TRY(auto rows, read_rows<Vec4>(a));
      repair_values(floats_of(rows), "weights", a.place, context_.out.warnings);
      place_set(out_.influences, *weight_set).weights = std::move(rows);
    } else if (is_custom(a.semantic)) {
      return read_custom(a);
    }
    return {};
  }

  Result<void> read_custom(const Attribute& a) {
    scene::CustomAttribute out;
    out.name = a.semantic;
    out.type = component_type(a.accessor.component);
    out.normalized = a.accessor.normalized;
    out.rows = a.accessor.rows;
    out.columns = a.accessor.columns;
    ASSETC_CHECK(context_.data.budget().take(vertex_count_, a.accessor.components() * 4, a.place));
    out.values.resize(static_cast<std::size_t>(vertex_count_) * a.accessor.components() *
                      component_bytes(a.accessor.component));
    ASSETC_CHECK(read_bytes(a.accessor, out.values));
    const auto after = std::ranges::upper_bound(out_.custom, out.name, {}, &scene::CustomAttribute::name);
    out_.custom.insert(after, std::move(out));
    return {};
  }

  static scene::ComponentType component_type(Component component) {
    switch (component) {
      case Component::kI8:
        return scene::ComponentType::kI8;
      case Component::kU8:
        return scene::ComponentType::kU8;
      case Component::kI16:
        return scene::ComponentType::kI16;
      case Component::kU16:
        return scene::ComponentType::kU16;
      case Component::kU32:
        return scene::ComponentType::kU32;
      case Component::kF32:
        break;
    }
    return scene::ComponentType::kF32;
  }

  Result<std::vector<Vec4>> read_colors(const Attribute& a) {
    if (a.accessor.rows == 4) return read_rows<Vec4>(a);
    ASSETC_TRY(const auto rgb, read_rows<Vec3>(a));
    std::vector<Vec4> rows(rgb.size());
    for (std::size_t i = 0; i < rgb.size(); ++i) rows[i] = {rgb[i].x, rgb[i].y, rgb[i].z, 1};
    return rows;
  }

  Result<void> read_joints(const Attribute& a, scene::Influences& set) {
    ASSETC_CHECK(expect_rows(a, 4, 4));
    if (a.accessor.component != Component::kU8 && a.accessor.component != Component::kU16) {
      return fail_at(ErrorCode::kInvalidData, a.place,
                     a.accessor.place + " is " + a.accessor.type_name() + ", expected VEC4 of unsigned byte or short");
    }
    ASSETC_CHECK(context_.data.budget().take(vertex_count_, 24, a.place));
    std::vector<std::uint32_t> wide(static_cast<std::size_t>(vertex_count_) * 4);
    ASSETC_CHECK(read_uints(a.accessor, 4, wide));
    set.joints.resize(static_cast<std::size_t>(vertex_count_));
    for (std::size_t i = 0; i < wide.size(); ++i) set.joints[i / 4][i % 4] = static_cast<std::uint16_t>(wide[i]);
    return {};
  }

  template <class T>
  static T& place_set(std::vector<T>& sets, std::uint32_t n) {
    if (sets.size() <= n) sets.resize(n + 1);
    return sets[n];
  }

  Result<Primitive> finish() {
    for (std::size_t set = 0; set < out_.influences.size(); ++set) {
      auto& influences = out_.influences[set];
      if (influences.joints.empty() != influences.weights.empty()) {
        return fail_at(ErrorCode::kInvalidData, json_.pointer() + "/attributes",
                       "found " + std::string(influences.joints.empty() ? "WEIGHTS_" : "JOINTS_") +
                           std::to_string(set) + " without " + (influences.joints.empty() ? "JOINTS_" : "WEIGHTS_") +
                           std::to_string(set));
      }
    }
    fill_sets(out_, json_.pointer() + "/attributes", context_.out.warnings);
    // A set without joints ("JOINTS_1" without "JOINTS_0") has no influence.
    std::erase_if(out_.influences, [](const scene::Influences& i) { return i.joints.empty(); });
    repair_weights(out_, first_vertex_, json_.pointer() + "/attributes", context_.out.warnings);
    // Tangents without normals are ignored (glTF 2.0, 3.7.2.1).
    repair_frames(out_, place_of("NORMAL"), place_of("TANGENT"), context_.out.warnings);
    return std::move(out_);
  }

  GltfContext& context_;
  const Value& json_;
  Primitive out_;
  Mode mode_ = Mode::kTriangles;
  std::vector<Attribute> attributes_;
  std::uint64_t vertex_count_ = 0;
  std::uint64_t full_vertex_count_ = 0;  // of the accessors
  std::uint32_t first_vertex_ = 0;       // index in the accessors of the first vertex that is read
  bool has_decoded_indices_ = false;
};

}  // namespace

Result<void> read_meshes(GltfContext& context) {
  ASSETC_TRY(const Value meshes, context.root.array_or_empty("meshes"));
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const Value json = meshes.item(i);
    scene::Mesh mesh;
    ASSETC_TRY(mesh.name, json.string_or("name", ""));
    ASSETC_TRY(const Value primitives, json.array_or_empty("primitives"));
    for (std::size_t k = 0; k < primitives.size(); ++k) {
      const Value primitive_json = primitives.item(k);
      ASSETC_TRY(scene::Primitive primitive, PrimitiveReader(context, primitive_json).read());
      mesh.primitives.push_back(std::move(primitive));
    }
    ASSETC_CHECK(finish_morphs(context, json, mesh));
    context.out.scene.meshes.push_back(std::move(mesh));
  }
  return {};
}

}  // namespace assetc::importer
