// For the comparison with meshoptimizer's decoder in tests/interop. Reads compressed buffer views from standard input,
// one after another: u32 mode, filter, count, stride and size, then the data. Answers each on standard output: u32 1
// for decoded or 0 for refused, u32 size, then the bytes or the message.
#include <array>
#include <cstdio>

#include "import/gltf/meshopt.hpp"

using namespace assetc;

namespace {

void answer(std::uint32_t decoded, ByteSpan bytes) {
  const std::array<std::uint32_t, 2> header{decoded, static_cast<std::uint32_t>(bytes.size())};
  std::fwrite(header.data(), sizeof header, 1, stdout);
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
}

Result<ByteVector> decode(const importer::MeshoptStream& stream) {
  ASSETC_CHECK(importer::check_meshopt(stream));
  return importer::decode_meshopt(stream);
}

}  // namespace

int main() {
  constexpr std::array kModes{"ATTRIBUTES", "TRIANGLES", "INDICES"};
  constexpr std::array kFilters{"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"};
  std::array<std::uint32_t, 5> in;
  while (std::fread(in.data(), sizeof in, 1, stdin) == 1) {
    if (in[0] >= kModes.size() || in[1] >= kFilters.size()) return 1;
    const ByteVector data = [&] {
      ByteVector bytes(in[4]);
      bytes.resize(std::fread(bytes.data(), 1, bytes.size(), stdin));
      return bytes;
    }();
    if (data.size() != in[4]) return 1;
    const auto decoded = decode({kModes[in[0]], kFilters[in[1]], in[2], in[3], data});
    if (decoded) {
      answer(1, *decoded);
    } else {
      answer(0, as_bytes(decoded.error().what));
    }
  }
  return 0;
}
