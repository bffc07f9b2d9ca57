// Any bytes: open() refuses them or returns a view whose accessors all stay inside them.
#include "assetc/formats/hmesh_v1.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan file = fuzz::bytes(data, size);
  const auto view = hmesh_v1::View::open(file);
  if (!view) return 0;
  for (std::size_t i = 0; i < view->index_count(); ++i) fuzz::require(view->index(i) < view->vertices().size());
  if (const auto again = hmesh_v1::write(view->to_model())) {
    fuzz::require(hmesh_v1::View::open(*again).has_value());
  }
  return 0;
}
