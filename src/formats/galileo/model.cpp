// Galileo meshes as vectors: to write them from memory, and to read a whole one. Both go through the streaming writer
// and the view, so that the format has one writer and one reader.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "assetc/base/hash.hpp"
#include "assetc/formats/galileo.hpp"
#include "assetc/formats/octahedral.hpp"
#include "base/plural.hpp"
#include "formats/galileo/source.hpp"
#include "formats/reader.hpp"

namespace assetc::galileo {
namespace {

using namespace formats;

Result<void> check_sizes(const VertexGroup& g, std::size_t i) {
  const std::size_t count = g.positions.size();
  const auto place = [&](std::string_view what) { return message("vertex group ", i, ": ", what); };
  if (count > std::numeric_limits<std::uint32_t>::max() ||
      g.indices.size() > std::numeric_limits<std::uint32_t>::max()) {
    return fail_at(ErrorCode::kLimit, place("size"),
                   message("found ", counted(count, "vertex"), " and ", counted(g.indices.size(), "index"),
                           ", expected below 2^32"),
                   "split the mesh");
  }
  const auto channel = [&](std::string_view what, std::size_t size) -> Result<void> {
    if (size == count) return {};
    return fail_at(ErrorCode::kUsage, place(what),
                   message("found ", counted(size, "element"), ", expected ", count, ", as many as positions"));
  };
  ASSETC_CHECK(channel("normals", g.normals.size()));
  ASSETC_CHECK(channel("tangents", g.tangents.size()));
  for (const auto& c : g.texcoords) ASSETC_CHECK(channel("texcoords", c.size()));
  for (const auto& c : g.colors) ASSETC_CHECK(channel("colors", c.size()));
  for (const auto& c : g.joints) ASSETC_CHECK(channel("joints", c.size()));
  for (const auto& c : g.weights) ASSETC_CHECK(channel("weights", c.size()));
  return {};
}

template <class T>
Fill<T> fill_from(std::span<const T> values) {
  return [values](std::size_t first, std::span<T> out) {
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first), out.size(), out.begin());
  };
}
template <class T>
Fill<T> fill_from(const std::vector<T>& values) {
  return fill_from(std::span<const T>(values));
}

GroupSource source_of(const VertexGroup& g) {
  GroupSource out;
  if (!g.positions.empty()) out.low = out.high = g.positions.front();
  for (const Float3& p : g.positions) {
    for (std::size_t a = 0; a < 3; ++a) {
      out.low[a] = std::min(out.low[a], p[a]);
      out.high[a] = std::max(out.high[a], p[a]);
    }
  }
  out.topology = g.topology;
  out.flags = g.flags;
  out.index_count = static_cast<std::uint32_t>(g.indices.size());
  out.vertex_count = static_cast<std::uint32_t>(g.positions.size());
  out.indices = fill_from(g.indices);
  out.positions = fill_from(g.positions);
  out.normals = fill_from(g.normals);
  out.tangents = fill_from(g.tangents);
  for (const auto& c : g.texcoords) out.texcoords.push_back({fill_from(c), needs_exact_texcoords(c)});
  for (const auto& c : g.colors) out.colors.push_back(fill_from(c));
  for (const auto& c : g.joints) out.joints.push_back(fill_from(c));
  for (const auto& c : g.weights) out.weights.push_back(fill_from(c));
  out.extensions = g.extensions;
  out.material_slot = g.material_slot;
  return out;
}

}  // namespace

std::string exact_texcoord_extension(std::size_t channel) { return "assetc.uv" + std::to_string(channel) + ".f32"; }

Uuid uuid_of_ref(std::string_view ref) {
  const ContentHash hash = ContentHasher().add(std::string_view("galileo mesh")).add(ref).finish();
  return Uuid::from_random(std::bit_cast<std::array<std::uint8_t, 16>>(std::array{hash.low, hash.high}));
}

bool needs_exact_texcoords(std::span<const Float2> texcoords) {
  return leaves_unit_square(texcoords.size(), fill_from(texcoords));
}

void quantize_weights(std::span<const float> weights, std::span<std::uint16_t> out) {
  constexpr std::uint32_t kOne = 65535;
  const auto clean = [](float w) { return std::isfinite(w) && w > 0 ? static_cast<double>(w) : 0.0; };
  double sum = 0;
  for (const float w : weights) sum += clean(w);
  std::fill(out.begin(), out.end(), std::uint16_t{0});
  if (sum <= 0) {
    out[0] = kOne;
    return;
  }
  std::uint32_t given = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = static_cast<std::uint16_t>(std::floor(clean(weights[i]) / sum * kOne));
    given += out[i];
  }
  // The rest is smaller than the number of weights. Each unit goes to the largest remainder; the first of equals.
  for (; given < kOne; ++given) {
    std::size_t best = 0;
    double best_remainder = -1e9;
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double remainder = clean(weights[i]) / sum * kOne - out[i];
      if (remainder > best_remainder) {
        best = i;
        best_remainder = remainder;
      }
    }
    ++out[best];
  }
}

Model from_hmesh(const hmesh::Model& mesh, const Uuid& uuid) {
  Model model;
  model.uuid = uuid;
  model.materials = mesh.materials;
  model.joints = mesh.joints;
  model.names = mesh.names;
  constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> local(mesh.vertices.size(), kUnused);
  for (const hmesh::SubMesh& submesh : mesh.submeshes) {
    VertexGroup g;
    g.material_slot = submesh.material_slot;
    g.texcoords.resize(1);
    if (!mesh.skin.empty()) {
      g.joints.resize(1);
      g.weights.resize(1);
    }
    std::vector<std::uint32_t> used;
    const std::span indices = std::span(mesh.indices).subspan(submesh.first_index, submesh.index_count);
    g.indices.reserve(indices.size());
    for (const std::uint32_t index : indices) {
      if (local[index] == kUnused) {
        local[index] = static_cast<std::uint32_t>(used.size());
        used.push_back(index);
      }
      g.indices.push_back(local[index]);
    }
    for (const std::uint32_t index : used) {
      local[index] = kUnused;
      const hmesh::GpuVertex& v = mesh.vertices[index];
      g.positions.push_back({v.position[0], v.position[1], v.position[2]});
      g.normals.push_back(decode_octahedral(v.normal[0], v.normal[1]));
      g.tangents.push_back(mesh.has_tangents ? decode_octahedral_tangent(v.tangent[0], v.tangent[1])
                                             : Float4{1, 0, 0, 1});
      g.texcoords[0].push_back({v.uv[0], v.uv[1]});
      if (mesh.skin.empty()) continue;
      const hmesh::GpuSkinVertex& s = mesh.skin[index];
      g.joints[0].push_back({s.joints[0], s.joints[1], s.joints[2], s.joints[3]});
      quantize_weights(s.weights, g.weights[0].emplace_back());
    }
    model.groups.push_back(std::move(g));
  }
  return model;
}

Result<ByteVector> write(const Model& model) {
  Source source;
  source.uuid = model.uuid;
  for (std::size_t i = 0; i < model.groups.size(); ++i) {
    ASSETC_CHECK(check_sizes(model.groups[i], i));
    source.groups.push_back(source_of(model.groups[i]));
  }
  source.materials = model.materials;
  source.joints = model.joints;
  source.names = &model.names;
  source.morphs = &model.morphs;
  source.extensions = model.extensions;
  ByteVector file;
  ASSETC_CHECK(write_to(source, [&](std::uint64_t size_bytes) {
    file.resize(size_bytes);
    return std::span(file);
  }));
  return file;
}

}  // namespace assetc::galileo
