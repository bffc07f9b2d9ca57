// Writes materials, skeletons, clips, node trees, shaders and sounds as AAS1 blobs.
#include <algorithm>
#include <array>

#include "assetc/formats/aas1_audio.hpp"
#include "assetc/formats/aas1_material.hpp"
#include "recipes/container/containers.hpp"
#include "recipes/material/compiled_material.hpp"
#include "recipes/material/names.hpp"
#include "recipes/mesh/model.hpp"
#include "recipes/mesh/parts.hpp"
#include "recipes/scene/scene_value.hpp"

namespace assetc::recipes {
namespace {

void add_texture(std::string_view name, const scene::TextureUse& use, const TextureRef& ref, aas1::Material& to) {
  if (ref.uuid.is_nil()) return;
  to.add(name, ref.uuid, aas1::TextureParameter::flags_of(use.sampler, use.texcoord));
  const scene::TexcoordTransform& t = use.transform;
  if (t == scene::TexcoordTransform{}) return;
  to.add(std::string(name) + "Transform", {t.offset.x, t.offset.y, t.scale.x, t.scale.y});
  to.add(std::string(name) + "Rotation", t.rotation);
}

Result<ByteVector> write_material(const CompiledMaterial& compiled) {
  const scene::Material& m = compiled.material;
  aas1::Material out;
  if (m.unlit) out.shading_model = aas1::ShadingModel::kUnlit;
  out.blend_mode = static_cast<aas1::BlendMode>(m.alpha_mode);
  out.double_sided = m.double_sided;
  out.alpha_cutoff = m.alpha_cutoff;
  out.add("BaseColor", {m.base_color.x, m.base_color.y, m.base_color.z, m.base_color.w});
  out.add("Emissive", {m.emissive.x, m.emissive.y, m.emissive.z, 0});
  out.add("Metallic", m.metallic);
  out.add("Roughness", m.roughness);
  out.add("NormalMapStrength", m.normal_scale);
  out.add("Occlusion", m.occlusion_strength);
  for (std::size_t s = 0; s < kMaterialSlots.size(); ++s)
    add_texture(kTextureNames[s], m.*kMaterialSlots[s].use, compiled.textures[s], out);
  for (const scene::NamedScalar& scalar : m.scalars) out.add(scalar.name, scalar.value);
  for (const scene::NamedVector& v : m.vectors) out.add(v.name, {v.value.x, v.value.y, v.value.z, 0});
  for (std::size_t t = 0; t < compiled.named_textures.size(); ++t)
    add_texture(m.textures[t].name, m.textures[t].use, compiled.named_textures[t], out);
  return aas1::write(out);
}

Result<ByteVector> write_one_material(std::span<const CompiledMaterial> materials) {
  return write_material(materials.front());
}

Result<ByteVector> write_skeleton(const Skeleton& skeleton, std::span<const std::uint32_t> nodes) {
  return aas1::write_skeleton(skeleton.joints, skeleton.names, nodes);
}

Result<ByteVector> write_clip(const hanim::Clip& clip, const Uuid& model) {
  ASSETC_TRY(const ByteVector bytes, hanim::write(std::span(&clip, 1)));
  return aas1::write_payload(aas1::Type::kAnimation, aas1::kEncodingHanim, bytes, model);
}

Result<ByteVector> wrap_compressed_clip(ByteSpan hanim, const Uuid& model) {
  return aas1::write_payload(aas1::Type::kAnimation, aas1::kEncodingHanimCompressed, hanim, model);
}

Result<ByteVector> write_model(const scene::Scene& scene, const SceneFiles& files) {
  std::vector<aas1::ModelNode> nodes;
  std::vector<std::string> names;
  for (const scene::Node& from : scene.nodes) {
    const scene::Transform& t = from.transform;
    aas1::ModelNode node{aas1::ModelNode::kNone,
                         aas1::ModelNode::kNone,
                         {},
                         {},
                         {t.translation.x, t.translation.y, t.translation.z},
                         {t.rotation.x, t.rotation.y, t.rotation.z, t.rotation.w},
                         {t.scale.x, t.scale.y, t.scale.z}};
    if (from.parent != scene::kNone) node.parent = static_cast<std::int32_t>(from.parent);
    if (from.mesh != scene::kNone) node.mesh = files.meshes[from.mesh].file.uuid();
    if (from.skin != scene::kNone) node.skeleton = files.skeletons[from.skin].uuid();
    nodes.push_back(node);
    names.push_back(from.name);
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    for (const std::uint32_t level : scene.nodes[n].lods) nodes[level].detail_of = static_cast<std::int32_t>(n);
  }
  const bool named = std::ranges::any_of(names, [](const std::string& name) { return !name.empty(); });
  ASSETC_TRY(const ByteVector extension, hscene::write(scene_value(scene, files)));
  return aas1::write_model(nodes, named ? std::span<const std::string>(names) : std::span<const std::string>(),
                           extension);
}

Result<ByteVector> write_shader(ByteVector spirv) {
  return aas1::write_payload(aas1::Type::kShader, aas1::kEncodingSpirv, spirv);
}

Result<ByteVector> write_script(ByteSpan text) {
  return aas1::write_payload(aas1::Type::kScript, aas1::kEncodingText, text);
}

Result<ByteVector> write_raw(ByteSpan bytes) {
  return aas1::write_payload(aas1::Type::kRaw, aas1::kEncodingRaw, bytes);
}

Result<ByteVector> write_audio(const audio::EncodedSound& from) {
  aas1::Audio out;
  out.codec = from.codec;
  out.sample_format = from.sample_format;
  out.channel_count = from.channel_count;
  out.sample_rate_hz = from.sample_rate_hz;
  out.frame_count = from.frame_count;
  out.frames_per_chunk = from.frames_per_chunk;
  out.chunks.assign(from.chunks.begin(), from.chunks.end());
  out.loops = from.loops;
  return aas1::write(out);
}

}  // namespace

constinit const SoundContainer kAas1Audio{"", write_audio};
constinit const DataContainers kAas1Data{"", write_script, write_raw};
constinit const MaterialContainer kAas1Material{"", write_one_material};
constinit const ShaderContainer kAas1Shader{"", "", write_shader};

Result<Product> cook_aas1_parts(scene::Scene& scene, importer::ModelKind kind, const Step& step, Inputs& inputs) {
  constexpr PartContainers kParts{.mesh = {kAas1Mesh, kAas1Clusters},
                                  .material = write_material,
                                  .skeleton = write_skeleton,
                                  .clip = write_clip,
                                  .compressed_clip = wrap_compressed_clip,
                                  .model = write_model};
  return cook_parts(scene, kind, step, inputs, kParts);
}

}  // namespace assetc::recipes
