// Resolves #include paths, without ever leaving the input root.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "shader/shader.hpp"

namespace assetc::shader {

// directory/name with "." and ".." resolved; empty if that leaves the root or is absolute.
std::optional<std::string> join_inside_root(std::string_view directory, std::string_view name);

// "a/b" for "a/b/c.glsl"; "" for a file in the root.
std::string_view parent_of(std::string_view path);

struct Included {
  std::string path;
  Bytes bytes;
};
// Finds name for an #include in the file includer: next to includer unless angled, then in the root.
// Errors: kNotFound lists the places searched; kInvalidData if every candidate leaves the root.
Result<Included> find_include(std::string_view name, bool angled, std::string_view includer, const ReadFile& read);

}  // namespace assetc::shader
