// oiiotool of OpenImageIO, which reads the picture formats that would need large libraries.
#pragma once

#include <string>

#include "assetc/base/bytes.hpp"

namespace assetc::importer {

// Whether decode_image() runs oiiotool for that file (TIFF and AVIF).
bool needs_image_program(ByteSpan bytes);

// process::program_signature and program_version of oiiotool.
std::string image_program_signature();
std::string image_program_version();

}  // namespace assetc::importer
