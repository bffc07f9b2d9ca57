#include <algorithm>
#include <cmath>
#include <limits>

#include "assetc/base/hash.hpp"
#include "formats/galileo_layout.hpp"
#include "formats/reader.hpp"

namespace assetc::galileo {
namespace {

using namespace formats;

struct ExtensionOut {
  std::string name;
  std::uint32_t version = 1;
  std::uint64_t begin_bytes = 0;
  std::uint32_t next = 0;
};

// An extension of ours: the size of the rest, then the rest.
Extension sized(std::string_view name, const ByteVector& payload) {
  Extension e{std::string(name), 1, {}};
  append(e.data, static_cast<std::uint32_t>(payload.size()));
  append_bytes(e.data, payload);
  return e;
}

// The smallest box around all positions whose float test |p - centre| <= half holds for each: rounding is monotonic,
// so it holds for every position when it holds for the extremes.
Box box_of(std::span<const VertexGroup> groups) {
  Float3 low{};
  Float3 high{};
  bool first = true;
  for (const VertexGroup& g : groups) {
    for (const Float3& p : g.positions) {
      for (std::size_t a = 0; a < 3; ++a) {
        low[a] = first ? p[a] : std::min(low[a], p[a]);
        high[a] = first ? p[a] : std::max(high[a], p[a]);
      }
      first = false;
    }
  }
  Box box;
  for (std::size_t a = 0; a < 3; ++a) {
    box.center[a] = low[a] * 0.5f + high[a] * 0.5f;
    box.half_extent[a] = std::max(high[a] - box.center[a], box.center[a] - low[a]);
  }
  return box;
}

std::uint16_t to_unorm(float value) {
  if (!(value > 0)) return 0;  // NaN too
  return value >= 1 ? 65535 : static_cast<std::uint16_t>(value * 65535.0f + 0.5f);
}

Result<void> check_group(const VertexGroup& g, std::size_t i) {
  const std::size_t count = g.positions.size();
  const auto place = [&](std::string_view what) { return message("vertex group ", i, ": ", what); };
  if (count > std::numeric_limits<std::uint32_t>::max() ||
      g.indices.size() > std::numeric_limits<std::uint32_t>::max()) {
    return fail_at(ErrorCode::kLimit, place("size"),
                   message("found ", count, " vertices and ", g.indices.size(), " indices, expected below 2^32"),
                   "split the mesh");
  }
  const auto channel = [&](std::string_view what, std::size_t size) -> Result<void> {
    if (size == count) return {};
    return fail_at(ErrorCode::kUsage, place(what),
                   message("found ", size, " elements, expected ", count, ", as many as positions"));
  };
  ASSETC_CHECK(channel("normals", g.normals.size()));
  ASSETC_CHECK(channel("tangents", g.tangents.size()));
  for (const auto& c : g.texcoords) ASSETC_CHECK(channel("texcoords", c.size()));
  for (const auto& c : g.colors) ASSETC_CHECK(channel("colours", c.size()));
  for (const auto& c : g.joints) ASSETC_CHECK(channel("joints", c.size()));
  for (const auto& c : g.weights) ASSETC_CHECK(channel("weights", c.size()));
  if (g.joints.size() != g.weights.size()) {
    return fail_at(ErrorCode::kUsage, place("joints"),
                   message("found ", g.joints.size(), " channels of joints and ", g.weights.size(),
                           " of weights, expected as many"));
  }
  for (const AttributeExtension& e : g.extensions) {
    if (e.stride_bytes % 4 != 0 || e.stride_bytes == 0 || e.data.size() != e.stride_bytes * count) {
      return fail_at(ErrorCode::kUsage, place(e.name),
                     message("found ", e.data.size(), " bytes of stride ", e.stride_bytes,
                             ", expected a stride of a multiple of 4 for each vertex"));
    }
  }
  const std::size_t largest =
      std::max({g.texcoords.size(), g.colors.size(), g.joints.size(), g.extensions.size() + g.texcoords.size()});
  if (largest > kMaxChannels) {
    return fail_at(ErrorCode::kLimit, place("channels"),
                   message("found ", largest, " channels of one kind, expected at most ", kMaxChannels));
  }
  return {};
}

// The texcoord channels that unorm cannot hold, as extensions, before those of the caller.
std::vector<AttributeExtension> attribute_extensions(const VertexGroup& g) {
  std::vector<AttributeExtension> out;
  for (std::size_t c = 0; c < g.texcoords.size(); ++c) {
    if (!needs_exact_texcoords(g.texcoords[c])) continue;
    AttributeExtension e{exact_texcoord_extension(c), 1, sizeof(Float2), {}};
    append_array(e.data, std::span<const Float2>(g.texcoords[c]));
    out.push_back(std::move(e));
  }
  out.insert(out.end(), g.extensions.begin(), g.extensions.end());
  return out;
}

void append_group(ByteVector& out, const VertexGroup& g) {
  append_array(out, std::span<const std::uint32_t>(g.indices));
  append_array(out, std::span<const Float3>(g.positions));
  append_array(out, std::span<const Float3>(g.normals));
  append_array(out, std::span<const Float4>(g.tangents));
  std::vector<Unorm2> unorm;
  for (const auto& channel : g.texcoords) {
    unorm.clear();
    unorm.reserve(channel.size());
    for (const Float2& uv : channel) unorm.push_back({to_unorm(uv[0]), to_unorm(uv[1])});
    append_array(out, std::span<const Unorm2>(unorm));
  }
  for (const auto& channel : g.colors) append_array(out, std::span<const Byte4>(channel));
  for (const auto& channel : g.joints) append_array(out, std::span<const Short4>(channel));
  for (const auto& channel : g.weights) append_array(out, std::span<const Short4>(channel));
}

Result<std::vector<Extension>> mesh_extensions(const Model& model) {
  std::vector<Extension> out;
  const bool has_slots = std::any_of(model.groups.begin(), model.groups.end(),
                                     [](const VertexGroup& g) { return g.material_slot != hmesh::kNoMaterial; });
  if (has_slots || !model.materials.empty()) {
    ByteVector payload;
    for (const VertexGroup& g : model.groups) append(payload, g.material_slot);
    append_array(payload, std::span<const std::uint64_t>(model.materials));
    out.push_back(sized(kMaterialsExtension, payload));
  }
  if (!model.joints.empty()) {
    ByteVector payload;
    append_array(payload, std::span<const hmesh::GpuJoint>(model.joints));
    out.push_back(sized(kSkeletonExtension, payload));
  }
  if (!model.names.empty()) {
    ASSETC_TRY(const ByteVector payload, hmesh::write_names(model.names));
    out.push_back(sized(kNamesExtension, payload));
  }
  out.insert(out.end(), model.extensions.begin(), model.extensions.end());
  return out;
}

}  // namespace

std::string exact_texcoord_extension(std::size_t channel) { return "assetc.uv" + std::to_string(channel) + ".f32"; }

Uuid uuid_of_ref(std::string_view ref) {
  const ContentHash hash = ContentHasher().add(std::string_view("galileo mesh")).add(ref).finish();
  Uuid uuid;
  std::memcpy(uuid.data(), &hash.low, 8);
  std::memcpy(uuid.data() + 8, &hash.high, 8);
  uuid[6] = static_cast<std::uint8_t>((uuid[6] & 0x0f) | 0x40);  // version 4
  uuid[8] = static_cast<std::uint8_t>((uuid[8] & 0x3f) | 0x80);  // variant of RFC 4122
  return uuid;
}

bool needs_exact_texcoords(std::span<const Float2> texcoords) {
  return std::any_of(texcoords.begin(), texcoords.end(),
                     [](const Float2& uv) { return !(uv[0] >= 0 && uv[0] <= 1 && uv[1] >= 0 && uv[1] <= 1); });
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
  // Fewer units are left than there are weights; each goes to the largest remainder, the first among equals.
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
      g.tangents.push_back(decode_octahedral_tangent(v.tangent[0], v.tangent[1]));
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
  if (model.groups.empty()) return fail(ErrorCode::kUsage, "found no vertex groups, expected one or more");
  std::vector<VertexGroupInfo> infos;
  std::vector<ExtensionOut> extensions;
  std::vector<std::vector<AttributeExtension>> attributes;
  std::uint64_t end = 0;  // of the buffer so far
  for (std::size_t i = 0; i < model.groups.size(); ++i) {
    const VertexGroup& g = model.groups[i];
    ASSETC_CHECK(check_group(g, i));
    attributes.push_back(attribute_extensions(g));
    VertexGroupInfo info{};
    info.box = box_of({&g, 1});
    info.slice_begin_bytes = end;
    info.index_count = static_cast<std::uint32_t>(g.indices.size());
    info.vertex_count = static_cast<std::uint32_t>(g.positions.size());
    info.texcoord_channel_count = static_cast<std::uint8_t>(g.texcoords.size());
    info.color_channel_count = static_cast<std::uint8_t>(g.colors.size());
    info.joint_weight_channel_count = static_cast<std::uint8_t>(g.joints.size());
    info.extension_channel_count = static_cast<std::uint8_t>(attributes[i].size());
    info.next_attribute_extension = attributes[i].empty() ? 0 : static_cast<std::uint32_t>(extensions.size() + 1);
    end += fixed_slice_bytes(info);
    for (const AttributeExtension& e : attributes[i]) {
      extensions.push_back({e.name, e.version, end, static_cast<std::uint32_t>(extensions.size() + 2)});
      end += e.data.size();
    }
    if (!attributes[i].empty()) extensions.back().next = 0;
    info.slice_size_bytes = end - info.slice_begin_bytes;
    infos.push_back(info);
  }
  MeshManifest manifest{};
  ASSETC_TRY(const std::vector<Extension> of_mesh, mesh_extensions(model));
  manifest.next_mesh_extension = of_mesh.empty() ? 0 : static_cast<std::uint32_t>(extensions.size() + 1);
  for (const Extension& e : of_mesh) {
    end = (end + kExtensionAlignment - 1) / kExtensionAlignment * kExtensionAlignment;
    extensions.push_back({e.name, e.version, end, static_cast<std::uint32_t>(extensions.size() + 2)});
    end += e.data.size();
  }
  if (!of_mesh.empty()) extensions.back().next = 0;

  manifest.box = box_of(model.groups);
  manifest.vertex_group_count = static_cast<std::uint32_t>(infos.size());
  manifest.extension_count = static_cast<std::uint32_t>(extensions.size());
  manifest.buffer_size_bytes = end;

  ByteVector file;
  file.reserve(kFileHeaderBytes + kManifestBytes + infos.size() * kGroupInfoBytes +
               extensions.size() * kExtensionInfoBytes + end);
  append(file, FileHeader{kMagic, kVersionMajor, kVersionMinor, kVersionPatch, model.uuid, kMeshAssetType, 0});
  append(file, manifest);
  append_array(file, std::span<const VertexGroupInfo>(infos));
  for (const ExtensionOut& e : extensions) {
    if (e.name.empty() || e.name.size() > kMaxExtensionName) {
      return fail(ErrorCode::kUsage,
                  message("found an extension named ", quote(e.name), ", expected 1 to ", kMaxExtensionName, " bytes"));
    }
    ExtensionInfo info{};
    std::copy(e.name.begin(), e.name.end(), info.name);
    info.version = e.version;
    info.data_begin_bytes = e.begin_bytes;
    info.next_extension = e.next;
    append(file, info);
  }
  const std::size_t buffer = file.size();
  for (std::size_t i = 0; i < model.groups.size(); ++i) {
    append_group(file, model.groups[i]);
    for (const AttributeExtension& e : attributes[i]) append_bytes(file, e.data);
  }
  std::size_t next = extensions.size() - of_mesh.size();
  for (const Extension& e : of_mesh) {
    file.resize(buffer + extensions[next++].begin_bytes);
    append_bytes(file, e.data);
  }
  const std::uint64_t checksum = xxh3_64(ByteSpan(file).subspan(kFileHeaderBytes));
  std::memcpy(file.data() + kFileHeaderBytes - sizeof checksum, &checksum, sizeof checksum);
  // What the reader would refuse is never written.
  ASSETC_CHECK(View::open(file));
  return file;
}

}  // namespace assetc::galileo
