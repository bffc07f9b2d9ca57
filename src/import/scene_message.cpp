#include "import/scene_message.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

#include "import/finite.hpp"

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

template <class Archive, class P>
void visit_primitive(Archive& a, P& p) {
  a.text(p.name);
  a.value(p.material);
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
    a.value(use->image);
    a.value(use->texcoord);
    a.choice(use->sampler.wrap_u, Wrap::kMirror);
    a.choice(use->sampler.wrap_v, Wrap::kMirror);
    a.choice(use->sampler.mag, sampling::Filter::kLinear);
    a.choice(use->sampler.min, sampling::Filter::kLinear);
    a.choice(use->sampler.mip, sampling::MipFilter::kLinear);
    a.value(use->transform);
  }
}

// Reading and writing share this list of fields.
template <class Archive, class I>
void visit(Archive& a, I& imported) {
  auto& scene = imported.scene;
  a.list(scene.meshes, [&](auto& mesh) {
    a.text(mesh.name);
    a.list(mesh.primitives, [&](auto& primitive) { visit_primitive(a, primitive); });
  });
  a.list(scene.nodes, [&](auto& node) {
    a.text(node.name);
    a.value(node.parent);
    a.value(node.transform);
    a.optional(node.matrix, [&](auto& matrix) { a.value(matrix); });
    a.value(node.mesh);
    a.value(node.skin);
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
  });
  a.list(scene.clips, [&](auto& clip) {
    a.text(clip.name);
    a.list(clip.channels, [&](auto& channel) {
      a.value(channel.node);
      a.choice(channel.path, ChannelPath::kWeights);
      a.choice(channel.interpolation, Interpolation::kCubicSpline);
      a.array(channel.times_seconds);
      a.array(channel.values);
    });
  });
  a.list(scene.dropped, [&](auto& dropped) {
    a.text(dropped.what);
    a.text(dropped.where);
    a.value(dropped.count);
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

bool is_good(const Primitive& p, const Scene& scene) {
  const std::size_t count = p.positions.size();
  const auto fits = [&](const auto& values) { return values.size() == count; };
  const auto fits_or_none = [&](const auto& values) { return values.empty() || values.size() == count; };
  return p.indices.size() % 3 == 0 && std::ranges::all_of(p.indices, [&](std::uint32_t i) { return i < count; }) &&
         in(p.material, scene.materials.size()) && fits_or_none(p.normals) && fits_or_none(p.tangents) &&
         is_finite(p.positions) && is_finite(p.normals) && is_finite(p.tangents) &&
         std::ranges::all_of(p.texcoords, [&](const auto& set) { return fits(set) && is_finite(set); }) &&
         std::ranges::all_of(p.colors, [&](const auto& set) { return fits(set) && is_finite(set); }) &&
         std::ranges::all_of(p.influences, [&](const Influences& set) {
           return fits(set.joints) && fits(set.weights) && is_finite(set.weights);
         });
}

bool is_good(const Node& node, std::size_t number, const Scene& scene) {
  const Transform& t = node.transform;
  if (node.parent != kNone && node.parent >= number) return false;
  if (!in(node.mesh, scene.meshes.size()) || !in(node.skin, scene.skins.size())) return false;
  if (node.matrix && !all_finite(node.matrix->m)) return false;
  return all_finite({&t.translation.x, 3}) && all_finite({&t.rotation.x, 4}) && all_finite({&t.scale.x, 3});
}

bool is_good(const Material& m, const Scene& scene) {
  for (const TextureUse* use : {&m.base_color_texture, &m.metallic_roughness_texture, &m.normal_texture,
                                &m.occlusion_texture, &m.emissive_texture}) {
    const TexcoordTransform& t = use->transform;
    const float numbers[] = {t.offset.x, t.offset.y, t.rotation, t.scale.x, t.scale.y};
    if (!in(use->image, scene.images.size()) || !all_finite(numbers)) return false;
  }
  const float numbers[] = {m.base_color.x, m.base_color.y, m.base_color.z,       m.base_color.w,
                           m.emissive.x,   m.emissive.y,   m.emissive.z,         m.metallic,
                           m.roughness,    m.normal_scale, m.occlusion_strength, m.alpha_cutoff};
  return all_finite(numbers);
}

bool is_good(const Skin& skin, const Scene& scene) {
  return skin.joints.size() == skin.inverse_bind.size() && is_finite(skin.inverse_bind) &&
         std::ranges::all_of(skin.joints, [&](std::uint32_t joint) { return joint < scene.nodes.size(); });
}

bool is_good(const Channel& channel, const Scene& scene) {
  const std::size_t components = channel.path == ChannelPath::kRotation ? 4 : 3;
  return channel.node < scene.nodes.size() && is_transform(channel.path) &&
         channel.interpolation != Interpolation::kCubicSpline && !channel.times_seconds.empty() &&
         all_finite(channel.times_seconds) &&
         std::ranges::adjacent_find(channel.times_seconds, std::ranges::greater_equal{}) ==
             channel.times_seconds.end() &&
         channel.values.size() / components == channel.times_seconds.size() &&
         channel.values.size() % components == 0 && all_finite(channel.values);
}

bool is_good(const Scene& scene) {
  for (const Mesh& mesh : scene.meshes) {
    for (const Primitive& primitive : mesh.primitives) {
      if (!is_good(primitive, scene)) return false;
    }
  }
  for (std::size_t i = 0; i < scene.nodes.size(); ++i) {
    if (!is_good(scene.nodes[i], i, scene)) return false;
  }
  for (const Clip& clip : scene.clips) {
    for (const Channel& channel : clip.channels) {
      if (!is_good(channel, scene)) return false;
    }
  }
  return std::ranges::all_of(scene.materials, [&](const Material& m) { return is_good(m, scene); }) &&
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
