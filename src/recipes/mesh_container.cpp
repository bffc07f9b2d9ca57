#include <tbb/parallel_for.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstring>

#include "assetc/base/hash.hpp"
#include "assetc/formats/galileo.hpp"
#include "assetc/formats/hmesh_v1.hpp"
#include "base/release.hpp"
#include "formats/galileo_source.hpp"
#include "formats/hmesh_write.hpp"
#include "recipes/containers.hpp"
#include "recipes/model.hpp"

namespace assetc::recipes {
namespace {

Result<Bytes> owned(Result<ByteVector> file) {
  if (!file) return std::unexpected(std::move(file).error());
  return Bytes(std::move(*file));
}

Result<Bytes> write_hmesh(CompiledModel& in, MeshReport&) {
  release(in.flat);
  return owned(hmesh::write_spent(in.built.model));
}

// What of a mesh version 1 cannot hold, which knows one range of triangles and the materials of the source.
void tell_losses_of_v1(const hmesh::Model& model, std::string_view place, MeshReport& report) {
  const auto count = static_cast<std::uint32_t>(model.submeshes.size());
  report.drop("submesh ranges, which hmesh-v1 cannot hold", place, count > 1 ? count : 0);
  report.drop("skins, which hmesh-v1 cannot hold", place, model.skin.empty() ? 0 : 1);
  report.drop("levels of detail, which hmesh-v1 cannot hold", place, model.lod_count);
}

Result<Bytes> write_hmesh_v1(CompiledModel& in, MeshReport& report) {
  const hmesh::Model& model = in.built.model;
  tell_losses_of_v1(model, in.flat.front().place, report);
  std::vector<std::string> names;
  if (!model.names.empty()) {
    for (const scene::Material& m : in.source.scene.materials) names.push_back(m.name);
  }
  return owned(hmesh_v1::write(model, source_material_hashes(in.source.scene, in.stem), names));
}

Result<ByteVector> carry_hmesh_v1(const hmesh::Model& model, std::string_view, MeshReport& report) {
  tell_losses_of_v1(model, {}, report);
  return hmesh_v1::write(model, model.materials, model.names.materials);
}

galileo::Byte4 to_unorm8(scene::Vec4 c) {
  const auto channel = [](float v) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(std::isfinite(v) ? v : 0.0f, 0.0f, 1.0f) * 255));
  };
  return {channel(c.x), channel(c.y), channel(c.z), channel(c.w)};
}

// The attributes of one submesh as the writer asks for them. Refers to what ContainerInput refers to.
class GroupFiller {
 public:
  GroupFiller(const mesh::BuiltMesh& built, std::size_t submesh)
      : model_(built.model),
        submesh_(model_.submeshes[submesh]),
        first_(built.vertex_begin[submesh]),
        count_(built.vertex_begin[submesh + 1] - first_),
        sources_(std::span(built.source_vertices).subspan(first_, count_)),
        vertices_(std::span(model_.vertices).subspan(first_, count_)),
        normals_(std::span(built.normals).subspan(first_, count_)),
        tangents_(built.tangents.empty() ? std::span<const scene::Vec4>()
                                         : std::span(built.tangents).subspan(first_, count_)) {
    assert(built.normals.size() == model_.vertices.size());
  }

  galileo::GroupSource group() const {
    galileo::GroupSource out;
    std::copy_n(submesh_.bounds.aabb_min, 3, out.low.begin());
    std::copy_n(submesh_.bounds.aabb_max, 3, out.high.begin());
    out.index_count = submesh_.index_count;
    out.vertex_count = count_;
    out.material_slot = submesh_.material_slot;
    out.indices = [corners = std::span(model_.indices).subspan(submesh_.first_index, submesh_.index_count),
                   base = first_](std::size_t first, std::span<std::uint32_t> block) {
      for (std::size_t i = 0; i < block.size(); ++i) block[i] = corners[first + i] - base;
    };
    out.positions = [vertices = vertices_](std::size_t first, std::span<galileo::Float3> block) {
      for (std::size_t i = 0; i < block.size(); ++i)
        std::memcpy(&block[i], vertices[first + i].position, sizeof block[i]);
    };
    out.normals = copies<galileo::Float3>(normals_);
    if (tangents_.empty()) {
      out.tangents = [](std::size_t, std::span<galileo::Float4> block) { std::ranges::fill(block, kNoTangent); };
    } else {
      out.tangents = copies<galileo::Float4>(tangents_);
    }
    return out;
  }

  // The texture coordinates of the model itself, which are those of the set but for what was repaired.
  galileo::TexcoordSource model_texcoords(std::span<const scene::Vec2> set) const {
    const galileo::Fill<galileo::Float2> all = [set](std::size_t first, std::span<galileo::Float2> block) {
      std::memcpy(block.data(), set.data() + first, block.size_bytes());
    };
    galileo::Fill<galileo::Float2> own = [vertices = vertices_](std::size_t first, std::span<galileo::Float2> block) {
      for (std::size_t i = 0; i < block.size(); ++i) std::memcpy(&block[i], vertices[first + i].uv, sizeof block[i]);
    };
    // The set is read faster than the vertices; only where some of it lies outside must those that are used be asked.
    if (!galileo::leaves_unit_square(set.size(), all)) return {std::move(own), false};
    return checked(std::move(own));
  }
  galileo::TexcoordSource texcoords(std::span<const scene::Vec2> set) const {
    return checked(gathered<galileo::Float2>(set, [](scene::Vec2 v) { return galileo::Float2{v.x, v.y}; }));
  }
  galileo::Fill<galileo::Byte4> colors(std::span<const scene::Vec4> set) const {
    return gathered<galileo::Byte4>(set, to_unorm8);
  }
  galileo::Fill<galileo::Short4> joints() const {
    return of_skin(
        [](const hmesh::GpuSkinVertex& s, galileo::Short4& out) { std::ranges::copy(s.joints, out.begin()); });
  }
  galileo::Fill<galileo::Short4> weights() const {
    return of_skin(
        [](const hmesh::GpuSkinVertex& s, galileo::Short4& out) { galileo::quantize_weights(s.weights, out); });
  }

 private:
  static constexpr galileo::Float4 kNoTangent = {1, 0, 0, 1};

  template <class T, class From>
  static galileo::Fill<T> copies(std::span<const From> values) {
    static_assert(sizeof(T) == sizeof(From));
    return [values](std::size_t first, std::span<T> block) {
      std::memcpy(block.data(), values.data() + first, block.size_bytes());
    };
  }
  template <class T, class From, class Convert>
  galileo::Fill<T> gathered(std::span<const From> values, const Convert& convert) const {
    return [values, convert, sources = sources_](std::size_t first, std::span<T> block) {
      for (std::size_t i = 0; i < block.size(); ++i) block[i] = convert(values[sources[first + i]]);
    };
  }
  template <class Convert>
  galileo::Fill<galileo::Short4> of_skin(const Convert& convert) const {
    return [skin = std::span(model_.skin).subspan(first_, count_), convert](std::size_t first,
                                                                            std::span<galileo::Short4> block) {
      for (std::size_t i = 0; i < block.size(); ++i) convert(skin[first + i], block[i]);
    };
  }
  galileo::TexcoordSource checked(galileo::Fill<galileo::Float2> values) const {
    const bool exact = galileo::leaves_unit_square(count_, values);
    return {std::move(values), exact};
  }

  const hmesh::Model& model_;
  const hmesh::SubMesh& submesh_;
  std::uint32_t first_, count_;  // of its vertices in the model
  std::span<const std::uint32_t> sources_;
  std::span<const hmesh::GpuVertex> vertices_;
  std::span<const scene::Vec3> normals_;
  std::span<const scene::Vec4> tangents_;
};

void add_texcoords(const FlatSubmesh& flat, const GroupFiller& filler, galileo::GroupSource& group) {
  // The set as the material sees it, which is that of the model, comes first; where that is the source's own first
  // set, it is not said twice.
  if (!flat.texcoords.empty()) group.texcoords.push_back(filler.model_texcoords(flat.texcoords));
  const auto& sets = flat.primitive->texcoords;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const bool is_said = s == 0 && flat.texcoords.data() == sets[s].data();
    if (!sets[s].empty() && !is_said) group.texcoords.push_back(filler.texcoords(sets[s]));
  }
}

void warn_of_texcoords(std::string_view place, MeshReport& report) {
  report.warn(std::string(place), "texture coordinates leave [0, 1], which Galileo's 16-bit channels cannot hold",
              "readers that know assetc's exact channels read those; for others, move the coordinates into [0, 1]");
}

Result<Bytes> write_galileo(CompiledModel& in, MeshReport& report) {
  const hmesh::Model& model = in.built.model;
  galileo::Source out;
  out.uuid = galileo::uuid_of_ref(in.stem);
  out.materials = model.materials;
  out.joints = model.joints;
  out.names = &model.names;
  for (std::size_t s = 0; s < model.submeshes.size(); ++s) {
    const FlatSubmesh& flat = in.flat[s];
    const GroupFiller filler(in.built, s);
    galileo::GroupSource& group = out.groups.emplace_back(filler.group());
    add_texcoords(flat, filler, group);
    for (const auto& set : flat.primitive->colors) {
      if (!set.empty()) group.colors.push_back(filler.colors(set));
    }
    if (!model.skin.empty()) {
      group.joints.push_back(filler.joints());
      group.weights.push_back(filler.weights());
    }
    if (std::ranges::any_of(group.texcoords, &galileo::TexcoordSource::exact)) warn_of_texcoords(flat.place, report);
  }
  return galileo::write(out, [](std::size_t count, const std::function<void(std::size_t)>& body) {
    tbb::parallel_for(std::size_t{0}, count, body);
  });
}

Result<ByteVector> carry_galileo(const hmesh::Model& model, std::string_view stem, MeshReport& report) {
  report.drop("levels of detail, which Galileo cannot hold", {}, model.lod_count);
  const galileo::Model groups = galileo::from_hmesh(model, galileo::uuid_of_ref(stem));
  const bool leaves = std::ranges::any_of(
      groups.groups, [](const galileo::VertexGroup& g) { return galileo::needs_exact_texcoords(g.texcoords.front()); });
  if (leaves) warn_of_texcoords({}, report);
  return galileo::write(groups);
}

}  // namespace

constinit const MeshContainer kHmesh{.suffix = ".hmesh",
                                     .name = "hmesh",
                                     .keeps_channels = false,
                                     .keeps_lods = true,
                                     .keeps_materials = true,
                                     .keeps_skin = true,
                                     .write = write_hmesh,
                                     .carry = nullptr};
constinit const MeshContainer kHmeshV1{.suffix = ".hmesh",
                                       .name = "hmesh-v1",
                                       .keeps_channels = false,
                                       .keeps_lods = false,
                                       .keeps_materials = false,
                                       .keeps_skin = false,
                                       .write = write_hmesh_v1,
                                       .carry = carry_hmesh_v1};
constinit const MeshContainer kGalileo{.suffix = ".gali",
                                       .name = "Galileo",
                                       .keeps_channels = true,
                                       .keeps_lods = false,
                                       .keeps_materials = true,
                                       .keeps_skin = true,
                                       .keeps_frames = true,
                                       .write = write_galileo,
                                       .carry = carry_galileo};

}  // namespace assetc::recipes
