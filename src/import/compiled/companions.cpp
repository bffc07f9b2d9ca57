#include "import/compiled/companions.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "animation/decompress.hpp"
#include "assetc/formats/hanim.hpp"
#include "assetc/formats/hanim_compressed.hpp"
#include "base/plural.hpp"
#include "import/compiled/aligned_bytes.hpp"
#include "import/model/source.hpp"
#include "scene/pose.hpp"
#include "scene/spline.hpp"

namespace assetc::importer {
namespace {

using namespace scene;

class MaterialReader {
 public:
  MaterialReader(const TextureResolver& textures, Scene& scene) : textures_(textures), scene_(scene) {}

  Result<void> fill(const hmat::GpuMaterial& row, Material& m) {
    set_factors(row, m);
    using enum hmat::Slot;
    ASSETC_TRY(m.base_color_texture, use(row, kBaseColor, row.base_color_texture));
    ASSETC_TRY(m.metallic_roughness_texture, use(row, kMetallicRoughness, row.metallic_roughness_texture));
    ASSETC_TRY(m.normal_texture, use(row, kNormal, row.normal_texture));
    ASSETC_TRY(m.occlusion_texture, use(row, kOcclusion, row.occlusion_texture));
    ASSETC_TRY(m.emissive_texture, use(row, kEmissive, row.emissive_texture));
    return {};
  }

 private:
  Result<TextureUse> use(const hmat::GpuMaterial& row, hmat::Slot slot, std::uint64_t ref) {
    TextureUse made;
    ASSETC_TRY(made.image, image(ref));
    made.sampler = row.sampler(slot);
    return made;
  }

  Result<std::uint32_t> image(std::uint64_t ref) {
    if (ref == 0 || !textures_) return kNone;
    const auto [found, is_new] = images_.try_emplace(ref, static_cast<std::uint32_t>(scene_.images.size()));
    if (is_new) {
      ASSETC_TRY(ImageSource source, textures_(ref));
      scene_.images.push_back(std::move(source));
    }
    return found->second;
  }

  const TextureResolver& textures_;
  Scene& scene_;
  std::unordered_map<std::uint64_t, std::uint32_t> images_;
};

Result<void> fill_materials(const Companions& companions, Scene& scene) {
  if (companions.materials.empty()) return {};
  const AlignedBytes bytes(companions.materials);
  ASSETC_TRY(const hmat::View view, hmat::View::open(bytes.span()));
  const std::span<const hmat::GpuMaterial> rows = view.materials();
  if (rows.size() != scene.materials.size()) {
    return fail(ErrorCode::kInvalidData,
                "the material table has " + plural(rows.size(), "row") + ", the mesh has " +
                    plural(scene.materials.size(), "material"),
                "compile the source again so that both come from one build");
  }
  MaterialReader reader(companions.textures, scene);
  for (std::size_t i = 0; i < rows.size(); ++i) ASSETC_CHECK(reader.fill(rows[i], scene.materials[i]));
  return {};
}

// Transforms the keys of a joint by the nodes above it that are not joints.
void move_below(const hanim::Transform& above, hanim::Channel& channel) {
  const std::size_t width = hanim::component_count(channel.path);
  for (std::size_t i = 0; i + width <= channel.values.size(); i += width) {
    std::array<float, 4> value{};
    std::copy_n(channel.values.begin() + static_cast<std::ptrdiff_t>(i), width, value.begin());
    value = hanim::value_below(above, channel.path, value);
    std::copy_n(value.begin(), width, channel.values.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// The joints of the scene that a file's joints are, and their channels in it.
Result<void> add_compressed_clips(const Bytes& animation, Scene& scene) {
  ASSETC_TRY(const hanim::CompressedView view, hanim::CompressedView::open(animation));
  const std::vector<std::uint32_t> joints = scene.skins.empty() ? std::vector<std::uint32_t>() : scene.skins[0].joints;
  const bool by_name = !view.joints().empty();
  if (!by_name) ASSETC_CHECK(view.check_targets(joints.size(), scene.cameras.size(), scene.lights.size()));
  std::vector<std::string_view> names;
  names.reserve(joints.size());
  for (const std::uint32_t node : joints) names.push_back(scene.nodes[node].name);
  const std::vector<hanim::Match> matches = hanim::match_joints(view.joints(), names);
  for (const hanim::CompressedClip& clip : view.clips()) {
    Clip out = animation::decompress(clip);
    std::erase_if(out.channels, [&](Channel& channel) {
      if (!is_of_node(channel.path)) return false;
      const std::uint32_t joint = by_name ? matches[channel.node].joint : channel.node;
      if (joint == hanim::Match::kNone) {
        add_dropped(scene.dropped, "animation channels of joints that the mesh does not have",
                    "clip \"" + out.name + "\"");
        return true;
      }
      if (by_name && matches[channel.node].has_above && is_transform(channel.path)) {
        // The tangents of a spline would need the linear part only.
        if (channel.interpolation == Interpolation::kCubicSpline) channel = straighten(channel);
        hanim::Channel moved{0, static_cast<hanim::Path>(channel.path), {}, {}, std::move(channel.values)};
        move_below(matches[channel.node].above, moved);
        channel.values = std::move(moved.values);
      }
      channel.node = joints[joint];
      separate_keys(channel.times_seconds);
      return false;
    });
    scene.clips.push_back(std::move(out));
  }
  return {};
}

Result<void> add_clips(const Bytes& animation, Scene& scene) {
  if (animation.empty()) return {};
  if (hanim::version_of(animation) == hanim::kCompressedVersion) return add_compressed_clips(animation, scene);
  ASSETC_TRY(const hanim::View view, hanim::View::open(animation));
  const std::vector<std::uint32_t> joints = scene.skins.empty() ? std::vector<std::uint32_t>() : scene.skins[0].joints;
  const bool by_name = !view.joints().empty();
  if (!by_name) ASSETC_CHECK(view.check_joints(joints.size()));
  std::vector<std::string_view> names;
  names.reserve(joints.size());
  for (const std::uint32_t node : joints) names.push_back(scene.nodes[node].name);
  const std::vector<hanim::Match> matches = hanim::match_joints(view.joints(), names);
  for (hanim::Clip& clip : view.to_clips()) {
    Clip out;
    out.name = std::move(clip.name);
    for (hanim::Channel& c : clip.channels) {
      const std::uint32_t joint = by_name ? matches[c.joint].joint : c.joint;
      if (joint == hanim::Match::kNone) {
        add_dropped(scene.dropped, "animation channels of joints that the mesh does not have",
                    "clip \"" + out.name + "\"");
        continue;
      }
      if (by_name && matches[c.joint].has_above) move_below(matches[c.joint].above, c);
      Channel channel;
      channel.node = joints[joint];
      channel.path = static_cast<ChannelPath>(c.path);
      channel.interpolation = static_cast<Interpolation>(c.interpolation);
      channel.times_seconds = std::move(c.times);
      separate_keys(channel.times_seconds);  // .hanim may have two keys at the same time
      channel.values = std::move(c.values);
      out.channels.push_back(std::move(channel));
    }
    scene.clips.push_back(std::move(out));
  }
  return {};
}

}  // namespace

void set_factors(const hmat::GpuMaterial& row, scene::Material& m) {
  m.base_color = {row.base_color_factor[0], row.base_color_factor[1], row.base_color_factor[2],
                  row.base_color_factor[3]};
  m.emissive = {row.emissive_factor[0], row.emissive_factor[1], row.emissive_factor[2]};
  m.metallic = row.metallic_factor;
  m.roughness = row.roughness_factor;
  m.normal_scale = row.normal_scale;
  m.occlusion_strength = row.occlusion_strength;
  m.alpha_cutoff = row.alpha_cutoff;
  m.alpha_mode = static_cast<AlphaMode>(row.alpha_mode());
  m.double_sided = row.is_double_sided();
  m.unlit = row.is_unlit();
}

Result<void> add_companions(const Companions& companions, Scene& scene) {
  ASSETC_CHECK(fill_materials(companions, scene));
  return add_clips(companions.animation, scene);
}

}  // namespace assetc::importer
