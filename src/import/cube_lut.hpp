// Color look-up tables in the .cube text format (Adobe Cube LUT Specification 1.0, three-dimensional tables).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "assetc/base/bytes.hpp"
#include "assetc/base/result.hpp"

namespace assetc::importer {

inline constexpr std::uint32_t kMaxCubeLutSize = 256;  // from the specification

struct CubeLut {
  std::uint32_t size = 0;                    // samples per side
  std::array<float, 3> domain_min{0, 0, 0};  // the input color of the first sample of each axis
  std::array<float, 3> domain_max{1, 1, 1};  // the input color of the last
  std::vector<float> values;                 // size^3 RGB triples, red fastest, then green; all finite
  std::string title;
  std::vector<Error> notes;  // statements of the file that are ignored, with their line
};

// Reads a whole file. Comments, blank lines, CRLF, a byte order mark, TITLE, LUT_3D_SIZE, DOMAIN_MIN, DOMAIN_MAX and
// the older LUT_3D_INPUT_RANGE are supported. Any other keyword gives a note. Thread-safe.
//
// Errors name the line:
// - kInvalidData: a value that is no number or not finite, a statement in the wrong place, or too many samples.
// - kTruncated: missing samples.
// - kUnsupported: a one-dimensional table.
// - kLimit: a size above kMaxCubeLutSize.
Result<CubeLut> parse_cube_lut(ByteSpan file);

}  // namespace assetc::importer
