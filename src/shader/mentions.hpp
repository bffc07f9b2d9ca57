// Which files a shader's source names, as far as its text says.
#pragma once

#include <string_view>
#include <vector>

#include "shader/include_path.hpp"

namespace assetc::shader {

// A source and every file that it names, at any depth, that is there; each once, the source first. A name in a comment
// or in an untaken #if counts too.
// read: of GLSL and HLSL what `#include` names, of Slang also its modules. Errors: kLimit past 1,024 files, those of
// find_include but kNotFound, with the file that names it.
Result<std::vector<Included>> mentioned_files(std::string_view path, const Bytes& source, const ReadFile& read);

}  // namespace assetc::shader
