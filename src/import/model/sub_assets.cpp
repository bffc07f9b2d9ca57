#include "import/model/sub_assets.hpp"

#include <algorithm>
#include <span>
#include <type_traits>

#include "assetc/base/hash.hpp"
#include "base/json_line.hpp"

namespace assetc::importer {
namespace {

using identity::FoundSubAsset;

template <class T>
ByteSpan array_bytes(const std::vector<T>& values) {
  static_assert(std::is_trivially_copyable_v<T>);
  return std::as_bytes(std::span(values));
}

std::string digits(const ContentHasher& hasher) { return hasher.finish().hex().substr(0, 16); }

std::string fingerprint(const scene::Mesh& mesh) {
  ContentHasher hasher;
  for (const scene::Primitive& primitive : mesh.primitives) {
    hasher.add(array_bytes(primitive.indices))
        .add(array_bytes(primitive.positions))
        .add(array_bytes(primitive.normals));
    for (const auto& set : primitive.texcoords) hasher.add(array_bytes(set));
  }
  return digits(hasher);
}

// Identifies a picture independently of its index.
std::string_view image_name(const scene::Scene& scene, const scene::TextureUse& use) {
  if (use.image >= scene.images.size()) return {};
  const scene::ImageSource& image = scene.images[use.image];
  return image.path.empty() ? std::string_view(image.name) : std::string_view(image.path);
}

std::string fingerprint(const scene::Scene& scene, const scene::Material& material) {
  ContentHasher hasher;
  hasher.add(object_bytes(material.base_color)).add(object_bytes(material.emissive));
  for (const float value : {material.metallic, material.roughness, material.normal_scale, material.occlusion_strength,
                            material.alpha_cutoff}) {
    hasher.add(object_bytes(value));
  }
  hasher.add(static_cast<std::uint64_t>(material.alpha_mode));
  hasher.add(static_cast<std::uint64_t>(material.double_sided) << 1 | static_cast<std::uint64_t>(material.unlit));
  for (const scene::TextureUse* use :
       {&material.base_color_texture, &material.metallic_roughness_texture, &material.normal_texture,
        &material.occlusion_texture, &material.emissive_texture}) {
    hasher.add(image_name(scene, *use));
  }
  return digits(hasher);
}

std::string fingerprint(const scene::Scene& scene, const scene::Skin& skin) {
  ContentHasher hasher;
  hasher.add(array_bytes(skin.inverse_bind));
  for (const std::uint32_t joint : skin.joints) {
    hasher.add(joint < scene.nodes.size() ? std::string_view(scene.nodes[joint].name) : std::string_view());
  }
  return digits(hasher);
}

std::string fingerprint(const scene::Scene& scene, const scene::Clip& clip) {
  ContentHasher hasher;
  for (const scene::Channel& channel : clip.channels) {
    hasher.add(channel.node < scene.nodes.size() ? std::string_view(scene.nodes[channel.node].name)
                                                 : std::string_view());
    hasher.add(static_cast<std::uint64_t>(channel.path)).add(static_cast<std::uint64_t>(channel.interpolation));
    hasher.add(array_bytes(channel.times_seconds)).add(array_bytes(channel.values));
  }
  return digits(hasher);
}

// Some formats allow any bytes in names, but a .meta holds UTF-8.
std::string utf8_name(std::string_view name) {
  std::string valid;
  while (!name.empty()) {
    const std::size_t size = utf8_length(name);
    valid += size == 0 ? std::string_view("\xEF\xBF\xBD") : name.substr(0, size);
    name.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return valid;
}

}  // namespace

std::vector<FoundSubAsset> sub_assets_of(const scene::Scene& scene) {
  std::vector<FoundSubAsset> found;
  found.reserve(scene.meshes.size() + scene.materials.size() + scene.skins.size() + scene.clips.size());
  for (const scene::Mesh& mesh : scene.meshes) found.push_back({"Mesh", mesh.name, fingerprint(mesh)});
  for (const scene::Material& material : scene.materials) {
    found.push_back({"Material", material.name, fingerprint(scene, material)});
  }
  for (const scene::Skin& skin : scene.skins) found.push_back({"Skeleton", skin.name, fingerprint(scene, skin)});
  for (const scene::Clip& clip : scene.clips) found.push_back({"Animation", clip.name, fingerprint(scene, clip)});
  for (const scene::ImageSource& image : scene.images) {
    if (!image.path.empty()) continue;  // has its own source
    found.push_back({"Texture2D", image.name, content_hash(image.inline_bytes).hex().substr(0, 16)});
  }
  for (identity::FoundSubAsset& asset : found) asset.name = utf8_name(asset.name);
  return found;
}

}  // namespace assetc::importer
