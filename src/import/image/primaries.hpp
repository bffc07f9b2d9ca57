// Primaries of RGB pictures, and their conversion to those of BT.709, which sRGB shares.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "scene/image.hpp"

namespace assetc::importer {

struct Chromaticity {
  double x = 0, y = 0;
};
struct Primaries {
  Chromaticity red, green, blue, white;
};
inline constexpr Primaries kBt709{{0.64, 0.33}, {0.30, 0.60}, {0.15, 0.06}, {0.3127, 0.3290}};

// Primaries that a picture declares and that are to be converted.
struct OtherPrimaries {
  std::string place;  // "EXR chromaticities"
  Primaries primaries;
};

// The primaries of a code of ITU-T H.273 (cICP of PNG, nclx of AVIF). Nothing for codes without primaries.
std::optional<Primaries> primaries_of_code(std::uint32_t code);
// "Display P3", or the coordinates if they have no name here.
std::string name_of(const Primaries& primaries);
// Whether a picture with these primaries needs no conversion. Writers round: coordinates may differ by 0.004.
bool are_bt709(const Primaries& primaries);

// By rows: linear light under the primaries to linear light under BT.709. White stays white (Bradford's adaptation).
// Nothing if the coordinates describe no colors: one is not finite, or the primaries are on one line.
// Sources: SMPTE RP 177 (from chromaticities to XYZ); Lam, "Metamerism and Colour Constancy", 1985 (Bradford).
using ColorMatrix = std::array<double, 9>;
std::optional<ColorMatrix> matrix_to_bt709(const Primaries& primaries);

// Converts the colors of a picture in place. Integers are sRGB codes, floats are linear light. Returns the number of
// texels of integers whose color BT.709 does not have; they are clipped. Floats are not clipped.
std::uint64_t convert_to_bt709(scene::Image& image, const ColorMatrix& matrix);

}  // namespace assetc::importer
