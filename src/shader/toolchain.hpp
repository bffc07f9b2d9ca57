// The versions that shader compilers report.
#pragma once

#include <string>

namespace assetc::shader {

// The linked libraries, one line "name=version" each. shaderc reports no version; it is a wrapper around these.
std::string libraries();
// The version of assetc and libraries(). Two programs of which these are equal understand each other.
std::string build();

// A text that changes if PATH leads to another slangc, obtained without running it: its path, size, timestamps and
// inode. Empty if there is no slangc.
std::string slangc_signature();
// The output of slangc -v and the hash of its file, because builds of one version differ: "2024.1.17 (5c41a0de)".
// If there is no slangc: "not installed". Runs slangc.
std::string slangc_version();
// The same for dxc.
std::string dxc_signature();
std::string dxc_version();

}  // namespace assetc::shader
