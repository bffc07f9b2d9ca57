// What the picture recipes (texture, cubemap, array) share: settings to texture options, reading, warnings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "import/image.hpp"
#include "recipes/recipe.hpp"
#include "texture/compile.hpp"

namespace assetc::recipes {

// Options for a step's settings and params. Params: "mode" (color, linear, normal, gray, hdr; color when absent),
// "wrap" (repeat or clamp; overrules the setting), "alpha_cutoff" (a decimal number above 0: keep coverage). kUsage: a
// param of another value.
Result<texture::CompileOptions> compile_options(const Step& step);

// Decodes a picture and warns of what its use will drop unasked: EXIF orientation, colour in a grey map, alpha in a normal
// map or in BC1.
Result<scene::Image> decode_picture(ByteSpan bytes, const texture::CompileOptions& options,
                                    std::vector<Diagnostic>& diagnostics);

// The same for a file beside others; errors and warnings carry its path.
Result<scene::Image> read_picture(const std::string& path, const texture::CompileOptions& options, Inputs& inputs,
                                  std::vector<Diagnostic>& diagnostics);

// The output of a recipe that makes one texture. Requires a valid KTX 2 file.
Output texture_output(Bytes file);

// Whether a file name ends like a picture's; ASCII case is ignored.
bool has_picture_extension(std::string_view name);

// compile_peak_bytes for one encoded picture, or a small constant where its header cannot be read (cook will say why).
std::uint64_t picture_peak_bytes(ByteSpan file, texture::Arrangement arrangement,
                                 const texture::CompileOptions& options);

}  // namespace assetc::recipes
