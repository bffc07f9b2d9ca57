// Rows are uploaded as they are, so flags that a shader would misread are refused when the file is opened.
#include "assetc/formats/hmat.hpp"

#include <limits>
#include <string_view>

#include "base/plural.hpp"
#include "formats/hmat_table.hpp"

namespace assetc::hmat {

using namespace formats;

namespace {

constexpr std::string_view kSlotNames[kSlotCount] = {"base color", "metallic-roughness", "normal", "occlusion",
                                                     "emissive"};

Result<void> check_flags(const GpuMaterial& row, std::size_t number, std::uint64_t place) {
  if (row.alpha_mode() > AlphaMode::kBlend)
    return invalid(place + 48, message("material ", number, " has alpha mode 3, expected 0 opaque, 1 mask or 2 blend"));
  if (!row.has_samplers()) return {};
  for (std::uint32_t s = 0; s < kSlotCount; ++s) {
    const auto slot = static_cast<Slot>(s);
    const bool are_wraps = sampling::are_wrap_bits(row.wrap_bits(slot));
    if (are_wraps && sampling::are_filter_bits(row.filter_bits(slot))) continue;
    return invalid(place + (are_wraps ? 52 : 48),
                   message("material ", number, " samples its ", kSlotNames[s], " texture with ",
                           are_wraps ? "filter 3, expected 0 any, 1 nearest or 2 linear"
                                     : "wrap 3, expected 0 repeat, 1 clamp or 2 mirror"));
  }
  return {};
}

}  // namespace

Result<View> View::open(ByteSpan file) {
  ASSETC_CHECK(check_magic(file, kMagic, kVersion, "hmat"));
  ASSETC_CHECK(check_alignment(file, kBufferAlignment));
  Context context;
  ASSETC_TRY(const OpenPart part, open_part(table::kFile, file, 0, context));
  View view;
  view.materials_ = part.rows<GpuMaterial>(0);
  for (std::size_t i = 0; i < view.materials_.size(); ++i)
    ASSETC_CHECK(check_flags(view.materials_[i], i, sizeof(FileHeader) + i * sizeof(GpuMaterial)));
  return view;
}

Result<ByteVector> write(std::span<const GpuMaterial> materials) {
  if (materials.size() > std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorCode::kLimit, message("found ", counted(materials.size(), "material"), " in one file"),
                "split the source");
  }
  ByteVector file;
  file.reserve(sizeof(FileHeader) + materials.size_bytes());
  append(file, FileHeader{kMagic, kVersion, static_cast<std::uint32_t>(materials.size()), 0});
  append_array(file, materials);
  ASSETC_CHECK(View::open(file));
  return file;
}

}  // namespace assetc::hmat
