// Any text as a .mat.
#include "fuzz.hpp"
#include "import/material.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan input = fuzz::bytes(data, size);
  const auto imported = importer::import_material("materials/a.mat", Bytes(ByteVector(input.begin(), input.end())));
  if (!imported) {
    fuzz::require(!imported.error().what.empty());
    return 0;
  }
  fuzz::require(imported->scene.materials.size() == 1);
  for (const auto& image : imported->scene.images)
    fuzz::require(!image.path.empty() && image.path != ".." && !image.path.starts_with("../") &&
                  image.path.find("/../") == image.path.npos && image.path[0] != '/');
  return 0;
}
