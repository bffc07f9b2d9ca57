// Finds the files that a shader's source names, from its text.
#pragma once

#include <string_view>
#include <vector>

#include "shader/include_path.hpp"

namespace assetc::shader {

// The source and all existing files that it names, directly or indirectly. Each is listed once, the source first. A
// name in a comment or in an untaken #if counts too. For GLSL and HLSL, `#include` names files; for Slang, modules do
// too.
// Errors: kLimit for more than 1,024 files; those of find_include except kNotFound, with the file that contains the
// name.
Result<std::vector<Included>> mentioned_files(std::string_view path, const Bytes& source, const ReadFile& read);

}  // namespace assetc::shader
