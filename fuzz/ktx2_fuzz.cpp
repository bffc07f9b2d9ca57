// Any bytes: open() refuses them or gives a view whose every accessor stays inside them.
#include "assetc/formats/ktx2.hpp"
#include "fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace assetc;
  const ByteSpan file = fuzz::bytes(data, size);
  const auto view = ktx2::View::open(file);
  if (!view) return 0;
  for (std::size_t i = 0; i < view->levels().size(); ++i) {
    fuzz::touch(view->levels()[i].bytes);
    if (view->block().size_bytes != 0 && view->supercompression() == ktx2::Supercompression::kNone) {
      fuzz::require(view->image_size_bytes(i) * view->images_per_level() == view->levels()[i].bytes.size());
    }
  }
  for (const auto& kv : view->key_values()) {
    fuzz::touch(kv.value);
    fuzz::require(view->find(kv.key).has_value());
  }
  fuzz::touch(as_bytes(view->text("KTXwriter")));
  return 0;
}
