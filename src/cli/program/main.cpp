#include "cli/commands.hpp"
#include "import/fbx.hpp"
#include "import/font.hpp"
#include "process/child.hpp"
#include "shader/isolation.hpp"

namespace {

constexpr const assetc::process::Role* kRoles[] = {&assetc::importer::kFbxReader, &assetc::importer::kFontReader,
                                                   &assetc::shader::kShaderCompiler};

}  // namespace

int main(int argc, char** argv) {
  if (const auto code = assetc::process::run_as(kRoles, argc, argv)) return *code;
  return assetc::cli::run(argc, argv);
}
