// Any bytes: open() refuses them or returns a view whose accessors all stay inside them.
#include "assetc/formats/hpack.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan file = fuzz::bytes(data, size);
  const auto view = hpack::View::open(file);
  if (!view) return 0;
  for (const auto& e : view->entries()) {
    fuzz::require(view->find(e.path) == &e);
    fuzz::touch(view->payload(e));
  }
  return 0;
}
