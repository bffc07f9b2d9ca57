// Cooks one source into AAS1 blobs, for independent readers.
//
//   aas1_probe FOLDER PATH OUT [SETTING VALUE]...    writes OUT/<uuid>.bin; prints a line "uuid asset" for each asset
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "recipes/cooked_inputs.hpp"

namespace {

using namespace assetc;
using namespace assetc::recipes;

int fail(const Error& error) {
  std::fprintf(stderr, "%s\n", error.to_string().c_str());
  return 1;
}

int run(const Step& step, CookedInputs& inputs, const std::string& out) {
  auto product = step.recipe->cook(step, inputs);
  if (!product) return fail(product.error());
  for (const Diagnostic& d : product->diagnostics) std::printf("# %s\n", d.what.to_string().c_str());
  for (const Output& output : product->outputs) {
    const std::string name = output.suffix.empty() ? step.stem : output.suffix;
    std::ofstream(out + "/" + name + ".bin", std::ios::binary) << as_text(output.bytes);
  }
  for (Step& child : product->steps) {
    child.settings = step.settings;
    child.containers = step.containers;
    for (const auto& [key, value] : child.pins) {
      if (auto set = find_setting(key)->set(child.settings, value); !set) return fail(set.error());
    }
    if (const int bad = run(child, inputs, out); bad != 0) return bad;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4 || argc % 2 != 0) return 2;
  const std::string folder = argv[1], path = argv[2], out = argv[3];
  CookedInputs inputs;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    inputs.files[std::filesystem::relative(entry.path(), folder).generic_string()] = {
        std::istreambuf_iterator<char>(in), {}};
  }
  Step step = cooked_step(inputs, path);
  if (step.recipe == nullptr) return 2;
  for (int i = 4; i < argc; i += 2) {
    const SettingField* field = find_setting(argv[i]);
    if (field == nullptr || !field->set(step.settings, argv[i + 1])) return 2;
  }
  const int code = run(step, inputs, out);
  for (const auto& [asset, uuid] : inputs.uuids) std::printf("%s %s\n", uuid.to_string().c_str(), asset.c_str());
  return code;
}
