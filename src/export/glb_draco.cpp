#include "export/glb_draco.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "export/draco.hpp"
#include "export/glb_vertices.hpp"

namespace assetc::exporter {
namespace {

using scene::Vec3;

// Floats that Draco would round must be numbers of a sane size.
constexpr float kMostMagnitude = 1e9f;
// A float has no more.
constexpr std::uint32_t kMostBits = 24;

DracoKind kind_of(std::string_view name) {
  if (name == "POSITION") return DracoKind::kPosition;
  if (name == "NORMAL") return DracoKind::kNormal;
  if (name.starts_with("TEXCOORD_")) return DracoKind::kTexcoord;
  return name.starts_with("COLOR_") ? DracoKind::kColor : DracoKind::kOther;
}

// 0 for matrices, which Draco does not have.
std::size_t components_of(std::string_view type) {
  if (type == "SCALAR") return 1;
  return type.starts_with("VEC") ? static_cast<std::size_t>(type.back() - '0') : 0;
}

float value_of(const DracoAttribute& attribute, std::size_t vertex, std::size_t component) {
  return load<float>(attribute.values, vertex * attribute.stride_bytes + component * sizeof(float));
}

struct Extent {
  std::array<float, 4> low = {};
  float size = 0;  // the largest of a component; infinity if a value is no number
};
Extent extent_of(const DracoAttribute& attribute, std::size_t vertex_count) {
  Extent extent;
  for (std::size_t k = 0; k < attribute.components; ++k) {
    float low = INFINITY, high = -INFINITY;
    for (std::size_t v = 0; v < vertex_count; ++v) {
      const float value = value_of(attribute, v, k);
      if (!(std::fabs(value) <= kMostMagnitude)) return {.size = INFINITY};
      low = std::min(low, value), high = std::max(high, value);
    }
    extent.low[k] = low;
    extent.size = std::max(extent.size, high - low);
  }
  return extent;
}

// Whether no value is further from a multiple of its step than half of another step.
bool is_rounded(const DracoAttribute& attribute, std::size_t vertex_count, const Extent& extent, float step,
                float other_step) {
  for (std::size_t v = 0; v < vertex_count; ++v) {
    for (std::size_t k = 0; k < attribute.components; ++k) {
      const float from_low = value_of(attribute, v, k) - extent.low[k];
      if (std::fabs(from_low - std::round(from_low / step) * step) > other_step / 2) return false;
    }
  }
  return true;
}

float steps_of(std::uint32_t bits) { return static_cast<float>((std::uint32_t{1} << bits) - 1); }

// Values that an encoder has rounded to fewer bits before, within their own extent, keep those.
void keep_fewer_bits(DracoAttribute& attribute, std::size_t vertex_count, const Extent& extent) {
  constexpr std::uint32_t kFewest = 4;
  if (!(extent.size > 0) || attribute.bits == 0) return;
  const float usual_step = (attribute.range != 0 ? attribute.range : extent.size) / steps_of(attribute.bits);
  for (std::uint32_t bits = kFewest; bits < attribute.bits; ++bits) {
    if (!is_rounded(attribute, vertex_count, extent, extent.size / steps_of(bits), usual_step)) continue;
    attribute.bits = bits, attribute.low = extent.low, attribute.range = extent.size;
    return;
  }
}

// Sets how floats are rounded. Returns whether they can be.
bool round(DracoAttribute& attribute, std::string_view name, const Cube& cube, const GlbOptions& options,
           std::size_t vertex_count) {
  if (attribute.component != kFloat) return true;
  const Extent extent = extent_of(attribute, vertex_count);
  if (name == "POSITION") {
    attribute.bits = cube.size > 0 ? options.position_bits : 0;
    attribute.low = {cube.low.x, cube.low.y, cube.low.z};
    attribute.range = cube.size;
    keep_fewer_bits(attribute, vertex_count, extent);
  } else if (name == "NORMAL") {
    attribute.bits = options.normal_bits;
  } else if (name == "TANGENT") {
    attribute.bits = options.normal_bits;
    attribute.low = {-1, -1, -1, -1};  // so that the sign in w stays exact
    attribute.range = 2;
  } else if (name.starts_with("TEXCOORD_") && options.texcoord_bits != 0) {
    attribute.bits = options.texcoord_bits;
    // As many bits after the point for textures that repeat.
    constexpr float kHalfBit = 1.41421356f;
    if (std::isfinite(extent.size) && extent.size > 1)
      attribute.bits += static_cast<std::uint32_t>(std::ilogb(extent.size * kHalfBit));
    if (attribute.bits > kMostBits) attribute.bits = 0;
    keep_fewer_bits(attribute, vertex_count, extent);
  }
  return attribute.bits == 0 || std::isfinite(extent.size);
}

// What a decoder makes of a bound of positions.
void round_bounds(Json& bounds, const DracoAttribute& attribute) {
  const float steps = steps_of(attribute.bits);
  std::vector<float> rounded;
  for (const Json& bound : bounds.items()) {
    const float low = attribute.low[rounded.size()];
    const float step = std::floor((static_cast<float>(bound.as_number()) - low) * (steps / attribute.range) + 0.5f);
    rounded.push_back(low + step * (attribute.range / steps));
  }
  bounds = rounded;
}

}  // namespace

Cube cube_of(const scene::Mesh& mesh) {
  Vec3 low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY};
  for (const scene::Primitive& primitive : mesh.primitives) {
    for (const Vec3& p : primitive.positions) {
      low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
      high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
    }
  }
  const float size = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
  return {low, std::isfinite(size) ? size : 0};
}

Result<std::optional<Json>> DracoPrimitives::add(GlbDocument& document, const scene::Primitive& p, const Cube& cube,
                                                 const GlbOptions& options, UsedExtensions& used) {
  const std::size_t count = p.positions.size();
  if (p.topology != scene::Topology::kTriangles || !p.morphs.empty()) return std::nullopt;
  GlbOptions floats = options;
  floats.integer_positions = false;
  floats.normal_bits = floats.texcoord_bits = 0;
  ASSETC_TRY(std::vector<VertexArray> arrays, vertex_arrays(p, floats, used));
  DracoTriangles triangles{count, p.indices, {}};
  for (VertexArray& array : arrays) {
    DracoAttribute attribute{.kind = kind_of(array.name),
                             .component = static_cast<int>(array.accessor.find("componentType")->as_uint()),
                             .components = components_of(array.accessor.find("type")->as_string()),
                             .stride_bytes = array.elements.size() / count,
                             .normalized = array.accessor.contains("normalized"),
                             .values = array.elements};
    if (attribute.components == 0 || !round(attribute, array.name, cube, options, count)) return std::nullopt;
    if (array.name == "POSITION" && attribute.bits != 0) {
      for (const char* bound : {"min", "max"}) round_bounds(array.accessor[bound], attribute);
    }
    triangles.attributes.push_back(attribute);
  }
  auto code = encode_draco(triangles);
  if (!code && code.error().code == ErrorCode::kInvalidData) return std::nullopt;
  if (!code) return std::unexpected(std::move(code).error());

  const std::size_t view = document.add_view(Bytes(std::move(code->bytes)));
  if (const auto equal = by_view_.find(view); equal != by_view_.end()) return equal->second;
  Json attributes, ids;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    arrays[i].accessor["count"] = code->vertex_count;
    attributes[arrays[i].name] = document.add_accessor(std::move(arrays[i].accessor));
    ids[arrays[i].name] = i;
  }
  const int component = code->vertex_count <= 65535 ? kUnsignedShort : kUnsignedInt;
  const std::size_t indices =
      document.add_accessor({{"componentType", component}, {"count", code->index_count}, {"type", "SCALAR"}});
  used.names.insert("KHR_draco_mesh_compression");
  Json out{{"attributes", std::move(attributes)},
           {"indices", indices},
           {"extensions", {{"KHR_draco_mesh_compression", {{"bufferView", view}, {"attributes", std::move(ids)}}}}}};
  by_view_.emplace(view, out);
  return out;
}

}  // namespace assetc::exporter
