// AAS1 materials: named numbers, and textures by UUID. Specification: docs/formats/aas1.md.
// This header reads files. aas1_material.hpp also writes them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "assetc/formats/aas1.hpp"
#include "assetc/formats/sampling.hpp"

namespace assetc::aas1 {

// Returns the FNV-1a 32 hash of the bytes of a parameter name, without lowering. 0 means no name.
constexpr std::uint32_t hash_parameter(std::string_view name) {
  std::uint32_t hash = 0x811c9dc5u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x01000193u;
  return hash;
}

enum class ShadingModel : std::uint32_t { kMetallicRoughness = 0, kUnlit = 1 };
enum class BlendMode : std::uint32_t { kOpaque = 0, kMask = 1, kBlend = 2 };
using sampling::Sampler;
using sampling::Wrap;

struct MaterialDesc {
  static constexpr std::uint32_t kDoubleSided = 1;

  ShadingModel shading_model;
  BlendMode blend_mode;
  std::uint32_t flags;
  float alpha_cutoff;
  std::uint32_t scalar_count;
  std::uint32_t vector_count;
  std::uint32_t texture_count;
  std::uint32_t scalars_offset_bytes;
  std::uint32_t vectors_offset_bytes;
  std::uint32_t textures_offset_bytes;
};
static_assert(sizeof(MaterialDesc) == 40);

struct ScalarParameter {
  std::uint32_t name_hash;
  float value;
  bool operator==(const ScalarParameter&) const = default;
};
struct VectorParameter {
  std::uint32_t name_hash;
  float value[4];
  bool operator==(const VectorParameter&) const = default;
};
struct TextureParameter {
  static constexpr std::uint32_t kFilterShift = 16;

  std::uint32_t name_hash;
  Uuid texture;
  std::uint8_t type;  // Type
  std::uint8_t pad[3];
  std::uint32_t sampler_flags;

  // Returns the sampler. Bits without a meaning give the initial value of their field.
  Sampler sampler() const { return sampling::sampler_of(sampler_flags, sampler_flags >> kFilterShift); }
  Wrap wrap_u() const { return sampler().wrap_u; }
  Wrap wrap_v() const { return sampler().wrap_v; }
  std::uint32_t texcoord() const { return sampler_flags >> 8 & 0xff; }
  static constexpr std::uint32_t flags_of(const Sampler& sampler, std::uint32_t texcoord) {
    return sampling::wrap_bits(sampler) | (texcoord & 0xff) << 8 | sampling::filter_bits(sampler) << kFilterShift;
  }
  static constexpr std::uint32_t flags_of(Wrap u, Wrap v, std::uint32_t texcoord) {
    return flags_of({.wrap_u = u, .wrap_v = v}, texcoord);
  }
  bool operator==(const TextureParameter&) const = default;
};
static_assert(sizeof(ScalarParameter) == 8 && sizeof(VectorParameter) == 20 && sizeof(TextureParameter) == 28);

class MaterialView {
 public:
  static Result<MaterialView> open(ByteSpan file);
  const Blob& blob() const { return blob_; }
  const MaterialDesc& desc() const { return *desc_; }
  bool is_double_sided() const { return (desc_->flags & MaterialDesc::kDoubleSided) != 0; }
  std::span<const ScalarParameter> scalars() const { return scalars_; }
  std::span<const VectorParameter> vectors() const { return vectors_; }
  std::span<const TextureParameter> textures() const { return textures_; }
  // Return the parameter, or null if the material does not set it.
  const ScalarParameter* scalar(std::string_view name) const;
  const VectorParameter* vector(std::string_view name) const;
  const TextureParameter* texture(std::string_view name) const;

 private:
  Blob blob_;
  const MaterialDesc* desc_ = nullptr;
  std::span<const ScalarParameter> scalars_;
  std::span<const VectorParameter> vectors_;
  std::span<const TextureParameter> textures_;
};

}  // namespace assetc::aas1
