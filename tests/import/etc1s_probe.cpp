// For tests/interop/etc1s.cjs: writes ETC1S textures, and decodes textures with our reader.
//   etc1s_probe write DIR        NAME.ktx2 of every shape that tests use
//   etc1s_probe decode IN OUT    all images by level, layer and face, RGBA; exits 3 if IN is not BasisLZ
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

#include "etc1s_files.hpp"
#include "import/texture/ktx2.hpp"

namespace {

using namespace assetc;

int write(const std::filesystem::path& dir) {
  for (const auto& [name, shape] : etc1s::shapes()) {
    if (shape.history == 0) continue;  // Binomial's reader refuses it
    for (std::uint32_t seed = 100; seed < 104; ++seed) {
      const ByteVector file = etc1s::Writer(shape, seed).file();
      std::ofstream out(dir / (std::string(name) + "_" + std::to_string(seed) + ".ktx2"), std::ios::binary);
      out.write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
    }
  }
  return 0;
}

int decode(const std::filesystem::path& in, const std::filesystem::path& out_path) {
  std::ifstream stream(in, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const auto view = ktx2::View::open(as_bytes(text));
  if (!view) {
    std::cerr << in << ": " << view.error().to_string() << "\n";
    return 2;
  }
  if (view->basis_lz() == nullptr) return 3;
  std::ofstream out(out_path, std::ios::binary);
  for (std::uint32_t level = 0; level < view->levels().size(); ++level) {
    for (std::uint32_t layer = 0; layer < std::max(view->layer_count(), 1u); ++layer) {
      for (std::uint32_t face = 0; face < view->face_count(); ++face) {
        const auto image = importer::decode_ktx2(*view, {level, layer, face}, importer::Channels::kStored);
        if (!image) {
          std::cerr << in << ": " << image.error().to_string() << "\n";
          return 2;
        }
        out.write(reinterpret_cast<const char*>(image->pixels.data()),
                  static_cast<std::streamsize>(image->pixels.size()));
      }
    }
  }
  return out ? 0 : 2;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "write") return write(argv[2]);
  if (argc == 4 && std::string_view(argv[1]) == "decode") return decode(argv[2], argv[3]);
  std::cerr << "usage: etc1s_probe write DIR | decode IN OUT\n";
  return 2;
}
