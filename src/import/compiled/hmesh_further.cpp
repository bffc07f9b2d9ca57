#include "import/compiled/hmesh_further.hpp"

#include <algorithm>
#include <numeric>

namespace assetc::importer {
namespace {

using namespace scene;
using hmesh::FurtherAttributesView;
using hmesh::FurtherFormat;
using hmesh::FurtherSemantic;
using hmesh::GpuAttribute;

Vec3 scaled(const std::array<std::int16_t, 3>& v, float step) {
  return {static_cast<float>(v[0]) * step, static_cast<float>(v[1]) * step, static_cast<float>(v[2]) * step};
}

ComponentType type_of(FurtherFormat format) {
  if (format == FurtherFormat::kRgba8Unorm) return ComponentType::kU8;
  return format == FurtherFormat::kRgba16Unorm ? ComponentType::kU16 : ComponentType::kF32;
}

// Sorts the moved vertices by their new numbers.
struct Moves {
  std::vector<std::size_t> rows;  // of the target
  std::vector<std::uint32_t> vertices;
};
Moves sorted(std::size_t count, const auto& number, const auto& vertex_of) {
  std::vector<std::pair<std::uint32_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t vertex = number(vertex_of(i));
    if (vertex != kNone) pairs.emplace_back(vertex, i);
  }
  std::ranges::sort(pairs);
  Moves moves;
  for (const auto& [vertex, row] : pairs) {
    moves.vertices.push_back(vertex);
    moves.rows.push_back(row);
  }
  return moves;
}

// Adds the vertices that only a channel moves to those of the target.
void add_vertices(std::span<const std::uint32_t> vertices, MorphTarget& target) {
  std::vector<std::uint32_t> all;
  std::ranges::set_union(target.vertices, vertices, std::back_inserter(all));
  const auto spread = [&](std::vector<Vec3>& values) {
    if (values.empty() || all.size() == target.vertices.size()) return;
    std::vector<Vec3> wider(all.size());
    for (std::size_t i = 0, k = 0; i < all.size() && k < values.size(); ++i) {
      if (all[i] == target.vertices[k]) wider[i] = values[k++];
    }
    values = std::move(wider);
  };
  spread(target.positions);
  spread(target.normals);
  spread(target.tangents);
  target.vertices = std::move(all);
}

// number(vertex) -> its number in the result, or kNone.
MorphTarget read_target(const hmesh::MorphsView& view, std::size_t target, const auto& number) {
  const hmesh::GpuMorphTarget& t = view.targets()[target];
  Moves moves = sorted(t.move_count, number, [&](std::size_t i) { return view.move(t.first_move + i).vertex; });
  MorphTarget out;
  out.vertices = std::move(moves.vertices);
  for (const std::size_t row : moves.rows) {
    const hmesh::MorphMove move = view.move(t.first_move + row);
    if (t.position_step != 0) out.positions.push_back(scaled(move.position, t.position_step));
    if (t.normal_step != 0) out.normals.push_back(scaled(move.normal, t.normal_step));
    if (t.tangent_step != 0) out.tangents.push_back(scaled(move.tangent, t.tangent_step));
  }
  std::vector<std::pair<const hmesh::GpuMorphChannel*, Moves>> channels;
  for (const hmesh::GpuMorphChannel& channel : view.channels()) {
    if (channel.target != target) continue;
    channels.emplace_back(&channel, sorted(channel.move_count, number, [&](std::size_t i) {
      return view.channel_moves()[channel.first_move + i].vertex;
    }));
    add_vertices(channels.back().second.vertices, out);
  }
  for (const auto& [channel, channel_moves] : channels) {
    const auto fill = [&](auto& sets, const auto& convert) {
      if (sets.size() <= channel->set) sets.resize(channel->set + std::size_t{1});
      sets[channel->set].resize(out.vertices.size());
      std::size_t at = 0;
      for (std::size_t i = 0; i < channel_moves.vertices.size(); ++i) {
        while (out.vertices[at] != channel_moves.vertices[i]) ++at;
        sets[channel->set][at] = convert(view.channel_moves()[channel->first_move + channel_moves.rows[i]].offset);
      }
    };
    const auto at = [&](std::int16_t v) { return static_cast<float>(v) * channel->step; };
    if (channel->semantic == static_cast<std::uint16_t>(FurtherSemantic::kTexcoord)) {
      fill(out.texcoords, [&](const std::int16_t* v) { return Vec2{at(v[0]), at(v[1])}; });
    } else {
      fill(out.colors, [&](const std::int16_t* v) { return Vec4{at(v[0]), at(v[1]), at(v[2]), at(v[3])}; });
    }
  }
  return out;
}

}  // namespace

std::vector<Vec2> texcoords_of(const FurtherAttributesView& view, const GpuAttribute& attribute,
                               std::span<const std::uint32_t> vertices) {
  std::vector<Vec2> out;
  out.reserve(vertices.size());
  for (const std::uint32_t v : vertices) {
    const auto value = view.value(attribute, v);
    out.push_back({value[0], value[1]});
  }
  return out;
}

std::vector<Vec4> colors_of(const FurtherAttributesView& view, const GpuAttribute& attribute,
                            std::span<const std::uint32_t> vertices) {
  std::vector<Vec4> out;
  out.reserve(vertices.size());
  for (const std::uint32_t v : vertices) {
    const auto value = view.value(attribute, v);
    out.push_back({value[0], value[1], value[2], value[3]});
  }
  return out;
}

std::vector<CustomAttribute> custom_of(const FurtherAttributesView& view, std::span<const std::uint32_t> vertices) {
  std::vector<CustomAttribute> all;
  for (std::size_t i = 0; i < view.attributes().size(); ++i) {
    const GpuAttribute& first = view.attributes()[i];
    if (first.semantic != FurtherSemantic::kCustom || first.set != 0) continue;
    std::vector<const GpuAttribute*> columns{&first};
    while (columns.size() < 4) {
      const GpuAttribute* next = view.find(view.name(i), static_cast<std::uint32_t>(columns.size()));
      if (next == nullptr || next->format != first.format) break;
      columns.push_back(next);
    }
    CustomAttribute out;
    out.name = view.name(i);
    out.type = type_of(first.format);
    out.normalized = out.type != ComponentType::kF32;
    out.rows = static_cast<std::uint8_t>(hmesh::component_count_of(first.format));
    out.columns = static_cast<std::uint8_t>(columns.size());
    const std::size_t size = hmesh::size_bytes_of(first.format);
    out.values.reserve(vertices.size() * size * columns.size());
    for (const std::uint32_t v : vertices) {
      for (const GpuAttribute* column : columns)
        append_bytes(out.values,
                     view.vertices().subspan(std::size_t{v} * view.stride_bytes() + column->offset_bytes, size));
    }
    const auto after = std::ranges::upper_bound(all, out.name, {}, &CustomAttribute::name);
    all.insert(after, std::move(out));
  }
  return all;
}

MorphTarget morph_of(const hmesh::MorphsView& view, std::size_t target, std::span<const std::uint32_t> number) {
  return read_target(view, target, [&](std::uint32_t vertex) { return number[vertex]; });
}

MorphTarget morph_of(const hmesh::MorphsView& view, std::size_t target, std::uint32_t first, std::uint32_t count) {
  return read_target(view, target, [&](std::uint32_t vertex) {
    return vertex >= first && vertex - first < count ? vertex - first : kNone;
  });
}

}  // namespace assetc::importer
