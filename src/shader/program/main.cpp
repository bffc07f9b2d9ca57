// assetc-shaders: the shader compilers, which assetc starts
// (docs/decisions/0603-unsafe-parsers-run-in-child-processes.md).
#include <cstdio>

#include "shader/isolation.hpp"

int main(int argc, char** argv) {
  const assetc::process::Role* const roles[] = {&assetc::shader::kShaderCompiler};
  if (const auto code = assetc::process::run_as(roles, argc, argv)) return *code;
  std::fputs("assetc-shaders: assetc starts this program to compile shaders; it has no commands\n", stderr);
  return 2;
}
