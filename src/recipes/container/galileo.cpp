// Writes Galileo meshes.

#include "assetc/formats/galileo.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "formats/galileo/source.hpp"
#include "mesh/bounds.hpp"
#include "mesh/morph_index.hpp"
#include "parallel/parallel.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/container/hmesh_further.hpp"
#include "recipes/mesh/parts.hpp"

namespace assetc::recipes {
namespace {

using galileo::Fill;

constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();

// Normalizes v, unless it already is of unit length, so that repeated conversions of float containers do not drift.
scene::Vec3 unit_vector(scene::Vec3 v) {
  constexpr float kUnitTolerance = 1e-5f;
  return std::fabs(scene::dot(v, v) - 1) <= kUnitTolerance ? v : scene::normalize_or(v, {0, 0, 1});
}

galileo::Byte4 to_unorm8(scene::Vec4 c) {
  const auto channel = [](float v) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(std::isfinite(v) ? v : 0.0f, 0.0f, 1.0f) * 255));
  };
  return {channel(c.x), channel(c.y), channel(c.z), channel(c.w)};
}

// A submesh, or a primitive of points or lines.
struct Part {
  hmesh::Topology topology = hmesh::Topology::kTriangles;
  std::uint32_t flags = 0;  // galileo::GroupTopology::flags
  std::span<const std::uint32_t> indices;
  std::uint32_t material_slot = hmesh::kNoMaterial;
  const mesh::DrawVertices* vertices = nullptr;
  std::size_t place = 0;  // number in CompiledMesh::places
};

// All parts, in the order of the source.
std::vector<Part> parts_of(const mesh::Mesh& m) {
  std::vector<Part> out;
  std::size_t next = 0;
  const auto add_primitives = [&](std::size_t submeshes) {
    for (; next < m.primitives.items.size() && m.primitives.items[next].submeshes_before <= submeshes; ++next) {
      const hmesh::GpuPrimitive& p = m.primitives.items[next];
      const std::uint32_t flags = p.flags & (hmesh::GpuPrimitive::kHasNormals | hmesh::GpuPrimitive::kHasTangents);
      out.push_back({p.topology, flags, std::span(m.primitives.indices).subspan(p.first_index, p.index_count),
                     p.material_slot, &m.primitive_vertices[next], m.submeshes.size() + next});
    }
  };
  for (std::size_t s = 0; s < m.submeshes.size(); ++s) {
    add_primitives(s);
    const hmesh::SubMesh& submesh = m.submeshes[s];
    out.push_back({hmesh::Topology::kTriangles, 0,
                   std::span(m.indices).subspan(submesh.first_index, submesh.index_count), submesh.material_slot,
                   &m.submesh_vertices[s], s});
  }
  add_primitives(m.submeshes.size());
  return out;
}

// The names, in which submeshes are the groups.
hmesh::Names names_of(const mesh::Mesh& m, std::span<const Part> parts) {
  hmesh::Names names = m.names;
  if (m.primitives.empty()) return names;
  // None, if no primitive has a node.
  std::vector<std::uint32_t> nodes;
  for (const hmesh::GpuPrimitive& p : m.primitives.items) nodes.push_back(p.node);
  if (std::ranges::all_of(nodes, [](std::uint32_t node) { return node == hmesh::kNoNode; })) nodes.clear();
  const auto merged = [&](auto& of_submeshes, const auto& of_primitives) {
    auto all = of_submeshes;
    all.clear();
    std::size_t submesh = 0, primitive = 0;
    for (const Part& part : parts) {
      const bool is_submesh = part.topology == hmesh::Topology::kTriangles;
      const auto& from = is_submesh ? of_submeshes : of_primitives;
      const std::size_t i = is_submesh ? submesh++ : primitive++;
      if (i >= from.size()) return of_submeshes.clear();
      all.push_back(from[i]);
    }
    of_submeshes = std::move(all);
  };
  merged(names.submeshes, m.primitives.names);
  merged(names.submesh_nodes, nodes);
  return names;
}

// The vertices of a group, ordered by first use in its indices: a run of the mesh's vertices, or a list of them.
struct GroupVertices {
  std::uint32_t first = 0, count = 0;
  std::vector<std::uint32_t> list;     // empty if the vertices are a run
  std::vector<std::uint32_t> indices;  // for a list: indices into it
};

// local: one item for each vertex of the mesh, all kUnused before and after the call.
GroupVertices vertices_of(const mesh::Mesh& m, const Part& part, std::vector<std::uint32_t>& local) {
  if (part.vertices->vertex_count != 0) return {part.vertices->first_vertex, part.vertices->vertex_count, {}, {}};
  GroupVertices out;
  local.resize(m.positions.size(), kUnused);
  out.indices.reserve(part.indices.size());
  for (const std::uint32_t v : part.indices) {
    if (local[v] == kUnused) {
      local[v] = static_cast<std::uint32_t>(out.list.size());
      out.list.push_back(v);
    }
    out.indices.push_back(local[v]);
  }
  for (const std::uint32_t v : out.list) local[v] = kUnused;
  out.count = static_cast<std::uint32_t>(out.list.size());
  return out;
}

// Gives the writer the attributes of one part. Refers to the mesh and the vertices.
class GroupFiller {
 public:
  GroupFiller(const mesh::Mesh& mesh, const Part& part, const GroupVertices& vertices)
      : mesh_(mesh), part_(part), vertices_(vertices) {}

  galileo::GroupSource group() const {
    galileo::GroupSource out;
    const mesh::Box box = box_of_vertices();
    out.low = {box.low.x, box.low.y, box.low.z};
    out.high = {box.high.x, box.high.y, box.high.z};
    out.topology = part_.topology;
    out.flags = part_.flags;
    out.index_count = static_cast<std::uint32_t>(part_.indices.size());
    out.vertex_count = vertices_.count;
    out.material_slot = part_.material_slot;
    out.indices = indices();
    out.positions =
        converted<galileo::Float3>(mesh_.positions, [](scene::Vec3 p) { return galileo::Float3{p.x, p.y, p.z}; });
    out.normals = converted<galileo::Float3>(mesh_.normals, [](scene::Vec3 n) {
      const scene::Vec3 unit = unit_vector(n);
      return galileo::Float3{unit.x, unit.y, unit.z};
    });
    if (mesh_.tangents.empty()) {
      out.tangents = [](std::size_t, std::span<galileo::Float4> block) {
        std::ranges::fill(block, galileo::Float4{1, 0, 0, 1});
      };
    } else {
      out.tangents = converted<galileo::Float4>(mesh_.tangents, [](scene::Vec4 t) {
        const scene::Vec3 unit = unit_vector({t.x, t.y, t.z});
        return galileo::Float4{unit.x, unit.y, unit.z, t.w};
      });
    }
    for (std::size_t k = 0; k < part_.vertices->texcoord_sets.size(); ++k) {
      if (part_.vertices->texcoord_sets[k]) out.texcoords.push_back(texcoords(mesh_.texcoords[k]));
    }
    for (std::size_t k = 0; k < part_.vertices->color_sets.size(); ++k) {
      if (part_.vertices->color_sets[k]) out.colors.push_back(converted<galileo::Byte4>(mesh_.colors[k], to_unorm8));
    }
    if (!mesh_.further_skin.empty()) {
      add_eight_influences(out);
    } else if (!mesh_.skin.empty()) {
      out.joints.push_back(converted<galileo::Short4>(
          mesh_.skin, [](const hmesh::GpuSkinVertex& s) { return std::to_array(s.joints); }));
      out.weights.push_back(converted<galileo::Short4>(mesh_.skin, [](const hmesh::GpuSkinVertex& s) {
        galileo::Short4 weights;
        galileo::quantize_weights(s.weights, weights);
        return weights;
      }));
    }
    return out;
  }

 private:
  // Two channels, whose weights have a sum of 1 together.
  void add_eight_influences(galileo::GroupSource& out) const {
    for (const auto* influences : {&mesh_.skin, &mesh_.further_skin}) {
      out.joints.push_back(converted<galileo::Short4>(
          *influences, [](const hmesh::GpuSkinVertex& s) { return std::to_array(s.joints); }));
      const std::size_t first_weight = influences == &mesh_.skin ? 0 : 4;
      out.weights.push_back(
          [&mesh = mesh_, &vertices = vertices_, first_weight](std::size_t first, std::span<galileo::Short4> block) {
            for (std::size_t i = 0; i < block.size(); ++i) {
              const std::size_t v = vertices.list.empty() ? vertices.first + first + i : vertices.list[first + i];
              std::array<float, 8> weights{};
              std::ranges::copy(mesh.skin[v].weights, weights.begin());
              std::ranges::copy(mesh.further_skin[v].weights, weights.begin() + 4);
              std::array<std::uint16_t, 8> unorm{};
              galileo::quantize_weights(weights, unorm);
              std::copy_n(unorm.begin() + static_cast<std::ptrdiff_t>(first_weight), 4, block[i].begin());
            }
          });
    }
  }

  mesh::Box box_of_vertices() const {
    if (vertices_.count == 0) return {};
    if (vertices_.list.empty())
      return mesh::bounding_box(std::span(mesh_.positions).subspan(vertices_.first, vertices_.count));
    std::vector<scene::Vec3> positions;
    positions.reserve(vertices_.count);
    for (const std::uint32_t v : vertices_.list) positions.push_back(mesh_.positions[v]);
    return mesh::bounding_box(positions);
  }

  Fill<std::uint32_t> indices() const {
    const std::span<const std::uint32_t> corners =
        vertices_.list.empty() ? part_.indices : std::span(vertices_.indices);
    return [corners, base = vertices_.first](std::size_t first, std::span<std::uint32_t> block) {
      for (std::size_t i = 0; i < block.size(); ++i) block[i] = corners[first + i] - base;
    };
  }

  template <class T, class From, class Convert>
  Fill<T> converted(const std::vector<From>& stream, const Convert& convert) const {
    return [&stream, &vertices = vertices_, convert](std::size_t first, std::span<T> block) {
      if (vertices.list.empty()) {
        const From* const from = stream.data() + vertices.first + first;
        for (std::size_t i = 0; i < block.size(); ++i) block[i] = convert(from[i]);
      } else {
        for (std::size_t i = 0; i < block.size(); ++i) block[i] = convert(stream[vertices.list[first + i]]);
      }
    };
  }

  galileo::TexcoordSource texcoords(const std::vector<scene::Vec2>& set) const {
    Fill<galileo::Float2> values =
        converted<galileo::Float2>(set, [](scene::Vec2 v) { return galileo::Float2{v.x, v.y}; });
    const bool exact = galileo::leaves_unit_square(vertices_.count, values);
    return {std::move(values), exact};
  }

  const mesh::Mesh& mesh_;
  const Part& part_;
  const GroupVertices& vertices_;
};

// The custom attributes of a group, as floats.
std::vector<galileo::AttributeExtension> custom_of(const mesh::Mesh& m, const GroupVertices& vertices) {
  const FurtherStreams streams = custom_streams(m, hmesh::FurtherFormat::kRgba32F);
  std::vector<galileo::AttributeExtension> out;
  const auto& items = streams.attributes.items;
  for (std::size_t i = 0, end = 0; i < items.size(); i = end) {
    std::size_t stride = 0;
    for (end = i; end < items.size() && items[end].name == items[i].name; ++end)
      stride += hmesh::size_bytes_of(items[end].format);
    if (items[i].name.size() > galileo::kMaxExtensionName) continue;
    galileo::AttributeExtension& extension =
        out.emplace_back(galileo::AttributeExtension{items[i].name, 1, stride, {}});
    extension.data.resize(stride * vertices.count);
    std::size_t offset = 0;
    for (std::size_t column = i; column < end; ++column) {
      if (vertices.list.empty()) {
        streams.fills[column](vertices.first, vertices.count, extension.data.data() + offset, stride);
      }
      for (std::size_t v = 0; v < vertices.list.size(); ++v)
        streams.fills[column](vertices.list[v], 1, extension.data.data() + v * stride + offset, stride);
      offset += hmesh::size_bytes_of(items[column].format);
    }
  }
  return out;
}

// The morph targets, with the vertices of all groups numbered in the order of groups.
hmesh::Morphs morphs_of_groups(const mesh::Mesh& m, std::span<const GroupVertices> groups) {
  mesh::Mesh numbered;
  numbered.morphs.groups = m.morphs.groups;
  for (const mesh::Morph& morph : m.targets) {
    mesh::Morph& to = numbered.targets.emplace_back(morph);
    to.offsets = {};
    const std::vector<std::uint32_t>& moved = morph.offsets.vertices;
    std::uint32_t base = 0;
    for (const GroupVertices& group : groups) {
      std::vector<std::pair<std::uint32_t, std::size_t>> rows;  // number in the group, row of the target
      if (group.list.empty()) {
        const auto begin = std::ranges::lower_bound(moved, group.first);
        for (auto v = begin; v != moved.end() && *v - group.first < group.count; ++v)
          rows.emplace_back(*v - group.first, static_cast<std::size_t>(v - moved.begin()));
      }
      for (std::uint32_t k = 0; k < group.list.size(); ++k) {
        const auto v = std::ranges::lower_bound(moved, group.list[k]);
        if (v != moved.end() && *v == group.list[k]) rows.emplace_back(k, static_cast<std::size_t>(v - moved.begin()));
      }
      for (const auto& [number, row] : rows) mesh::append_row(morph.offsets, row, base + number, to.offsets);
      base += group.count;
    }
  }
  return hmesh_morphs(numbered);
}

Result<Bytes> write_galileo(CompiledMesh& in, MeshReport& report) {
  const mesh::Mesh& m = in.mesh;
  report.drop("levels of detail, which Galileo cannot hold", in.place(0), m.lod_count);
  const std::vector<Part> parts = parts_of(m);
  const hmesh::Names names = names_of(m, parts);
  galileo::Source out;
  out.uuid = galileo::uuid_of_ref(in.stem);
  out.materials = m.materials;
  out.joints = m.joints;
  out.names = &names;
  std::vector<GroupVertices> vertices;
  vertices.reserve(parts.size());
  std::vector<std::uint32_t> local;
  for (const Part& part : parts) vertices.push_back(vertices_of(m, part, local));
  for (const scene::CustomAttribute& custom : m.custom) {
    if (custom.name.size() > galileo::kMaxExtensionName)
      report.drop("attribute " + custom.name + ", whose name Galileo cannot hold (at most 16 bytes)", in.place(0));
  }
  std::vector<std::vector<galileo::AttributeExtension>> custom;
  custom.reserve(vertices.size());
  for (const GroupVertices& group : vertices) custom.push_back(custom_of(m, group));
  const hmesh::Morphs morphs = morphs_of_groups(m, vertices);
  out.morphs = &morphs;
  bool warned = false;
  for (std::size_t s = 0; s < parts.size(); ++s) {
    const galileo::GroupSource& group = out.groups.emplace_back(GroupFiller(m, parts[s], vertices[s]).group());
    out.groups.back().extensions = custom[s];
    const bool leaves = std::ranges::any_of(group.texcoords, &galileo::TexcoordSource::exact);
    if (!leaves || (warned && in.places.empty())) continue;
    warned = true;
    report.warn(
        WarningKind::kGalileoTexcoords, in.place(parts[s].place),
        "texture coordinates leave [0, 1], which Galileo's 16-bit channels cannot hold",
        "readers that support assetc's exact channels are not affected; for others, move the coordinates into [0, 1]");
  }
  return galileo::write(
      out, [](std::size_t count, const std::function<void(std::size_t)>& body) { parallel_for(count, body); });
}

}  // namespace

constinit const MeshContainer kGalileo{.suffix = ".gali",
                                       .name = "Galileo",
                                       .keeps_channels = true,
                                       .keeps_lods = false,
                                       .keeps_materials = true,
                                       .keeps_skin = true,
                                       .keeps_frames = true,
                                       .keeps_attributes = false,
                                       .keeps_morphs = true,
                                       .write = write_galileo};

}  // namespace assetc::recipes
