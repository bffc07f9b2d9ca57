// What compilers of shaders report of themselves.
#pragma once

#include <string>

namespace assetc::shader {

// The libraries that are linked: a line "name=version" each. shaderc has no version to report; it is a wrapper of
// these.
std::string libraries();
// Of glslang, which a build may leave out with shaderc; "none" where it does.
std::string glslang_version();

// What tells that the slangc that PATH leads to is another one, without running it: its path, size, stamps and inode.
// Empty where there is none.
std::string slangc_signature();
// What it prints for -v, and the hash of its file, because builds of one version differ: "2024.1.17 (5c41a0de)".
// "not installed" where there is none. Runs it.
std::string slangc_version();

}  // namespace assetc::shader
