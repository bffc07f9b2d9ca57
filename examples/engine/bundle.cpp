// The part of an engine that ships: mounts a registry and the signed bundle of its assets, trusting one key, and reads
// assets by their virtual paths.
#include <assetc/runtime/catalog.hpp>
#include <assetc/runtime/file_tree.hpp>
#include <cstdio>
#include <string>

using namespace assetc;

namespace {

int failed(const std::string& what) {
  std::fprintf(stderr, "bundle: %s\n", what.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) return std::fprintf(stderr, "usage: bundle COOKED-FOLDER BUNDLE.pak KEY.pub VIRTUAL-PATH...\n"), 2;
  const auto pem = runtime::map_file(argv[3]);
  if (!pem) return failed(pem.error().to_string());
  const auto key = runtime::parse_public_key(as_text(*pem));
  if (!key) return failed(key.error().to_string());

  runtime::Catalog catalog;
  if (auto mounted = catalog.mount(argv[1]); !mounted) return failed(mounted.error().to_string());
  // A higher priority than the folder: assets that the bundle has are read from the bundle.
  if (auto mounted = catalog.mount(argv[2], {.priority = 1, .signer = *key}); !mounted)
    return failed(mounted.error().to_string());

  for (int i = 4; i < argc; ++i) {
    const auto asset = catalog.find_by_path(argv[i]);
    if (!asset) return failed(std::string("no asset ") + argv[i]);
    const auto bytes = catalog.read(*asset);
    if (!bytes) return failed(bytes.error().to_string());
    std::printf("%s: %s, %zu bytes\n", argv[i], asset->uuid.to_string().c_str(), bytes->size());
  }
  return 0;
}
