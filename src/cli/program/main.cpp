// The program. It is also its own child process, for parsers that may crash, and finds out which it is before it parses
// a command line.
#include <string>
#include <vector>

#include "cli/commands/commands.hpp"
#include "import/fbx/fbx.hpp"
#include "import/font/font.hpp"
#include "os/machine.hpp"
#include "process/child.hpp"
#include "shader/isolation.hpp"

namespace {

constexpr const assetc::process::Role* kRoles[] = {&assetc::importer::kFbxReader, &assetc::importer::kFontReader,
                                                   &assetc::shader::kShaderCompiler};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words = assetc::os::utf8_arguments(argc, argv);
  std::vector<const char*> pointers;
  pointers.reserve(words.size() + 1);
  for (const std::string& word : words) pointers.push_back(word.c_str());
  const int count = static_cast<int>(pointers.size());
  pointers.push_back(nullptr);
  if (const auto code = assetc::process::run_as(kRoles, count, pointers.data())) return *code;
  return assetc::cli::run(count, pointers.data());
}
