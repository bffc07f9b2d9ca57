// Parses the output of shader compilers into errors with locations.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "assetc/base/result.hpp"

namespace assetc::shader {

struct CompilerMessage {
  bool is_error = true;
  Error error;
};
// One line of a compiler's output: "a.frag:3: error: text" (shaderc) or "a.slang(3): error 30015: text" (slangc). Empty
// for a line in neither form.
std::optional<CompilerMessage> parse_compiler_message(std::string_view line);

struct CompilerMessages {
  std::vector<Error> errors;
  std::vector<Error> warnings;
};
CompilerMessages parse_compiler_output(std::string_view text);

// The first error, with the number of further ones. fallback is the file name to use if no line has a known form.
Error first_error(CompilerMessages messages, std::string_view text, std::string_view fallback);

}  // namespace assetc::shader
