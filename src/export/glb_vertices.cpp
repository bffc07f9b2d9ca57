#include "export/glb_vertices.hpp"

#include <meshoptimizer.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>

#include "base/plural.hpp"
#include "export/glb_morphs.hpp"
#include "export/unit_vectors.hpp"

namespace assetc::exporter {
namespace {

using scene::MorphTarget;
using scene::Primitive;
using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

// Offsets of all targets of a primitive together. More are stored as in a file that is not packed: sparse targets could
// otherwise become any number of times as large.
constexpr std::uint64_t kMaxDenseOffsets = 1ull << 26;

// An accessor of a type, its count still missing.
Json accessor_of(int component, std::string_view type, bool normalized = false) {
  Json accessor = {{"componentType", component}, {"type", type}};
  if (normalized) accessor["normalized"] = true;
  return accessor;
}

// Elements of a type with width components, each padded to a multiple of 4 bytes. get(i, k): component k of element i.
template <class T, class Get>
ByteVector elements_of(std::size_t count, std::size_t width, const Get& get) {
  const std::size_t stride = padded(width * sizeof(T));
  ByteVector out(count * stride);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < width; ++k) {
      const auto value = static_cast<T>(get(i, k));
      std::memcpy(out.data() + i * stride + k * sizeof(T), &value, sizeof(T));
    }
  }
  return out;
}

template <class V>
constexpr std::size_t kWidth = sizeof(V) / sizeof(float);
template <class V>
float component(const V& v, std::size_t k) {
  return std::bit_cast<std::array<float, kWidth<V>>>(v)[k];
}
constexpr std::array<std::string_view, 5> kVectors{"", "SCALAR", "VEC2", "VEC3", "VEC4"};

int as_integer(float value, float scale) { return static_cast<int>(std::round(value * scale)); }

struct Bounds {
  float low = INFINITY, high = -INFINITY;
  bool integral = true;  // every component is an integer
};
template <class V>
Bounds bounds_of(const std::vector<V>& values) {
  Bounds b;
  for (const V& v : values) {
    for (std::size_t k = 0; k < kWidth<V>; ++k) {
      const float value = component(v, k);
      if (!(std::fabs(value) <= 1e9f)) return {-INFINITY, INFINITY, false};
      b = {std::min(b.low, value), std::max(b.high, value), b.integral && value == std::floor(value)};
    }
  }
  return b;
}

class Packer {
 public:
  Packer(GlbDocument& document, const GlbOptions& options, UsedExtensions& used)
      : document_(document), options_(options), used_(used) {}

  // From now on arrays are kept here, and numbered by their place, instead of added to the document.
  void keep(std::vector<VertexArray>& arrays) { arrays_ = &arrays; }

  std::size_t add(const std::string& group, std::size_t count, ByteSpan elements, Json accessor,
                  StreamFilter filter = StreamFilter::kNone) {
    if (arrays_ != nullptr) {
      arrays_->push_back({group, std::move(accessor), ByteVector(elements.begin(), elements.end())});
      return arrays_->size() - 1;
    }
    accessor["count"] = count;
    return document_.add_stream({group, StreamMode::kAttributes, filter, elements.size() / count, kArrayBuffer},
                                elements, std::move(accessor));
  }

  template <class V>
  std::size_t add_floats(const std::string& group, const std::vector<V>& values, const Json& bounds = Json::object()) {
    Json accessor = accessor_of(kFloat, kVectors[kWidth<V>]);
    accessor.update(bounds);
    return add(group, values.size(), std::as_bytes(std::span(values)), std::move(accessor));
  }

  // Floats whose least bits are 0: fraction_bits after the point of values up to 1, and as many digits of larger ones.
  template <class V>
  std::size_t add_rounded(const std::string& group, const std::vector<V>& values, unsigned fraction_bits) {
    const Bounds b = bounds_of(values);
    const float most = std::max(std::fabs(b.low), std::fabs(b.high));
    const int bits = static_cast<int>(fraction_bits) + (most > 1 ? std::ilogb(most) + 1 : 0);
    if (!document_.compresses() || !std::isfinite(most) || bits > 24) return add_floats(group, values);
    ByteVector out(values.size() * sizeof(V));
    meshopt_encodeFilterExp(out.data(), values.size(), sizeof(V), bits, &values[0].x, meshopt_EncodeExpSharedComponent);
    return add(group, values.size(), out, accessor_of(kFloat, kVectors[kWidth<V>]), StreamFilter::kExponential);
  }

  // Values of [-1, 1] as signed integers, or of [0, 1] as unsigned ones.
  template <class V>
  std::size_t add_normalized(const std::string& group, const std::vector<V>& values, bool is_signed, bool is_wide) {
    const std::size_t count = values.size();
    const auto with = [&]<class T>(T, float most, int type) {
      return add(group, count,
                 elements_of<T>(count, kWidth<V>,
                                [&](std::size_t i, std::size_t k) {
                                  return as_integer(std::clamp(component(values[i], k), is_signed ? -1.0f : 0.0f, 1.0f),
                                                    most);
                                }),
                 accessor_of(type, kVectors[kWidth<V>], true));
    };
    if (is_signed) return is_wide ? with(std::int16_t{}, 32767, kShort) : with(std::int8_t{}, 127, kByte);
    return is_wide ? with(std::uint16_t{}, 65535, kUnsignedShort) : with(std::uint8_t{}, 255, kUnsignedByte);
  }

  // Unit vectors, with a fourth component that is -1, 0 or 1.
  std::size_t add_directions(const std::string& group, const std::vector<Vec4>& values, std::size_t width) {
    const bool is_wide = options_.normal_bits > 8;
    used_.names.insert("KHR_mesh_quantization");
    const int type = is_wide ? kShort : kByte;
    if (!document_.compresses()) {
      const auto get = [&](std::size_t i, std::size_t k) {
        return as_integer(component(values[i], k), is_wide ? 32767.0f : 127.0f);
      };
      return add(group, values.size(),
                 is_wide ? elements_of<std::int16_t>(values.size(), width, get)
                         : elements_of<std::int8_t>(values.size(), width, get),
                 accessor_of(type, kVectors[width], true));
    }
    const std::size_t stride = is_wide ? 8 : 4;
    ByteVector out(values.size() * stride);
    meshopt_encodeFilterOct(out.data(), values.size(), stride, static_cast<int>(options_.normal_bits), &values[0].x);
    return add(group, values.size(), out, accessor_of(type, kVectors[width], true), StreamFilter::kOctahedral);
  }

  std::size_t add_positions(const Primitive& p) {
    const Bounds b = bounds_of(p.positions);
    if (options_.integer_positions && b.integral && b.low >= -32768 && b.high <= (b.low < 0 ? 32767.0f : 65535.0f)) {
      used_.names.insert("KHR_mesh_quantization");
      return add_integers("POSITION", p.positions, b.low < 0);
    }
    return add_floats("POSITION", p.positions, box_of(p.positions));
  }

  // Offsets of all vertices.
  std::size_t add_position_offsets(const std::vector<Vec3>& dense) {
    const Bounds b = bounds_of(dense);
    if (options_.integer_positions && b.integral && b.low >= -32768 && b.high <= 32767) {
      used_.names.insert("KHR_mesh_quantization");
      return add_integers("target POSITION", dense, true);
    }
    return add_floats("target POSITION", dense, box_of(dense));
  }

  std::size_t add_direction_offsets(const std::string& group, const std::vector<Vec3>& dense) {
    const Bounds b = bounds_of(dense);
    if (options_.normal_bits == 0) return add_floats(group, dense);
    if (b.low < -1 || b.high > 1) return add_rounded(group, dense, options_.normal_bits + 2);
    used_.names.insert("KHR_mesh_quantization");
    return add_normalized(group, dense, true, options_.normal_bits > 8);
  }

  std::size_t add_texcoords(const std::string& group, const std::vector<Vec2>& set) {
    if (options_.texcoord_bits == 0) return add_floats(group, set);
    const Bounds b = bounds_of(set);
    if (b.integral && b.low >= 0 && b.high > 1 && b.high <= 65535) {
      used_.names.insert("KHR_mesh_quantization");
      const auto get = [&](std::size_t i, std::size_t k) { return static_cast<int>(component(set[i], k)); };
      return add(group, set.size(), elements_of<std::uint16_t>(set.size(), 2, get),
                 accessor_of(kUnsignedShort, "VEC2"));
    }
    if (b.low < 0 || b.high > 1) return add_rounded(group, set, options_.texcoord_bits);
    // The lowest bits are 0, so that they take few bits of a stream.
    const unsigned shift = 16 - std::min(options_.texcoord_bits, 16u);
    const auto get = [&](std::size_t i, std::size_t k) {
      const int whole = as_integer(component(set[i], k), std::ldexp(65535.0f, -static_cast<int>(shift)));
      return std::min(whole << shift, 65535);
    };
    return add(group, set.size(), elements_of<std::uint16_t>(set.size(), 2, get),
               accessor_of(kUnsignedShort, "VEC2", true));
  }

  std::size_t add_colors(const std::string& group, const std::vector<Vec4>& set) {
    const Bounds b = bounds_of(set);
    if (options_.color_bits == 0 || b.low < 0 || b.high > 1) return add_floats(group, set);
    return add_normalized(group, set, false, options_.color_bits > 8);
  }

  void add_influences(const Primitive& p, Json& attributes);
  Result<void> add_custom(Json& attributes, const scene::CustomAttribute& a, std::size_t vertex_count);

 private:
  template <class V>
  static Json box_of(const std::vector<V>& values) {
    std::array<float, kWidth<V>> low, high;
    low.fill(INFINITY), high.fill(-INFINITY);
    for (const V& v : values) {
      for (std::size_t k = 0; k < kWidth<V>; ++k)
        low[k] = std::min(low[k], component(v, k)), high[k] = std::max(high[k], component(v, k));
    }
    return {{"min", low}, {"max", high}};
  }
  std::size_t add_integers(const std::string& group, const std::vector<Vec3>& values, bool is_signed) {
    const auto get = [&](std::size_t i, std::size_t k) { return static_cast<int>(component(values[i], k)); };
    Json accessor = accessor_of(is_signed ? kShort : kUnsignedShort, "VEC3");
    accessor.update(box_of(values));
    return add(group, values.size(),
               is_signed ? elements_of<std::int16_t>(values.size(), 3, get)
                         : elements_of<std::uint16_t>(values.size(), 3, get),
               std::move(accessor));
  }

  GlbDocument& document_;
  const GlbOptions& options_;
  UsedExtensions& used_;
  std::vector<VertexArray>* arrays_ = nullptr;
};

// Integers in proportion to weights, with their sum. Weights that are none give zeros.
void integer_weights(const std::vector<float>& weights, std::uint32_t sum, std::vector<std::uint32_t>& out) {
  out.assign(weights.size(), 0);
  double total = 0;
  for (const float w : weights) total += w > 0 && std::isfinite(w) ? w : 0;
  if (!(total > 0)) return;
  std::uint32_t given = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double share = weights[i] > 0 && std::isfinite(weights[i]) ? weights[i] / total : 0;
    out[i] = static_cast<std::uint32_t>(std::round(share * sum));
    given += out[i];
  }
  const auto largest = std::ranges::max_element(out);
  *largest = *largest + sum - given;
}

void Packer::add_influences(const Primitive& p, Json& attributes) {
  const std::size_t count = p.positions.size(), sets = p.influences.size();
  std::vector<std::vector<std::array<std::uint16_t, 4>>> weights(sets), joints(sets);
  const std::uint32_t one = options_.weight_bits > 8 ? 65535 : 255;
  std::uint16_t last_joint = 0;
  for (std::size_t s = 0; s < sets; ++s) joints[s] = p.influences[s].joints, weights[s].resize(count);
  std::vector<float> of_vertex;
  std::vector<std::uint32_t> integers;
  for (std::size_t v = 0; sets != 0 && v < count; ++v) {
    of_vertex.clear();
    for (const scene::Influences& set : p.influences)
      for (std::size_t k = 0; k < 4; ++k) of_vertex.push_back(component(set.weights[v], k));
    integer_weights(of_vertex, one, integers);
    for (std::size_t i = 0; i < integers.size(); ++i) {
      weights[i / 4][v][i % 4] = static_cast<std::uint16_t>(integers[i]);
      const bool counts = options_.weight_bits == 0 ? of_vertex[i] != 0 : integers[i] != 0;
      std::uint16_t& joint = joints[i / 4][v][i % 4];
      if (!counts) joint = 0;
      last_joint = std::max(last_joint, joint);
    }
  }
  for (std::size_t s = 0; s < sets; ++s) {
    const std::string set = std::to_string(s);
    const auto add_set = [&](const std::string& name, const auto& values, bool is_narrow, bool normalized) {
      const auto get = [&](std::size_t i, std::size_t k) { return values[i][k]; };
      attributes[name] = add(
          name, count, is_narrow ? elements_of<std::uint8_t>(count, 4, get) : elements_of<std::uint16_t>(count, 4, get),
          accessor_of(is_narrow ? kUnsignedByte : kUnsignedShort, "VEC4", normalized));
    };
    add_set("JOINTS_" + set, joints[s], last_joint < 256, false);
    if (options_.weight_bits == 0) {
      attributes["WEIGHTS_" + set] = add_floats("WEIGHTS_" + set, p.influences[s].weights);
    } else {
      add_set("WEIGHTS_" + set, weights[s], one == 255, true);
    }
  }
}

// glTF has no 32-bit integers in vertices, so those become floats. Columns and values begin at multiples of 4.
Result<void> Packer::add_custom(Json& attributes, const scene::CustomAttribute& a, std::size_t vertex_count) {
  ASSETC_TRY(const CustomElements elements, custom_elements(a, vertex_count));
  Json accessor = accessor_of(elements.component, elements.type, a.normalized);
  attributes[a.name] = add(a.name, vertex_count, elements.bytes, std::move(accessor));
  return {};
}

// The offset of every vertex.
template <class V>
std::vector<V> dense(const std::vector<std::uint32_t>& vertices, const std::vector<V>& offsets, std::size_t count) {
  std::vector<V> out(count);
  for (std::size_t i = 0; i < offsets.size(); ++i) out[vertices[i]] = offsets[i];
  return out;
}

Error wrong_count(const std::string& name, std::size_t found, std::size_t expected) {
  return {ErrorCode::kInvalidData,
          {},
          {},
          name + " has " + counted(found, "item") + ", expected one for each of " + counted(expected, "vertex"),
          {}};
}

Result<Json> add_attributes(Packer& packer, const Primitive& p, const GlbOptions& options) {
  const std::size_t count = p.positions.size();
  Result<void> sized;
  const auto has = [&](const std::string& name, const auto& values) {
    if (values.size() != count && sized) sized = std::unexpected(wrong_count(name, values.size(), count));
    return values.size() == count;
  };
  Json out;
  out["POSITION"] = packer.add_positions(p);
  if (!p.normals.empty() && has("NORMAL", p.normals)) {
    const std::vector<Vec3> normals = unit_normals(p);
    std::vector<Vec4> wide(count);
    std::ranges::transform(normals, wide.begin(), [](Vec3 n) { return Vec4{n.x, n.y, n.z, 0}; });
    out["NORMAL"] =
        options.normal_bits == 0 ? packer.add_floats("NORMAL", normals) : packer.add_directions("NORMAL", wide, 3);
  }
  if (!p.tangents.empty() && std::ranges::all_of(p.tangents, is_tangent) && has("TANGENT", p.tangents)) {
    out["TANGENT"] = options.normal_bits == 0 ? packer.add_floats("TANGENT", p.tangents)
                                              : packer.add_directions("TANGENT", p.tangents, 4);
  }
  for (std::size_t s = 0; s < p.texcoords.size(); ++s) {
    const std::string name = "TEXCOORD_" + std::to_string(s);
    if (has(name, p.texcoords[s])) out[name] = packer.add_texcoords(name, p.texcoords[s]);
  }
  for (std::size_t s = 0; s < p.colors.size(); ++s) {
    const std::string name = "COLOR_" + std::to_string(s);
    if (has(name, p.colors[s])) out[name] = packer.add_colors(name, p.colors[s]);
  }
  for (std::size_t s = 0; s < p.influences.size(); ++s) {
    has("JOINTS_" + std::to_string(s), p.influences[s].joints);
    has("WEIGHTS_" + std::to_string(s), p.influences[s].weights);
  }
  ASSETC_CHECK(sized);
  packer.add_influences(p, out);
  for (const scene::CustomAttribute& custom : p.custom) ASSETC_CHECK(packer.add_custom(out, custom, count));
  return out;
}

}  // namespace

Result<CustomElements> custom_elements(const scene::CustomAttribute& a, std::size_t vertex_count) {
  struct Type {
    int gl;
    std::size_t bytes;
  };
  constexpr std::array<Type, 6> kTypes{
      {{kByte, 1}, {kUnsignedByte, 1}, {kShort, 2}, {kUnsignedShort, 2}, {kFloat, 4}, {kFloat, 4}}};
  constexpr std::array<std::string_view, 3> kMatrices{"MAT2", "MAT3", "MAT4"};
  const Type type = kTypes[static_cast<std::size_t>(a.type)];
  const bool is_shape = a.columns == 1 ? a.rows >= 1 && a.rows <= 4 : a.columns == a.rows && a.rows <= 4;
  if (!is_shape || a.values.size() != vertex_count * a.rows * a.columns * type.bytes) {
    return fail(ErrorCode::kInvalidData, a.name + " has " + counted(a.values.size(), "byte") +
                                             ", expected values for each of " + counted(vertex_count, "vertex"));
  }
  const std::size_t column_bytes = a.rows * type.bytes, column_stride = padded(column_bytes);
  CustomElements out{type.gl, a.columns == 1 ? kVectors[a.rows] : kMatrices[a.rows - 2u], column_stride * a.columns,
                     ByteVector(vertex_count * a.columns * column_stride)};
  for (std::size_t i = 0; i < vertex_count * a.columns; ++i)
    std::memcpy(out.bytes.data() + i * column_stride, a.values.data() + i * column_bytes, column_bytes);
  for (std::size_t i = 0; a.type == scene::ComponentType::kU32 && i < out.bytes.size(); i += 4) {
    const auto value = static_cast<float>(load<std::uint32_t>(out.bytes, i));
    std::memcpy(out.bytes.data() + i, &value, 4);
  }
  return out;
}

Result<Json> pack_attributes(GlbDocument& document, const Primitive& p, const GlbOptions& options,
                             UsedExtensions& used) {
  Packer packer(document, options, used);
  return add_attributes(packer, p, options);
}

Result<std::vector<VertexArray>> vertex_arrays(const Primitive& p, const GlbOptions& options, UsedExtensions& used) {
  GlbDocument none;
  Packer packer(none, options, used);
  std::vector<VertexArray> arrays;
  packer.keep(arrays);
  ASSETC_CHECK(add_attributes(packer, p, options));
  return arrays;
}

Json pack_targets(GlbDocument& document, const Primitive& p, const GlbOptions& options, UsedExtensions& used) {
  const std::size_t count = p.positions.size();
  if (p.morphs.size() > kMaxDenseOffsets / count) return add_targets(document, p.morphs, count);
  Packer packer(document, options, used);
  const auto any = [&](const auto& has) { return std::ranges::any_of(p.morphs, has); };
  // All targets have the same attributes. The first is always written, so that none is empty.
  const bool has_normals = any([](const MorphTarget& t) { return !t.normals.empty(); });
  const bool has_tangents = any([](const MorphTarget& t) { return !t.tangents.empty(); });
  std::size_t texcoord_sets = 0, color_sets = 0;
  for (const MorphTarget& t : p.morphs) {
    texcoord_sets = std::max(texcoord_sets, t.texcoords.size());
    color_sets = std::max(color_sets, t.colors.size());
  }
  const auto set_of = [](const auto& sets, std::size_t s) {
    return s < sets.size() ? sets[s] : typename std::decay_t<decltype(sets)>::value_type{};
  };
  Json out = Json::array();
  for (const MorphTarget& t : p.morphs) {
    Json target;
    target["POSITION"] = packer.add_position_offsets(dense(t.vertices, t.positions, count));
    if (has_normals)
      target["NORMAL"] = packer.add_direction_offsets("target NORMAL", dense(t.vertices, t.normals, count));
    if (has_tangents)
      target["TANGENT"] = packer.add_direction_offsets("target TANGENT", dense(t.vertices, t.tangents, count));
    for (std::size_t s = 0; s < texcoord_sets; ++s) {
      const std::string name = "TEXCOORD_" + std::to_string(s);
      target[name] = packer.add_floats("target " + name, dense(t.vertices, set_of(t.texcoords, s), count));
    }
    for (std::size_t s = 0; s < color_sets; ++s) {
      const std::string name = "COLOR_" + std::to_string(s);
      target[name] = packer.add_floats("target " + name, dense(t.vertices, set_of(t.colors, s), count));
    }
    out.push_back(std::move(target));
  }
  return out;
}

std::size_t pack_indices(GlbDocument& document, const Primitive& p) {
  // 65,535 is the primitive-restart value and must not be an index.
  const bool is_narrow = p.positions.size() <= 65535;
  const bool is_list = p.topology == scene::Topology::kTriangles;
  const StreamFormat format{is_list ? "triangles" : "indices", is_list ? StreamMode::kTriangles : StreamMode::kIndices,
                            StreamFilter::kNone, is_narrow ? 2u : 4u, kElementArrayBuffer};
  Json accessor = accessor_of(is_narrow ? kUnsignedShort : kUnsignedInt, "SCALAR");
  accessor["count"] = p.indices.size();
  if (!is_narrow) return document.add_stream(format, std::as_bytes(std::span(p.indices)), std::move(accessor));
  const std::vector<std::uint16_t> narrow(p.indices.begin(), p.indices.end());
  return document.add_stream(format, std::as_bytes(std::span(narrow)), std::move(accessor));
}

std::size_t pack_times(GlbDocument& document, const scene::Channel& c) {
  Json accessor = accessor_of(kFloat, "SCALAR");
  accessor["count"] = c.times_seconds.size();
  accessor["min"] = Json::array({c.times_seconds.front()});
  accessor["max"] = Json::array({c.times_seconds.back()});
  return document.add_stream({"times", StreamMode::kAttributes, StreamFilter::kNone, 4, 0},
                             std::as_bytes(std::span(c.times_seconds)), std::move(accessor));
}

std::size_t pack_values(GlbDocument& document, const scene::Channel& c, std::string_view type, std::size_t components,
                        const GlbOptions& options) {
  const std::string group = "values " + std::to_string(static_cast<int>(c.path));
  Json accessor = accessor_of(kFloat, type);
  accessor["count"] = c.values.size() / components;
  const auto dot = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < 4; ++k) sum += double{c.values[4 * i + k]} * double{c.values[4 * j + k]};
    return sum;
  };
  // Between keys that are half a turn apart, the sign of the product decides the direction.
  const auto is_unit = [&](std::size_t i) {
    return std::fabs(dot(i, i) - 1) < 1e-3 && (i == 0 || std::fabs(dot(i - 1, i)) > 1e-3);
  };
  bool are_unit = options.integer_rotations && c.path == scene::ChannelPath::kRotation &&
                  c.interpolation != scene::Interpolation::kCubicSpline;
  for (std::size_t i = 0; are_unit && i < c.values.size() / 4; ++i) are_unit = is_unit(i);
  if (!are_unit) {
    return document.add_stream({group, StreamMode::kAttributes, StreamFilter::kNone, components * sizeof(float), 0},
                               std::as_bytes(std::span(c.values)), std::move(accessor));
  }
  return pack_rotations(document, group, c.values, options.rotation_bits);
}

std::size_t pack_rotations(GlbDocument& document, const std::string& group, std::span<const float> values,
                           std::uint32_t bits) {
  Json accessor = accessor_of(kShort, "VEC4", true);
  const std::size_t count = values.size() / 4;
  accessor["count"] = count;
  if (!document.compresses()) {
    const ByteVector integers = elements_of<std::int16_t>(
        count, 4, [&](std::size_t i, std::size_t k) { return as_integer(values[4 * i + k], 32767); });
    return document.add_stream({group + " i16", StreamMode::kAttributes, StreamFilter::kNone, 8, 0}, integers,
                               std::move(accessor));
  }
  ByteVector out(count * 8);
  meshopt_encodeFilterQuat(out.data(), count, 8, static_cast<int>(bits), values.data());
  return document.add_stream({group + " i16", StreamMode::kAttributes, StreamFilter::kQuaternion, 8, 0}, out,
                             std::move(accessor));
}

}  // namespace assetc::exporter
