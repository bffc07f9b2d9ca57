#include "assetc/formats/hmat.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <string_view>

#include "base/plural.hpp"
#include "formats/reader.hpp"

namespace assetc::hmat {

using namespace formats;

namespace {

constexpr std::string_view kSlotNames[kSlotCount] = {"base color", "metallic-roughness", "normal", "occlusion",
                                                     "emissive"};

Result<void> check_samplers(const GpuMaterial& row, std::size_t number, std::uint64_t place) {
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
  Reader reader(file);
  ASSETC_TRY(const auto header, reader.read<FileHeader>("the header"));
  ASSETC_TRY(const ByteSpan rows,
             reader.take(std::uint64_t{header.count} * sizeof(GpuMaterial), counted(header.count, "material")));
  ASSETC_CHECK(expect_end(reader.position(), file.size()));
  View view;
  view.materials_ = {reinterpret_cast<const GpuMaterial*>(rows.data()), header.count};
  for (std::size_t i = 0; i < view.materials_.size(); ++i) {
    const std::uint64_t place = sizeof(FileHeader) + i * sizeof(GpuMaterial);
    const auto factors = load<std::array<float, 12>>(rows, i * sizeof(GpuMaterial));
    for (std::size_t f = 0; f < factors.size(); ++f) {
      if (!std::isfinite(factors[f]))
        return invalid(place + 4 * f, message("material ", i, " holds a factor that is not finite"));
    }
    if (view.materials_[i].alpha_mode() > AlphaMode::kBlend) {
      return invalid(place + 48, message("material ", i, " has alpha mode 3, expected 0 opaque, 1 mask or 2 blend"));
    }
    ASSETC_CHECK(check_samplers(view.materials_[i], i, place));
  }
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
