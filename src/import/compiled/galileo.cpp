#include "import/compiled/galileo.hpp"

#include <algorithm>
#include <array>

#include "assetc/formats/galileo.hpp"
#include "import/compiled/aligned_bytes.hpp"
#include "import/compiled/hmesh_further.hpp"
#include "import/compiled/skeleton.hpp"
#include "import/model/repair.hpp"

namespace assetc::importer {
namespace {

using namespace scene;

template <class T>
T convert(const galileo::Float2& v) {
  return {v[0], v[1]};
}
template <class T>
T convert(const galileo::Float3& v) {
  return {v[0], v[1], v[2]};
}
template <class T>
T convert(const galileo::Float4& v) {
  return {v[0], v[1], v[2], v[3]};
}
template <class T>
T convert(const galileo::Byte4& v) {
  return {static_cast<float>(v[0]) / 255, static_cast<float>(v[1]) / 255, static_cast<float>(v[2]) / 255,
          static_cast<float>(v[3]) / 255};
}
template <class T, class From>
std::vector<T> converted(const std::vector<From>& in) {
  std::vector<T> out;
  out.reserve(in.size());
  for (const From& v : in) out.push_back(convert<T>(v));
  return out;
}

Primitive primitive_of(galileo::VertexGroup& group) {
  Primitive p;
  p.material = group.material_slot == hmesh::kNoMaterial ? kNone : group.material_slot;
  p.topology = static_cast<Topology>(group.topology);
  p.indices = std::move(group.indices);
  p.positions = converted<Vec3>(group.positions);
  const auto has = [&](std::uint32_t flag) {
    return group.topology == hmesh::Topology::kTriangles || (group.flags & flag) != 0;
  };
  if (has(hmesh::GpuPrimitive::kHasNormals)) p.normals = converted<Vec3>(group.normals);
  if (has(hmesh::GpuPrimitive::kHasTangents)) p.tangents = converted<Vec4>(group.tangents);
  for (const auto& channel : group.texcoords) p.texcoords.push_back(converted<Vec2>(channel));
  for (const auto& channel : group.colors) p.colors.push_back(converted<Vec4>(channel));
  for (std::size_t c = 0; c < group.joints.size(); ++c) {
    Influences set;
    set.joints = std::move(group.joints[c]);
    for (const galileo::Short4& w : group.weights[c]) {
      constexpr float kUnorm = 1.0f / 65535;
      set.weights.push_back({static_cast<float>(w[0]) * kUnorm, static_cast<float>(w[1]) * kUnorm,
                             static_cast<float>(w[2]) * kUnorm, static_cast<float>(w[3]) * kUnorm});
    }
    p.influences.push_back(std::move(set));
  }
  return p;
}

// A custom attribute: "_NAME", floats. Returns false if the extension is none.
bool add_custom(galileo::AttributeExtension& extension, Primitive& p) {
  const std::size_t floats = extension.stride_bytes / sizeof(float);
  const bool is_matrix = floats == 9 || floats == 16;
  if (!extension.name.starts_with('_') || extension.version != 1 || (floats > 4 && !is_matrix) || floats == 0)
    return false;
  const auto side = static_cast<std::uint8_t>(floats == 9 ? 3 : 4);
  const auto after = std::ranges::upper_bound(p.custom, extension.name, {}, &CustomAttribute::name);
  p.custom.insert(after,
                  {extension.name, ComponentType::kF32, false, is_matrix ? side : static_cast<std::uint8_t>(floats),
                   is_matrix ? side : std::uint8_t{1}, std::move(extension.data)});
  return true;
}

void add_morphs(const hmesh::MorphsView& morphs, std::uint32_t first_vertex, Primitive& p) {
  for (std::size_t t = 0; t < morphs.targets().size(); ++t)
    p.morphs.push_back(morph_of(morphs, t, first_vertex, static_cast<std::uint32_t>(p.positions.size())));
}

}  // namespace

Result<Imported> import_galileo(const Bytes& file, const Companions& companions) {
  const AlignedBytes bytes(file);
  ASSETC_TRY(const galileo::View view, galileo::View::open(bytes.span()));
  galileo::Model model = view.to_model();
  Imported out;
  Scene& scene = out.scene;
  const auto name_of = [](const std::vector<std::string>& names, std::size_t i) {
    return i < names.size() ? std::string_view(names[i]) : std::string_view();
  };

  Mesh mesh;
  std::uint32_t first_vertex = 0;  // of the group, in the order of groups
  for (std::size_t g = 0; g < model.groups.size(); ++g) {
    Primitive p = primitive_of(model.groups[g]);
    p.name = name_of(model.names.submeshes, g);
    for (galileo::AttributeExtension& extension : model.groups[g].extensions) {
      if (add_custom(extension, p)) continue;
      add_dropped(scene.dropped, "attribute extension " + extension.name, "/vertex_groups/" + std::to_string(g), 1);
    }
    repair_weights(p, 0, "/vertex_groups/" + std::to_string(g), out.warnings);
    if (view.morphs()) add_morphs(*view.morphs(), first_vertex, p);
    first_vertex += static_cast<std::uint32_t>(p.positions.size());
    mesh.primitives.push_back(std::move(p));
  }
  for (std::size_t t = 0; view.morphs() && t < view.morphs()->targets().size(); ++t) {
    mesh.morph_weights.push_back(view.morphs()->targets()[t].weight);
    mesh.morph_names.emplace_back(view.morphs()->name(t));
  }
  scene.meshes.push_back(std::move(mesh));
  Node node;
  node.mesh = 0;
  if (!model.joints.empty()) node.skin = 0;
  if (model.names.nodes.size() == 1) node.name = model.names.nodes[0];
  scene.nodes.push_back(std::move(node));
  if (!model.joints.empty()) {
    add_skeleton(model.joints, [&](std::size_t j) { return name_of(model.names.joints, j); }, scene);
  }

  scene.materials.resize(model.materials.size());
  for (std::size_t m = 0; m < scene.materials.size(); ++m) scene.materials[m].name = name_of(model.names.materials, m);
  for (Primitive& p : scene.meshes[0].primitives) {
    if (p.material >= scene.materials.size()) p.material = kNone;
  }
  ASSETC_CHECK(add_companions(companions, scene));
  for (std::size_t e = 0; e < model.extensions.size(); ++e) {
    add_dropped(scene.dropped, "extension " + model.extensions[e].name, "/extensions/" + std::to_string(e), 1);
  }
  return out;
}

}  // namespace assetc::importer
