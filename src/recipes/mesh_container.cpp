#include "recipes/mesh_container.hpp"

#include <algorithm>
#include <cmath>

#include "assetc/base/hash.hpp"
#include "assetc/formats/galileo.hpp"
#include "assetc/formats/hmesh_v1.hpp"

namespace assetc::recipes {
namespace {

Result<ByteVector> write_hmesh(const ContainerInput& in, MeshReport&) { return hmesh::write(in.built.model); }

// Version 1 knows one range of triangles and the materials of the source, nothing else.
Result<ByteVector> write_hmesh_v1(const ContainerInput& in, MeshReport& report) {
  const hmesh::Model& model = in.built.model;
  const std::string place = in.flat.front().place;
  if (model.submeshes.size() > 1)
    report.drop("submesh ranges, which hmesh-v1 cannot hold", place,
                static_cast<std::uint32_t>(model.submeshes.size()));
  if (!model.skin.empty()) report.drop("skins, which hmesh-v1 cannot hold", place);
  hmesh_v1::Model out = hmesh_v1::from_hmesh(model, source_material_hashes(in.source.scene, in.stem));
  if (!model.names.empty()) {
    for (const scene::Material& m : in.source.scene.materials) out.material_names.push_back(m.name);
  }
  return hmesh_v1::write(out);
}

galileo::Byte4 to_unorm8(scene::Vec4 c) {
  const auto channel = [](float v) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(std::isfinite(v) ? v : 0.0f, 0.0f, 1.0f) * 255));
  };
  return {channel(c.x), channel(c.y), channel(c.z), channel(c.w)};
}

// Vertex v of the model as the source had it, or as the model has it where the source had none.
struct GroupFiller {
  const hmesh::Model& model;
  const FlatSubmesh& flat;
  std::span<const std::uint32_t> sources;  // of the group's vertices
  std::uint32_t first;                     // of the group in the model

  galileo::Float3 normal(std::size_t v) const {
    if (!flat.normals.empty()) {
      const scene::Vec3 n = normalize_or(flat.normals[sources[v]], {});
      if (n != scene::Vec3{}) return {n.x, n.y, n.z};
    }
    const hmesh::GpuVertex& packed = model.vertices[first + v];
    return decode_octahedral(packed.normal[0], packed.normal[1]);
  }
  galileo::Float4 tangent(std::size_t v) const {
    const hmesh::GpuVertex& packed = model.vertices[first + v];
    if (!model.has_tangents) return {1, 0, 0, 1};
    return decode_octahedral_tangent(packed.tangent[0], packed.tangent[1]);
  }
};

template <class Out, class In, class Convert>
std::vector<Out> gather(std::span<const std::uint32_t> sources, std::span<const In> values, const Convert& convert) {
  std::vector<Out> out;
  out.reserve(sources.size());
  for (const std::uint32_t s : sources) out.push_back(convert(values[s]));
  return out;
}

galileo::Float2 to_float2(scene::Vec2 v) { return {v.x, v.y}; }

void add_texcoords(const FlatSubmesh& flat, std::span<const std::uint32_t> sources, galileo::VertexGroup& group) {
  const auto add = [&](std::span<const scene::Vec2> set) {
    group.texcoords.push_back(gather<galileo::Float2>(sources, set, to_float2));
  };
  const auto& sets = flat.primitive->texcoords;
  // The set as the material sees it comes first; where that is the source's own first set, it is not said twice.
  const bool is_first_set = !sets.empty() && flat.texcoords.data() == sets.front().data();
  if (!flat.texcoords.empty() && !is_first_set) add(flat.texcoords);
  for (const auto& set : sets) {
    if (!set.empty()) add(set);
  }
}

void add_influences(const hmesh::Model& model, std::uint32_t first, std::uint32_t count, galileo::VertexGroup& group) {
  if (model.skin.empty()) return;
  auto& joints = group.joints.emplace_back();
  auto& weights = group.weights.emplace_back();
  for (std::uint32_t v = first; v < first + count; ++v) {
    const hmesh::GpuSkinVertex& skin = model.skin[v];
    joints.push_back({skin.joints[0], skin.joints[1], skin.joints[2], skin.joints[3]});
    galileo::quantize_weights(skin.weights, weights.emplace_back());
  }
}

Result<ByteVector> write_galileo(const ContainerInput& in, MeshReport& report) {
  const hmesh::Model& model = in.built.model;
  galileo::Model out;
  out.uuid = galileo::uuid_of_ref(in.stem);
  out.materials = model.materials;
  out.joints = model.joints;
  out.names = model.names;
  for (std::size_t s = 0; s < model.submeshes.size(); ++s) {
    const hmesh::SubMesh& submesh = model.submeshes[s];
    const FlatSubmesh& flat = in.flat[s];
    const std::uint32_t first = in.built.vertex_begin[s], count = in.built.vertex_begin[s + 1] - first;
    const auto sources = std::span(in.built.source_vertices).subspan(first, count);
    const GroupFiller filler{model, flat, sources, first};
    galileo::VertexGroup& group = out.groups.emplace_back();
    group.material_slot = submesh.material_slot;
    group.indices.reserve(submesh.index_count);
    for (std::uint32_t i = 0; i < submesh.index_count; ++i)
      group.indices.push_back(model.indices[submesh.first_index + i] - first);
    for (std::uint32_t v = 0; v < count; ++v) {
      const float* p = model.vertices[first + v].position;
      group.positions.push_back({p[0], p[1], p[2]});
      group.normals.push_back(filler.normal(v));
      group.tangents.push_back(filler.tangent(v));
    }
    add_texcoords(flat, sources, group);
    for (const auto& set : flat.primitive->colors) {
      if (!set.empty())
        group.colors.push_back(gather<galileo::Byte4>(sources, std::span<const scene::Vec4>(set), to_unorm8));
    }
    add_influences(model, first, count, group);
    for (const auto& set : group.texcoords) {
      if (galileo::needs_exact_texcoords(set)) {
        report.warn(
            flat.place, "texture coordinates leave [0, 1], which Galileo's 16-bit channels cannot hold",
            "readers that know assetc's exact channels read those; for others, move the coordinates into [0, 1]");
        break;
      }
    }
  }
  return galileo::write(out);
}

constexpr Container kHmesh{.suffix = ".hmesh",
                           .keeps_channels = false,
                           .keeps_lods = true,
                           .keeps_materials = true,
                           .keeps_skin = true,
                           .write = write_hmesh};
constexpr Container kHmeshV1{.suffix = ".hmesh",
                             .keeps_channels = false,
                             .keeps_lods = false,
                             .keeps_materials = false,
                             .keeps_skin = false,
                             .write = write_hmesh_v1};
constexpr Container kGalileo{.suffix = ".gali",
                             .keeps_channels = true,
                             .keeps_lods = false,
                             .keeps_materials = true,
                             .keeps_skin = true,
                             .write = write_galileo};

}  // namespace

const Container& container_of(MeshContainer container) {
  switch (container) {
    case MeshContainer::kHmesh:
      return kHmesh;
    case MeshContainer::kHmeshV1:
      return kHmeshV1;
    case MeshContainer::kGalileo:
      return kGalileo;
  }
  return kHmesh;
}

ExtraAttributes extra_attributes(const scene::Primitive& primitive) {
  ExtraAttributes extra;
  std::vector<ByteSpan> streams;
  std::vector<std::size_t> strides;
  const auto add = [&]<class T>(const std::vector<T>& values) {
    if (values.empty()) return;
    streams.push_back(std::as_bytes(std::span(values)));
    strides.push_back(sizeof(T));
    extra.stride_bytes += sizeof(T);
  };
  for (const auto& set : primitive.texcoords) add(set);
  for (const auto& set : primitive.colors) add(set);
  const std::size_t count = primitive.positions.size();
  extra.bytes.resize(count * extra.stride_bytes);
  std::byte* to = extra.bytes.data();
  for (std::size_t v = 0; v < count; ++v) {
    for (std::size_t s = 0; s < streams.size(); ++s) {
      std::memcpy(to, streams[s].data() + v * strides[s], strides[s]);
      to += strides[s];
    }
  }
  return extra;
}

}  // namespace assetc::recipes
