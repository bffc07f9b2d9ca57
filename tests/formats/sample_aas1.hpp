// Small blobs with every optional part of their types.
#pragma once

#include "assetc/formats/aas1_audio.hpp"
#include "assetc/formats/aas1_material.hpp"
#include "assetc/formats/aas1_mesh.hpp"
#include "assetc/formats/aas1_texture.hpp"
#include "formats/sample_mesh.hpp"

namespace assetc::formats_test {

inline Uuid uuid_number(std::uint8_t n) {
  Uuid uuid;
  uuid.bytes[0] = n;
  uuid.bytes[6] = 0x40;
  return uuid;
}

// A quad in two submeshes, and a level of one triangle.
inline aas1::Mesh sample_aas1_mesh() {
  using aas1::Semantic;
  using aas1::VertexFormat;
  aas1::Mesh mesh;
  mesh.vertex_stride_bytes = 20;
  mesh.attributes = {{Semantic::kPosition, 0, VertexFormat::kRgb32F, 0, 0, 0, 0},
                     {Semantic::kNormal, 0, VertexFormat::kRg16Snorm, 0, 12, 0, 0},
                     {Semantic::kColor, 0, VertexFormat::kRgba8Unorm, 0, 16, 0, 0}};
  const float corners[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  for (const auto& c : corners) {
    append(mesh.vertices, std::array<float, 3>{c[0], c[1], 0});
    append(mesh.vertices, std::array<std::int16_t, 2>{0, 0});
    append(mesh.vertices, std::array<std::uint8_t, 4>{255, 128, 0, 255});
  }
  mesh.levels = {{{0, 1, 2, 0, 2, 3}, {{0, 3, 0, 0}, {3, 3, 0, aas1::kNoMaterial}}, 1, {0, 0, 0}, {1, 1, 0}},
                 {{0, 1, 2}, {{0, 3, 0, 0}, {3, 0, 0, aas1::kNoMaterial}}, 0.5f, {0, 0, 0}, {1, 1, 0}}};
  mesh.materials = {uuid_number(3)};
  mesh.skeleton = uuid_number(4);
  mesh.submesh_bounds = {quad_bounds(), quad_bounds()};
  mesh.pose_bounds = {quad_bounds()};
  mesh.names.submeshes = {"seat", "back"};
  mesh.names.materials = {"Wood"};
  return mesh;
}

inline aas1::Material sample_aas1_material() {
  aas1::Material material;
  material.blend_mode = aas1::BlendMode::kMask;
  material.double_sided = true;
  material.alpha_cutoff = 0.25f;
  material.add("Metallic", 0.5f);
  material.add("Clearcoat", 0.75f);
  material.add("BaseColor", std::array<float, 4>{1, 0.5f, 0.25f, 1});
  material.add("BaseColorTex", uuid_number(5),
               aas1::TextureParameter::flags_of(aas1::Wrap::kClamp, aas1::Wrap::kMirror, 1));
  return material;
}

// 3 frames of two channels in chunks of two.
inline const std::array<std::int16_t, 6> kSamples = {0, 1, 2, 3, 4, 5};
inline aas1::Audio sample_aas1_audio() {
  aas1::Audio audio;
  audio.channel_count = 2;
  audio.frame_count = 3;
  audio.frames_per_chunk = 2;
  const ByteSpan all = std::as_bytes(std::span(kSamples));
  audio.chunks = {all.first(8), all.subspan(8)};
  audio.loops = {{1, 3, aas1::Loop::Kind::kForward, 0}};
  return audio;
}

}  // namespace assetc::formats_test
