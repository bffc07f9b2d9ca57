// Reads morph targets. Only the vertices that a target moves are kept, so that many sparse targets stay small.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/plural.hpp"
#include "import/gltf/parts.hpp"
#include "import/model/finite.hpp"
#include "import/model/repair.hpp"

namespace assetc::importer {
namespace {

using scene::MorphTarget;
using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

constexpr std::size_t kMaxTargets = 65535;

// The offsets of one attribute of a target, of the vertices where one is not zero, in ascending order.
struct Offsets {
  std::size_t width = 3;  // floats for each vertex
  std::vector<std::uint32_t> vertices;
  std::vector<float> values;
};

// The vertices of a primitive that are read: [first, first + count) of the elements of its accessors.
struct Range {
  std::uint64_t first = 0, count = 0;
};

void keep_if_moved(std::uint32_t vertex, std::span<const float> row, Offsets& out) {
  if (std::ranges::all_of(row, [](float v) { return v == 0; })) return;
  out.vertices.push_back(vertex);
  out.values.insert(out.values.end(), row.begin(), row.end());
}

// An accessor whose elements are zero except for sparse ones. The dense array is never made: a file of a few bytes may
// claim many of them. If an index occurs twice, its last value holds.
Result<Offsets> read_sparse(GltfContext& context, const Accessor& a, const Range& range) {
  const Accessor::Sparse& sparse = *a.sparse;
  const auto count = static_cast<std::size_t>(sparse.count);
  ASSETC_CHECK(context.data.budget().take(sparse.count, 8 + a.components() * 8, a.place));
  Accessor indices;
  indices.place = a.place;
  indices.component = sparse.index_component;
  indices.count = sparse.count;
  indices.data = sparse.indices;
  indices.stride_bytes = indices.element_bytes();
  std::vector<std::uint32_t> vertices(count);
  ASSETC_CHECK(read_uints(indices, 1, vertices));
  Accessor values = a;
  values.sparse.reset();
  values.count = sparse.count;
  values.data = sparse.values;
  values.stride_bytes = values.element_bytes();
  Offsets out{a.components(), {}, {}};
  std::vector<float> rows(count * out.width);
  ASSETC_CHECK(read_floats(values, out.width, rows));
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return vertices[i]; });
  for (std::size_t k = 0; k < count; ++k) {
    const std::uint64_t vertex = vertices[order[k]];
    if (vertex >= a.count) {
      return fail_at(ErrorCode::kInvalidData, a.place + "/sparse/indices",
                     "item " + std::to_string(order[k]) + " is " + std::to_string(vertex) +
                         ", expected an index below " + std::to_string(a.count));
    }
    if (k + 1 < count && vertices[order[k + 1]] == vertex) continue;
    if (vertex < range.first || vertex - range.first >= range.count) continue;
    keep_if_moved(static_cast<std::uint32_t>(vertex - range.first),
                  std::span(rows).subspan(order[k] * out.width, out.width), out);
  }
  return out;
}

Result<Offsets> read_dense(GltfContext& context, const Accessor& a, const Range& range) {
  Offsets out{a.components(), {}, {}};
  // All rows are read, even those outside of the range: sparse values may replace any of them.
  ASSETC_CHECK(context.data.budget().take(a.count, out.width * sizeof(float), a.place));
  std::vector<float> rows(static_cast<std::size_t>(a.count) * out.width);
  ASSETC_CHECK(read_floats(a, out.width, rows));
  for (std::uint64_t v = 0; v < range.count; ++v) {
    const auto at = static_cast<std::size_t>(range.first + v) * out.width;
    keep_if_moved(static_cast<std::uint32_t>(v), std::span(rows).subspan(at, out.width), out);
  }
  return out;
}

Result<Offsets> read_offsets(GltfContext& context, const Accessor& a, const Range& range) {
  if (!a.data.empty()) return read_dense(context, a, range);
  if (a.sparse) return read_sparse(context, a, range);
  return Offsets{a.components(), {}, {}};
}

class TargetReader {
 public:
  TargetReader(GltfContext& context, const Value& json, const Range& range, std::uint64_t accessor_count)
      : context_(context), json_(json), range_(range), accessor_count_(accessor_count) {}

  Result<MorphTarget> read() {
    if (!json_.is_object()) return json_.refuse(ErrorCode::kInvalidData, "expected an object of attributes");
    std::optional<Error> error;
    json_.for_each_member([&](std::string_view semantic, const Value&) {
      if (error) return;
      if (auto read = read_attribute(semantic); !read) error = std::move(read).error();
    });
    if (error) return std::unexpected(std::move(*error));
    MorphTarget out;
    for (const Part& part : parts_) {
      const auto middle = static_cast<std::ptrdiff_t>(out.vertices.size());
      out.vertices.insert(out.vertices.end(), part.offsets.vertices.begin(), part.offsets.vertices.end());
      std::inplace_merge(out.vertices.begin(), out.vertices.begin() + middle, out.vertices.end());
      out.vertices.erase(std::ranges::unique(out.vertices).begin(), out.vertices.end());
    }
    for (const Part& part : parts_) ASSETC_CHECK(place(part, out));
    return out;
  }

 private:
  enum class Kind : std::uint8_t { kPosition, kNormal, kTangent, kTexcoord, kColor };
  struct Part {
    Kind kind;
    std::uint32_t set = 0;
    Offsets offsets;
  };

  Result<void> read_attribute(std::string_view semantic) {
    const std::string place = json_.pointer() + "/" + pointer_token(semantic);
    ASSETC_TRY(const std::uint32_t index, json_.get_index(semantic, context_.data.accessor_count(), "accessors"));
    Part part{Kind::kPosition, 0, {}};
    std::size_t low = 3, high = 3;
    const auto numbered = [&](std::string_view prefix) {
      const std::string_view digit = semantic.substr(std::min(prefix.size(), semantic.size()));
      if (!semantic.starts_with(prefix) || digit.size() != 1 || digit[0] < '0' || digit[0] > '7') return false;
      part.set = static_cast<std::uint32_t>(digit[0] - '0');
      return true;
    };
    if (semantic == "NORMAL") {
      part.kind = Kind::kNormal;
    } else if (semantic == "TANGENT") {
      part.kind = Kind::kTangent;
    } else if (numbered("TEXCOORD_")) {
      part.kind = Kind::kTexcoord;
      low = high = 2;
    } else if (numbered("COLOR_")) {
      part.kind = Kind::kColor;
      high = 4;
    } else if (semantic != "POSITION") {
      context_.drop("morph attribute " + std::string(semantic), place);
      return {};
    }
    ASSETC_TRY(const Accessor accessor, context_.data.accessor(index));
    if (accessor.columns != 1 || accessor.rows < low || accessor.rows > high) {
      return fail_at(ErrorCode::kInvalidData, place,
                     accessor.place + " is " + accessor.type_name() + ", expected VEC" + std::to_string(low) +
                         (low == high ? "" : " or VEC" + std::to_string(high)));
    }
    if (accessor.count != accessor_count_) {
      return fail_at(ErrorCode::kInvalidData, place,
                     "found " + counted(accessor.count, "element") + ", expected " + std::to_string(accessor_count_) +
                         ", as many as POSITION of the primitive has");
    }
    ASSETC_TRY(part.offsets, read_offsets(context_, accessor, range_));
    if (!all_finite(part.offsets.values)) {
      if (part.kind == Kind::kPosition) {
        const auto bad = std::ranges::find_if_not(part.offsets.values, [](float v) { return std::isfinite(v); }) -
                         part.offsets.values.begin();
        const std::uint64_t vertex = part.offsets.vertices[static_cast<std::size_t>(bad) / 3] + range_.first;
        return fail_at(ErrorCode::kInvalidData, place,
                       "the offset of vertex " + std::to_string(vertex) + " is not finite");
      }
      repair_values(part.offsets.values, "offsets", place, context_.out.warnings);
    }
    parts_.push_back(std::move(part));
    return {};
  }

  template <class V>
  Result<void> spread(const Part& part, const MorphTarget& target, std::vector<V>& to) {
    ASSETC_CHECK(context_.data.budget().take(target.vertices.size(), sizeof(V), json_.pointer()));
    to.resize(target.vertices.size());
    std::size_t row = 0;
    for (std::size_t i = 0; i < part.offsets.vertices.size(); ++i) {
      while (target.vertices[row] != part.offsets.vertices[i]) ++row;
      const float* from = part.offsets.values.data() + i * part.offsets.width;
      if constexpr (sizeof(V) == sizeof(Vec2)) {
        to[row] = {from[0], from[1]};
      } else if constexpr (sizeof(V) == sizeof(Vec3)) {
        to[row] = {from[0], from[1], from[2]};
      } else {
        to[row] = {from[0], from[1], from[2], part.offsets.width == 4 ? from[3] : 0.0f};
      }
    }
    return {};
  }

  Result<void> place(const Part& part, MorphTarget& target) {
    const auto set_of = [&](auto& sets) -> auto& {
      if (sets.size() <= part.set) sets.resize(part.set + std::size_t{1});
      return sets[part.set];
    };
    if (part.offsets.vertices.empty()) return {};
    switch (part.kind) {
      case Kind::kPosition:
        return spread(part, target, target.positions);
      case Kind::kNormal:
        return spread(part, target, target.normals);
      case Kind::kTangent:
        return spread(part, target, target.tangents);
      case Kind::kTexcoord:
        return spread(part, target, set_of(target.texcoords));
      case Kind::kColor:
        break;
    }
    return spread(part, target, set_of(target.colors));
  }

  GltfContext& context_;
  const Value& json_;
  const Range& range_;
  std::uint64_t accessor_count_;
  std::vector<Part> parts_;
};

// The default weights. Too many are ignored and missing ones are 0, with a warning.
Result<std::vector<float>> read_morph_weights(GltfContext& context, const Value& json, std::size_t target_count) {
  ASSETC_TRY(const Value list, json.array_or_empty("weights"));
  std::vector<float> weights;
  if (list.size() == 0) return weights;
  weights.resize(target_count);
  if (list.size() != target_count) {
    context.warn(WarningKind::kRepairedMesh, ErrorCode::kInvalidData, list.pointer(),
                 "found " + counted(list.size(), "weight") + ", expected " + std::to_string(target_count) +
                     ", one for each morph target; the others are " + (list.size() > target_count ? "ignored" : "0"));
  }
  for (std::size_t t = 0; t < std::min(target_count, list.size()); ++t) {
    ASSETC_TRY(weights[t], list.item(t).as_float());
  }
  return weights;
}

}  // namespace

Result<std::vector<MorphTarget>> read_morphs(GltfContext& context, const Value& primitive, std::uint64_t first,
                                             std::uint64_t count, std::uint64_t accessor_count) {
  ASSETC_TRY(const Value targets, primitive.array_or_empty("targets"));
  if (targets.size() > kMaxTargets) {
    return targets.refuse(ErrorCode::kLimit, "found " + counted(targets.size(), "morph target") +
                                                 ", expected at most " + std::to_string(kMaxTargets));
  }
  ASSETC_CHECK(context.data.budget().take(targets.size(), sizeof(MorphTarget), targets.pointer()));
  std::vector<MorphTarget> morphs;
  morphs.reserve(targets.size());
  const Range range{first, count};
  for (std::size_t t = 0; t < targets.size(); ++t) {
    const Value json = targets.item(t);
    ASSETC_TRY(MorphTarget target, TargetReader(context, json, range, accessor_count).read());
    morphs.push_back(std::move(target));
  }
  return morphs;
}

Result<void> finish_morphs(GltfContext& context, const Value& json, scene::Mesh& mesh) {
  std::size_t count = 0;
  for (const scene::Primitive& p : mesh.primitives) count = std::max(count, p.morphs.size());
  for (scene::Primitive& p : mesh.primitives) {
    if (p.positions.empty() || p.morphs.size() == count) continue;
    context.warn(WarningKind::kRepairedMesh, ErrorCode::kInvalidData, json.pointer() + "/primitives",
                 "a primitive has " + counted(p.morphs.size(), "morph target") + ", expected " + std::to_string(count) +
                     ", as another primitive of the mesh has; the others move nothing");
    break;
  }
  for (scene::Primitive& p : mesh.primitives) {
    if (p.morphs.size() == count || p.positions.empty()) continue;
    ASSETC_CHECK(context.data.budget().take(count, sizeof(MorphTarget), json.pointer()));
    p.morphs.resize(count);
  }
  if (count == 0) return {};
  ASSETC_TRY(mesh.morph_weights, read_morph_weights(context, json, count));
  mesh.morph_weights.resize(count);
  const auto extras = json.find("extras");
  if (!extras || !extras->is_object()) return {};
  const auto names = extras->find("targetNames");
  if (!names || !names->is_array()) return {};
  for (std::size_t t = 0; t < count; ++t) {
    const auto name = t < names->size() ? names->item(t).text() : std::nullopt;
    mesh.morph_names.emplace_back(name.value_or(std::string_view()));
  }
  return {};
}

}  // namespace assetc::importer
