#include "cli/commands.hpp"
#include "shader/isolation.hpp"

int main(int argc, char** argv) {
  if (const auto code = assetc::shader::run_as_compiler(argc, argv)) return *code;
  return assetc::cli::run(argc, argv);
}
