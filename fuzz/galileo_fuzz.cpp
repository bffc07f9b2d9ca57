// Any bytes, with a correct checksum so that the code after it is reached: open() refuses them or returns a view whose
// accessors all stay inside them.
#include "assetc/base/hash.hpp"
#include "assetc/formats/galileo.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  ByteVector copy(fuzz::bytes(data, size).begin(), fuzz::bytes(data, size).end());
  if (size >= galileo::kFileHeaderBytes) {
    const std::uint64_t checksum = xxh3_64(ByteSpan(copy).subspan(galileo::kFileHeaderBytes));
    std::memcpy(copy.data() + galileo::kFileHeaderBytes - 8, &checksum, 8);
  }
  const auto view = galileo::View::open(copy);
  if (!view) return 0;
  for (const auto& g : view->groups()) {
    for (const std::uint32_t index : g.indices) fuzz::require(index < g.vertex_count());
    for (const auto& e : g.extensions) {
      fuzz::touch(e.data);
      fuzz::require(e.data.size() == e.stride_bytes * g.vertex_count());
    }
    for (std::size_t c = 0; c < g.texcoords.size(); ++c) {
      if (const auto exact = g.exact_texcoords(c)) fuzz::touch(std::as_bytes(*exact));
    }
  }
  for (const auto& e : view->extensions()) fuzz::touch(e.data);
  if (const auto again = galileo::write(view->to_model())) fuzz::require(galileo::View::open(*again).has_value());
  return 0;
}
