// AAS1 materials, also as vectors and to write. Specification: docs/formats/aas1.md.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "assetc/formats/aas1_material_view.hpp"

namespace assetc::aas1 {

struct Material {
  ShadingModel shading_model = ShadingModel::kMetallicRoughness;
  BlendMode blend_mode = BlendMode::kOpaque;
  bool double_sided = false;
  float alpha_cutoff = 0.5f;
  std::vector<ScalarParameter> scalars;
  std::vector<VectorParameter> vectors;
  std::vector<TextureParameter> textures;

  void add(std::string_view name, float value) { scalars.push_back({hash_parameter(name), value}); }
  void add(std::string_view name, const std::array<float, 4>& v) {
    vectors.push_back({hash_parameter(name), {v[0], v[1], v[2], v[3]}});
  }
  void add(std::string_view name, const Uuid& texture, std::uint32_t sampler_flags) {
    textures.push_back({hash_parameter(name), texture, static_cast<std::uint8_t>(Type::kTexture2D), {}, sampler_flags});
  }
};
// Returns the bytes of a file that MaterialView::open accepts, or the error that it would give for the material.
// Deterministic: parameters are written in the order of their hashes.
Result<ByteVector> write(const Material& material);

}  // namespace assetc::aas1
