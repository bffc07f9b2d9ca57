// Parses the output of shader compilers into errors with locations.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"

namespace assetc::shader {

struct CompilerMessage {
  bool is_error = true;
  Error error;
};
// One line of a compiler's output: "a.frag:3: error: text" (shaderc), "a.slang(3): error 30015: text" (slangc) or
// "a.hlsl:3:8: error: text" (dxc). Empty for a line in none of these forms.
std::optional<CompilerMessage> parse_compiler_message(std::string_view line);

struct CompilerMessages {
  std::vector<Error> errors;
  std::vector<Error> warnings;
};
CompilerMessages parse_compiler_output(std::string_view text);

// Gives messages in files that are not among these, because a #line names them, to the source `path`.
CompilerMessages located(CompilerMessages messages, const std::set<std::string, std::less<>>& files,
                         std::string_view path);

// The first error, with the number of further ones. fallback is the file name to use if no line has a known form.
Error first_error(CompilerMessages messages, std::string_view text, std::string_view fallback);

}  // namespace assetc::shader
