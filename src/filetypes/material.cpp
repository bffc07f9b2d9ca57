// .hmat.
#include "assetc/formats/hmat.hpp"
#include "filetypes/readers.hpp"

namespace assetc::filetypes {
namespace {

struct Slot {
  std::string_view name;
  std::uint64_t hmat::GpuMaterial::* texture;
  std::uint32_t MaterialInfo::* count;
};
constexpr Slot kSlots[] = {
    {"base color", &hmat::GpuMaterial::base_color_texture, &MaterialInfo::base_color},
    {"metallic-roughness", &hmat::GpuMaterial::metallic_roughness_texture, &MaterialInfo::metallic_roughness},
    {"normal", &hmat::GpuMaterial::normal_texture, &MaterialInfo::normal},
    {"occlusion", &hmat::GpuMaterial::occlusion_texture, &MaterialInfo::occlusion},
    {"emissive", &hmat::GpuMaterial::emissive_texture, &MaterialInfo::emissive},
};

FileContent describe(const hmat::View& table) {
  MaterialInfo info;
  for (const hmat::GpuMaterial& row : table.materials()) {
    ++info.rows;
    for (const Slot& slot : kSlots) info.*slot.count += row.*slot.texture != 0;
    info.opaque += row.alpha_mode() == hmat::AlphaMode::kOpaque;
    info.mask += row.alpha_mode() == hmat::AlphaMode::kMask;
    info.blend += row.alpha_mode() == hmat::AlphaMode::kBlend;
    info.double_sided += row.is_double_sided();
  }
  return info;
}

Result<References> texture_references(ByteSpan file) {
  ASSETC_TRY(const hmat::View table, hmat::View::open(file));
  References out;
  for (std::size_t row = 0; row < table.materials().size(); ++row) {
    for (const Slot& slot : kSlots) {
      const std::uint64_t hash = table.materials()[row].*slot.texture;
      if (hash != 0) out.textures.push_back({"row " + std::to_string(row), slot.name, hash});
    }
  }
  return out;
}

}  // namespace

constinit const Reader kHmatReader{
    .open = open_with<hmat::View>, .inspect = inspect_with<hmat::View, describe>, .references = texture_references};

}  // namespace assetc::filetypes
