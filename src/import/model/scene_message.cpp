#include "import/model/scene_message.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "import/model/finite.hpp"
#include "json/json.hpp"
#include "scene/material_extensions.hpp"

namespace assetc::importer {
namespace {

using namespace scene;

class Writer {
 public:
  explicit Writer(process::MessageWriter& message) : message_(message) {}

  template <class T>
  void value(const T& value) {
    message_.number(value);
  }
  void flag(bool value) { message_.number(std::uint8_t{value}); }
  template <class T>
  void choice(T value, T /*last*/) {
    message_.number(value);
  }
  void text(std::string_view text) { message_.text(text); }
  void value_name(std::string_view name) { message_.text(name); }
  void blob(const Bytes& bytes) { message_.blob(bytes.span()); }
  template <class T>
  void array(const std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    message_.blob(std::as_bytes(std::span(values)));
  }
  template <class T, class Each>
  void list(const std::vector<T>& values, const Each& each) {
    message_.number(static_cast<std::uint32_t>(values.size()));
    for (const T& value : values) each(value);
  }
  template <class T, class Each>
  void optional(const std::optional<T>& value, const Each& each) {
    flag(value.has_value());
    if (value) each(*value);
  }
  void warnings(const std::vector<Warning>& warnings) {
    list(warnings, [&](const Warning& warning) {
      message_.number(warning.kind);
      message_.error(warning);
    });
  }

 private:
  process::MessageWriter& message_;
};

class Reader {
 public:
  explicit Reader(process::MessageReader& message) : message_(message) {}

  template <class T>
  void value(T& value) {
    value = message_.number<T>();
  }
  void flag(bool& value) {
    const auto byte = message_.number<std::uint8_t>();
    if (byte > 1) message_.refuse();
    value = byte == 1;
  }
  template <class T>
  void choice(T& value, T last) {
    const auto number = message_.number<std::underlying_type_t<T>>();
    if (number > static_cast<std::underlying_type_t<T>>(last)) message_.refuse();
    value = message_.ok() ? static_cast<T>(number) : T{};
  }
  void text(std::string& text) { text = message_.text(); }
  // A name of the table of material extensions, which is a string literal.
  void value_name(std::string_view& name) {
    const std::string found = message_.text();
    name = known_value_name(found);
    if (name.empty()) message_.refuse();
  }
  void blob(Bytes& bytes) {
    const ByteSpan found = message_.blob();
    if (!found.empty()) bytes = Bytes(ByteVector(found.begin(), found.end()));
  }
  template <class T>
  void array(std::vector<T>& values) {
    static_assert(std::is_trivially_copyable_v<T>);
    const ByteSpan found = message_.blob();
    if (found.size() % sizeof(T) != 0) return message_.refuse();
    values.resize(found.size() / sizeof(T));
    if (!found.empty()) std::memcpy(values.data(), found.data(), found.size());
  }
  // The list grows only with received items, because the count comes from the other process and may be wrong.
  template <class T, class Each>
  void list(std::vector<T>& values, const Each& each) {
    for (auto left = message_.number<std::uint32_t>(); left != 0 && message_.ok(); --left) each(values.emplace_back());
  }
  template <class T, class Each>
  void optional(std::optional<T>& value, const Each& each) {
    bool is_there = false;
    flag(is_there);
    if (is_there) each(value.emplace());
  }
  void warnings(std::vector<Warning>& warnings) {
    for (auto left = message_.number<std::uint32_t>(); left != 0 && message_.ok(); --left) {
      WarningKind kind{};
      choice(kind, kLastWarningKind);
      warnings.emplace_back(kind, message_.error());
    }
  }

 private:
  process::MessageReader& message_;
};

template <class Archive, class M>
void visit_morph(Archive& a, M& morph) {
  a.array(morph.vertices);
  a.array(morph.positions);
  a.array(morph.normals);
  a.array(morph.tangents);
  a.list(morph.texcoords, [&](auto& set) { a.array(set); });
  a.list(morph.colors, [&](auto& set) { a.array(set); });
}

template <class Archive, class P>
void visit_primitive(Archive& a, P& p) {
  a.text(p.name);
  a.value(p.material);
  a.list(p.variant_materials, [&](auto& of_variant) {
    a.value(of_variant.variant);
    a.value(of_variant.material);
  });
  a.choice(p.topology, Topology::kPoints);
  a.array(p.indices);
  a.array(p.positions);
  a.array(p.normals);
  a.array(p.tangents);
  a.list(p.texcoords, [&](auto& set) { a.array(set); });
  a.list(p.colors, [&](auto& set) { a.array(set); });
  a.list(p.influences, [&](auto& set) {
    a.array(set.joints);
    a.array(set.weights);
  });
  a.list(p.custom, [&](auto& attribute) {
    a.text(attribute.name);
    a.choice(attribute.type, ComponentType::kF32);
    a.flag(attribute.normalized);
    a.value(attribute.rows);
    a.value(attribute.columns);
    a.array(attribute.values);
  });
  a.list(p.morphs, [&](auto& morph) { visit_morph(a, morph); });
  a.array(p.smoothing_groups);
  a.array(p.clusters);
}

template <class Archive, class T>
void visit_texture(Archive& a, T& use) {
  a.value(use.image);
  a.value(use.texcoord);
  a.choice(use.sampler.wrap_u, Wrap::kMirror);
  a.choice(use.sampler.wrap_v, Wrap::kMirror);
  a.choice(use.sampler.mag, sampling::Filter::kLinear);
  a.choice(use.sampler.min, sampling::Filter::kLinear);
  a.choice(use.sampler.mip, sampling::MipFilter::kLinear);
  a.value(use.transform);
}

template <class Archive, class M>
void visit_material(Archive& a, M& m) {
  a.text(m.name);
  a.value(m.base_color);
  a.value(m.emissive);
  a.value(m.metallic);
  a.value(m.roughness);
  a.value(m.normal_scale);
  a.value(m.occlusion_strength);
  a.value(m.alpha_cutoff);
  a.choice(m.alpha_mode, AlphaMode::kBlend);
  a.flag(m.double_sided);
  a.flag(m.unlit);
  for (auto* use : {&m.base_color_texture, &m.metallic_roughness_texture, &m.normal_texture, &m.occlusion_texture,
                    &m.emissive_texture}) {
    visit_texture(a, *use);
  }
  a.list(m.scalars, [&](auto& scalar) {
    a.value_name(scalar.name);
    a.value(scalar.value);
  });
  a.list(m.vectors, [&](auto& vector) {
    a.value_name(vector.name);
    a.value(vector.value);
  });
  a.list(m.textures, [&](auto& texture) {
    a.value_name(texture.name);
    a.choice(texture.usage, TextureUsage::kCopy);
    visit_texture(a, texture.use);
  });
  a.text(m.extra);
}

template <class Archive, class C>
void visit_camera(Archive& a, C& camera) {
  a.text(camera.name);
  a.flag(camera.is_perspective);
  a.value(camera.y_fov_radians);
  a.value(camera.aspect_ratio);
  a.value(camera.x_magnification);
  a.value(camera.y_magnification);
  a.value(camera.z_near);
  a.value(camera.z_far);
  a.text(camera.extra);
}

template <class Archive, class L>
void visit_light(Archive& a, L& light) {
  a.text(light.name);
  a.choice(light.type, LightType::kSpot);
  a.value(light.color);
  a.value(light.intensity);
  a.value(light.range);
  a.value(light.inner_cone_radians);
  a.value(light.outer_cone_radians);
  a.text(light.extra);
}

// Reading and writing share this list of fields.
template <class Archive, class I>
void visit(Archive& a, I& imported) {
  auto& scene = imported.scene;
  a.list(scene.meshes, [&](auto& mesh) {
    a.text(mesh.name);
    a.list(mesh.primitives, [&](auto& primitive) { visit_primitive(a, primitive); });
    a.array(mesh.morph_weights);
    a.list(mesh.morph_names, [&](auto& name) { a.text(name); });
    a.text(mesh.extra);
  });
  a.list(scene.nodes, [&](auto& node) {
    a.text(node.name);
    a.value(node.parent);
    a.value(node.transform);
    a.optional(node.matrix, [&](auto& matrix) { a.value(matrix); });
    a.value(node.mesh);
    a.value(node.skin);
    a.value(node.camera);
    a.value(node.light);
    a.flag(node.is_visible);
    a.array(node.morph_weights);
    a.text(node.extra);
    a.array(node.lods);
    a.flag(node.holds_other);
  });
  a.list(scene.materials, [&](auto& material) { visit_material(a, material); });
  a.list(scene.images, [&](auto& image) {
    a.text(image.name);
    a.text(image.path);
    a.blob(image.inline_bytes);
  });
  a.list(scene.skins, [&](auto& skin) {
    a.text(skin.name);
    a.array(skin.joints);
    a.array(skin.inverse_bind);
    a.text(skin.extra);
  });
  a.list(scene.clips, [&](auto& clip) {
    a.text(clip.name);
    a.list(clip.channels, [&](auto& channel) {
      a.value(channel.node);
      a.value(channel.object);
      a.choice(channel.path, ChannelPath::kLightOuterCone);
      a.choice(channel.interpolation, Interpolation::kCubicSpline);
      a.array(channel.times_seconds);
      a.array(channel.values);
    });
    a.text(clip.extra);
  });
  a.list(scene.cameras, [&](auto& camera) { visit_camera(a, camera); });
  a.list(scene.lights, [&](auto& light) { visit_light(a, light); });
  a.list(scene.variants, [&](auto& variant) { a.text(variant); });
  a.text(scene.name);
  a.text(scene.extra);
  a.text(scene.asset_extra);
  a.list(scene.dropped, [&](auto& dropped) {
    a.text(dropped.what);
    a.text(dropped.where);
    a.value(dropped.count);
    a.flag(dropped.is_in_materials);
    a.flag(dropped.is_in_scene);
    a.flag(dropped.is_minor);
  });
  a.warnings(imported.warnings);
}

// For vectors, matrices and weights of joints.
template <class T>
bool is_finite(const std::vector<T>& values) {
  static_assert(sizeof(T) % sizeof(float) == 0);
  return all_finite({reinterpret_cast<const float*>(values.data()), values.size() * sizeof(T) / sizeof(float)});
}

bool in(std::uint32_t index, std::size_t count) { return index == kNone || index < count; }

// Whether the text is empty or an object of at most kMaxExtraDepth levels.
bool is_good(const ExtraJson& text) {
  if (text.empty()) return true;
  std::size_t depth = 0;
  bool is_in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_in_string) {
      if (c == '\\') ++i;
      is_in_string = c != '"';
    } else if (c == '"') {
      is_in_string = true;
    } else if (c == '{' || c == '[') {
      if (++depth > kMaxExtraDepth) return false;
    } else if ((c == '}' || c == ']') && depth != 0) {
      --depth;
    }
  }
  return text.front() == '{' && Json::parse(text).has_value();
}

std::size_t size_of(ComponentType type) {
  static constexpr std::size_t kSizes[] = {1, 1, 2, 2, 4, 4};
  return kSizes[static_cast<std::size_t>(type)];
}

bool is_good(const CustomAttribute& attribute, std::size_t count) {
  return attribute.rows >= 1 && attribute.rows <= 4 && attribute.columns >= 1 && attribute.columns <= 4 &&
         attribute.values.size() == count * attribute.rows * attribute.columns * size_of(attribute.type);
}

bool is_good(const MorphTarget& morph, const Primitive& p) {
  const auto fits = [&](const auto& values) {
    return (values.empty() || values.size() == morph.vertices.size()) && is_finite(values);
  };
  return std::ranges::adjacent_find(morph.vertices, std::ranges::greater_equal{}) == morph.vertices.end() &&
         (morph.vertices.empty() || morph.vertices.back() < p.positions.size()) && fits(morph.positions) &&
         fits(morph.normals) && fits(morph.tangents) && std::ranges::all_of(morph.texcoords, fits) &&
         std::ranges::all_of(morph.colors, fits);
}

bool is_good(const std::vector<VariantMaterial>& of_variants, const Scene& scene) {
  return std::ranges::all_of(of_variants,
                             [&](const VariantMaterial& of_variant) {
                               return of_variant.variant < scene.variants.size() &&
                                      in(of_variant.material, scene.materials.size());
                             }) &&
         std::ranges::adjacent_find(of_variants, std::ranges::greater_equal{}, &VariantMaterial::variant) ==
             of_variants.end();
}

bool is_good(const Primitive& p, const Mesh& mesh, const Scene& scene) {
  const std::size_t count = p.positions.size();
  const auto fits = [&](const auto& values) { return values.size() == count; };
  const auto fits_or_none = [&](const auto& values) { return values.empty() || values.size() == count; };
  const std::size_t corners = p.topology == Topology::kTriangles ? 3 : p.topology == Topology::kLines ? 2 : 1;
  const auto fits_triangles = [&](const auto& values) {
    return values.empty() || (values.size() == p.indices.size() / 3 && p.topology == Topology::kTriangles);
  };
  return p.indices.size() % corners == 0 &&
         std::ranges::all_of(p.indices, [&](std::uint32_t i) { return i < count; }) &&
         in(p.material, scene.materials.size()) && is_good(p.variant_materials, scene) && fits_or_none(p.normals) &&
         fits_or_none(p.tangents) && is_finite(p.positions) && is_finite(p.normals) && is_finite(p.tangents) &&
         std::ranges::all_of(p.texcoords, [&](const auto& set) { return fits(set) && is_finite(set); }) &&
         std::ranges::all_of(p.colors, [&](const auto& set) { return fits(set) && is_finite(set); }) &&
         std::ranges::all_of(
             p.influences,
             [&](const Influences& set) { return fits(set.joints) && fits(set.weights) && is_finite(set.weights); }) &&
         std::ranges::all_of(p.custom, [&](const CustomAttribute& one) { return is_good(one, count); }) &&
         (p.morphs.size() == mesh.morph_weights.size()) &&
         std::ranges::all_of(p.morphs, [&](const MorphTarget& morph) { return is_good(morph, p); }) &&
         fits_triangles(p.smoothing_groups) && fits_triangles(p.clusters);
}

bool is_good(const Mesh& mesh, const Scene& scene) {
  return is_finite(mesh.morph_weights) &&
         (mesh.morph_names.empty() || mesh.morph_names.size() == mesh.morph_weights.size()) && is_good(mesh.extra) &&
         std::ranges::all_of(mesh.primitives, [&](const Primitive& p) { return is_good(p, mesh, scene); });
}

bool is_good(const Node& node, std::size_t number, const Scene& scene) {
  const Transform& t = node.transform;
  if (node.parent != kNone && node.parent >= number) return false;
  if (!in(node.mesh, scene.meshes.size()) || !in(node.skin, scene.skins.size()) ||
      !in(node.camera, scene.cameras.size()) || !in(node.light, scene.lights.size())) {
    return false;
  }
  if (node.matrix && !all_finite(node.matrix->m)) return false;
  const bool has_weights_of_mesh =
      node.morph_weights.empty() ||
      (node.mesh != kNone && node.morph_weights.size() == scene.meshes[node.mesh].morph_weights.size());
  const bool has_levels = std::ranges::all_of(
      node.lods, [&](std::uint32_t level) { return level < scene.nodes.size() && level != number; });
  return has_weights_of_mesh && has_levels && is_finite(node.morph_weights) && is_good(node.extra) &&
         all_finite({&t.translation.x, 3}) && all_finite({&t.rotation.x, 4}) && all_finite({&t.scale.x, 3});
}

bool is_good(const TextureUse& use, const Scene& scene) {
  const TexcoordTransform& t = use.transform;
  const float numbers[] = {t.offset.x, t.offset.y, t.rotation, t.scale.x, t.scale.y};
  return in(use.image, scene.images.size()) && all_finite(numbers);
}

bool is_good(const Material& m, const Scene& scene) {
  bool textures_are_good = true;
  for_each_texture(m, [&](std::string_view, TextureUsage, const TextureUse& use) {
    textures_are_good = textures_are_good && is_good(use, scene);
  });
  const float numbers[] = {m.base_color.x, m.base_color.y, m.base_color.z,       m.base_color.w,
                           m.emissive.x,   m.emissive.y,   m.emissive.z,         m.metallic,
                           m.roughness,    m.normal_scale, m.occlusion_strength, m.alpha_cutoff};
  return textures_are_good && all_finite(numbers) && is_good(m.extra) &&
         std::ranges::all_of(m.scalars, [](const NamedScalar& scalar) { return std::isfinite(scalar.value); }) &&
         std::ranges::all_of(m.vectors, [](const NamedVector& vector) { return all_finite({&vector.value.x, 3}); });
}

bool is_good(const Camera& camera) {
  const float numbers[] = {camera.y_fov_radians,   camera.aspect_ratio, camera.x_magnification,
                           camera.y_magnification, camera.z_near,       camera.z_far};
  return all_finite(numbers) && is_good(camera.extra);
}

bool is_good(const Light& light) {
  const float numbers[] = {light.color.x,           light.color.y, light.color.z,
                           light.intensity,         light.range,   light.inner_cone_radians,
                           light.outer_cone_radians};
  return all_finite(numbers) && is_good(light.extra);
}

bool is_good(const Skin& skin, const Scene& scene) {
  return skin.joints.size() == skin.inverse_bind.size() && is_finite(skin.inverse_bind) && is_good(skin.extra) &&
         std::ranges::all_of(skin.joints, [&](std::uint32_t joint) { return joint < scene.nodes.size(); });
}

// The number of floats of one value; 0 if the channel moves nothing.
std::size_t components_of(const Channel& channel, const Scene& scene) {
  if (is_of_node(channel.path)) {
    if (channel.node >= scene.nodes.size()) return 0;
    if (channel.path != ChannelPath::kWeights) return component_count(channel);
    const std::uint32_t mesh = scene.nodes[channel.node].mesh;
    return mesh == kNone ? 0 : scene.meshes[mesh].morph_weights.size();
  }
  const bool is_of_camera = channel.path <= ChannelPath::kCameraFar;
  return channel.object < (is_of_camera ? scene.cameras.size() : scene.lights.size()) ? component_count(channel) : 0;
}

bool is_good(const Channel& channel, const Scene& scene) {
  const std::size_t values = channel.interpolation == Interpolation::kCubicSpline ? 3 : 1;
  const std::size_t components = components_of(channel, scene) * values;
  return components != 0 && !channel.times_seconds.empty() && all_finite(channel.times_seconds) &&
         std::ranges::adjacent_find(channel.times_seconds, std::ranges::greater_equal{}) ==
             channel.times_seconds.end() &&
         channel.values.size() / components == channel.times_seconds.size() &&
         channel.values.size() % components == 0 && all_finite(channel.values);
}

bool is_good(const Scene& scene) {
  // Nodes refer to meshes by number, so the meshes are checked first.
  if (!std::ranges::all_of(scene.meshes, [&](const Mesh& mesh) { return is_good(mesh, scene); })) return false;
  for (std::size_t i = 0; i < scene.nodes.size(); ++i) {
    if (!is_good(scene.nodes[i], i, scene)) return false;
  }
  for (const Clip& clip : scene.clips) {
    for (const Channel& channel : clip.channels) {
      if (!is_good(channel, scene)) return false;
    }
    if (!is_good(clip.extra)) return false;
  }
  return is_good(scene.extra) && is_good(scene.asset_extra) &&
         std::ranges::all_of(scene.cameras, [](const Camera& camera) { return is_good(camera); }) &&
         std::ranges::all_of(scene.lights, [](const Light& light) { return is_good(light); }) &&
         std::ranges::all_of(scene.materials, [&](const Material& m) { return is_good(m, scene); }) &&
         std::ranges::all_of(scene.skins, [&](const Skin& skin) { return is_good(skin, scene); });
}

}  // namespace

void write_imported(process::MessageWriter& message, const Imported& imported) {
  Writer writer(message);
  visit(writer, imported);
}

Result<Imported> read_imported(process::MessageReader& message) {
  Imported imported;
  Reader reader(message);
  visit(reader, imported);
  if (!message.ok() || !is_good(imported.scene))
    return fail(ErrorCode::kInvalidData, "the reader process returned an invalid scene");
  return imported;
}

}  // namespace assetc::importer
