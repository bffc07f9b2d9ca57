// Any bytes as a compressed buffer view of KHR_meshopt_compression: an error, or all of its elements. The first four
// bytes are the description and the rest is the stream, so the fuzzer need not produce glTF around it.
#include <array>
#include <memory>

#include "fuzz.hpp"
#include "import/gltf/meshopt.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  if (size < 4) return 0;
  constexpr std::array kModes{"ATTRIBUTES", "TRIANGLES", "INDICES", ""};
  constexpr std::array kFilters{"NONE", "OCTAHEDRAL", "QUATERNION", "EXPONENTIAL", "COLOR"};
  importer::MeshoptStream stream;
  stream.mode = kModes[data[0] & 3];
  stream.filter = kFilters[(data[0] >> 2) % kFilters.size()];
  stream.stride_bytes = stream.mode == kModes[0] ? (data[1] & 63) * 4u + 4u : (data[1] & 7);
  stream.count = data[2] | data[3] << 8;
  // A copy of exactly the stream's size, so that a sanitizer reports a read past its end.
  const std::size_t stream_size = size - 4;
  const auto exact = std::make_unique<std::byte[]>(stream_size);
  std::memcpy(exact.get(), data + 4, stream_size);
  stream.data = {exact.get(), stream_size};
  if (!importer::check_meshopt(stream)) return 0;
  const auto decoded = importer::decode_meshopt(stream);
  fuzz::require(decoded ? decoded->size() == stream.count * stream.stride_bytes : !decoded.error().what.empty());
  if (decoded) fuzz::touch(*decoded);
  return 0;
}
