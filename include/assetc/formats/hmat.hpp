// .hmat version 1: one row of PBR factors and texture refs for each material. Specification: docs/formats/hmat.md.
#pragma once

#include <cstdint>
#include <span>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"
#include "assetc/formats/fourcc.hpp"
#include "assetc/formats/sampling.hpp"

namespace assetc::hmat {

inline constexpr std::uint32_t kMagic = fourcc("HMAT");
inline constexpr std::uint32_t kVersion = 1;
inline constexpr std::size_t kBufferAlignment = 8;

using sampling::Sampler;

// The textures of a row, in the order of its fields.
enum class Slot : std::uint8_t { kBaseColor, kMetallicRoughness, kNormal, kOcclusion, kEmissive };
inline constexpr std::uint32_t kSlotCount = 5;

enum class AlphaMode : std::uint8_t { kOpaque = 0, kMask = 1, kBlend = 2 };

struct FileHeader {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint32_t count;
  std::uint32_t flags;
};
static_assert(sizeof(FileHeader) == 16);

// One row of the file. The initial values are those of a glTF material without any properties.
struct GpuMaterial {
  static constexpr std::uint32_t kDoubleSided = 1u << 0;
  static constexpr std::uint32_t kAlphaModeShift = 1;
  static constexpr std::uint32_t kAlphaModeMask = 3u << kAlphaModeShift;
  static constexpr std::uint32_t kUnlit = 1u << 3;  // an extension; readers without it shade the material
  // An extension: the row sets samplers, with the wraps in flags and the filters in filters.
  static constexpr std::uint32_t kHasSamplers = 1u << 4;
  static constexpr std::uint32_t kWrapShift = 5;  // the wraps begin at this bit, kWrapBits for each slot

  float base_color_factor[4] = {1, 1, 1, 1};  // linear
  float emissive_factor[3] = {0, 0, 0};       // linear; above 1 with an emissive strength
  float metallic_factor = 1;
  float roughness_factor = 1;
  float normal_scale = 1;
  float occlusion_strength = 1;
  float alpha_cutoff = 0.5f;  // for AlphaMode::kMask
  std::uint32_t flags = 0;
  std::uint32_t filters = 0;  // kFilterBits for each slot, if kHasSamplers is set
  // The hash_asset_ref of each texture, or 0 for none.
  std::uint64_t base_color_texture = 0;
  std::uint64_t metallic_roughness_texture = 0;  // R occlusion, G roughness, B metallic
  std::uint64_t normal_texture = 0;
  std::uint64_t occlusion_texture = 0;  // equal to metallic_roughness_texture if they are one image
  std::uint64_t emissive_texture = 0;

  bool is_double_sided() const { return (flags & kDoubleSided) != 0; }
  bool is_unlit() const { return (flags & kUnlit) != 0; }
  AlphaMode alpha_mode() const { return static_cast<AlphaMode>((flags & kAlphaModeMask) >> kAlphaModeShift); }
  void set_alpha_mode(AlphaMode mode) {
    flags = (flags & ~kAlphaModeMask) | static_cast<std::uint32_t>(mode) << kAlphaModeShift;
  }
  bool has_samplers() const { return (flags & kHasSamplers) != 0; }
  std::uint32_t wrap_bits(Slot slot) const { return flags >> wrap_shift(slot) & ((1u << sampling::kWrapBits) - 1); }
  std::uint32_t filter_bits(Slot slot) const {
    return filters >> filter_shift(slot) & ((1u << sampling::kFilterBits) - 1);
  }
  // Returns the sampler of a slot. If the row sets none: repeat, with filters that the engine chooses.
  Sampler sampler(Slot slot) const {
    return has_samplers() ? sampling::sampler_of(wrap_bits(slot), filter_bits(slot)) : Sampler{};
  }
  // Sets the sampler of a slot. Requires that every sampler of this row was set with this function.
  void set_sampler(Slot slot, const Sampler& sampler) {
    flags ^= (wrap_bits(slot) ^ sampling::wrap_bits(sampler)) << wrap_shift(slot);
    filters ^= (filter_bits(slot) ^ sampling::filter_bits(sampler)) << filter_shift(slot);
    constexpr std::uint32_t kWraps = ((1u << sampling::kWrapBits * kSlotCount) - 1) << kWrapShift;
    flags = (flags & kWraps) != 0 || filters != 0 ? flags | kHasSamplers : flags & ~kHasSamplers;
  }
  bool operator==(const GpuMaterial&) const = default;

 private:
  static constexpr std::uint32_t wrap_shift(Slot slot) {
    return kWrapShift + static_cast<std::uint32_t>(slot) * sampling::kWrapBits;
  }
  static constexpr std::uint32_t filter_shift(Slot slot) {
    return static_cast<std::uint32_t>(slot) * sampling::kFilterBits;
  }
};
static_assert(sizeof(GpuMaterial) == 96);

// A valid .hmat, read in place.
// Errors of open(): kTruncated, kInvalidData, kVersion, kUsage (a misaligned buffer).
// Constraints: file starts at a multiple of kBufferAlignment and outlives the view.
// Thread safety: const.
class View {
 public:
  static Result<View> open(ByteSpan file);
  std::span<const GpuMaterial> materials() const { return materials_; }

 private:
  std::span<const GpuMaterial> materials_;
};

// Returns the bytes of a file that View::open accepts, or the error that View::open would give for a material.
Result<ByteVector> write(std::span<const GpuMaterial> materials);

}  // namespace assetc::hmat
