#include "recipes/container/hmesh_further.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "import/compiled/hmesh_further.hpp"
#include "mesh/morph_bounds.hpp"

namespace assetc::recipes {
namespace {

using hmesh::FurtherFormat;
using hmesh::FurtherSemantic;
using scene::ComponentType;
using scene::Vec2;
using scene::Vec3;
using scene::Vec4;

template <class T>
bool is_exact(const std::vector<Vec4>& colors) {
  constexpr auto kMost = static_cast<float>(std::numeric_limits<T>::max());
  const auto exact = [](float c) {
    return c >= 0 && c <= 1 && static_cast<float>(static_cast<T>(std::lround(c * kMost))) / kMost == c;
  };
  return std::ranges::all_of(colors,
                             [&](const Vec4& c) { return exact(c.x) && exact(c.y) && exact(c.z) && exact(c.w); });
}

template <class T>
FurtherStreams::Fill unorm_fill(const std::vector<Vec4>& colors) {
  return [&colors](std::size_t first, std::size_t count, std::byte* to, std::size_t stride) {
    const auto unorm = [](float c) {
      return static_cast<T>(std::lround(c * static_cast<float>(std::numeric_limits<T>::max())));
    };
    for (std::size_t i = 0; i < count; ++i, to += stride) {
      const Vec4& c = colors[first + i];
      const std::array<T, 4> value{unorm(c.x), unorm(c.y), unorm(c.z), unorm(c.w)};
      std::memcpy(to, value.data(), sizeof value);
    }
  };
}

template <class T>
FurtherStreams::Fill copy_fill(const std::vector<T>& values) {
  return [&values](std::size_t first, std::size_t count, std::byte* to, std::size_t stride) {
    for (std::size_t i = 0; i < count; ++i, to += stride) std::memcpy(to, &values[first + i], sizeof(T));
  };
}

std::size_t bytes_of(ComponentType type) {
  constexpr std::array<std::uint8_t, 6> kBytes{1, 1, 2, 2, 4, 4};
  return kBytes[static_cast<std::size_t>(type)];
}

template <class T>
float component(const std::byte* from, bool normalized) {
  T value;
  std::memcpy(&value, from, sizeof value);
  const auto f = static_cast<float>(value);
  return normalized ? std::max(f / static_cast<float>(std::numeric_limits<T>::max()), -1.0f) : f;
}

float component(const scene::CustomAttribute& a, const std::byte* from) {
  switch (a.type) {
    case ComponentType::kI8:
      return component<std::int8_t>(from, a.normalized);
    case ComponentType::kU8:
      return component<std::uint8_t>(from, a.normalized);
    case ComponentType::kI16:
      return component<std::int16_t>(from, a.normalized);
    case ComponentType::kU16:
      return component<std::uint16_t>(from, a.normalized);
    case ComponentType::kU32:
      return component<std::uint32_t>(from, false);
    case ComponentType::kF32:
      break;
  }
  return component<float>(from, false);
}

void add_custom(const scene::CustomAttribute& a, FurtherFormat widest, FurtherStreams& out) {
  const std::size_t column_bytes = a.rows * bytes_of(a.type);
  FurtherFormat format = static_cast<FurtherFormat>(a.rows);
  if (a.rows == 4 && a.normalized && a.type == ComponentType::kU8) format = FurtherFormat::kRgba8Unorm;
  if (a.rows == 4 && a.normalized && a.type == ComponentType::kU16) format = FurtherFormat::kRgba16Unorm;
  if (format > widest) format = FurtherFormat::kRgba32F;
  const bool as_stored = a.type == ComponentType::kF32 || format > FurtherFormat::kRgba32F;
  for (std::uint16_t column = 0; column < a.columns; ++column) {
    out.attributes.items.push_back({FurtherSemantic::kCustom, column, format, a.name});
    out.fills.emplace_back(
        [&a, column, column_bytes, as_stored](std::size_t first, std::size_t count, std::byte* to, std::size_t stride) {
          for (std::size_t i = 0; i < count; ++i, to += stride) {
            const std::byte* from = a.values.data() + ((first + i) * a.columns + column) * column_bytes;
            if (as_stored) {
              std::memcpy(to, from, column_bytes);
              continue;
            }
            std::array<float, 4> value{};
            for (std::size_t row = 0; row < a.rows; ++row) value[row] = component(a, from + row * bytes_of(a.type));
            std::memcpy(to, value.data(), a.rows * sizeof(float));
          }
        });
  }
}

// The step of offsets whose largest absolute component is largest. 0: there are none.
float step_of(float known_step, float largest) {
  if (known_step != 0 || largest == 0) return known_step;
  // Below the normal floats, an integer times the step would not be exact.
  return std::max(largest / mesh::kMorphSteps, std::numeric_limits<float>::min());
}

std::int16_t quantized(float value, float step) {
  if (step == 0) return 0;
  const double steps = std::nearbyint(static_cast<double>(value) / step);
  return static_cast<std::int16_t>(std::clamp(steps, -32767.0, 32767.0));
}
std::array<std::int16_t, 3> quantized(const std::vector<Vec3>& values, std::size_t i, float step) {
  if (values.empty()) return {};
  return {quantized(values[i].x, step), quantized(values[i].y, step), quantized(values[i].z, step)};
}

float largest_of(const Vec2& v) { return std::max(std::fabs(v.x), std::fabs(v.y)); }
float largest_of(const Vec3& v) { return std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z)}); }
float largest_of(const Vec4& v) { return std::max({std::fabs(v.x), std::fabs(v.y), std::fabs(v.z), std::fabs(v.w)}); }
template <class V>
float largest_of(const std::vector<V>& values) {
  float largest = 0;
  for (const V& v : values) largest = std::max(largest, largest_of(v));
  return largest;
}

std::array<float, 4> components_of(const Vec2& v) { return {v.x, v.y, 0, 0}; }
std::array<float, 4> components_of(const Vec4& v) { return {v.x, v.y, v.z, v.w}; }

template <class V>
void add_channels(std::uint32_t target, FurtherSemantic semantic, const std::vector<std::vector<V>>& sets,
                  const std::vector<float>& known_steps, const std::vector<std::uint32_t>& vertices,
                  hmesh::Morphs& out) {
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const float step = step_of(s < known_steps.size() ? known_steps[s] : 0, largest_of(sets[s]));
    if (step == 0) continue;
    hmesh::GpuMorphChannel channel{target,
                                   static_cast<std::uint16_t>(semantic),
                                   static_cast<std::uint16_t>(s),
                                   static_cast<std::uint32_t>(out.channel_moves.size()),
                                   0,
                                   step,
                                   0};
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      hmesh::GpuChannelMove move{vertices[i], {}};
      const std::array<float, 4> components = components_of(sets[s][i]);
      for (std::size_t k = 0; k < 4; ++k) move.offset[k] = quantized(components[k], step);
      if (std::ranges::any_of(move.offset, [](std::int16_t v) { return v != 0; })) out.channel_moves.push_back(move);
    }
    channel.move_count = static_cast<std::uint32_t>(out.channel_moves.size()) - channel.first_move;
    if (channel.move_count != 0) out.channels.push_back(channel);
  }
}

}  // namespace

FurtherStreams custom_streams(const mesh::Mesh& mesh, FurtherFormat widest) {
  FurtherStreams out;
  for (const scene::CustomAttribute& a : mesh.custom) add_custom(a, widest, out);
  return out;
}

FurtherStreams further_streams(const mesh::Mesh& mesh) {
  FurtherStreams out;
  const auto add = [&](FurtherSemantic semantic, std::size_t set, FurtherFormat format, FurtherStreams::Fill fill) {
    out.attributes.items.push_back({semantic, static_cast<std::uint16_t>(set), format, {}});
    out.fills.push_back(std::move(fill));
  };
  for (std::size_t k = 1; k < mesh.texcoords.size(); ++k) {
    if (mesh.texcoords[k].empty()) continue;
    add(FurtherSemantic::kTexcoord, k - 1, FurtherFormat::kRg32F, copy_fill(mesh.texcoords[k]));
  }
  for (std::size_t s = 0; s < mesh.colors.size(); ++s) {
    const std::vector<Vec4>& colors = mesh.colors[s];
    if (colors.empty()) continue;
    if (is_exact<std::uint8_t>(colors)) {
      add(FurtherSemantic::kColor, s, FurtherFormat::kRgba8Unorm, unorm_fill<std::uint8_t>(colors));
    } else if (is_exact<std::uint16_t>(colors)) {
      add(FurtherSemantic::kColor, s, FurtherFormat::kRgba16Unorm, unorm_fill<std::uint16_t>(colors));
    } else {
      add(FurtherSemantic::kColor, s, FurtherFormat::kRgba32F, copy_fill(colors));
    }
  }
  FurtherStreams custom = custom_streams(mesh);
  std::ranges::move(custom.attributes.items, std::back_inserter(out.attributes.items));
  std::ranges::move(custom.fills, std::back_inserter(out.fills));
  return out;
}

hmesh::Morphs hmesh_morphs(const mesh::Mesh& mesh) {
  hmesh::Morphs out;
  for (std::uint32_t t = 0; t < mesh.targets.size(); ++t) {
    const mesh::Morph& from = mesh.targets[t];
    const scene::MorphTarget& offsets = from.offsets;
    hmesh::Morphs::Target& to = out.targets.emplace_back();
    to.name = from.name;
    to.weight = from.weight;
    to.low = from.low;
    to.high = from.high;
    to.position_step = step_of(from.position_step, largest_of(offsets.positions));
    to.normal_step = step_of(from.normal_step, largest_of(offsets.normals));
    to.tangent_step = step_of(from.tangent_step, largest_of(offsets.tangents));
    for (std::size_t i = 0; i < offsets.vertices.size(); ++i) {
      const hmesh::MorphMove move{offsets.vertices[i], quantized(offsets.positions, i, to.position_step),
                                  quantized(offsets.normals, i, to.normal_step),
                                  quantized(offsets.tangents, i, to.tangent_step)};
      if (move == hmesh::MorphMove{.vertex = move.vertex}) continue;
      out.moves.push_back(move);
      ++to.move_count;
    }
    add_channels(t, FurtherSemantic::kTexcoord, offsets.texcoords, from.texcoord_steps, offsets.vertices, out);
    add_channels(t, FurtherSemantic::kColor, offsets.colors, from.color_steps, offsets.vertices, out);
  }
  out.groups = mesh.morphs.groups;
  return out;
}

void read_further(const hmesh::View& view, mesh::Mesh& mesh) {
  std::vector<std::uint32_t> all(view.vertices().size());
  std::iota(all.begin(), all.end(), 0u);
  if (view.further_attributes()) {
    const hmesh::FurtherAttributesView& further = *view.further_attributes();
    const auto place = [](auto& sets, std::size_t at) -> auto& {
      if (sets.size() <= at) sets.resize(at + 1);
      return sets[at];
    };
    for (const hmesh::GpuAttribute& a : further.attributes()) {
      if (a.semantic == FurtherSemantic::kTexcoord)
        place(mesh.texcoords, a.set + std::size_t{1}) = importer::texcoords_of(further, a, all);
      if (a.semantic == FurtherSemantic::kColor) place(mesh.colors, a.set) = importer::colors_of(further, a, all);
    }
    mesh.custom = importer::custom_of(further, all);
  }
  if (view.morphs()) read_morphs(*view.morphs(), all.size(), mesh);
}

void read_morphs(const hmesh::MorphsView& view, std::size_t vertex_count, mesh::Mesh& mesh) {
  std::vector<std::uint32_t> all(vertex_count);
  std::iota(all.begin(), all.end(), 0u);
  for (std::size_t t = 0; t < view.targets().size(); ++t) {
    const hmesh::GpuMorphTarget& from = view.targets()[t];
    mesh::Morph& to = mesh.targets.emplace_back();
    to.name = view.name(t);
    to.weight = from.weight;
    to.low = from.low;
    to.high = from.high;
    to.position_step = from.position_step;
    to.normal_step = from.normal_step;
    to.tangent_step = from.tangent_step;
    to.offsets = importer::morph_of(view, t, all);
    for (const hmesh::GpuMorphChannel& channel : view.channels()) {
      if (channel.target != t) continue;
      const bool is_color = channel.semantic == static_cast<std::uint16_t>(FurtherSemantic::kColor);
      std::vector<float>& steps = is_color ? to.color_steps : to.texcoord_steps;
      steps.resize(channel.set + std::size_t{1});
      steps[channel.set] = channel.step;
    }
  }
  for (const hmesh::GpuMorphGroup& group : view.groups())
    mesh.morphs.groups.push_back({group.target_count, group.node});
}

}  // namespace assetc::recipes
