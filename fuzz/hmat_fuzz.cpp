// Any bytes: open() refuses them or returns a view whose accessors all stay inside them.
#include "assetc/formats/hmat.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan file = fuzz::bytes(data, size);
  const auto view = hmat::View::open(file);
  if (!view) return 0;
  const auto again = hmat::write(view->materials());
  fuzz::require(again.has_value() && again->size() == size);
  return 0;
}
