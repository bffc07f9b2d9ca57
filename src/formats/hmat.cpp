#include "assetc/formats/hmat.hpp"

#include <array>
#include <cmath>
#include <limits>

#include "base/plural.hpp"
#include "formats/reader.hpp"

namespace assetc::hmat {

using namespace formats;

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
